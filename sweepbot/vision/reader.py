"""The face of the eyes: `Reader.read(image) -> Reading`."""

from dataclasses import dataclass, replace

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Point
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells import rectified
from sweepbot.vision.classify import Classified, Classifier
from sweepbot.vision.fit import LEAST_CELLS
from sweepbot.vision.grid import Grid
from sweepbot.vision.locate import Candidate, locate


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a picture shows.

    Attributes:
        client: The name of the calibration it was read with.
        board: The position; its mines are those of the level of that size, None where there is none.
        grid: Where its cells are, in pixels of the picture.
        scale: How large a cell is in it, as a multiple of the calibration's.
        classified: The scores of the cells.
        phase: How far the game is.
    """

    client: str
    board: Board
    grid: Grid
    scale: float
    classified: Classified
    phase: Phase

    @property
    def confidence(self) -> float:
        """How well the cells agree with their templates on average, unreadable ones counted as 0; in [0, 1]."""
        believed = self.classified.states != State.UNKNOWN
        return float(np.where(believed, self.classified.scores, 0).mean())

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def mines_left(self) -> int | None:
        """Mines less flags, as a client's counter shows it; None where the number of mines is not known."""
        return None if self.board.mines is None else self.board.mines - self.board.count(State.FLAG)

    def moved(self, by: Point) -> "Reading":
        """The same reading with its grid shifted, from the pixels of a part of the screen to those of the whole."""
        return replace(self, grid=self.grid.moved(by))

    def beside_board(self, offset: tuple[int, int]) -> Point:
        """The pixel `offset` = (right, down), at scale 1, from the middle of the board's upper edge."""
        middle = (self.grid.xs[0] + self.grid.xs[-1]) / 2
        return Point(round(middle + offset[0] * self.scale), round(self.grid.ys[0] + offset[1] * self.scale))


class Reader:
    """Reads the boards of one client.

    Args:
        calibration: The client's skin.
        mines: The mines of the board, where it is not of one of the calibration's levels.
    """

    def __init__(self, calibration: Calibration, mines: int | None = None) -> None:
        self.calibration = calibration
        self._mines = mines
        self._classifier = Classifier(calibration.templates)

    def read(self, image: NDArray[uint8]) -> Reading:
        """Find the board in a picture and read it.

        Where there are several boards, the one with most readable cells is read.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none; the message says what was searched and what came nearest.
        """
        candidates = locate(image, self.calibration, self._classifier)
        if not candidates or not candidates[0].is_board:
            raise self._nothing_found(image, candidates)
        found = candidates[0]
        return self._reading(found.grid, found.scale, found.classified)

    def read_at(self, image: NDArray[uint8], grid: Grid, scale: float) -> Reading:
        """Read a board whose place is known from an earlier reading of a picture of the same size."""
        board = rectified(image, grid, self.calibration.cell)
        return self._reading(grid, scale, self._classifier.classify(board, (grid.rows, grid.columns)))

    def _reading(self, grid: Grid, scale: float, classified: Classified) -> Reading:
        level = self.calibration.level_of_size(grid.columns, grid.rows)
        mines = self._mines if self._mines is not None or level is None else level.mines
        board = Board(classified.states, mines)
        phase = board.phase(flags_to_win=self.calibration.manners.flags_to_win)
        return Reading(self.calibration.name, board, grid, scale, classified, phase)

    def _nothing_found(self, image: NDArray[uint8], candidates: list[Candidate]) -> NoBoardFoundError:
        scales = " to ".join(f"{scale:.0%}" for scale in self.calibration.scales)
        searched = f"{image.shape[1]}x{image.shape[0]} pixels for {self.calibration.name} at {scales}"
        nearest = "nothing came near"
        if candidates:
            grid, readable = candidates[0].grid, candidates[0].classified.readable
            nearest = f"nearest: {grid.columns}x{grid.rows} cells at {grid.region}, {readable:.0%} of them readable"
        return NoBoardFoundError(
            f"no board found: searched {searched}; {nearest}",
            hint=f"show the whole board (at least {LEAST_CELLS}x{LEAST_CELLS} cells), or name another --client",
        )
