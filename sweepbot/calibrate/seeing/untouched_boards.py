"""Find fresh boards in unknown skins, whose cells are all alike, and cut cells out of boards."""

import itertools

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.repeats import find_repeats
from sweepbot.vision.lattices.tiles import find_tilings

_SAME_PITCH_PX = 0.5  # by which the pitch of a board may differ when it is found again


def find_places(image: Image) -> list[Grid]:
    """Find every place in a picture where a fresh board may be, the likeliest first.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
    """
    return [tiling.grid for tiling in find_tilings(image)] or find_repeats(image)


def cells_of(image: Image, place: Grid, size: tuple[int, int] | None = None) -> Image:
    """Cut out a board's cells: uint8 array of shape (rows, columns, height, width, 3).

    Nothing is resized, so that cells that a client draws alike stay equal; of larger cells the middle is taken.

    Args:
        image: The picture.
        place: The board in it.
        size: Width and height to cut out, those of the smallest cell by default.
    """
    width, height = size or cell_size(place)
    columns, rows = _middles(place.xs, width), _middles(place.ys, height)
    rows, columns = np.clip(rows, 0, image.shape[0] - 1), np.clip(columns, 0, image.shape[1] - 1)
    # By whole pieces: an index array for both axes takes several times as long.
    cells = np.empty((place.rows, place.columns, height, width, image.shape[2]), dtype=image.dtype)
    lines = image[rows].reshape(place.rows, height, *image.shape[1:])
    for number, pixels in enumerate(columns.reshape(place.columns, width)):
        is_run = pixels[-1] - pixels[0] == width - 1
        cells[:, number] = lines[:, :, pixels[0] : pixels[-1] + 1] if is_run else lines[:, :, pixels]
    return cells


def to_the_pixel(image: Image, place: Grid) -> Grid:
    """Return the grid of whole pixels, at most one beside a board's, that cuts out the fewest different cells.

    First sight need not know the lines to the pixel, but only between them a client draws the same cells alike.
    """
    whole = place.whole()
    if whole is None:
        return place

    def different(grid: Grid) -> tuple[int, int]:
        cells = cells_of(image, grid)
        kinds = {cell.tobytes() for cell in cells.reshape(-1, *cells.shape[2:])}
        return len(kinds), int(grid is not whole)

    steps = itertools.product((-1, 0, 1), repeat=2)
    beside = [whole, *(whole.moved(Point(x, y)) for x, y in steps if x or y)]
    within = (grid for grid in beside if grid.region.intersection(Region.of(image)) == grid.region)
    return min(within, key=different, default=place)


def cell_size(place: Grid) -> tuple[int, int]:
    """Return width and height of a board's smallest cell in whole pixels."""
    return int(np.diff(np.rint(place.xs)).min()), int(np.diff(np.rint(place.ys)).min())


def _middles(lines: tuple[float, ...], side: int) -> NDArray[np.intp]:
    """Return the middle `side` pixels of all cells between lines, one after the other."""
    whole = np.rint(lines).astype(np.intp)
    starts = whole[:-1] + (np.diff(whole) - side) // 2
    pixels: NDArray[np.intp] = (starts[:, None] + np.arange(side)).ravel()
    return pixels


def is_as_large(one: Grid, other: Grid) -> bool:
    """Whether two boards have as many cells of one size, so that they may be one board in two places."""
    pitches = zip(one.pitch, other.pitch, strict=True)
    same_size = (one.rows, one.columns) == (other.rows, other.columns)
    return same_size and all(abs(a - b) < _SAME_PITCH_PX for a, b in pitches)
