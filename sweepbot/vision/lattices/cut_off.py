"""Boards that go on beyond where they are seen: the edge of a window may cut through cells."""

from collections.abc import Iterator

import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import find_lattices
from sweepbot.vision.lattices.untouched_boards import joined

_REACH = 0.3  # of a cell: what is seen of the next one at least
_CLOSING_PX = 2  # that the line after the last cell may take up
_SAME_LEVELS = 8  # by which pixels of two cells may differ and be the same
_LEAST_ALIKE = 0.8  # of the pixels of a cell's face, and of those of its lines: the rest may be marks


def cut_off(image: Image, place: Grid) -> list[str]:
    """The sides on which a further cell begins beyond a board, in words like "at the right".

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        place: The board in it, most of it not opened.
    """
    return [side for side, beyond, cells in _strips(image, place) if _goes_on(beyond, cells)]


def followed(image: Image, place: Grid) -> Grid:
    """The board of which a place may be a part: as far as further cells begin beside it and end at a line.

    Of a board that is partly open often only a part repeats itself exactly, while its lines go on.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        place: The place in it.
    """
    for lattice in find_lattices(image, min(place.pitch) - 1, max(place.pitch) + 1):
        lines = Grid(lattice.xs, lattice.ys)
        if lines.region.intersection(place.region) is None:
            continue
        whole, before = joined(place, lines), None
        while place != before:
            before = place
            for side in cut_off(image, place):
                place = _with_next_line(place, whole, side)
    return place


def _with_next_line(place: Grid, whole: Grid, side: str) -> Grid:
    """A place with one more row or column of a larger one on a side; itself where that ends there as well."""
    half = min(place.pitch) / 2
    match side:
        case "at the left":
            return Grid((*[x for x in whole.xs if x < place.xs[0] - half][-1:], *place.xs), place.ys)
        case "at the right":
            return Grid((*place.xs, *[x for x in whole.xs if x > place.xs[-1] + half][:1]), place.ys)
        case "at the top":
            return Grid(place.xs, (*[y for y in whole.ys if y < place.ys[0] - half][-1:], *place.ys))
        case _:
            return Grid(place.xs, (*place.ys, *[y for y in whole.ys if y > place.ys[-1] + half][:1]))


def _strips(image: Image, place: Grid) -> Iterator[tuple[str, Image, Image]]:
    """For each side the strip beyond the board, and what is in the same place of the cells beside it."""
    left, right, top, bottom = (round(line) for line in (place.xs[0], place.xs[-1], place.ys[0], place.ys[-1]))
    turned = image.transpose(1, 0, 2)
    for (before, after), of, start, stop, across, pitch in (
        (("at the left", "at the right"), image[top:bottom], left, right, image.shape[1], place.pitch[0]),
        (("at the top", "at the bottom"), turned[left:right], top, bottom, image.shape[0], place.pitch[1]),
    ):
        whole, reach = round(pitch), round(_REACH * pitch)
        if start >= reach:
            near = slice(start - reach, start - _CLOSING_PX)
            yield before, of[:, near], of[:, near.start + whole : near.stop + whole]
        if stop + reach <= across:
            near = slice(stop + _CLOSING_PX, stop + reach)
            yield after, of[:, near], of[:, near.start - whole : near.stop - whole]


def _goes_on(beyond: Image, cells: Image) -> bool:
    """Whether a strip shows what cells show, their faces and their lines."""
    if not beyond.size:
        return False
    alike = np.abs(beyond.astype(np.int16) - cells).max(axis=2) <= _SAME_LEVELS
    face = np.abs(cells - np.median(cells.reshape(-1, 3), axis=0)).max(axis=2) <= _SAME_LEVELS
    return all(of.any() and alike[of].mean() >= _LEAST_ALIKE for of in (face, ~face))
