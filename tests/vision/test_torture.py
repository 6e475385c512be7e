"""Damaged pictures with known truth: a small fixed sample of the benchmark's thousands."""

import random

import cv2
import numpy as np
import pytest

from sweepbot.board import State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Point
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tools.drawing import torture

SEEDS = range(3)
_MAX_REFUSED_CELLS = 4  # cells beside a window over the board


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(find_calibration("demo"))


@pytest.mark.parametrize(("kind", "seed"), by_turns(torture.KINDS, SEEDS, one_in=3))
def test_damage_leads_to_no_wrong_cell(reader: Reader, kind: str, seed: int) -> None:
    """Every board is found in place, and every cell is read right, but for a few beside what covers others."""
    tally = torture.Tally()
    picture = torture.picture(kind, seed)
    tally.count(picture, reader.read(picture.image))
    assert (tally.wrong_size, tally.missed, tally.wrong) == (0, 0, 0)
    assert tally.refused <= _MAX_REFUSED_CELLS
    assert tally.worst_origin < 0.06


@pytest.mark.parametrize("scale", by_turns([0.75, 0.8, 1.0, 1.25, 1.5, 1.68, 1.75, 2.5, 3.5, 10.0], one_in=3))
def test_every_scale_of_a_desktop_is_read(reader: Reader, scale: float) -> None:
    """Cells of 12 to 160 pixels, fractions included, are read, and the pitch is right."""
    rng = random.Random(5)
    shrunk = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    picture = torture.scaled(torture.drawn(rng), scale, shrunk)
    reading = reader.read(picture.image)
    assert reading.board.lines() == picture.board.lines()
    assert reading.scale == pytest.approx(picture.pitch / 16, rel=0.01)


def test_pitches_may_mix(reader: Reader) -> None:
    """Boards with some rows and columns a pixel wider than others are found line by line."""
    picture = torture.scaled(torture.drawn(random.Random(11)), 2.0, cv2.INTER_LINEAR)
    left, top = (round(at) for at in picture.origin)
    image = picture.image
    for number in range(6):  # widen the first six columns and rows, as a client does that spreads leftover pixels
        x, y = left + number * 33 + 20, top + number * 33 + 20
        image = np.insert(image, x, image[:, x], axis=1)
        image = np.insert(image, y, image[y], axis=0)
    reading = reader.read(image)
    assert reading.board.lines() == picture.board.lines()
    assert np.allclose(np.diff(reading.grid.xs)[:5], 33, atol=0.6)
    assert reading.grid.xs[-1] == pytest.approx(left + 6 + 32 * picture.board.columns, abs=2)


def test_a_part_of_a_board_is_read(reader: Reader) -> None:
    """A part cut from the middle of a board is read, though its outer numbers count cells that are not shown."""
    picture = torture.picture("common scale", 1)
    pitch, cells = picture.pitch, picture.board.cells
    assert min(cells.shape) >= 9
    left, top = (round(at + 2 * pitch) for at in picture.origin)
    side = round(6 * pitch)
    reading = reader.read(np.ascontiguousarray(picture.image[top : top + side, left : left + side]))
    read = reading.board.cells
    assert (read == cells[2:8, 2:8])[read != State.UNKNOWN].all()
    assert (read != State.UNKNOWN).mean() > 0.9


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_board_that_moved_is_found_again(reader: Reader, scale: float) -> None:
    """A board is found exactly after its window has moved and the game has gone on."""
    rng = random.Random(21)
    picture = torture.scaled(torture.drawn(rng), scale, cv2.INTER_LINEAR)
    place = reader.read(picture.image)
    moved = np.pad(picture.image, ((41, 17), (123, 5), (0, 0)))
    reading = reader.read_moved(moved, place)
    assert reading.board.lines() == picture.board.lines()
    assert reading.grid.nearly(place.grid.moved(Point(123, 41)), 1e-6)
    with pytest.raises(NoBoardFoundError, match="pixels for one of"):
        reader.read_moved(np.zeros_like(moved), place)


def test_a_cell_with_a_covered_number_is_unread(reader: Reader) -> None:
    """A patch over the middle of a number makes its cell unread, never another number."""
    picture = torture.picture("none", 1)
    number = next(cell for cell in picture.board if 1 <= picture.board[cell] <= 8)
    place = reader.read(picture.image)
    for colour in ((255, 255, 255), (0, 0, 0), (0, 0, 255), (0, 128, 0), (90, 90, 90)):
        image = picture.image.copy()
        left, top = (round(place.grid.xs[number.column]), round(place.grid.ys[number.row]))
        image[top + 1 : top + 15, left + 1 : left + 15] = colour
        assert reader.read_at(image, place).board[number] == State.UNKNOWN
