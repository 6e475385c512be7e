"""Where a board is seen to end.

A client draws the same beyond opposite or neighbouring sides of its board: a frame, a page, a wallpaper. What lies over
a part of the board does not look like that. So a side is known to be the board's own if what is outside it is also
outside another one, or is just as long as the side, as a header is; or if the picture ends there.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.vision.grid import Grid

_REACH_CELLS = 0.3  # how far outside is looked: frames are as wide, and at least a part of what is behind them
_LEAST_PX = 4  # of what is outside, to be compared at all
_ALIKE_LEVELS = 12.0  # grey levels that a frame differs by on two sides at most: in damaged pictures up to 10
_SAME_LEVELS = 4.0  # the same where a window's ground may be much like a page's
_LINE_PX = 1  # nearest to a board, a mixture with its own outermost line where that ends within a pixel
_NEAREST_PX = 2  # next to that, all of which must be alike: a shadow may begin so much further out
_LEAST_ALIKE = 0.8  # of all pixels: where a frame ends, its edge may lie within one

_LEAST_CONTRAST_LEVELS = 24  # grey levels of a frame, to be known by its lines whatever light falls on it
_LEAST_CORRELATION = 0.98  # of the lines of two sides in other light

_SIDES = ("at the left", "at the right", "at the top", "at the bottom")


class Ends(NamedTuple):
    """What is seen of the ends of a board."""

    alike: tuple[str, ...]
    unlike: tuple[str, ...]
    """The sides outside which the same is seen as outside another one, and those outside which something else is: in
    words like "at the right". Where a picture ends with the board there is nothing outside."""

    @property
    def are_seen(self) -> bool:
        """Whether the board is known to end on all sides."""
        return len(self.alike) == len(_SIDES)

    def doubtful(self, grid: Grid, levels: Sequence[Level]) -> list[str]:
        """The sides at which the board may go on.

        A board of a level's size ends where that level does: some clients draw each side in its own way.
        """
        size, sizes = (grid.columns, grid.rows), [(level.columns, level.rows) for level in levels]
        return [] if size in sizes else list(self.unlike)


def find_ends(image: Image, grid: Grid, *, strictly: bool) -> Ends:
    """Compare what is outside each side of a board with what is outside the others.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        strictly: Whether nothing else tells its size, and a window's ground may be much like the page's.
    """
    within = _SAME_LEVELS if strictly else _ALIKE_LEVELS
    strips = dict(_strips(image, grid))
    outside = {side: np.median(strip, axis=0).astype(np.float32) for side, (strip, _, _) in strips.items()}
    alike = tuple(
        side
        for side, (_, before, after) in strips.items()
        if any(_alike(outside[side], outside[other], within) for other in outside.keys() - {side})
        or all(_differs(outside[side], corner) for corner in (before, after))
    )
    return Ends(alike, tuple(side for side in outside if side not in alike))


def _strips(image: Image, grid: Grid) -> Iterator[tuple[str, tuple[Image, Image, Image]]]:
    """For each side what is outside it, and outside beyond the corners before and after it.

    Each has the shape (pixels along the side, pixels from the board outwards, 3).
    """
    left, right, top, bottom = (max(round(line), 0) for line in (grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]))
    reach = max(_LEAST_PX, round(_REACH_CELLS * max(grid.pitch)))
    across, along = image, image.transpose(1, 0, 2)
    for side, turned, first, last, outwards in (
        (_SIDES[0], across, top, bottom, slice(max(left - reach, 0), left)),
        (_SIDES[1], across, top, bottom, slice(right, right + reach)),
        (_SIDES[2], along, left, right, slice(max(top - reach, 0), top)),
        (_SIDES[3], along, left, right, slice(bottom, bottom + reach)),
    ):
        strip = turned[:, outwards] if side in (_SIDES[1], _SIDES[3]) else turned[:, outwards][:, ::-1]
        if strip.shape[1] >= _LEAST_PX:
            yield side, (strip[first:last], strip[max(first - reach, 0) : first], strip[last : last + reach])


def _differs(side: NDArray[np.float32], corner: Image) -> bool:
    """Whether what is outside a side does not go on beyond a corner of the board: there is something, and other."""
    if len(corner) < _LEAST_PX:
        return False
    beyond = np.median(corner, axis=0).astype(np.float32)
    return bool((np.abs(beyond - side).max(axis=1) > _ALIKE_LEVELS).all())


def _alike(one: NDArray[np.float32], other: NDArray[np.float32], levels: float) -> bool:
    """Whether two sides look alike to within so many grey levels, or have the same lines.

    Each of them may begin a pixel further in or out.
    """
    compared = slice(_LINE_PX, min(len(one), len(other)))
    if _same_lines(one[compared].mean(axis=1), other[compared].mean(axis=1)):
        return True
    alike = _between_neighbours(one[compared], other[compared], levels)
    alike &= _between_neighbours(other[compared], one[compared], levels)
    return bool(alike[:_NEAREST_PX].all() and alike.mean() >= _LEAST_ALIKE)


def _same_lines(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Whether two sides are lighter and darker at the same distances from the board: a frame lit from above."""
    if min(np.ptp(one), np.ptp(other)) < _LEAST_CONTRAST_LEVELS:
        return False
    return bool(np.corrcoef(one, other)[0, 1] >= _LEAST_CORRELATION)


def _between_neighbours(one: NDArray[np.float32], other: NDArray[np.float32], levels: float) -> NDArray[np.bool_]:
    """For each pixel of one side whether it is like those of another at most one pixel further in or out."""
    padded = np.concatenate((other[:1], other, other[-1:]))
    near = np.stack((padded[:-2], padded[1:-1], padded[2:]))
    lowest, highest = near.min(axis=0) - levels, near.max(axis=0) + levels
    found: NDArray[np.bool_] = ((one >= lowest) & (one <= highest)).all(axis=1)
    return found
