"""Find regular lattices of equal cells in a picture, without any template.

A board in any skin repeats itself: an edge in one column of pixels has another one a cell further on. The method is
autocorrelation, made local so that a board may lie anywhere among other things:

1. Edges. The mean is taken over strips a few pixels high, which keeps upright edges and loses noise and dithering. The
   sizes of its steps from pixel to pixel are correlated, after averaging over some strips above and below: edges of
   cells are long, those of letters and digits short. So every few strips are enough.
2. Periods. For each lag the correlation of the steps with themselves, that many pixels further on, is averaged over a
   window of a few cells, on a raster of the smallest cell's side. This coarse pass shows where a picture is periodic
   at all. What is as periodic downwards as sideways is a lattice; lines of text are not.
3. Octaves. Only lags of one octave are tried; larger cells are found after halving the picture once or more. Oblong
   cells have two lags, of which the shorter is in the octave.
4. Lines. In the region found, the edges are summed to one profile for each axis, and its period is followed from cell
   to cell outwards from the middle, so that pitches may mix. Where cells begin is not known here.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.repeats import find_repeats
from sweepbot.vision.lattices.tiles import find_tilings

Floats = NDArray[np.floating]

SMALLEST_PITCH_PX = 10
"""Smaller cells are not searched for."""

STRICTLY_PERIODIC_SCORE = 0.8
"""Least score of a lattice that may be the board of an unknown client; text has at most 0.65."""

_MAX_ASPECT = 1.8  # of cells: buttons with room for two letters have 1.5
_STRIP_PX = 4  # the height of a strip
_RASTER_PX = 12  # of the maps: a whole number of strips, and the side of the smallest cells
_LONG_STRIPS = 9  # along which an edge must go on to count in full: about two of the smallest cells
_LARGEST_STEP_LEVELS = 32  # steps are clipped here, or the border of a window would outweigh a board
_NOISE_LEVELS = 1.5  # steps of this size may be noise
_WINDOW_CELLS = 4  # a side of the window over which a period must hold
_AS_GOOD_SHARE = 0.9  # of the highest correlation at a place, from which on the shortest lag is that of oblong cells
_PERIODIC_CORRELATION = 0.3  # from which on a place belongs to a lattice
_MIN_CELLS = 3  # on each side of a region, for it to be followed up
_SEED_CELLS = 7  # in the middle of a region, of which the first profile of a cell is the mean
_LAG_FACTOR = 1.15  # by which a lag may be off in a region
_STRAIGHT_PX = 0.35  # lines that deviate less from an even spacing are made even
_STRAIGHT_SHARE = 0.02  # the same as a share of the pitch: lines of larger cells are less exact
_PERHAPS_UNEVEN_PX = 0.57  # lines that deviate more may really be uneven, where pitches mix
_PROFILE_CORRELATION = 0.5  # of a cell's profile with that of all, for the lattice to go on there
_SAME_SIDE_SHARE = 0.01  # by which the sides of square cells may differ, as they are found
_SAME_PITCH_SHARE = 0.04  # by which the pitches of two findings of one lattice may differ
_SAME_SPACING_PX = 0.5  # by which the places of two such findings may differ
_SAME_PLACE_SHARE = 0.8  # of the smaller one in which they overlap
_AS_PERIODIC_SHARE = 0.65  # of the correlation at a whole period: a part of a cell has less, a cell among several more
_SAMPLE_CELLS = 8  # a side of the part that is looked at to tell where cells begin
_FINEST_PX = 6  # what repeats itself in less is dithering
_REGIONS_PER_OCTAVE = 12  # at most, that are followed up


@dataclass(frozen=True, slots=True)
class Lattice:
    """A region of a picture that repeats itself both ways.

    Attributes:
        grid: Lines one period apart.
        score: How periodic it is, about 0.3 to 1.
        core: The middle of the region in which it was found, as (x, y), before its lines were followed into what is
            beside a board; None if that is its own middle.
        exact: Whether its lines are those between cells, and not merely one period apart.
    """

    grid: Grid
    score: float
    core: tuple[float, float] | None = None
    exact: bool = False

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of where it was found, as (x, y)."""
        xs, ys = self.grid.xs, self.grid.ys
        return self.core or ((xs[0] + xs[-1]) / 2, (ys[0] + ys[-1]) / 2)

    def sample(self, grid: Grid) -> Grid:
        """Return the cells of a grid, on its lines or shifted, about the middle of where it was found."""
        return grid.part(_about(grid.ys, self.middle[1]), _about(grid.xs, self.middle[0]))

    def squared(self) -> Iterator["Lattice"]:
        """Yield the lattice with square cells instead of nearly square ones, by the one pitch and by the other.

        What is beside a board may bend the lines across it, and hardly ever those down as well.
        """
        xs, ys, pitch = self.grid.xs, self.grid.ys, self.grid.pitch
        if _SAME_SIDE_SHARE < abs(pitch[0] / pitch[1] - 1) < _SAME_PITCH_SHARE:
            yield replace(self, grid=Grid(xs, _respaced(ys, pitch[0], self.middle[1])))
            yield replace(self, grid=Grid(_respaced(xs, pitch[1], self.middle[0]), ys))

    def is_spaced_as(self, other: "Lattice") -> bool:
        """Whether all its lines are those of the other one, apart from where they begin."""
        return max(_drift(self.grid.xs, other.grid.xs), _drift(self.grid.ys, other.grid.ys)) < _SAME_SPACING_PX


@dataclass(frozen=True, slots=True)
class CellSizes:
    """The sizes of the cells that are searched for, in pixels.

    Attributes:
        smallest: The least shorter side.
        largest: The most longer side.
    """

    smallest: float
    largest: float

    def include(self, pitch: tuple[float, float]) -> bool:
        """Whether cells of a width and height are searched for."""
        return min(pitch) >= self.smallest and max(pitch) <= self.largest


def searches(image: Image, sizes: CellSizes) -> Iterator[list[Lattice]]:
    """Yield the lattices of a picture, those of what repeats itself exactly, then those of oblong cells.

    The later searches are for pictures in which the first found no board: cells that have a pattern but no edges form a
    lattice only by being equal. Each search is made when it is asked for.

    Args:
        image: uint8 array of shape (height, width, 3).
        sizes: The sizes of cells to search for.
    """
    known: list[Lattice] = []

    def new(found: Sequence[Lattice]) -> list[Lattice]:
        fitting = [lattice for lattice in found if sizes.include(lattice.grid.pitch)]
        added = [lattice for lattice in fitting if not any(lattice.is_spaced_as(other) for other in known)]
        known.extend(added)
        return added

    yield new(find_lattices(image, sizes))
    exact = [Lattice(tiling.grid, 1.0, exact=True) for tiling in find_tilings(image)]
    repeated = [Lattice(grid, 1.0) for grid in find_repeats(image)]
    yield [lattice for lattice in (*exact, *repeated) if sizes.include(lattice.grid.pitch)]
    yield new(find_lattices(image, sizes, oblong=True))


def find_lattices(image: Image, sizes: CellSizes, *, oblong: bool = False) -> list[Lattice]:
    """Find the lattices in a picture.

    Args:
        image: uint8 array of shape (height, width, 3).
        sizes: The sizes of cells to search for; of the smallest, `SMALLEST_PITCH_PX` and more.
        oblong: Whether cells are searched for that are not square, instead of square ones.

    Returns:
        The most periodic first. Of a lattice and one with several of its cells in each, only the finer is found.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    lowest = max(sizes.smallest, SMALLEST_PITCH_PX)
    found: list[Lattice] = []
    edges: _Edges | None = None  # of the whole picture, which tells lines best
    reduced, factor = grey, 1
    while factor * lowest <= sizes.largest and min(reduced.shape) >= _MIN_CELLS * lowest:
        longest = min(2 * lowest * (_MAX_ASPECT if oblong else 1), sizes.largest / factor)
        reduced_edges = _Edges.of(reduced)
        edges = edges or reduced_edges
        octave = range(int(lowest) - 1, int(np.ceil(longest)) + 2)
        for region, lags, score in _periodic_regions(reduced_edges, octave, oblong=oblong):
            scaled = tuple(slice(side.start * factor, side.stop * factor) for side in region)
            lattice = _lines(edges, scaled, (lags[0] * factor, lags[1] * factor), score, lowest)
            if lattice is not None and not any(_same(lattice, other) for other in found):
                found.append(lattice)
        half = reduced.shape[1] // 2, reduced.shape[0] // 2
        reduced = np.asarray(cv2.resize(reduced, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        factor *= 2
    return sorted(found, key=lambda lattice: -lattice.score)


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """The changes of a picture from each pixel to the next.

    Attributes:
        sideways: From left to right, in strips: float32 of shape (height / strip, width).
        downwards: From top to bottom: float32 of shape (width / strip, height).
    """

    sideways: Floats
    downwards: Floats

    @classmethod
    def of(cls, grey: Image) -> Self:
        return cls(_steps(grey), _steps(np.ascontiguousarray(grey.T)))


def _steps(grey: Image) -> Floats:
    """Return the changes from each pixel to the next one on its right, in strips: (height / strip, width)."""
    strips = cv2.resize(grey, (grey.shape[1], max(1, grey.shape[0] // _STRIP_PX)), interpolation=cv2.INTER_AREA)
    steps = np.zeros(strips.shape, dtype=np.float32)
    steps[:, 1:] = np.minimum(cv2.absdiff(strips[:, 1:], strips[:, :-1]), _LARGEST_STEP_LEVELS)
    # Cells of 26.9 pixels have their edges 26 or 27 apart: a step must meet one that is a pixel off.
    return np.asarray(cv2.GaussianBlur(steps, (5, 1), 0.8), dtype=np.float32)


def _periodic_regions(
    edges: _Edges, lags: range, *, oblong: bool
) -> Iterator[tuple[tuple[slice, slice], tuple[int, int], float]]:
    """Yield regions as (rows, columns) of pixels, each with its lags, across and down, and periodicity.

    The most periodic comes first.
    """
    sideways = _periodicity(edges.sideways, lags)
    downwards = _periodicity(edges.downwards, lags).transpose(0, 2, 1)
    height, width = (min(sideways.shape[axis], downwards.shape[axis]) for axis in (1, 2))
    sideways, downwards = sideways[:, :height, :width], downwards[:, :height, :width]
    if oblong:
        best, across, down = _best_pairs(sideways, downwards, lags)
    else:
        both = np.minimum(sideways, downwards, out=sideways)
        best, across = both.max(axis=0), both.argmax(axis=0)
        down = across
    for _ in range(_REGIONS_PER_OCTAVE):
        y, x = divmod(int(best.argmax()), width)
        score, lag = float(best[y, x]), (int(across[y, x]), int(down[y, x]))
        if score < _PERIODIC_CORRELATION:
            return
        alike = (best >= _PERIODIC_CORRELATION) & (abs(across - lag[0]) <= 1) & (abs(down - lag[1]) <= 1)
        # Bridge about a cell, as text or a pointer may divide a board.
        joined = cv2.dilate(alike.astype(np.uint8), np.ones((lags[max(lag)] // _RASTER_PX + 2,) * 2, np.uint8))
        labels = cv2.connectedComponents(joined, connectivity=8)[1]
        component = (labels == labels[y, x]) & alike
        rows, columns = np.nonzero(component)
        best[component] = 0
        found = lags[lag[0]], lags[lag[1]]
        yield (_spanned(rows, found[1], height), _spanned(columns, found[0], width)), found, score


def _best_pairs(sideways: Floats, downwards: Floats, lags: range) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    """Return the periodicity of oblong cells at each place of the raster, and the places of their lags among `lags`.

    At twice the lag of a cell it is as periodic: the shortest of those that are counts.
    """
    across, down = ((of >= _AS_GOOD_SHARE * of.max(axis=0)).argmax(axis=0) for of in (sideways, downwards))
    ratios = np.log((across + lags.start) / (down + lags.start))
    is_oblong = (np.abs(across - down) > 1) & (np.abs(ratios) <= np.log(_MAX_ASPECT))
    return np.minimum(sideways.max(axis=0), downwards.max(axis=0)) * is_oblong, across, down


def _spanned(places: NDArray[np.intp], lag: int, count: int) -> slice:
    """Return the pixels from the first to the last place on the raster, at least a window wide."""
    first, last = int(places.min()) * _RASTER_PX, (int(places.max()) + 1) * _RASTER_PX
    reach = max(0, _WINDOW_CELLS * lag - (last - first)) // 2
    return slice(max(0, first - reach), min(count * _RASTER_PX, last + reach))


def _periodicity(steps: Floats, lags: range) -> Floats:
    """Return the periodicity from left to right around each place: (lags, height, width) on the raster."""
    # Averaging keeps the long edges of cells, and thins out those of digits, mines and letters.
    long = cv2.blur(steps, (1, _LONG_STRIPS))
    height, width = max(1, long.shape[0] * _STRIP_PX // _RASTER_PX), long.shape[1]
    long = np.asarray(long[_RASTER_PX // _STRIP_PX // 2 :: _RASTER_PX // _STRIP_PX][:height], dtype=np.float32)
    long = long - np.asarray(cv2.blur(long, (2 * lags[-1] + 1, 1)), dtype=np.float32)
    raster = max(1, width // _RASTER_PX), len(long)
    energy = cv2.resize(long * long, raster, interpolation=cv2.INTER_AREA)
    maps = np.zeros((len(lags), len(long), raster[0]), dtype=np.float32)
    products = np.zeros_like(long)
    for index, lag in enumerate(lags):
        if lag >= width:
            break
        products[:] = 0
        cv2.multiply(long[:, :-lag], long[:, lag:], products[:, lag // 2 : lag // 2 + width - lag])
        window = (round(_WINDOW_CELLS * lag / _RASTER_PX / 2) * 2 + 1,) * 2
        correlated = cv2.blur(cv2.resize(products, raster, interpolation=cv2.INTER_AREA), window)
        maps[index] = correlated / (cv2.blur(energy, window) + _NOISE_LEVELS**2)
    return maps


def _lines(
    edges: _Edges, region: tuple[slice, ...], lags: tuple[int, int], score: float, smallest: float
) -> Lattice | None:
    """Follow the lines of a region, and beyond it as far as they go; None if there are too few.

    Several cells together are as periodic as one; of such a lag, the cell's own is followed.
    """
    rows, columns = region
    sideways, downwards = (
        _without_mean(steps[part.start // _STRIP_PX : part.stop // _STRIP_PX].mean(axis=0), lag)
        for steps, part, lag in ((edges.sideways, rows, lags[0]), (edges.downwards, columns, lags[1]))
    )
    across, down = sideways[columns], downwards[rows]
    if lags[0] == lags[1]:  # both axes together tell the lag of square cells better
        xs_lag = ys_lag = _corrected((across, down), lags[0])
        xs_parts = ys_parts = _parts((across, down), xs_lag)
    else:
        xs_lag, ys_lag = _corrected((across,), lags[0]), _corrected((down,), lags[1])
        xs_parts, ys_parts = _parts((across,), xs_lag), _parts((down,), ys_lag)
    if max(xs_parts, ys_parts) > 1:
        finer = xs_lag // xs_parts, ys_lag // ys_parts
        return _lines(edges, region, finer, score, smallest) if min(finer) >= smallest else None
    xs, ys = _followed(sideways, columns, xs_lag), _followed(downwards, rows, ys_lag)
    if min(len(xs), len(ys)) <= _MIN_CELLS:
        return None
    core = (columns.start + columns.stop) / 2, (rows.start + rows.stop) / 2
    return Lattice(Grid(xs, ys), score, core)


def _corrected(profiles: Sequence[Floats], lag: int) -> int:
    """Return the lag near another at which profiles are most periodic: an octave's may be off by some pixels."""
    near = np.arange(round(lag / _LAG_FACTOR), round(lag * _LAG_FACTOR) + 1)
    return int(near[int(np.sum([_autocorrelation(profile, near) for profile in profiles], axis=0).argmax())])


def _parts(profiles: Sequence[Floats], lag: int) -> int:
    """Return into how many equal parts a period divides that are as similar as whole periods are; 1 if it is one cell.

    At a half or a third of a cell, the correlation of edges is at most half of that at a whole one, and mostly below
    zero. If the lag is that of several cells, it is as high there. Both axes are taken together, as figures may have a
    rhythm of their own along one of them.
    """

    def at(of: float) -> float:
        return sum(_at_about(profile, of) for profile in profiles)

    least = _AS_PERIODIC_SHARE * at(lag)

    def falls_into(parts: int) -> bool:
        # Within the width of a soft edge everything correlates; at half a true period it does less.
        there = at(lag / parts)
        return there > max(least, at(lag / parts / 2))

    return next((parts for parts in range(lag // _FINEST_PX, 1, -1) if falls_into(parts)), 1)


def _at_about(profile: Floats, lag: float) -> float:
    """Return the highest autocorrelation within a pixel of a lag."""
    return float(_autocorrelation(profile, np.arange(math.floor(lag - 0.75), math.ceil(lag + 0.75) + 1)).max())


def _without_mean(profile: Floats, lag: int) -> Floats:
    """Subtract from a profile its mean over a cell on either side."""
    less: Floats = profile - np.asarray(cv2.blur(profile[None], (2 * lag + 1, 1)))[0]
    return less


def _autocorrelation(profile: Floats, lags: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the autocorrelation of a profile at each lag, as a share of its energy; -1 beyond its length."""
    energy = float(profile @ profile) / len(profile) + 1e-6
    return np.array(
        [
            float(profile[:-lag] @ profile[lag:]) / (len(profile) - lag) / energy if lag < len(profile) - 1 else -1.0
            for lag in lags
        ]
    )


def _followed(profile: Floats, extent: slice, lag: int) -> tuple[float, ...]:
    """Find places one period apart along a profile of steps, up to where the pattern ends.

    Args:
        profile: The mean step at each pixel of the axis.
        extent: Where the period is known to hold.
        lag: The period, to within about a pixel.

    Returns:
        The places, made even if they nearly are; none if there is no period.
    """
    pitch = _refined_period(profile[extent], lag)
    if pitch == 0:
        return ()
    # The strongest place of the folded profile is some line of the cell, somewhere in it.
    middle = (extent.start + extent.stop) / 2
    offsets = np.arange(0, pitch, 0.5)
    count = max(1, min(_SEED_CELLS, int((extent.stop - extent.start) / pitch)))
    comb = middle - count / 2 * pitch + np.arange(count)[:, None] * pitch + offsets[None]
    at = np.arange(len(profile))
    folded = np.interp(comb, at, profile).mean(axis=0)
    seed = comb[:, int(folded.argmax())]
    window = np.arange(-0.5, 0.5, 1 / pitch) * pitch
    kernel = np.interp(seed[:, None] + window[None], at, profile).mean(axis=0)
    start = float(seed[count // 2])
    right = _walk(profile, kernel, window, start, pitch)
    left = _walk(profile, kernel, window, start, -pitch)
    lines = np.array([*reversed(left), start, *right])
    # Pitches may mix beyond the extent, so that all lines are made even only if all nearly are.
    return straightened(lines, lines[0], lines[-1])


def _refined_period(profile: Floats, lag: int) -> float:
    """Refine the period near `lag` to a fraction of a pixel by the correlation at its multiples; 0 for none."""
    period, multiple = float(lag), 1
    while multiple == 1 or multiple * period <= len(profile) - 2 * lag:
        centre = period * multiple
        lags = np.arange(max(2, math.ceil(centre - 1.5)), math.floor(centre + 1.5) + 1)
        correlation = _autocorrelation(profile, lags)
        peak = int(correlation.argmax())
        if correlation[peak] <= 0:
            return period if multiple > 1 else 0.0
        period = (lags[peak] + vertex(correlation, peak)) / multiple
        multiple *= 2
    return period


def _walk(profile: Floats, kernel: Floats, window: Floats, start: float, step: float) -> list[float]:
    """Follow lines from `start` outwards by `step`, each sought near a step from the one before."""
    pitch = abs(step)
    reach = np.arange(-max(1.5, 0.05 * pitch), max(1.5, 0.05 * pitch) + 0.25, 0.5)
    at = np.arange(len(profile))
    norm = float(np.linalg.norm(kernel)) + 1e-6
    lines: list[float] = []
    place, missed = start, 0
    while True:
        place += step
        if not pitch / 2 <= place <= len(profile) - 1 - pitch / 2:
            break
        patches = np.interp(place + reach[:, None] + window[None], at, profile)
        likeness = patches @ kernel / (np.linalg.norm(patches, axis=1) * norm + 1e-6)
        best = int(likeness.argmax())
        if likeness[best] >= _PROFILE_CORRELATION:
            place += float(reach[best]) + 0.5 * vertex(likeness, best)
            missed = 0
        else:
            missed += 1
        lines.append(place)
        if missed > _MIN_CELLS:
            break
    return lines[: len(lines) - missed]


def vertex(values: NDArray[np.floating] | Sequence[float], peak: int) -> float:
    """Return the offset of the vertex of the parabola through `peak` and its neighbours, within half a place."""
    if not 0 < peak < len(values) - 1:
        return 0.0
    before, here, after = (float(value) for value in values[peak - 1 : peak + 2])
    bend = before - 2 * here + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend


def straightened(lines: Floats, first: float, last: float) -> tuple[float, ...]:
    """Make lines even if those from `first` to `last` nearly are; else leave them as they are."""
    number = np.arange(len(lines))
    trusted = (first <= lines) & (lines <= last)
    if trusted.sum() > _MIN_CELLS:
        even = np.polyval(np.polyfit(number[trusted], lines[trusted], 1), number)
        tolerance = np.clip(_STRAIGHT_SHARE * (last - first) / (trusted.sum() - 1), _STRAIGHT_PX, _PERHAPS_UNEVEN_PX)
        if np.abs(even - lines)[trusted].max() < tolerance:
            lines = even
    return tuple(float(line) for line in lines)


def _respaced(lines: tuple[float, ...], pitch: float, middle: float) -> tuple[float, ...]:
    """Return lines a pitch apart, that one unmoved which is nearest to a place."""
    kept = min(range(len(lines)), key=lambda line: abs(lines[line] - middle))
    return tuple(lines[kept] + pitch * (line - kept) for line in range(len(lines)))


def _about(lines: tuple[float, ...], middle: float) -> range:
    """Return the cells of a sample about a place, along one side."""
    count = min(_SAMPLE_CELLS, len(lines) - 1)
    first = int(np.searchsorted(lines, middle)) - count // 2
    first = max(0, min(first, len(lines) - 1 - count))
    return range(first, first + count)


def _drift(places: tuple[float, ...], others: tuple[float, ...]) -> float:
    """Return the largest distance of places from the nearest others, after the middle one was moved onto its own."""
    middle = len(places) // 2
    off = np.subtract.outer(places, others)
    off -= off[middle, np.abs(off[middle]).argmin()]
    return float(np.abs(off).min(axis=1).max())


def _same(one: Lattice, other: Lattice) -> bool:
    """Whether two lattices have the same pitch and place."""
    same_pitch = abs(one.grid.pitch[0] / other.grid.pitch[0] - 1) < _SAME_PITCH_SHARE
    return same_pitch and one.grid.region.overlap(other.grid.region) > _SAME_PLACE_SHARE
