"""Boards of unknown skins, found by their equal pieces."""

import itertools

import numpy as np
import pytest

from sweepbot.control.widgets.blobs import find_blobs, find_plates
from sweepbot.geometry import Image, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.tiles import find_tilings


def board(xs: list[int], ys: list[int], gap: int, *, chequered: bool = False, slope: int = 0) -> Image:
    """A picture with one cell between each two lines and a gap between cells."""
    image = np.full((ys[-1] + 60, xs[-1] + 60, 3), (90, 60, 30), dtype=np.uint8)
    for row, (top, bottom) in enumerate(itertools.pairwise(ys)):
        for column, (left, right) in enumerate(itertools.pairwise(xs)):
            shade = 200 if chequered and (row + column) % 2 else 190
            face = image[top + gap // 2 : bottom - (gap + 1) // 2, left + gap // 2 : right - (gap + 1) // 2]
            face[:] = shade
            face -= (np.arange(face.shape[0]) * slope).astype(np.uint8)[:, None, None]
    return image


def lines(start: int, pitches: list[int], count: int) -> list[int]:
    """Lines at distances that repeat."""
    return [start + sum(pitches[i % len(pitches)] for i in range(number)) for number in range(count + 1)]


@pytest.mark.parametrize(
    ("pitches", "gap", "chequered", "slope"),
    [([16], 2, False, 0), ([30], 0, True, 0), ([40], 8, False, 0), ([25], 1, False, 2), ([36, 35], 4, False, 0)],
    ids=["gap", "chequered", "wide gap", "gradient", "mixed pitches"],
)
def test_a_board_is_found_to_the_pixel(pitches: list[int], gap: int, chequered: bool, slope: int) -> None:  # noqa: FBT001
    """A fresh board is found with the lines it was drawn with, whatever separates its cells."""
    xs, ys = lines(50, pitches, 12), lines(70, pitches, 9)
    found = find_tilings(board(xs, ys, gap, chequered=chequered, slope=slope))
    assert len(found) == 1
    assert found[0].tiles == 12 * 9
    assert found[0].grid.nearly(Grid(tuple(map(float, xs)), tuple(map(float, ys))), 1)


def test_some_open_cells_do_not_hide_a_board() -> None:
    """A board with an open region is found as far as its hidden cells reach."""
    xs, ys = lines(50, [20], 10), lines(50, [20], 10)
    image = board(xs, ys, 2)
    image[110:190, 110:190] = 70
    assert find_tilings(image)[0].grid.nearly(Grid(tuple(map(float, xs)), tuple(map(float, ys))), 1)


def test_irregular_pictures_have_no_tiling() -> None:
    """An empty picture and a noisy one have no tiling."""
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    assert find_tilings(np.zeros((200, 300, 3), dtype=np.uint8)) == []
    assert find_tilings(noise) == []


def test_a_fine_pattern_is_given_up() -> None:
    """A pattern of a hundred thousand equal pieces is given up, as sorting them would take hours."""
    image = np.zeros((2500, 2500, 3), dtype=np.uint8)
    image[::8] = image[:, ::8] = 200
    assert find_tilings(image) == []


def test_things_stand_out() -> None:
    """Strokes that are close together are one thing, and tiny ones are none."""
    image = np.full((120, 300, 3), 240, dtype=np.uint8)
    image[20:50, 30:60] = 40
    image[20:50, 63:90] = 90
    image[80:84, 200:204] = 0
    (thing,) = find_blobs(image)
    assert thing.centre.x in range(55, 66)
    assert thing.centre.y in range(30, 41)


def test_adjacent_buttons_are_found_one_by_one() -> None:
    """Buttons that are close together are found one by one, and a plate as large as the picture is none."""
    image = np.full((60, 300, 3), 250, dtype=np.uint8)
    for left in (20, 84):
        image[10:40, left : left + 60] = 0
        image[11:39, left + 1 : left + 59] = 250
        image[20:30, left + 20 : left + 30] = 0
    assert {plate for plate in find_plates(image) if plate.width > 20} == {
        Region(21, 11, 58, 28),
        Region(85, 11, 58, 28),
    }
