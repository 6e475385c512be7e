"""What is at each side of a board: does it end there, does it go on, or can that not be seen?

A picture may end amid a board, a window may lie over a part of it; what is left is no smaller board. So for each side:

- It goes on where outside it begins what begins in the same place of its own cells. Compared are pieces about the lines
  between neighbouring cells: however a client draws, there cells are set apart, while a frame, a header, a page or a
  window is the same all along a side, or varies in other places.
- It ends where the picture does, where outside is what is outside another side, a frame or a page, and where what is
  outside is just as long as the side, as a header is.
- Parts of boards seldom have the size of a level. So one that has it needs to be less alike on two sides, or otherwise
  beyond its corners; and where the picture ends there too, it ends if no other level has one that goes on.
- It is not known to end where a corner is foreign: beyond it there is neither what is outside the one side nor what is
  outside the other, as where a window's title is over one and the window over the other.
- Else it is not known to end: a window over it looks like none of these.
"""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

Floats = NDArray[np.float32]
_Values = TypeVar("_Values", bound=np.generic)

SIDES = ("at the left", "at the right", "at the top", "at the bottom")

_ACROSS = dict(zip(SIDES, (SIDES[2:], SIDES[2:], SIDES[:2], SIDES[:2]), strict=True))
"""The sides that meet each at its corners."""

ADDED = dict(zip(SIDES, (((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 0), (0, 0)), ((0, 1), (0, 0))), strict=True))
"""How many rows, above and below, and columns, left and right, are added for one more line on a side."""

_MOST_PX, _LEAST_PX = 24, 8  # a side of a cell as pieces are compared: smaller ones are as they are in the picture
_SLIVER_PX = 1, 3  # of such a cell, outwards: a window may leave no more of a further one
_DEEPER = 0.13, 0.36  # of a cell, outwards: where a grid is a pixel off, its own last line may be nearer
_BEGUN = (0.1, 3.0, 0.25), (0.6, 1.5, 0.4)
"""For cells to begin: the share of the lines at a side that must be like those of the board, more than whole boards
have; the grey levels that a piece must deviate along a side, as a frame does not; and how much of that, but a few
levels at least, it may differ from a piece of the board's own. A few that are exactly so, under a window that hides the
rest, or many that are nearly so, as of faint lines and in damaged pictures."""
_OUTWARDS_PX = 0.5, 1.0  # by which outermost lines are moved where they are off whole pixels: a window draws them in
_ALIKE_LEVELS = 3.5  # grey levels: so few of them are no difference
_OWN = 120  # pieces of own cells that are looked at: boards have few looks
_REACH_CELLS = 0.3  # how far outside is looked: frames are as wide, and at least a part of what is behind them
_REACH_PX = 4, 16  # at least and at most: beyond that, large windows end

_PARTS = 4  # of a side: so much of it may be all that is seen of where it ends
_FLUSH_PX = 4  # of the picture outside a board: less is its frame's
_SAME_LEVELS = 2.0, 12.0  # grey levels by which the outsides of two sides may differ at least and at most
_SAME_NOISES = 21.0  # times that the plainer one varies along its side: damaged pictures' frames differ by 20
_SAME_LEVELS_OF_LEVEL = 24.0  # the same of a board of a level's size: a shaded edge of Microsoft's window differs by 20
_EDGE_PX = 1  # nearest to a board, a mixture with its own outermost line where that ends within a pixel
_NEAREST_PX = 2  # next to that, all of which must be alike: a shadow may begin so much further out
_MOST_OTHER = 0.2  # of those pixels, so one of five: where a frame ends, its edge may lie within one
_LIT_PX = 6  # of a frame, to be known by its lines whatever light falls on it: in fewer all edges are alike
_LIT_LEVELS = 24  # grey levels between those lines
_LIT_CORRELATION = 0.98  # of the lines of two sides in other light
_LIT_CONTRAST = 1.5  # times that the contrast of one side may be that of the other: light changes it by less
_MOST_FOREIGN = 0.5  # of the pixels beyond a corner; 0.34 of those of frames with a pattern are
_FOREIGN_LEVELS = 16.0  # grey levels by which one is off all that is outside the two sides that meet there
_FOREIGN_NOISES = 4.0  # or times that the sides vary by
_OTHER_LEVELS = 12.0  # grey levels by which what is beyond a corner differs from a header, pixel by pixel
_OTHER_LEVELS_OF_LEVEL = 8.0  # the same on average of a board of a level's size: a painted frame's corners by 11


def goes_on(image: Image, grid: Grid, states: NDArray[np.uint8] | None = None, *, is_level: bool = False) -> list[str]:
    """The sides on which further cells begin outside a board, in words like "at the right".

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        states: What its cells show, of shape (rows, columns): those that were not read tell nothing of how cells look.
        is_level: Whether it has the size of one of its client's levels: then cells must be clearly seen to begin.
    """
    begun = _begun_beside(image, grid, states, is_level=is_level)
    if grid == grid.snapped():
        return begun
    # Lines off whole pixels may be that much off themselves, and what begins there is told by a pixel or two.
    for by in _OUTWARDS_PX:
        wider = Grid(*((of[0] - by, *of[1:-1], of[-1] + by) for of in (grid.xs, grid.ys)))
        begun += _begun_beside(image, wider, states, is_level=is_level)
    return [side for side in SIDES if side in begun]


def _begun_beside(image: Image, grid: Grid, states: NDArray[np.uint8] | None, *, is_level: bool) -> list[str]:
    """The same for lines that are right to the pixel."""
    signs = _BEGUN[:1] if is_level else _BEGUN
    known = np.ones((grid.rows, grid.columns), dtype=np.bool_) if states is None else states != State.UNKNOWN
    side = max(_LEAST_PX, min(_MOST_PX, round(min(grid.pitch))))
    depths = _SLIVER_PX, (round(_DEEPER[0] * side), round(_DEEPER[1] * side))
    margin = depths[-1][1]
    board = grid.rectify(image, (side, side), margin).astype(np.float32)
    room = np.array(_room(image, grid)) / np.repeat(grid.pitch, 2) * side
    return [
        name
        for name, turned, told, free in zip(SIDES, _turned(board), _turned(known), room, strict=True)
        if any(
            _begins(turned[margin:-margin], told, margin, (near, min(far, round(free))), signs) for near, far in depths
        )
    ]


def with_line(grid: Grid, side: str, at: float | None = None) -> Grid:
    """A grid with a row or column more on a side, as far away as lines mostly are, or where it is said to be."""
    across, down = grid.pitch
    match side:
        case "at the left":
            return Grid((grid.xs[0] - across if at is None else at, *grid.xs), grid.ys)
        case "at the right":
            return Grid((*grid.xs, grid.xs[-1] + across if at is None else at), grid.ys)
        case "at the top":
            return Grid(grid.xs, (grid.ys[0] - down if at is None else at, *grid.ys))
        case _:
            return Grid(grid.xs, (*grid.ys, grid.ys[-1] + down if at is None else at))


def line_at(cells: NDArray[_Values], side: str) -> NDArray[_Values]:
    """The row or column of cells that is nearest to a side."""
    line: NDArray[_Values] = list(_turned(cells))[SIDES.index(side)][:, -1]
    return line


def not_seen_to_end(image: Image, grid: Grid, levels: Collection[tuple[int, int]] = ()) -> list[str]:
    """The sides on which a board is not known to end, in words like "at the right".

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The lines of the board.
        levels: The sizes of its client's levels: columns and rows.
    """
    is_level = (grid.columns, grid.rows) in levels
    strips = dict(_strips(image, grid))
    # Lines on whole pixels are exact; of others the outermost may be a pixel further in than the board's edge.
    astray = 0 if grid == grid.snapped() else 1
    outside = {
        side: [_profiles(strip[:, start:]) for start in range(astray + 1)] for side, (strip, *_) in strips.items()
    }
    colours = {
        side: [one for profiles in of for profile in profiles for one in profile] for side, of in outside.items()
    }
    noises = {side: _noise(strip) for side, (strip, *_) in strips.items()}

    def apart_from(other: str, side: str) -> Iterator[Floats]:
        """What is outside a side, but for its end at the corner with another: one window may lie over both there."""
        for mostly, *ends in outside[side]:
            yield mostly
            yield from (end for end, next_to in zip(ends, _ACROSS[side], strict=True) if next_to != other)

    def is_same(one: str, other: str) -> bool:
        noise = _SAME_NOISES * min(noises[one], noises[other])
        apart = _SAME_LEVELS_OF_LEVEL if is_level else float(np.clip(noise, *_SAME_LEVELS))
        pairs = itertools.product(apart_from(other, one), apart_from(one, other))
        return any(_alike(a, b, apart, astray) for a, b in pairs)

    def stops(side: str) -> bool:
        _, *corners = strips[side]
        return all(
            _stops(outside[side][0][0], corner, is_level=is_level)
            if len(corner) >= _FLUSH_PX
            else is_level and _is_longest(grid, side, levels)
            for corner in corners
        )

    def has_foreign_corner(side: str) -> bool:
        return any(
            _is_foreign(corner, colours[side] + colours[other], max(noises[side], noises[other]))
            for corner, other in zip(strips[side][1:], _ACROSS[side], strict=True)
            if other in strips
        )

    def is_seen(side: str) -> bool:
        others = strips.keys() - {side}
        return not has_foreign_corner(side) and (any(is_same(side, other) for other in others) or stops(side))

    return [side for side in strips if not is_seen(side)]


def _is_longest(grid: Grid, side: str, levels: Collection[tuple[int, int]]) -> bool:
    """Whether no level's board goes on at a side of one of its size."""
    size = grid.columns, grid.rows
    along = SIDES.index(side) // 2  # columns go on at the left and right, rows at the top and bottom
    return all(level[along] <= size[along] for level in levels if level[1 - along] == size[1 - along])


def _room(image: Image, grid: Grid) -> tuple[float, float, float, float]:
    """The pixels of a picture outside each side of a board."""
    height, width = image.shape[:2]
    return grid.xs[0], width - grid.xs[-1], grid.ys[0], height - grid.ys[-1]


def _turned(board: NDArray[_Values]) -> Iterator[NDArray[_Values]]:
    """A board for each of its sides so that the side is the last column."""
    down = board.swapaxes(0, 1)
    yield from (board[:, ::-1], board, down[:, ::-1], down)


def _begins(
    board: Floats,
    known: NDArray[np.bool_],
    margin: int,
    depth: tuple[int, int],
    signs: Sequence[tuple[float, float, float]],
) -> bool:
    """Whether cells begin beyond the last column of a board.

    Args:
        board: It rectified, with `margin` pixels beside its first and last column.
        known: Which cells tell how cells look.
        margin: The pixels beside it.
        depth: From which to which pixel outwards is looked.
        signs: What tells that they do, see `_BEGUN`.
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
    own = own[np.unique(np.linspace(0, len(own) - 1, _OWN).astype(np.intp))] if len(own) > _OWN else own
    varying = beyond[:, 0].std(axis=1).max(axis=(1, 2))
    # What is on either side of a line is compared by itself: a board shows few of all pairs of cells.
    at_line = (side - side // 2) * (far - near) * 3
    apart = np.array(
        [
            max(
                float(half.mean(axis=1).min(initial=np.inf))
                for half in np.split(np.abs(own - piece), [at_line], axis=1)
            )
            for piece in beyond.reshape(rows - 1, -1)
        ]
    )
    return any(
        ((varying >= least) & (apart <= np.maximum(_ALIKE_LEVELS, most * varying))).mean() > share
        for share, least, most in signs
    )


def _strips(image: Image, grid: Grid) -> Iterator[tuple[str, tuple[Image, Image, Image]]]:
    """For each side what is outside it, and outside beyond the corners before and after it.

    Each has the shape (pixels along the side, pixels from the board outwards, 3). Where the picture ends with the board
    there is nothing outside.
    """
    left, right, top, bottom = (max(round(line), 0) for line in (grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]))
    reach = int(np.clip(round(_REACH_CELLS * max(grid.pitch)), *_REACH_PX))
    for name, turned, start, first, last in zip(
        SIDES,
        _turned(image),
        (image.shape[1] - left, right, image.shape[0] - top, bottom),
        (top, top, left, left),
        (bottom, bottom, right, right),
        strict=True,
    ):
        strip = turned[:, start : start + reach]
        if strip.shape[1] >= _FLUSH_PX:
            yield name, (strip[first:last], strip[max(first - reach, 0) : first], strip[last : last + reach])


def _profiles(strip: Image) -> list[Floats]:
    """What is mostly outside a side, pixel by pixel outwards, and at either end of it: a window may hide the rest."""
    part = len(strip) // _PARTS
    return [np.median(one, axis=0).astype(np.float32) for one in (strip, strip[:part], strip[-part:])]


def _noise(strip: Image) -> float:
    """By how many grey levels what is outside a side mostly varies along it."""
    return float(np.median(np.abs(strip - np.median(strip, axis=0)).mean(axis=0)))


def _is_foreign(corner: Image, known: Sequence[Floats], noise: float) -> bool:
    """Whether most of what is beyond a corner has none of some colours that vary by a noise."""
    if len(corner) < _FLUSH_PX:
        return False
    off = np.abs(corner.reshape(-1, 1, 3) - np.stack(known)).max(axis=2).min(axis=1)
    return bool((off > max(_FOREIGN_LEVELS, _FOREIGN_NOISES * noise)).mean() > _MOST_FOREIGN)


def _stops(outside: Floats, corner: Image, *, is_level: bool) -> bool:
    """Whether what is outside a side does not go on beyond a corner of the board: there is something, and other."""
    apart = np.abs(np.median(corner, axis=0) - outside).max(axis=1)
    return bool(apart.mean() >= _OTHER_LEVELS_OF_LEVEL if is_level else (apart > _OTHER_LEVELS).all())


def _alike(one: Floats, other: Floats, levels: float, astray: int) -> bool:
    """Whether two sides look alike to within so many grey levels, or have the same lines.

    Each of them may begin so many pixels further in or out.
    """
    compared = slice(_EDGE_PX, min(len(one), len(other)))
    if _same_lines(one[compared], other[compared]):
        return True
    alike = _between_neighbours(one[: compared.stop], other[: compared.stop], levels, astray)
    alike &= _between_neighbours(other[: compared.stop], one[: compared.stop], levels, astray)
    alike = alike[compared]
    return bool(alike[:_NEAREST_PX].all() and (~alike).sum() <= _MOST_OTHER * len(alike))


def _same_lines(one: Floats, other: Floats) -> bool:
    """Whether two sides are lighter and darker at the same distances from the board: a frame lit from above.

    What it is lit by makes it brighter, and hardly of another colour.
    """
    greys = [side.mean(axis=1) for side in (one, other)]
    contrasts = [float(np.ptp(grey)) for grey in greys]
    if len(one) < _LIT_PX or min(contrasts) < max(_LIT_LEVELS, max(contrasts) / _LIT_CONTRAST):
        return False
    tints = [(side - grey[:, None]).mean(axis=0) for side, grey in zip((one, other), greys, strict=True)]
    same_tint = np.abs(tints[0] - tints[1]).max() <= _SAME_LEVELS[-1]
    return bool(same_tint and np.corrcoef(*greys)[0, 1] >= _LIT_CORRELATION)


def _between_neighbours(one: Floats, other: Floats, levels: float, astray: int) -> NDArray[np.bool_]:
    """For each pixel of one side whether it is like those of another so many pixels further in or out at most."""
    padded = np.pad(other, ((astray, astray), (0, 0)), "edge")
    near = np.stack([padded[shift : shift + len(other)] for shift in range(2 * astray + 1)])
    lowest, highest = near.min(axis=0) - levels, near.max(axis=0) + levels
    found: NDArray[np.bool_] = ((one >= lowest) & (one <= highest)).all(axis=1)
    return found
