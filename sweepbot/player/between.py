"""What gets from the end of a game to the next in a client whose ways to do so are not known."""

from typing import Protocol

from sweepbot.board import Phase
from sweepbot.vision.reading import Reading


class Between(Protocol):
    """Closes what comes up at the end of a game, and finds out how a new one is started."""

    def note_played(self, now: Reading) -> None:
        """Note that a game goes on with clicks, and look at the client in its middle; this is its last reading."""

    def end_by_words(self, *, by_box: bool) -> Phase | None:
        """Return how the game has ended by the words that have come up; None if they do not say.

        If `by_box`, only those of a box count that was closed since the last click.
        """

    def is_box_up(self) -> bool:
        """Whether a window of the client's, or a box with a button, has come up."""

    def close(self, before: Reading) -> bool:
        """Remove what has come up since a reading of the board; return whether anything was there."""

    def begin_anew(self, over: Reading) -> Reading:
        """Start a new game after one whose end was read; return the same with the place of the new board.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
