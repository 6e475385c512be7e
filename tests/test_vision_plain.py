"""Boards that little sets apart from their page: thin lines, plain faces, a ground of nearly the same colour."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import Calibration, Manners, Restart, Settle, Template
from sweepbot.vision.reader import Reader

Image = NDArray[np.uint8]
BOARD = Board.parse("\n".join(["#########"] * 4 + ["###22####", "###10####", *["#########"] * 3]))
STATES = (State.HIDDEN, 0, 1, 2)


def table_cell(state: int) -> Image:
    """A cell of a table: dark, with half of the line that it shares with the next one on every side."""
    cell = np.full((34, 34, 3), 34 if state == State.HIDDEN else 153, dtype=np.uint8)
    cell[0], cell[-1], cell[:, 0], cell[:, -1] = (85,) * 4
    return written(cell, state)


def plain_cell(state: int) -> Image:
    """A plain face, and one of the lines between it and the next ones on two sides."""
    cell = np.full((31, 31, 3), 187, dtype=np.uint8)
    cell[:30, :30] = 204 if state == State.HIDDEN else 238
    return written(cell, state)


def written(cell: Image, state: int) -> Image:
    """The cell with its number on it."""
    if state in (1, 2):
        cv2.putText(cell, str(state), (10, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 90, 40 * state), 2, cv2.LINE_AA)
    return cell


@pytest.mark.parametrize(
    ("draw", "ground"), [(table_cell, (34, 34, 34)), (plain_cell, (182, 183, 191))], ids=["table", "plain"]
)
def test_a_board_is_parted_from_its_page(draw: Callable[[int], Image], ground: tuple[int, int, int]) -> None:
    """A board is read to its edges and no further, its lines found though a pixel is all that tells them."""
    side = draw(0).shape[0]
    picture = np.full((700, 900, 3), ground, dtype=np.uint8)
    for cell in BOARD:
        y, x = 203 + cell.row * side, 301 + cell.column * side
        picture[y : y + side, x : x + side] = draw(BOARD[cell])
    calibration = Calibration(
        name="plain",
        path=Path("plain/calibration.yaml"),
        description="drawn by the test",
        titles=(),
        cell=(side, side),
        scales=(0.5, 3.5),
        templates=tuple(Template(state, draw(state)) for state in STATES),
        variants=(),
        levels={},
        manners=Manners(FirstClick.SAFE, (Restart(key="f2"),), Settle(notice_ms=50, quiet_ms=20, limit_ms=400)),
    )
    reading = Reader(calibration).read(picture)
    assert str(reading.board) == str(BOARD)
    assert reading.grid.origin == (301, 203)
