"""The client's look: colours and places known from the Windows client."""

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.demo.drawing import Layout, Smiley, draw
from sweepbot.demo.glyphs import LIT
from sweepbot.geometry import Cell, Image, Point
from tools.drawing.demo import draw_cell, templates
from tools.places import CALIBRATIONS

STATES = [*range(9), *(state for state in State if state is not State.UNKNOWN)]
WHITE, GREY, SHADE, RED, BLACK = (255, 255, 255), (192, 192, 192), (128, 128, 128), (0, 0, 255), (0, 0, 0)
RGB_OF_NUMBERS = {
    1: (0, 0, 255),
    2: (0, 128, 0),
    3: (255, 0, 0),
    4: (0, 0, 128),
    5: (128, 0, 0),
    6: (0, 128, 128),
    7: (0, 0, 0),
    8: (128, 128, 128),
}


def colours(image: Image) -> set[tuple[int, ...]]:
    return {tuple(colour) for colour in image.reshape(-1, 3).tolist()}


def picture(text: str, mines_left: int = 0, seconds: int = 0, face: Smiley = Smiley.SMILE) -> Image:
    return draw(Board.parse(text), mines_left, seconds, face)


@pytest.mark.parametrize(("number", "rgb"), RGB_OF_NUMBERS.items())
def test_numbers_have_their_classic_colours(number: int, rgb: tuple[int, int, int]) -> None:
    """An open cell is grey with a number in the classic colour and a dark line at its top and left."""
    cell = draw_cell(number)
    assert colours(cell[1:, 1:]) == {GREY, rgb[::-1]}
    assert colours(cell[0]) == colours(cell[:, 0]) == {SHADE}


def test_hidden_cells_are_raised() -> None:
    """A hidden cell has 2 white pixels at top and left, 2 dark ones at bottom and right, and diagonal corners."""
    cell = draw_cell(State.HIDDEN)
    assert colours(cell[:2, :14]) == colours(cell[:14, :2]) == {WHITE}
    assert colours(cell[14:, 2:]) == colours(cell[2:, 14:]) == {SHADE}
    assert colours(cell[2:14, 2:14]) == {GREY}
    assert [tuple(cell[15 - k, k]) for k in (0, 1, 14, 15)] == [GREY] * 4


def test_every_state_looks_different() -> None:
    """No two states share a picture, including pressed ones."""
    looks = [draw_cell(state).tobytes() for state in STATES] + [draw_cell(State.QUESTION, pressed=True).tobytes()]
    assert len(set(looks)) == len(looks)


def test_an_exploded_mine_is_a_mine_on_red() -> None:
    """An exploded mine is a mine on red instead of grey."""
    mine, exploded = draw_cell(State.MINE), draw_cell(State.EXPLODED)
    different = (mine != exploded).any(axis=2)
    assert colours(mine[different]) == {GREY}
    assert colours(exploded[different]) == {RED}


def test_a_pressed_cell_looks_like_an_open_one() -> None:
    """A pressed hidden cell looks like a 0; a flagged or open one does not change."""
    assert np.array_equal(draw_cell(State.HIDDEN, pressed=True), draw_cell(0))
    assert np.array_equal(draw_cell(State.FLAG, pressed=True), draw_cell(State.FLAG))
    assert np.array_equal(draw_cell(3, pressed=True), draw_cell(3))


@pytest.mark.parametrize(("columns", "rows", "size"), [(9, 9, (164, 207)), (16, 16, (276, 319)), (30, 16, (500, 319))])
def test_the_window_has_the_size_of_the_windows_client(columns: int, rows: int, size: tuple[int, int]) -> None:
    """The window's inside is 16 pixels per cell plus 20 across and 63 down."""
    image = draw(Board.hidden(rows, columns), 0, 0, Smiley.SMILE)
    assert (image.shape[1], image.shape[0]) == size


def test_the_face_is_27_pixels_above_the_first_row() -> None:
    """The face is centred over the board, 27 pixels above it."""
    layout = Layout(9, 9)
    assert layout.board.origin == Point(12, 55)
    assert layout.face.centre == Point(12 + 72, 55 - 27)


def test_each_cell_is_drawn_in_its_place() -> None:
    """The board's picture is that of its cells, row by row."""
    board = Board.parse("01234\n5678#\nF?*XW")
    image = draw(board, 0, 0, Smiley.SMILE)
    layout = Layout(board.columns, board.rows)
    for cell in board:
        assert np.array_equal(image[layout.region_of(cell).slices], draw_cell(board[cell])), cell
        assert layout.cell_at(layout.region_of(cell).origin) == cell


def test_pressed_cells_are_drawn_pressed() -> None:
    """Pressed cells, and no others, are drawn pressed."""
    board, layout = Board.parse("#?F\n###"), Layout(3, 2)
    image = draw(board, 0, 0, Smiley.SMILE, pressed=[Cell(0, 0), Cell(0, 1), Cell(0, 2)])
    for cell in board:
        assert np.array_equal(image[layout.region_of(cell).slices], draw_cell(board[cell], pressed=cell.row == 0))


def lit_segments(counter: Image) -> list[str]:
    """The lit segments of each digit, probed at a pixel in the middle of each."""
    probes = {"a": (2, 6), "b": (6, 10), "c": (16, 10), "d": (20, 6), "e": (16, 2), "f": (6, 2), "g": (11, 6)}
    digits = [counter[:, 13 * place : 13 * place + 13] for place in range(3)]
    return [
        "".join(name for name, (y, x) in probes.items() if tuple(digit[y, x]) == RED and tuple(digit[y, x + 1]) == RED)
        for digit in digits
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "000"), (7, "007"), (10, "010"), (99, "099"), (999, "999"), (1000, "999"), (-5, "-05"), (-99, "-99"),
     (-100, "-99"), (123, "123"), (456, "456"), (789, "789")],
)  # fmt: skip
def test_the_counters_show_what_fits(value: int, shown: str) -> None:
    """Each counter has three digits of seven segments and is clamped to -99 to 999."""
    layout, image = Layout(9, 9), draw(Board.hidden(9, 9), value, value, Smiley.SMILE)
    expected = [LIT[character] for character in shown]
    assert lit_segments(image[layout.mine_counter.slices]) == expected
    assert lit_segments(image[layout.clock.slices]) == expected


def test_each_face_looks_different() -> None:
    """The five faces differ, and change nothing else."""
    pictures = [picture("#########", face=face) for face in Smiley]
    button = Layout(9, 1).face
    assert len({image[button.slices].tobytes() for image in pictures}) == len(Smiley)
    for image in pictures:
        image[button.slices][:] = 0
    assert len({image.tobytes() for image in pictures}) == 1


@pytest.mark.parametrize("client", ["demo", "winxp"])
def test_the_templates_match_the_drawing(client: str) -> None:
    """The templates of `demo` and `winxp` are exactly what is drawn."""
    for name, image in templates().items():
        template = cv2.imread(str(CALIBRATIONS / client / f"{name}.png"))
        assert template is not None, name
        assert np.array_equal(template, image), name
