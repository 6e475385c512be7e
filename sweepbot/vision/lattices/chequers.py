"""Where a picture holds a chequered board: flat cells in two shades of a ground in turn, set apart by nothing else.

The shades differ by a few grey levels, less than a compressed picture's noise, so that edges tell little. But all cells
together tell much: a chequered ground is the product of a square wave across and one down. So:

1. What has the colour of a ground, be it dimmed or in another colour space, is gathered in regions.
2. In a region the pixels of each ground are parted by the median of their brightness: 1 for lighter ones, -1 for darker
   ones. Figures and what covers cells are 0.
3. That matrix is nearly of rank one; its first pair of singular vectors, found by power iteration, is the two waves,
   whatever is missing of them.
4. The frequency and the phase of a wave give lines at even distances, to a fraction of a pixel.
5. The board goes as far as lines have grounds in most of their cells.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.light import Light, light, possible_warmths

Floats = NDArray[np.float32]

_CHROMA = 0.05  # by which the share of a channel in a pixel's sum may be off; a Mac's colours are off by 0.04
_DARKEST = 90  # the sum of three channels: what is darker has no colour to speak of
_COARSE = 4  # pixels to which one is reduced to find regions
_BRIDGE = 5  # coarse pixels: what parts a region by no more does not, be it figures or outlines
_LEAST_FILL = 0.3  # of its box: what a region has of its grounds
_LEAST_OWN = 0.1  # of a region: what one ground has of it at least; letters may have its colour at their edges
_NEAR_SHADE = 0.1  # of the median: pixels that are lighter or darker by more are of no ground
_ROUNDS = 12  # of power iteration
_LEAST_WAVE = 0.6  # how far a wave is like the purest one of its frequency
_SAME_PITCH = 0.04  # the share by which cells may be wider or higher
_SAME_LIGHT = 0.15  # the share by which the light of one ground may differ from another's
_CONTRASTS = 0.5, 2.0  # of two shades, as a multiple of what they are known to have
_LEAST_SHADE = 0.1  # of a ground's pixels, for what differs from the others to be a shade: letters' edges are fewer
_SILENT = 0.15  # of the strongest place of a wave: weaker ones have no sign
_NEAR_LINE = 0.2  # of a cell: a sign that changes further from a line does so for another reason
_FIELDS = 4  # a side, into which cells are divided to see what they hold
_LEAST_LINE = 0.22  # of the pixels in a row or column: how many more take turns as the board does than do not
_FEWEST = 4  # rows and columns
_STEPS = 6  # to which one cycle over the whole of a region is divided, when frequencies are tried


@dataclass(frozen=True, slots=True)
class Chequers:
    """A chequered board.

    Attributes:
        grid: Its lines.
        light: In which its grounds are as they are known.
        of_grounds: How many of its cells, in sum, have the colours of grounds.
    """

    grid: Grid
    light: Light
    of_grounds: float


def find_chequers(image: Image, kinds: Sequence[Floats], smallest: float, largest: float) -> list[Chequers]:
    """Find the chequered boards in a picture, each in every light in which it may be, the likeliest first.

    Args:
        image: uint8 array of shape (height, width, 3).
        kinds: For each kind of ground its colours, float32 of shape (colours, 3), blue, green, red.
        smallest: The smallest cell to look for, in pixels.
        largest: The largest one.
    """
    found = [one for warmth in possible_warmths(image) for one in _found(image, kinds, warmth, (smallest, largest))]
    return sorted(found, key=lambda one: -one.of_grounds)


def _found(image: Image, kinds: Sequence[Floats], warmth: float, sizes: tuple[float, float]) -> list[Chequers]:
    """Those in a light of one warmth."""
    kinds = [colours * light(1, warmth) for colours in kinds]
    coarse = _kinds(np.ascontiguousarray(image[::_COARSE, ::_COARSE]), kinds)
    found = []
    for rows, columns in _regions(coarse, image.shape[:2], sizes[0]):
        chequered = _chequered(image[rows, columns], kinds, sizes)
        if chequered is not None:
            board, brightness = chequered
            grid = board.moved(Point(columns.start, rows.start))
            cells = grid.rows * grid.columns
            found.append(Chequers(grid, light(brightness, warmth), cells * _filled(coarse, grid)))
    return found


def _filled(coarse: NDArray[np.uint8], grid: Grid) -> float:
    """The share of a board's region that has the colours of grounds."""
    region = grid.region
    left, right, top, bottom = (max(0, edge) // _COARSE for edge in (region.x, region.right, region.y, region.bottom))
    return float((coarse[top:bottom, left:right] > 0).mean())


def _kinds(image: Image, kinds: Sequence[Floats]) -> NDArray[np.uint8]:
    """For each pixel the number of the ground, from 1, whose colour it has, 0 for none."""
    blue, green, red = cv2.split(image.astype(np.float32))
    total = blue + green + red
    blue /= np.maximum(total, 1)
    red /= np.maximum(total, 1)
    labels = np.zeros(image.shape[:2], dtype=np.uint8)
    nearest = np.full(labels.shape, _CHROMA, dtype=np.float32)
    nearest[total < _DARKEST] = 0
    for number, colours in enumerate(kinds, 1):
        shares = (colours / colours.sum(axis=1, keepdims=True)).mean(axis=0)
        away = np.maximum(np.abs(blue - shares[0]), np.abs(red - shares[2]))
        labels[away < nearest] = number
        np.minimum(nearest, away, out=nearest)
    return labels


def _regions(coarse: NDArray[np.uint8], size: tuple[int, int], smallest: float) -> Iterator[tuple[slice, slice]]:
    """Boxes of connected grounds that are large enough for a board, as rows and columns of pixels of a picture."""
    joined = cv2.morphologyEx((coarse > 0).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((_BRIDGE, _BRIDGE), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    least = _FEWEST * smallest / _COARSE
    for left, top, width, height, area in stats[1:].tolist():
        if min(width, height) >= least and area >= _LEAST_FILL * width * height:
            rows = slice(max(0, (top - 1) * _COARSE), min(size[0], (top + height + 1) * _COARSE))
            columns = slice(max(0, (left - 1) * _COARSE), min(size[1], (left + width + 1) * _COARSE))
            yield rows, columns


def _chequered(image: Image, kinds: Sequence[Floats], sizes: tuple[float, float]) -> tuple[Grid, float] | None:
    """The board in a region, and its brightness; None where its ground is not chequered."""
    if not _has_two_shades(np.ascontiguousarray(image[::_COARSE, ::_COARSE]), kinds):
        return None
    labels, sums = _kinds(image, kinds), image.sum(axis=2, dtype=np.float32)
    counts = [int((labels == number).sum()) for number in range(1, len(kinds) + 1)]
    least = _FEWEST**2 * sizes[0] ** 2 / 4
    shades = np.zeros(labels.shape, dtype=np.float32)
    brightness, waves = 0.0, None
    for index in sorted(range(len(kinds)), key=lambda index: -counts[index]):
        known = float(kinds[index].sum(axis=1).mean())
        own = labels == index + 1
        if counts[index] < least:
            continue
        middle = float(np.median(sums[own]))
        if brightness and abs(middle / known / brightness - 1) > _SAME_LIGHT:
            continue
        near = own & (np.abs(sums - middle) <= _NEAR_SHADE * middle)
        if near.sum() < least:
            continue
        split, contrast = _split(sums[near])
        if not _CONTRASTS[0] <= contrast / _contrast_of(kinds[index]) <= _CONTRASTS[1]:
            continue
        alternating = np.where(near, np.where(sums > split, np.float32(1), np.float32(-1)), np.float32(0))
        turned = waves is not None and float(waves[0] @ alternating @ waves[1]) < 0
        shades += -alternating if turned else alternating
        brightness = brightness or split / known
        waves = _waves(shades)
    lines = [_lines(wave, *sizes) for wave in waves or ()]
    if not lines or lines[0] is None or lines[1] is None or abs(lines[1][1] / lines[0][1] - 1) > _SAME_PITCH:
        return None
    grid = _board(shades, lines[0], lines[1])
    return None if grid is None else (grid, brightness)


def _board(shades: Floats, down: tuple[float, float], across: tuple[float, float]) -> Grid | None:
    """As much of the lines as the two shades take turns between; None where that is no board."""
    ys, xs = (_all_lines(of, size) for of, size in ((down, shades.shape[0]), (across, shades.shape[1])))
    lines = Grid(tuple(xs), tuple(ys))
    picture = np.repeat((127 + 127 * shades).astype(np.uint8)[..., None], 3, axis=2)
    fields = lines.rectify(picture, (_FIELDS, _FIELDS))[:, :, 0].astype(np.float32) / 127 - 1
    cells = fields.reshape(lines.rows, _FIELDS, lines.columns, _FIELDS).mean(axis=(1, 3))
    turns = (-1.0) ** np.add.outer(np.arange(lines.rows), np.arange(lines.columns)) * cells
    turns = turns * np.sign(turns.sum())
    rows, columns = range(lines.rows), range(lines.columns)
    for _ in range(2):
        rows = _extent(turns[:, columns.start : columns.stop].mean(axis=1))
        columns = _extent(turns[rows.start : rows.stop].mean(axis=0)) if rows else rows
        if min(len(rows), len(columns)) < _FEWEST:
            return None
    return lines.part(rows, columns)


def _has_two_shades(image: Image, kinds: Sequence[Floats]) -> bool:
    """Whether a ground in some of a region's pixels may be in two shades: most of a page's colours are in one."""
    labels, brightness = _kinds(image, kinds), image.sum(axis=2, dtype=np.float32)
    for number, colours in enumerate(kinds, 1):
        own = brightness[labels == number]
        if own.size >= _LEAST_OWN * labels.size:
            middle = np.median(own)
            near = own[np.abs(own - middle) <= _NEAR_SHADE * middle]
            if near.size and _split(near)[1] >= _CONTRASTS[0] * _contrast_of(colours):
                return True
    return False


def _contrast_of(colours: Floats) -> float:
    """By what share of their brightness the shades of a ground are known to differ."""
    shades = colours.sum(axis=1)
    return float(np.ptp(shades) / shades.mean())


def _split(values: Floats) -> tuple[float, float]:
    """The brightness that parts the two shades of a ground best (Otsu, 1979), and by what share of it they differ.

    They differ by 0 where there is but one.
    """
    low, high = float(values.min()), float(values.max())
    scaled = ((values - low) * (255 / max(high - low, 1))).astype(np.uint8)
    threshold, _ = cv2.threshold(scaled.reshape(1, -1), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    split = low + (threshold + 0.5) * max(high - low, 1) / 255
    lighter = values > split
    if not _LEAST_SHADE <= lighter.mean() <= 1 - _LEAST_SHADE:
        return split, 0.0
    return split, float((values[lighter].mean() - values[~lighter].mean()) / split)


def _waves(shades: Floats) -> tuple[Floats, Floats]:
    """The first pair of singular vectors, down and across, by power iteration from the row with most to say."""
    height, width = (side // _COARSE * _COARSE for side in shades.shape)
    # Their means, not some of the pixels: those of a shade that was dithered cancel out.
    some = cv2.resize(shades[:height, :width], (width // _COARSE, height // _COARSE), interpolation=cv2.INTER_AREA)
    # Shades take turns in every row and column: where one prevails in a part of a board, that is something else.
    for axis in (0, 1):
        known = some != 0
        means = some.sum(axis=axis, keepdims=True) / np.maximum(known.sum(axis=axis, keepdims=True), 1)
        some = np.where(known, some - means, np.float32(0))
    across = some[int(np.abs(some).sum(axis=1).argmax())].copy()
    down = some @ across
    for _ in range(_ROUNDS):
        down = some @ across
        down /= np.linalg.norm(down) + 1e-6
        across = some.T @ down
        across /= np.linalg.norm(across) + 1e-6
    return shades[:, :width:_COARSE] @ across, shades[:height:_COARSE].T @ down


def _lines(wave: Floats, smallest: float, largest: float) -> tuple[float, float] | None:
    """Where a line is and how far it is to the next one, from a square wave that changes its sign at each."""
    length = len(wave)
    if length < _FEWEST * smallest:
        return None
    sign = np.sign(wave) * (np.abs(wave) > _SILENT * np.abs(wave).max())
    cycles = np.abs(np.fft.rfft(sign, _STEPS * length))
    first, last = (round(_STEPS * length / (2 * pitch)) for pitch in (min(largest, length / 2), smallest))
    best = (first + int(cycles[first : last + 1].argmax())) / (_STEPS * length)
    finer = best + np.linspace(-1, 1, 41) / (_STEPS * length)
    at = np.arange(length) + 0.5
    turned = np.exp(-2j * np.pi * finer[:, None] * at[None]) @ sign
    peak = int(np.abs(turned).argmax())
    if np.abs(turned[peak]) < _LEAST_WAVE * (2 / math.pi) * np.abs(sign).sum():
        return None
    # A square wave that rises at t is like sin(2 pi f (x - t)).
    frequency, pitch = float(finer[peak]), float(1 / (2 * finer[peak]))
    start = -(float(np.angle(turned[peak])) + np.pi / 2) / (2 * np.pi * frequency)
    return _by_crossings(sign, start, pitch)


def _by_crossings(sign: Floats, start: float, pitch: float) -> tuple[float, float]:
    """A line and the distance to the next, by where signs change: of a few cells a frequency is not told so well."""
    known = np.flatnonzero(sign)
    steps = np.flatnonzero(sign[known][1:] != sign[known][:-1])
    places = (known[steps] + known[steps + 1] + 1) / 2
    number = np.rint((places - start) / pitch)
    near = np.abs(places - start - number * pitch) < _NEAR_LINE * pitch
    if len(np.unique(number[near])) < _FEWEST:
        return start % pitch, pitch
    slope, begin = np.polyfit(number[near], places[near], 1)
    off = np.abs(places - begin - number * slope)
    near &= off <= max(1.0, float(np.median(off[near])) * 3)
    slope, begin = np.polyfit(number[near], places[near], 1)
    return float(begin % slope), float(slope)


def _all_lines(line: tuple[float, float], length: int) -> list[float]:
    """The lines of a region, those a little beside it included."""
    start, pitch = line
    first = math.floor((-0.2 * pitch - start) / pitch) + 1
    last = math.floor((length + 0.2 * pitch - start) / pitch)
    return [start + number * pitch for number in range(first, last + 1)]


def _extent(shares: NDArray[np.floating]) -> range:
    """From the first to the last line of which so many cells have grounds."""
    lines = np.flatnonzero(shares >= _LEAST_LINE)
    return range(int(lines[0]), int(lines[-1]) + 1) if lines.size else range(0)
