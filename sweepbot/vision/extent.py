"""Whether a board ends at each of its sides, goes on there, or whether that cannot be seen.

The picture may be cut off in the middle of a board, or a window may cover part of it; the rest is not a smaller board.
So for each side:

- The board goes on if what begins outside it is what begins at the same place of its own cells. Pieces around the lines
  between neighbouring cells are compared: there every client sets cells apart, while a frame, a header, a page or a
  window is the same all along a side, or varies in other places.
- It ends if the picture ends there, if the same is outside another side (a frame or a page), or if what is outside is
  exactly as long as the side, as a header is.
- Parts of boards seldom have the size of a level. For a board that has, two sides may be less alike, and a header may
  differ less from what is beyond the corners; if the picture ends there too, the board ends unless a level goes on.
- It is not known to end if a corner is foreign: beyond it is neither what is outside the one side nor what is outside
  the other, as when a window's title bar covers one and the window itself the other.
- Otherwise it is not known to end: a window over it looks like none of these.
"""

import itertools
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

Floats = NDArray[np.float32]
_Values = TypeVar("_Values", bound=np.generic)


class Side(StrEnum):
    """A side of a board, in words."""

    LEFT = "at the left"
    RIGHT = "at the right"
    TOP = "at the top"
    BOTTOM = "at the bottom"


class OpenSide(NamedTuple):
    """A side at which a board is not known to end.

    Attributes:
        side: Which.
        is_cut: Whether cells begin outside it; else something is there that may cover some.
    """

    side: Side
    is_cut: bool

    def __str__(self) -> str:
        """Say so."""
        return f"{'cut off' if self.is_cut else 'not seen to end'} {self.side}"


_SIDES = tuple(Side)
_ACROSS = dict(zip(_SIDES, (_SIDES[2:], _SIDES[2:], _SIDES[:2], _SIDES[:2]), strict=True))
"""For each side, the two that meet it at its corners."""

_MAX_PX, _MIN_PX = 24, 8  # the side of a cell when pieces are compared
_SLIVER_PX = 1, 3  # from and to, outwards: a window may leave no more of the next cell
_DEEPER_SHARES = 0.13, 0.36  # of a cell, outwards: if the grid is a pixel off, the board's own last line may be nearer
# Two ways in which cells are seen to begin: a few lines match closely, as when a window hides the rest, or many match
# nearly, as with faint lines and in damaged pictures.
_LIKE_OWN_SHARES = 0.1, 0.6  # of the lines at a side that must be like the board's own: whole boards have less
_VARYING_LEVELS = 3.0, 1.5  # least standard deviation of a piece along the side: a frame has less
_APART_SHARES = 0.25, 0.4  # of that deviation, by which a piece may differ from the board's own
_OUTWARDS_PX = 0.5, 1.0  # tried for outer lines that are off whole pixels: a window beside them draws them inwards
_ALIKE_LEVELS = 3.5  # a smaller difference is none
_MAX_OWN_PIECES = 120  # of the board's own cells that are compared: boards have few different ones
_MAX_ALONG_PX = 150  # pixels along a side that are compared: medians of more are the same
_REACH_CELLS = 0.3  # how far outside is compared: most frames, and a part of what is behind them
_REACH_PX = 4, 16  # its bounds: further out, large windows end

_END_PART = 4  # of a side, at either end: it may be all that shows where the board ends
_FLUSH_PX = 4  # outside a board: if the picture ends sooner, that is its frame
_SAME_LEVELS = 2.0, 12.0  # the bounds of how far the outsides of two sides may differ
_SAME_NOISES = 21.0  # that bound, in units of the plainer side's noise: frames in damaged pictures differ by 20
_SAME_LEVELS_OF_LEVEL = 24.0  # for a board of a level's size: Microsoft's shaded window edge differs by 20
_EDGE_PX = 1  # nearest to the board and not compared: it may be mixed with the board's own last line
_NEAREST_PX = 2  # after that, all of which must be alike
_MAX_OTHER_SHARE = 0.2  # of the compared pixels: the edge of a frame may lie within one pixel
_LIT_PX = 6  # least width at which a frame is recognised by its lines in any light: narrower edges all look alike
_LIT_LEVELS = 24  # least contrast of those lines
_LIT_CORRELATION = 0.98  # least correlation between the lines of two sides in different light
_MAX_FOREIGN_SHARE = 0.5  # of the pixels beyond a corner; up to 0.34 are foreign with patterned frames
_FOREIGN_LEVELS = 16.0  # by which a foreign pixel differs from all that is outside the two sides
_FOREIGN_NOISES = 4.0  # the same in units of the sides' noise
_PAST_CELLS = 0.4, 1.0, 0.6  # an edge is needed, and looked at, so far beyond both corners, and so far inside the side:
_PAST_PX = 3  # or outside it; a window may leave a part of the outermost cells
_PAST_LEVELS = 16.0  # of its step
_PAST_SHARE = 0.9  # of the pixels along it that have it
_OTHER_LEVELS = 12.0  # by which every pixel beyond a corner must differ for a header to end there
_OTHER_LEVELS_OF_LEVEL = 8.0  # the mean of that, for a board of a level's size: a painted frame's corners have 11


def goes_on(image: Image, grid: Grid, states: NDArray[np.uint8] | None = None, *, is_level: bool = False) -> list[Side]:
    """Return the sides on which further cells begin outside a board.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        states: What its cells show, of shape (rows, columns); unread cells are not compared with.
        is_level: Whether it has the size of one of its client's levels: then only a close match counts.
    """
    begun = _begun_beside(image, grid, states, is_level=is_level)
    if grid == grid.snapped():
        return begun
    # Lines that are off whole pixels may be wrong by as much, and a pixel or two decide what begins there.
    for by in _OUTWARDS_PX:
        wider = Grid(*((of[0] - by, *of[1:-1], of[-1] + by) for of in (grid.xs, grid.ys)))
        begun += _begun_beside(image, wider, states, is_level=is_level)
    return [side for side in Side if side in begun]


def _begun_beside(image: Image, grid: Grid, states: NDArray[np.uint8] | None, *, is_level: bool) -> list[Side]:
    """Do the same for lines that are exact to the pixel."""
    signs = list(zip(_LIKE_OWN_SHARES, _VARYING_LEVELS, _APART_SHARES, strict=True))[: 1 if is_level else 2]
    known = np.ones((grid.rows, grid.columns), dtype=np.bool_) if states is None else states != State.UNKNOWN
    side = max(_MIN_PX, min(_MAX_PX, round(min(grid.pitch))))
    depths = _SLIVER_PX, (round(_DEEPER_SHARES[0] * side), round(_DEEPER_SHARES[1] * side))
    margin = depths[-1][1]
    board = grid.rectify(image, (side, side), margin)
    room = np.array(_room(image, grid)) / np.repeat(grid.pitch, 2) * side
    return [
        name
        for name, turned, told, free in zip(Side, _turned(board), _turned(known), room, strict=True)
        if any(
            _begins(turned[margin:-margin], told, margin, (near, min(far, round(free))), signs) for near, far in depths
        )
    ]


def not_seen_to_end(image: Image, grid: Grid, levels: Collection[tuple[int, int]] = ()) -> list[Side]:
    """Return the sides on which a board is not known to end.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        levels: The sizes of its client's levels, as (columns, rows).
    """
    is_level = (grid.columns, grid.rows) in levels
    strips = dict(_strips(image, grid))
    # Lines on whole pixels are exact; others may lie a pixel inside the board's edge.
    astray = 0 if grid == grid.snapped() else 1
    outside = {
        side: [_profiles(strip[:, start:]) for start in range(astray + 1)] for side, (strip, *_) in strips.items()
    }
    colours = {
        side: [one for profiles in of for profile in profiles for one in profile] for side, of in outside.items()
    }
    noises = {side: _noise(strip) for side, (strip, *_) in strips.items()}

    def apart_from(other: Side, side: Side) -> Iterator[Floats]:
        """Yield the profiles outside a side, except the end at its corner with `other`: one window may cover both."""
        for mostly, *ends in outside[side]:
            yield mostly
            yield from (end for end, next_to in zip(ends, _ACROSS[side], strict=True) if next_to != other)

    @cache
    def is_same(one: Side, other: Side) -> bool:
        noise = _SAME_NOISES * min(noises[one], noises[other])
        apart = _SAME_LEVELS_OF_LEVEL if is_level else float(np.clip(noise, *_SAME_LEVELS))
        pairs = itertools.product(apart_from(other, one), apart_from(one, other))
        return any(_alike(a, b, apart, astray) for a, b in pairs)

    def stops(side: Side) -> bool:
        seen = [corner for corner in strips[side][1:] if len(corner) >= _FLUSH_PX]
        if not seen:  # the picture ends at both corners
            return is_level and is_longest(grid, side, levels)
        return all(_stops(outside[side][0][0], corner, is_level=is_level) for corner in seen)

    def has_foreign_corner(side: Side) -> bool:
        return any(
            _is_foreign(corner, colours[side] + colours[other], max(noises[side], noises[other]))
            for corner, other in zip(strips[side][1:], _ACROSS[side], strict=True)
            if other in strips
        )

    def is_seen(side: Side) -> bool:
        others = strips.keys() - {side}
        return not has_foreign_corner(side) and (
            any(is_same(*sorted((side, other))) for other in others) or stops(side)
        )

    return [side for side in strips if not is_seen(side)]


def is_longest(grid: Grid, side: Side, levels: Collection[tuple[int, int]]) -> bool:
    """Return whether no level has a larger board that would go on at a side of this one.

    Args:
        grid: The lines of the board.
        side: One of the board's.
        levels: The sizes of levels, as (columns, rows).
    """
    size = grid.columns, grid.rows
    along = _SIDES.index(side) // 2  # columns go on at the left and right, rows at the top and bottom
    return all(level[along] <= size[along] for level in levels if level[1 - along] == size[1 - along])


def edges_run_past(image: Image, grid: Grid, *, is_usual: bool) -> list[Side]:
    """Return the sides at which a straight edge runs past both corners, as that of a window over a board does.

    The edge of a board's own frame ends with it; those of panels as wide as a client's window do not.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        is_usual: Whether boards mostly have this size: then edges at two opposite sides are those of panels.
    """
    least, most, inside = (round(cells * min(grid.pitch)) for cells in _PAST_CELLS)

    def runs_past(turned: Image, start: int, first: int, last: int) -> bool:
        beside = turned[max(0, first - most) : last + most, max(0, start - inside) : start + _PAST_PX + 1]
        if first < least or len(turned) - last < least or not start:
            return False
        steps = np.abs(np.diff(beside.astype(np.int16), axis=1)).max(axis=2) >= _PAST_LEVELS
        before = min(first, most)
        parts = steps[:before], steps[before : before + last - first], steps[before + last - first :]
        return bool((np.min([part.mean(axis=0) for part in parts], axis=0) >= _PAST_SHARE).any())

    past = [runs_past(turned, *places) for _, turned, *places in _placed(image, grid)]
    return [side for index, side in enumerate(Side) if past[index] and not (is_usual and past[index ^ 1])]


def _room(image: Image, grid: Grid) -> tuple[float, float, float, float]:
    """Count the pixels of a picture outside each side of a board."""
    height, width = image.shape[:2]
    return grid.xs[0], width - grid.xs[-1], grid.ys[0], height - grid.ys[-1]


def _turned(board: NDArray[_Values]) -> Iterator[NDArray[_Values]]:
    """Turn a board, for each of its sides, so that this side is the last column."""
    down = board.swapaxes(0, 1)
    yield from (board[:, ::-1], board, down[:, ::-1], down)


def _begins(
    board: Image,
    known: NDArray[np.bool_],
    margin: int,
    depth: tuple[int, int],
    signs: Sequence[tuple[float, float, float]],
) -> bool:
    """Whether cells begin beyond the last column of a board.

    Args:
        board: The rectified board, with `margin` pixels beside its first and last column.
        known: Which cells may be compared with.
        margin: The number of pixels beside it.
        depth: The first and last pixel outwards that are compared.
        signs: Ways in which cells are seen to begin, see `_LIKE_OWN_SHARES`.
    """
    near, far = depth
    if far - near < _SLIVER_PX[1] - _SLIVER_PX[0]:
        return False
    rows, columns = known.shape
    side = len(board) // rows
    about_lines = board[side // 2 :][: (rows - 1) * side].reshape(rows - 1, side, -1, 3)
    own, beyond = (
        np.stack([about_lines[:, :, margin + column * side :][:, :, near:far] for column in of], axis=1)
        for of in (range(columns), (columns,))
    )
    own = own[known[1:] & known[:-1]].reshape(-1, beyond[0].size)
    if not len(own):
        return False
    own = own[np.unique(np.linspace(0, len(own) - 1, _MAX_OWN_PIECES).astype(np.intp))]
    varying = beyond[:, 0].std(axis=1).max(axis=(1, 2))
    # The two halves at a line are compared separately: a board shows few of all possible pairs of cells.
    at_line = (side - side // 2) * (far - near) * 3
    halves = zip(np.split(beyond.reshape(rows - 1, -1), [at_line], 1), np.split(own, [at_line], 1), strict=True)
    apart = np.maximum(*(_nearest(pieces, of_own) for pieces, of_own in halves))
    return any(
        ((varying >= least) & (apart <= np.maximum(_ALIKE_LEVELS, most * varying))).mean() > share
        for share, least, most in signs
    )


def _nearest(pieces: Image, others: Image) -> Floats:
    """Return how far flat pieces are from the nearest of others, as the mean difference of their pixels."""
    distances, _ = cv2.batchDistance(pieces, others, cv2.CV_32S, normType=cv2.NORM_L1, K=1)
    return np.asarray(distances[:, 0] / pieces.shape[1], dtype=np.float32)


def _strips(image: Image, grid: Grid) -> Iterator[tuple[Side, tuple[Image, Image, Image]]]:
    """Yield for each side the strip outside it, and those outside beyond the corners before and after it.

    Each has the shape (pixels along the side, pixels outwards, 3). Sides where the picture ends are left out.
    """
    reach = int(np.clip(round(_REACH_CELLS * max(grid.pitch)), *_REACH_PX))
    for name, turned, start, first, last in _placed(image, grid):
        strip = turned[:, start : start + reach]
        if strip.shape[1] >= _FLUSH_PX:
            along = strip[first : last : 1 + (last - first) // _MAX_ALONG_PX]
            yield name, (along, strip[max(first - reach, 0) : first], strip[last : last + reach])


def _placed(image: Image, grid: Grid) -> Iterator[tuple[Side, Image, int, int, int]]:
    """Yield each side, the picture turned so that it is at the right: its column, first and last row."""
    left, right, top, bottom = (max(round(line), 0) for line in (grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]))
    yield from zip(
        Side,
        _turned(image),
        (image.shape[1] - left, right, image.shape[0] - top, bottom),
        (top, top, left, left),
        (bottom, bottom, right, right),
        strict=True,
    )


def _profiles(strip: Image) -> list[Floats]:
    """Return the median outside a side, pixel by pixel outwards: along all of it, and along either end of it."""
    part = len(strip) // _END_PART
    return [np.median(one, axis=0).astype(np.float32) for one in (strip, strip[:part], strip[-part:])]


def _noise(strip: Image) -> float:
    """Return the median of the mean deviation along a side of what is outside it, in grey levels."""
    return float(np.median(np.abs(strip - np.median(strip, axis=0)).mean(axis=0)))


def _is_foreign(corner: Image, known: Sequence[Floats], noise: float) -> bool:
    """Whether most pixels beyond a corner have none of the known colours, given their noise."""
    if len(corner) < _FLUSH_PX:
        return False
    off = np.abs(corner.reshape(-1, 1, 3) - np.stack(known)).max(axis=2).min(axis=1)
    return bool((off > max(_FOREIGN_LEVELS, _FOREIGN_NOISES * noise)).mean() > _MAX_FOREIGN_SHARE)


def _stops(outside: Floats, corner: Image, *, is_level: bool) -> bool:
    """Whether what is outside a side ends at a corner of the board: something else is beyond it."""
    apart = np.abs(np.median(corner, axis=0) - outside).max(axis=1)
    return bool(apart.mean() >= _OTHER_LEVELS_OF_LEVEL if is_level else (apart > _OTHER_LEVELS).all())


def _alike(one: Floats, other: Floats, levels: float, astray: int) -> bool:
    """Whether two sides look alike to within `levels`, or have the same lines.

    Args:
        one: The profile of one side, pixel by pixel outwards.
        other: That of the other.
        levels: Grey levels by which pixels may differ.
        astray: Pixels by which either may be shifted inwards or outwards.
    """
    compared = slice(_EDGE_PX, min(len(one), len(other)))
    if _same_lines(one[compared], other[compared]):
        return True
    alike = _between_neighbours(one[: compared.stop], other[: compared.stop], levels, astray)
    alike &= _between_neighbours(other[: compared.stop], one[: compared.stop], levels, astray)
    alike = alike[compared]
    return bool(alike[:_NEAREST_PX].all() and (~alike).sum() <= _MAX_OTHER_SHARE * len(alike))


def _same_lines(one: Floats, other: Floats) -> bool:
    """Whether two sides are lighter and darker at the same distances from the board, as a frame lit from above is.

    Light changes the brightness of a frame, but hardly its colour.
    """
    if len(one) < _LIT_PX:
        return False
    greys = [side.mean(axis=1) for side in (one, other)]
    if min(float(np.ptp(grey)) for grey in greys) < _LIT_LEVELS:
        return False
    tints = [(side - grey[:, None]).mean(axis=0) for side, grey in zip((one, other), greys, strict=True)]
    same_tint = np.abs(tints[0] - tints[1]).max() <= _SAME_LEVELS[-1]
    return bool(same_tint and np.corrcoef(*greys)[0, 1] >= _LIT_CORRELATION)


def _between_neighbours(one: Floats, other: Floats, levels: float, astray: int) -> NDArray[np.bool_]:
    """Return which pixels of one side are within the range of the other's, up to `astray` pixels further in or out."""
    lowest, highest = other.copy(), other.copy()
    for by in range(1, astray + 1):
        for bound, nearer in ((lowest, np.minimum), (highest, np.maximum)):
            nearer(bound[by:], other[:-by], out=bound[by:])
            nearer(bound[:-by], other[by:], out=bound[:-by])
    return np.asarray(((one >= lowest - levels) & (one <= highest + levels)).all(axis=1))
