"""What the ends of games and the ways to new ones are told by: a board that is looked at again and again."""

from typing import Any, Protocol

from numpy.typing import NDArray

from sweepbot.calibrate.live.touch import Touch
from sweepbot.vision.grid import Grid

Shown = NDArray[Any]
"""What each cell shows, of shape (rows, columns): numbers that differ if the cells do."""


class Watched(Protocol):
    """A board of an unknown client: pictures of cells while it is learned, read at first sight while it is played.

    Attributes:
        touch: Looks and clicks.
        starts_open: Whether the last new board had an open region.
    """

    touch: Touch
    starts_open: bool

    @property
    def place(self) -> Grid:
        """The board's grid, in pixels of the desktop."""

    @property
    def now(self) -> Shown:
        """What its cells showed when it was looked at last."""

    @property
    def is_fresh(self) -> bool:
        """Whether all cells are hidden."""

    @property
    def is_covered(self) -> bool:
        """Whether something is in front of cells that were open."""

    @property
    def shows_cells(self) -> bool:
        """Whether some of what is seen in its place is known to be cells."""

    def look(self, *, patiently: bool = False) -> None:
        """Look again once the picture is at rest; if `patiently`, once even flashing has ended."""

    def find_again(self) -> bool:
        """Find a board that has moved; return whether it has."""

    def move_to(self, place: Grid) -> None:
        """Look at the board in another place from now on."""

    def expect_new_game(self) -> None:
        """Note that from now on there may be another game."""

    def has_begun_anew(self) -> bool:
        """Whether there is a new board: cells that were open are hidden again."""
