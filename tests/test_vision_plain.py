"""Boards that little sets apart from their page: thin lines, plain faces, a ground of nearly the same colour."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
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


def shaded_cell(state: int, shade: int) -> Image:
    """A cell with neither line nor relief, in one of two shades that take turns."""
    cell = np.full((30, 30, 3), (170, 215, 162) if state == State.HIDDEN else (184, 228, 229), dtype=np.uint8)
    return written(cell - np.uint8(4 * shade), state)


def calibration_of(*templates: Template) -> Calibration:
    """The look of a client of which nothing else is known."""
    height, width = templates[0].image.shape[:2]
    return Calibration(
        name="plain",
        path=Path("plain/calibration.yaml"),
        description="drawn by the test",
        titles=(),
        cell=(width, height),
        scales=(0.5, 3.5),
        templates=templates,
        variants=(),
        levels={},
        manners=Manners(FirstClick.SAFE, (Restart(key="f2"),), Settle(notice_ms=50, quiet_ms=20, limit_ms=400)),
    )


def page(ground: tuple[int, int, int], side: int, draw: Callable[[Cell], Image]) -> Image:
    """A page with the board at (301, 203), each cell as it is drawn."""
    picture = np.full((700, 900, 3), ground, dtype=np.uint8)
    for cell in BOARD:
        y, x = 203 + cell.row * side, 301 + cell.column * side
        picture[y : y + side, x : x + side] = draw(cell)
    return picture


@pytest.mark.parametrize(
    ("draw", "ground"), [(table_cell, (34, 34, 34)), (plain_cell, (182, 183, 191))], ids=["table", "plain"]
)
def test_a_board_is_parted_from_its_page(draw: Callable[[int], Image], ground: tuple[int, int, int]) -> None:
    """A board is read to its edges and no further, its lines found though a pixel is all that tells them."""
    picture = page(ground, draw(0).shape[0], lambda cell: draw(BOARD[cell]))
    reading = Reader(calibration_of(*(Template(state, draw(state)) for state in STATES))).read(picture)
    assert str(reading.board) == str(BOARD)
    assert reading.grid.origin == (301, 203)


def test_a_board_of_two_shades_that_are_nearly_one_is_found() -> None:
    """Cells told from the next ones by a faint change of shade alone are a board, though no line is between them."""
    picture = page((250, 250, 250), 30, lambda cell: shaded_cell(BOARD[cell], sum(cell) % 2))
    templates = (Template(state, shaded_cell(state, shade)) for state in STATES for shade in (0, 1))
    reading = Reader(calibration_of(*templates)).read(picture)
    assert str(reading.board) == str(BOARD)
    assert reading.grid.origin == (301, 203)
