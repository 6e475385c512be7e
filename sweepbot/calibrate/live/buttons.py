"""What may begin a new game with a click: the face above a board, buttons around it, what a game's end has put up."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point, Region
from sweepbot.vision.blobs import find_blobs, find_plates
from sweepbot.vision.grid import Grid

_REACH = 7  # cells above the board in which a face is looked for
_SMALLEST, _LARGEST = 12, 90  # pixels: a side of the face
_MOST_FACES, _MOST_BUTTONS, _MOST_APPEARED = 3, 8, 5  # that are given
_OVERHANG = 30  # pixels by which what is around a board may reach beyond its sides
_ROW = 24  # pixels: buttons whose heights differ less stand in one row
_SQUARE = 1.5  # one side is at most so many times the other
_DIFFERENT = 24  # grey levels by which a face's pixels differ from what is around it, and from which on a thing is new
_ABOVE, _BELOW, _BESIDE = 200, 130, 260  # pixels around the board in which other buttons are looked for


def faces(image: Image, place: Grid) -> list[Region]:
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
    return [region for number, region in enumerate(nearest) if not _repeats(region, nearest[:number])][:_MOST_FACES]


def buttons(image: Image, place: Grid) -> list[Region]:
    """The other things around a board: those above it first, then those below and beside it, the nearest first.

    Of several in one row the one on the left comes first: what begins a game comes before what ends the program.
    """
    board = place.region

    def rank(thing: Region) -> tuple[int, int, int]:
        beside = thing.right <= board.x or thing.x >= board.right
        side = 2 if beside else 0 if thing.bottom <= board.y else 1
        apart = (board.y - thing.centre.y, thing.centre.y - board.bottom, thing.centre.y - board.y)[side]
        return side, apart // _ROW, thing.x

    return sorted(_innermost(_things(image, place)), key=rank)[:_MOST_BUTTONS]


def put_up(image: Image, before: Image, place: Grid) -> list[Region]:
    """What looks like a button, stands in front of a board or near it and was not there before; from top to bottom."""
    plates = [plate for plate in _fresh(image, before, place, find_plates) if plate.width > plate.height]
    return sorted(_innermost(plates), key=lambda thing: thing.y)[:_MOST_APPEARED]


def appeared(image: Image, before: Image, place: Grid) -> list[Region]:
    """What stands in front of a board or near it and was not there before: buttons of which no plate is to be seen.

    The lowest comes first: buttons follow a text.
    """
    plates = put_up(image, before, place)
    blobs = _innermost([*_fresh(image, before, place, find_blobs), *plates])
    lowest = sorted(blobs, key=lambda thing: -thing.centre.y)
    return [thing for thing in lowest if not _repeats(thing, plates)][:_MOST_APPEARED]


def _fresh(image: Image, before: Image, place: Grid, find: Callable[[Image], list[Region]]) -> Iterator[Region]:
    """The things of a kind in front of a board or near it that were not there before."""
    board = place.region
    around = Region(board.x - _BESIDE, board.y - _ABOVE, board.width + 2 * _BESIDE, board.height + _ABOVE + _BELOW)
    seen = around.intersection(Region(0, 0, image.shape[1], image.shape[0])) or around
    shown = _part(image, seen)
    new = np.abs(shown.astype(np.int16) - _part(before, seen)).max(axis=2) > _DIFFERENT
    cell = 1.3 * max(place.pitch)
    for thing in find(shown):
        there = thing.moved(seen.origin)
        has_come = new[thing.y : thing.bottom, thing.x : thing.right].mean() > 1 / 2
        if has_come and (there.width > cell or there.centre not in board):
            yield there


def _things(image: Image, place: Grid) -> list[Region]:
    """What stands out around a board: above it, below it and beside it."""
    board = place.region
    seen = Region(0, 0, image.shape[1], image.shape[0])
    sides = max(0, board.y - _OVERHANG), board.height + 2 * _OVERHANG
    wide = max(0, board.x - _OVERHANG), board.width + 2 * _OVERHANG
    left = max(0, board.x - _BESIDE)
    strips = (
        Region(wide[0], max(0, board.y - _ABOVE), wide[1], min(_ABOVE, board.y)),
        Region(wide[0], board.bottom + 4, wide[1], _BELOW),
        Region(board.right + 8, sides[0], _BESIDE, sides[1]),
        Region(left, sides[0], board.x - 8 - left, sides[1]),
    )
    found = []
    for strip in strips:
        part = strip.intersection(seen) if min(strip.width, strip.height) > 0 else None
        if part is not None:
            shown = _part(image, part)
            found += [thing.moved(part.origin) for thing in (*find_plates(shown), *find_blobs(shown))]
    return found


def _part(image: Image, region: Region) -> Image:
    return image[region.y : region.bottom, region.x : region.right]


def _innermost(things: Iterable[Region]) -> list[Region]:
    """The things without those around others, as a bar is around its buttons; of one in the other's middle one only."""
    kept: list[Region] = []
    for thing in sorted(things, key=lambda thing: thing.width * thing.height):
        if not any(thing.centre in other or other.centre in thing for other in kept):
            kept.append(thing)
    return kept


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
