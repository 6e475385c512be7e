"""Boards that hardly stand out from their page: thin lines, plain faces, nearly the same colour."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from sweepbot.behaviour import Behaviour, Restart, Settle
from sweepbot.board import Board, State
from sweepbot.geometry import Cell, Image
from sweepbot.level import FirstClick, Level
from sweepbot.vision.calibration import Calibration, Template, find_calibration
from sweepbot.vision.reader import Reader
from tools.drawing.demo import draw_cell
from tools.drawing.trap_clients import Kind, TrapDesktop

BOARD = Board.parse("\n".join(["#########"] * 7 + ["#######22", "#######10"]))
STATES = (State.HIDDEN, 0, 1, 2)


def table_cell(state: int) -> Image:
    """A dark cell of a table, with half of the line that it shares with each neighbour."""
    cell = np.full((34, 34, 3), 34 if state == State.HIDDEN else 153, dtype=np.uint8)
    cell[0], cell[-1], cell[:, 0], cell[:, -1] = (85,) * 4
    return written(cell, state)


def plain_cell(state: int) -> Image:
    """A plain face with a line on two sides."""
    cell = np.full((31, 31, 3), 187, dtype=np.uint8)
    cell[:30, :30] = 204 if state == State.HIDDEN else 238
    return written(cell, state)


def written(cell: Image, state: int) -> Image:
    """The cell with a number on it."""
    if state in (1, 2):
        cv2.putText(cell, str(state), (10, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 90, 40 * state), 2, cv2.LINE_AA)
    return cell


def calibration_of(*templates: Template) -> Calibration:
    """A calibration with nothing but templates."""
    height, width = templates[0].image.shape[:2]
    return Calibration(
        name="plain",
        path=Path("plain/calibration.yaml"),
        description="drawn by the test",
        titles=(),
        cell=(width, height),
        templates=templates,
        variants=(),
        levels={},
        behaviour=Behaviour(FirstClick.SAFE, (Restart(key="f2"),), Settle(notice_ms=50, quiet_ms=20, limit_ms=400)),
    )


def page(ground: tuple[int, int, int], side: int, draw: Callable[[Cell], Image]) -> Image:
    """A page with the board at (301, 203)."""
    picture = np.full((700, 900, 3), ground, dtype=np.uint8)
    for cell in BOARD:
        y, x = 203 + cell.row * side, 301 + cell.column * side
        picture[y : y + side, x : x + side] = draw(cell)
    return picture


@pytest.mark.parametrize(
    ("draw", "ground"), [(table_cell, (34, 34, 34)), (plain_cell, (182, 183, 191))], ids=["table", "plain"]
)
def test_a_board_is_read_to_its_edges_and_no_further(
    draw: Callable[[int], Image], ground: tuple[int, int, int]
) -> None:
    """A board is read to its edges and no further, though a single pixel marks its lines."""
    picture = page(ground, draw(0).shape[0], lambda cell: draw(BOARD[cell]))
    reading = Reader(calibration_of(*(Template(state, draw(state)) for state in STATES))).read(picture)
    assert str(reading.board) == str(BOARD)
    assert reading.grid.origin == (301, 203)


def lined_cell(state: int) -> Image:
    """A cell between pale lines, white where it is open and nearly white where it is not."""
    cell = np.full((40, 40, 3), (255, 249, 248) if state == State.HIDDEN else 255, dtype=np.uint8)
    cell[0], cell[:, 0] = 204, 204
    return written(cell, state)


def test_a_white_page_is_not_a_further_white_cell() -> None:
    """On a white page no further white cell starts beside a board."""
    side = lined_cell(0).shape[0]
    picture = page((255, 255, 255), side, lambda cell: lined_cell(BOARD[cell]))
    picture[203 : 203 + 9 * side + 1, 301 + 9 * side] = 204
    picture[203 + 9 * side, 301 : 301 + 9 * side + 1] = 204
    reading = Reader(calibration_of(*(Template(state, lined_cell(state)) for state in STATES))).read(picture)
    assert str(reading.board) == str(BOARD)
    assert reading.doubts == ()


@pytest.mark.parametrize(("seed", "shown"), [(33, 64), (38, 64), (38, 400)])
def test_surroundings_do_not_change_a_board(seed: int, shown: int) -> None:
    """A fresh drawn board is read to the pixel, however much of its surroundings is shown."""
    desktop = TrapDesktop(Kind.of(seed))
    around = desktop.area.grown(shown).intersection(desktop.region)
    assert around is not None
    looks = (
        Template(state, desktop.skin.cell(state, Cell(4, 4), 9)) for state in (*range(5), State.HIDDEN, State.FLAG)
    )
    reading = Reader(calibration_of(*looks)).read(desktop.grab(around).image)
    assert reading.grid.region.moved(around.origin) == desktop.area


def test_open_cells_beside_a_levels_size_belong_to_the_board() -> None:
    """Open cells beside a part that has a level's size belong to the board."""
    cells = np.zeros((8, 12), dtype=np.uint8)
    cells[:, :2] = State.HIDDEN
    cells[:, 2] = 2
    board = np.vstack([np.hstack([draw_cell(int(state)) for state in row]) for row in cells])
    picture = np.pad(board, ((40, 40), (40, 40), (0, 0)))
    calibration = replace(find_calibration("demo"), levels={"only": Level.parse("8x8/10")})
    assert (Reader(calibration).read(picture).board.cells == cells).all()


def wide_cell(state: int) -> Image:
    """A cell of a table whose columns are much wider than its rows are high."""
    cell = np.full((30, 52, 3), 74 if state == State.HIDDEN else 181, dtype=np.uint8)
    cell[0], cell[-1], cell[:, 0], cell[:, -1] = (255,) * 4
    return written(cell, state)


def test_cells_need_not_be_square() -> None:
    """A board of wide cells is found anywhere, with its numbers, and again after it has moved."""
    reader = Reader(calibration_of(*(Template(state, wide_cell(state)) for state in STATES)))
    board = np.concatenate([np.concatenate([wide_cell(int(state)) for state in row], axis=1) for row in BOARD.cells])
    pages = []
    for left, top in ((70, 60), (101, 95)):
        page = np.full((board.shape[0] + 200, board.shape[1] + 200, 3), 236, dtype=np.uint8)
        page[top : top + board.shape[0], left : left + board.shape[1]] = board
        pages.append(page)
    found = reader.read(pages[0])
    assert found.board == BOARD
    moved = reader.read_moved(pages[1], found)
    assert moved.board == BOARD
    assert (moved.grid.xs[0], moved.grid.ys[0]) == (101, 95)
