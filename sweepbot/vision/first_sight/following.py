"""A board of an unknown client, followed from picture to picture at first sight."""

from pathlib import Path

from sweepbot.behaviour import Behaviour, Settle
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.level import LEVELS
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.first_sight.network import CELL_PX
from sweepbot.vision.first_sight.reader import FirstSight, read_again, read_at_first_sight
from sweepbot.vision.reading import UNKNOWN, Reading

_SAME_PITCH_SHARE = 0.03  # by which the pitch of a board that has moved may seem another

UNKNOWN_CLIENT = Calibration(
    name=UNKNOWN,
    path=Path(UNKNOWN),
    description="a client that nobody has calibrated",
    titles=(),
    cell=(CELL_PX, CELL_PX),
    templates=(),
    variants=(),
    levels=LEVELS,
    behaviour=Behaviour(
        first_click=None, restart=(), settle=Settle(notice_ms=500.0, quiet_ms=120.0, limit_ms=1000.0), flags_to_win=None
    ),
)
"""What is assumed of a client that is watched: nothing of its looks, and that it is as slow as any known one."""


class FirstSightReader:
    """Reads the boards of an unknown client, as `Reader` reads those of a known one.

    Args:
        mines: The number of mines, if the board is not of a usual level.

    Attributes:
        calibration: `UNKNOWN_CLIENT`.
    """

    calibration = UNKNOWN_CLIENT

    def __init__(self, mines: int | None = None) -> None:
        self._mines = mines

    def read(self, image: Image) -> FirstSight:
        """Find the board in a picture and read it; raises NoBoardFoundError if there is none."""
        return self.read_all(image)[0]

    def read_all(self, image: Image) -> list[FirstSight]:
        """Read every board in a picture; raises NoBoardFoundError if there is none."""
        return read_at_first_sight(image, self._mines)

    def read_at(self, image: Image, place: Reading) -> FirstSight:
        """Read a board whose place and mines are known from an earlier reading of the same part of the screen."""
        return read_again(image, place)

    def read_moved(self, image: Image, place: Reading) -> FirstSight:
        """Read a board that may have moved since an earlier reading; it has as many cells, of the same size.

        Raises:
            NoBoardFoundError: The board is not in the picture.
        """
        for reading in self.read_all(image):
            same = reading.board.cells.shape == place.board.cells.shape
            if same and abs(reading.grid.pitch[0] / place.grid.pitch[0] - 1) <= _SAME_PITCH_SHARE:
                return reading
        raise NoBoardFoundError(
            f"no board of {place.grid.columns}x{place.grid.rows} cells of {place.grid.pitch[0]:.1f} pixels found",
            hint="show the whole board again, at the size that it had",
        )
