"""What gets from the end of a game to the next in a client whose ways to do so are not known."""

from typing import Protocol

from sweepbot.board import Phase
from sweepbot.vision.reading import Reading


class Between(Protocol):
    """Closes what comes up at the end of a game, and finds out how a new one is started."""

    def note_played(self, now: Reading) -> None:
        """Look at the client in the middle of a game, of which this is the last reading."""

    def end_told(self) -> Phase | None:
        """Return how the game has ended by the words that have come up; None if they do not say."""

    def is_box_up(self) -> bool:
        """Whether a window of the client's, or a box with a button, has come up."""

    def close(self, before: Reading) -> bool:
        """Remove what has come up since a reading of the board; return whether anything was there."""

    def begin_anew(self, over: Reading) -> Reading:
        """Start a new game after one whose end was read; return the same with the place of the new board.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
