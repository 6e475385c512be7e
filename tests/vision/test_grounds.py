"""Clients whose grounds vary from cell to cell, in fonts, sizes and lights that no template was drawn with."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from sweepbot.board import Board, Phase, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from tests.nightly import by_turns
from tools.drawing.client_skins import SKINS, draw_board, font_file
from tools.drawing.positions import page, position

UNSEEN_FONTS = ("C059-Bold", "P052-Bold", "URWBookman-Demi", "DejaVuSerif-Bold")
"""Serif and sans-serif, of which no template was drawn."""


def check(read: Board, drawn: NDArray[np.uint8], most_refused: float = 0.02) -> None:
    """Assert that no cell is misread and that at most `most_refused` of them are unread."""
    assert read.cells.shape == drawn.shape
    refused = read.cells == State.UNKNOWN
    assert np.flatnonzero(~refused & (read.cells != drawn)).tolist() == []
    assert refused.mean() <= most_refused


def font(name: str) -> str:
    """Return the font's name, or skip the test where it is not installed."""
    try:
        font_file(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return name


@pytest.mark.parametrize(("pitch", "face"), by_turns([18, 22.5, 30, 45, 90], UNSEEN_FONTS, one_in=3))
def test_googles_board_is_read_at_any_zoom_in_any_font(pitch: float, face: str) -> None:
    """Chequered boards of 18 to 90 px a cell are read in fonts that no template has, but for a few numbers."""
    drawn = position(8, 10, seed=round(10 * pitch))
    picture = page(draw_board(SKINS["google"], drawn, pitch, font(face)))
    check(Reader(find_calibration("google")).read(picture).board, drawn, most_refused=0.1)


@pytest.mark.parametrize("treatment", by_turns(["jpeg", "dimmed", "shrunk", "cropped", "paler"]))
def test_googles_board_is_not_misread_in_changed_pictures(treatment: str) -> None:
    """In compressed, dimmed, scaled, closely cropped and paler pictures no cell is misread."""
    drawn = position(14, 18, seed=7)
    picture = page(draw_board(SKINS["google"], drawn, 30, font("DejaVuSerif-Bold")))
    if treatment == "jpeg":
        picture = np.asarray(
            cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 60])[1], 1), np.uint8
        )
    elif treatment == "dimmed":
        picture = (picture * 0.5).astype(np.uint8)
    elif treatment == "shrunk":
        picture = np.asarray(cv2.resize(picture, None, fx=0.71, fy=0.71, interpolation=cv2.INTER_AREA), np.uint8)
    elif treatment == "cropped":
        picture = picture[130 : 130 + 14 * 30, 70 : 70 + 18 * 30].copy()
    else:
        grey = picture.mean(axis=2, keepdims=True)
        picture = np.clip(grey + 0.84 * (picture - grey), 0, 255).astype(np.uint8)
    try:
        board = Reader(find_calibration("google")).read(picture).board
    except NoBoardFoundError:
        return
    check(board, drawn, most_refused=1)


def test_a_chequered_board_cut_in_a_cell_is_not_trusted() -> None:
    """Where a picture ends in the middle of a column, the reading says which side is cut off."""
    picture = draw_board(SKINS["google"], position(14, 18, seed=3), 30, font("DejaVuSans-Bold"))
    reading = Reader(find_calibration("google")).read(picture[:, : 17 * 30 + 16].copy())
    assert "cut off at the right" in reading.problems


def test_covered_cells_of_a_chequered_board_are_unread() -> None:
    """Cells under a message are unread, and the board keeps its size."""
    drawn = position(14, 18, seed=5)
    picture = page(draw_board(SKINS["google"], drawn, 30, font("DejaVuSans-Bold")))
    picture[250:400, 200:420] = 255
    read = Reader(find_calibration("google")).read(picture).board
    check(read, drawn, most_refused=0.25)
    assert (read.cells[5:8, 6:10] == State.UNKNOWN).all()


@pytest.mark.parametrize("client", ["google", "windows7", "microsoft"])
def test_a_chess_board_and_a_sudoku_are_not_boards(client: str) -> None:
    """A brown chess board and a sudoku on white paper are no Minesweeper boards."""
    chess = np.zeros((480, 480, 3), dtype=np.uint8)
    for row in range(8):
        for column in range(8):
            shade = (181, 217, 240) if (row + column) % 2 else (99, 136, 181)
            chess[60 * row : 60 * row + 60, 60 * column : 60 * column + 60] = shade
    sudoku = np.full((500, 500, 3), 255, dtype=np.uint8)
    for line in range(10):
        sudoku[10 + 50 * line : 13 + 50 * line, 10:463] = 0
        sudoku[10:463, 10 + 50 * line : 13 + 50 * line] = 0
    for picture in (chess, sudoku):
        with pytest.raises(NoBoardFoundError):
            Reader(find_calibration(client)).read(picture)


def test_a_board_painted_over_after_a_win_is_won() -> None:
    """Where open cells turn to water behind a box, the game is won and no number is read."""
    drawn = position(8, 10, seed=2)
    before = draw_board(SKINS["google"], drawn, 45, font("DejaVuSans-Bold"))
    reader = Reader(find_calibration("google"))
    water = (249, 201, 142)
    after = before.copy()
    for row, column in np.argwhere(drawn <= 8).tolist():
        after[45 * row : 45 * row + 45, 45 * column : 45 * column + 45] = water
    after[90:260, 120:300] = 255
    reading = reader.read_at(after, reader.read(before))
    assert reading.phase is Phase.WON
    assert (reading.board.cells[drawn <= 8] == State.UNKNOWN).all()


@pytest.mark.parametrize("pitch", [18.0, 30.0, 51.2])
def test_a_pointer_is_not_a_mine_on_a_hidden_cell(pitch: float) -> None:
    """On a lost board with grey mines no cell is misread, with noise at first sight, and a pointer is no mine."""
    drawn = position(9, 9, seed=5)
    drawn[drawn == State.FLAG] = State.MINE
    picture = page(draw_board(SKINS["windows7"], drawn, pitch, font("DejaVuSans-Bold")))
    noisy = np.clip(picture + np.random.default_rng(1).normal(0, 6, picture.shape), 0, 255).astype(np.uint8)
    reader = Reader(find_calibration("windows7"))
    reading = reader.read(picture)
    for board in (reading.board, Reader(UNKNOWN_CLIENT).read(noisy).board):
        check(board, drawn, most_refused=0.1)
    arrow = np.array([(0, 0), (0, 16), (4, 12), (7, 18), (9, 17), (7, 12), (12, 11)])
    for row, column in np.argwhere(drawn == State.HIDDEN)[::4].tolist():
        covered = picture.copy()
        place = np.rint(arrow * pitch / 24 + (70 + (column + 0.3) * pitch, 130 + (row + 0.3) * pitch)).astype(int)
        cv2.fillPoly(covered, [place], (255, 255, 255))
        cv2.polylines(covered, [place], isClosed=True, color=(0, 0, 0))
        shown = reader.read_at(covered, reading).board.cells
        assert ((shown == State.MINE) <= (drawn == State.MINE)).all()


def test_a_board_is_read_when_its_page_is_dimmed() -> None:
    """A known board is read when its page is dimmed behind a box, and again in full light."""
    drawn = position(8, 10, seed=6)
    drawn[drawn == State.FLAG] = State.MINE
    bright = draw_board(SKINS["google"], drawn, 30, font("DejaVuSans-Bold"))
    reader = Reader(find_calibration("google"))
    place = reader.read(bright)
    dimmed = (bright * 0.4).astype(np.uint8)
    dimmed[60:150, 90:210] = 255
    behind = reader.read_at(dimmed, place)
    check(behind.board, drawn, most_refused=0.3)
    check(reader.read_at(bright, behind).board, drawn, most_refused=0.25)


def test_letters_in_a_numbers_ink_are_unread() -> None:
    """A figure with a number's ink but no number's shape is unread."""
    board = draw_board(SKINS["google"], position(8, 10, seed=2), 45, font("DejaVuSerif-Bold"))
    reader = Reader(find_calibration("google"))
    place = reader.read(board)
    face = ImageFont.truetype(str(font_file("DejaVuSerif-Bold")), size=34)
    cells = place.board.where(0)[:5]
    for number in range(1, 9):
        picture = Pictures.fromarray(board[:, :, ::-1])
        pen = ImageDraw.Draw(picture)
        for letter, (row, column) in zip("MWXN%", cells, strict=True):
            middle = 45 * column + 22, 45 * row + 22
            pen.text(middle, letter, fill=SKINS["google"].inks[number], font=face, anchor="mm")
        read = reader.read_at(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]), place).board
        assert [read[cell] for cell in cells] == [State.UNKNOWN] * len(cells), number


@pytest.mark.parametrize("covered", by_turns([0.5, 0.6, 0.7]))
def test_the_upper_part_of_a_number_is_not_a_flag(covered: float) -> None:
    """The upper part of a red 5 above a window in the colour of hidden cells is not read as a flag."""
    states = np.full((9, 9), State.HIDDEN, dtype=np.uint8)
    fresh = page(draw_board(SKINS["windows7"], states, 50, font("DejaVuSans-Bold")))
    place = Reader(find_calibration("windows7")).read(fresh)
    states[8] = 5
    picture = page(draw_board(SKINS["windows7"], states, 50, font("DejaVuSans-Bold")))
    edge = round(place.grid.ys[-1] - covered * 50)
    picture[edge:] = SKINS["windows7"].hidden(1.0, 0.8, 8, 7)[::-1]
    again = Reader(find_calibration("windows7")).read_at(picture, place)
    assert State.FLAG not in again.board.cells
