"""Boards whose cells show a pattern, found without a template."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.repeats import find_repeats
from sweepbot.vision.pictures.image import load_image
from tools.places import FIXTURES


def _desktop(seed: int, cell: NDArray[np.uint8], rows: int, columns: int) -> tuple[NDArray[np.uint8], Grid]:
    """A board made of one picture on a plain desktop, and its region."""
    side = cell.shape[0]
    image = np.full((rows * side + 200, columns * side + 240, 3), (120, 90, 60), dtype=np.uint8)
    x, y = 100 + seed, 120 - seed
    image[y : y + rows * side, x : x + columns * side] = np.tile(cell, (rows, columns, 1))
    return image, Grid.uniform((x, y), (side, side), rows, columns)


def _striped(side: int) -> NDArray[np.uint8]:
    cell = np.full((side, side, 3), 150, dtype=np.uint8)
    cell[::3] = 110
    cell[:2] = cell[:, :2] = 230
    cell[-2:] = cell[:, -2:] = 70
    return cell


@pytest.mark.parametrize(("seed", "rows", "columns"), [(0, 9, 9), (3, 16, 30), (7, 8, 19)])
def test_cells_with_a_pattern_are_found_to_the_pixel(seed: int, rows: int, columns: int) -> None:
    """A board of noisy or striped cells is found whole, with the lines it was drawn with."""
    noise = np.random.default_rng(seed).integers(60, 200, (14 + 3 * seed, 14 + 3 * seed, 3)).astype(np.uint8)
    for cell in (noise, _striped(14 + 3 * seed)):
        image, place = _desktop(seed, cell, rows, columns)
        assert find_repeats(image)[0] == place


def test_several_cells_are_no_larger_one() -> None:
    """What repeats itself after a cell does so after two as well, and is found once."""
    found = find_repeats(load_image(FIXTURES / "kmines" / "green14_fresh.png"))
    assert [(grid.columns, grid.rows) for grid in found] == [(16, 16)]


def test_gaps_in_the_colour_of_the_desktop_do_not_extend_a_board() -> None:
    """Cells with gaps in the colour of the desktop are found to a pixel."""
    cell = np.random.default_rng(4).integers(60, 200, (30, 30, 3)).astype(np.uint8)
    cell[:1] = cell[-1:] = cell[:, :1] = cell[:, -1:] = (120, 90, 60)
    image, place = _desktop(4, cell, 9, 9)
    assert find_repeats(image)[0].nearly(place, 1)


def test_a_faint_gradient_over_the_pattern_does_not_matter() -> None:
    """Cells that darken from row to row by a few grey levels are one board."""
    image, place = _desktop(5, _striped(20), 9, 12)
    slope = np.arange(image.shape[0])[:, None, None] // 10
    darker = np.clip(image.astype(np.int16) - slope, 0, 255).astype(np.uint8)
    assert find_repeats(darker)[0] == place


def test_a_plain_surface_is_not_a_board() -> None:
    """A plain surface repeats itself perfectly, but is no board."""
    assert find_repeats(np.full((400, 500, 3), 90, dtype=np.uint8)) == []
