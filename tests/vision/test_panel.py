"""Counters and face around a board, against what a person reads off the pictures."""

import random

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, Phase, State
from sweepbot.demo.drawing import Layout, Smiley, draw
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.header.panel import Header, read_panel
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import at_night, by_turns
from tools.drawing import torture
from tools.places import FIXTURES

PLAYING, WON, LOST = Phase.PLAYING, Phase.WON, Phase.LOST
SHOWN = {
    "demo/beginner_flags": Header(5, 33, PLAYING),
    "demo/expert_lost": Header(64, 87, LOST),
    "demo/intermediate_lost_by_chord": Header(38, 59, LOST),
    "demo/expert_won": Header(0, 243, WON),
    # Its clock is the left one.
    "winemine/16x14-130_middle": Header(130, 3, PLAYING),
    "winemine/16x14-130_won": Header(0, 6, WON),
    "winemine/beginner_lost": Header(5, 0, LOST),
    "winemine/expert_flags": Header(83, 2, PLAYING),
    "winemine/expert_middle": Header(99, 2, PLAYING),
    "xdemineur/12x10-15_flags": Header(11, 0, PLAYING),
    "xdemineur/12x10-75_lost_5_7": Header(75, 1, LOST),
    "xdemineur/12x10-15_won": Header(0, 0, WON),
    "xdemineur/expert_lost": Header(76, 2, LOST),
    "xdemineur/expert_flags": Header(77, 2, PLAYING),
}
"""Read by eye."""

FEW_OPEN = "1########" + "\n#########" * 4


def reader(client: str) -> Reader:
    return Reader(find_calibration(client))


@pytest.mark.parametrize("name", by_turns(SHOWN))
def test_recorded_panels_are_read(name: str) -> None:
    """Counters and face of recorded screenshots are read as a person reads them."""
    reading = reader(name.split("/", maxsplit=1)[0]).read(load_image(FIXTURES / f"{name}.png"))
    assert reading.shown == SHOWN[name]
    assert reading.mines_left == SHOWN[name].mines_left


def test_every_number_on_a_counter_is_read() -> None:
    """A counter is read from -99 to 999, with each digit in each place."""
    demo, board = find_calibration("demo"), Board.parse(FEW_OPEN)
    grid = Reader(demo).read(draw(board, 8, 8, Smiley.SMILE)).grid
    assert demo.panel is not None
    for number in (*range(-99, 1000, 37), -1, 0, 7, 888, 999):
        shown = read_panel(draw(board, number, abs(number), Smiley.SMILE), grid, demo.cell, demo.panel)
        assert (shown.mines_left, shown.clock) == (number, abs(number))


@pytest.mark.parametrize("first", [0, *at_night(1)])
def test_damaged_panels_are_never_misread(first: int) -> None:
    """A damaged picture never gives a number that is not there; an intact one gives all of them."""
    eyes, told, found = reader("demo"), 0, 0
    kinds = [kind for kind in torture.KINDS if kind != "paired"][first::2]  # it has another board with its own panel
    for number, kind in enumerate(kinds):
        rng = random.Random(number)
        mines_left, seconds = rng.randrange(-99, 1000), rng.randrange(1000)
        board = torture.position(rng)
        window = draw(board, mines_left, seconds, Smiley.COOL)
        layout = Layout(board.columns, board.rows).board
        covered = np.zeros(board.cells.shape, dtype=np.bool_)
        picture = torture.Picture(np.asarray(window, np.uint8), board, (layout.x, layout.y), layout.width, covered)
        try:
            shown = eyes.read(torture.KINDS[kind](picture, rng).image).shown
        except NoBoardFoundError:  # cells too small, or too little of the board
            continue
        found += 1
        assert shown.mines_left in (mines_left, None)
        assert shown.clock in (seconds, None)
        assert shown.face in (WON, None)
        told += sum(of is not None for of in (shown.mines_left, shown.clock, shown.face))
    assert found >= 0.8 * len(kinds)
    assert told > 2.5 * found


def test_a_covered_digit_gives_no_number() -> None:
    """A covered digit, or a picture that ends at the board, gives no number."""
    eyes, board = reader("demo"), Board.parse(FEW_OPEN)
    window, layout = draw(board, 8, 8, Smiley.SMILE), Layout(9, 5)
    for colour in ((255, 255, 255), (0, 0, 255), (0, 0, 0)):
        image = window.copy()
        counter = layout.mine_counter
        cv2.rectangle(image, (counter.x + 26, counter.y), (counter.right - 1, counter.bottom - 6), colour, -1)
        assert eyes.read(image).shown.mines_left is None
    assert eyes.read(window[layout.board.y - 2 :]).shown == Header()


def test_the_counter_gives_the_total_of_mines() -> None:
    """Where no level gives the total, it is the counter plus the flags."""
    eyes = reader("demo")
    for rows, mines in ((7, 13), (9, 35)):
        board = Board.parse("F1" + "#" * 7 + ("\n" + "#" * 9) * (rows - 1))
        reading = eyes.read(draw(board, mines - 1, 3, Smiley.SMILE))
        assert (reading.board.mines, reading.mines_left) == (mines, mines - 1)
        assert eyes.read_at(draw(board, 0, 3, Smiley.SMILE), reading).board.mines == mines


def test_a_given_total_overrides_the_counter() -> None:
    """A total of mines that was passed to the reader is not overridden by the picture."""
    eyes = Reader(find_calibration("demo"), mines=20)
    reading = eyes.read(draw(Board.parse(FEW_OPEN), 10, 0, Smiley.SMILE))
    assert (reading.board.mines, reading.mines_left) == (20, 10)


def test_the_face_shows_that_a_game_is_over() -> None:
    """Where the cells do not show it, sunglasses mean a win and crossed eyes a loss."""
    eyes, board = reader("demo"), Board.parse(FEW_OPEN)
    assert board.count(State.HIDDEN)
    for face, phase in ((Smiley.SMILE, PLAYING), (Smiley.OH, PLAYING), (Smiley.COOL, WON), (Smiley.DEAD, LOST)):
        assert eyes.read(draw(board, 3, 3, face)).phase is phase


def test_unread_cells_leave_the_mines_left_unknown() -> None:
    """An unread cell may be a flag, so without a counter the mines left are unknown."""
    eyes = reader("demo")
    board = Board.parse("F1" + "#" * 7 + ("\n" + "#" * 9) * 8)
    image = draw(board, 9, 3, Smiley.SMILE)[Layout(9, 9).board.y - 2 :]
    assert eyes.read(image).mines_left == 9
    cell = eyes.read(image).grid.centre(Cell(5, 5))
    cv2.circle(image, (cell.x, cell.y), 6, (255, 0, 255), -1)
    reading = eyes.read(image)
    assert (reading.unread, reading.mines_left) == (1, None)
