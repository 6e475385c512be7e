"""How a new game is begun: ways to try, and the button above the board that they begin with."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.place import Image
from sweepbot.calibrate.touch import Touch
from sweepbot.geometry import Point, Region
from sweepbot.vision.calibration import Restart
from sweepbot.vision.grid import Grid

KEYS = ("f2", "ctrl+r", "ctrl+n", "n")
"""What clients begin a new game with; those that lead elsewhere in some of them come last."""

_REACH = 7  # cells above the board in which a button is looked for
_SMALLEST, _LARGEST = 12, 90  # pixels: a side of the button
_MOST_BUTTONS = 4  # that are tried
_SQUARE = 1.5  # one side is at most so many times the other
_DIFFERENT = 24  # grey levels by which a button's pixels differ from what is around it


@dataclass(frozen=True, slots=True)
class Way:
    """One way to begin a new game: a pixel of the screen or a key."""

    at: Point | None = None
    key: str | None = None

    def restart(self, place: Grid) -> Restart:
        """The same as a calibration says it."""
        if self.at is None:
            return Restart(key=self.key)
        middle = (place.xs[0] + place.xs[-1]) / 2
        return Restart(click=(round(self.at.x - middle), round(self.at.y - place.ys[0])))

    def follow(self, touch: Touch, around: Region) -> Image:
        """Click or press; the picture of `around` once it rests."""
        if self.at is not None:
            return touch.click(self.at, "left", Region(self.at.x, self.at.y, 1, 1), around)
        return touch.press(self.key or "", around)

    def __str__(self) -> str:
        return f"a click at {self.at}" if self.key is None else f"the key {self.key}"


def ways(image: Image, origin: Point, place: Grid) -> Iterator[Way]:
    """Ways to try, the likeliest first.

    Args:
        image: The screen.
        origin: The pixel of the desktop that is its top left one.
        place: Where the board is, in pixels of the desktop.
    """
    for button in find_buttons(image, place.moved(-origin)):
        yield Way(at=button.moved(origin).centre)
    for key in KEYS:
        yield Way(key=key)


def find_buttons(image: Image, place: Grid) -> list[Region]:
    """The square things above a board, the one nearest to its middle first; few of them, often one or none."""
    pitch = max(place.pitch)
    top, middle = int(place.ys[0]), int((place.xs[0] + place.xs[-1]) / 2)
    first = max(0, top - max(int(_REACH * pitch), _LARGEST))
    found: list[Region] = []
    # Above the very middle it stands alone; beside it there may be counters, which are less square.
    for half in (_LARGEST, max(_LARGEST, place.region.width // 2)):
        left, right = max(0, middle - half), min(image.shape[1], middle + half)
        strip = image[first:top, left:right].astype(np.int16)
        if min(strip.shape[:2]) < _SMALLEST:
            continue
        core = slice(middle - left - _SMALLEST // 2, middle - left + _SMALLEST // 2)
        for ground in _grounds(strip):
            apart = np.abs(strip - ground).max(axis=2) > _DIFFERENT
            blocks = _blocks(apart, core if half == _LARGEST else slice(None))
            found.extend(block.moved(Point(left, first)) for block in blocks)
        if found:
            break
    nearest = sorted(found, key=lambda region: abs(region.centre.x - middle))
    return [region for number, region in enumerate(nearest) if not _repeats(region, nearest[:number])][:_MOST_BUTTONS]


def _repeats(region: Region, others: list[Region]) -> bool:
    return any(region.centre in other for other in others)


def _grounds(strip: NDArray[np.int16]) -> list[NDArray[np.int16]]:
    """The commonest colours of a strip."""
    colours, counts = np.unique(strip.reshape(-1, 3), axis=0, return_counts=True)
    return [colours[index] for index in np.argsort(-counts)[:2]]


def _blocks(apart: NDArray[np.bool_], core: slice) -> Iterator[Region]:
    """Squarish things that stand alone: the rows that they fill in the columns `core`, then the columns have gaps."""
    for start, stop in _runs(np.any(apart[:, core], axis=1)):
        if not _SMALLEST <= stop - start <= _LARGEST:
            continue
        for left, right in _runs(np.any(apart[start:stop], axis=0)):
            sides = right - left, stop - start
            if _SMALLEST <= right - left <= _LARGEST and max(sides) <= _SQUARE * min(sides):
                yield Region(left, start, right - left, stop - start)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
