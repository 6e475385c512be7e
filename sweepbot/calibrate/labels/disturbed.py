"""Pictures that cannot stand for the state they were seen of: they show what was moved, or something in front."""

from collections import Counter

import numpy as np

from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.calibrate.labels.thresholds import EVIDENCE, LIKENESS
from sweepbot.geometry import Image

_COARSE = 3  # one pixel in so many is compared first
_NUMBERS = tuple(map(str, range(9)))


def undisplaced(patches: PatchStore, states: dict[str, Counter[int]]) -> dict[str, Counter[int]]:
    """The states without pictures that show what is more often seen of another one, in another place.

    The rows of a board may give way as cells open. Then what was moved seems to have changed, and to be open.
    """
    usual = {name: pictures.most_common(EVIDENCE.usual_pictures) for name, pictures in states.items()}
    kept = {
        name: Counter(
            {
                picture: count
                for picture, count in pictures.items()
                if not any(
                    often > count and _is_displaced(patches[picture], patches[other])
                    for rival, others in usual.items()
                    for other, often in others
                    if rival != name
                )
            }
        )
        for name, pictures in states.items()
    }
    return {name: pictures for name, pictures in kept.items() if pictures}


def _is_displaced(picture: Image, other: Image) -> bool:
    """Whether a picture is a part of another one that was moved by up to a third of its sides, and no plain part."""
    height, width = picture.shape[:2]
    top, left = height // 3, width // 3
    shown, beneath = picture.astype(np.int16), other.astype(np.int16)
    if np.ptp(shown, axis=(0, 1)).max() < 2 * LIKENESS.deviation_levels:  # no part of it deviates by more
        return False
    fits = np.ones((2 * top + 1, 2 * left + 1), dtype=np.bool_)
    for y in range(top, height - top, _COARSE):
        for x in range(left, width - left, _COARSE):
            window = beneath[y - top : y + top + 1, x - left : x + left + 1]
            fits &= (np.abs(window - shown[y, x]) <= LIKENESS.same_levels).all(axis=2)
            if not fits.any():
                return False
    for y, x in np.argwhere(fits):
        down, right = int(y) - top, int(x) - left
        here = shown[max(0, -down) : height - max(0, down), max(0, -right) : width - max(0, right)]
        there = beneath[max(0, down) : height - max(0, -down), max(0, right) : width - max(0, -right)]
        inner = here[1:-1, 1:-1]
        is_same = (down, right) != (0, 0) and np.abs(inner - there[1:-1, 1:-1]).max() <= LIKENESS.same_levels
        if is_same and inner.std(axis=(0, 1)).max() >= LIKENESS.deviation_levels:
            return True
    return False


def without_foreign_edges(patches: PatchStore, states: dict[str, Counter[int]]) -> dict[str, Counter[int]]:
    """The states without pictures across which an edge runs that no hidden cell and no number usually shows.

    It is the edge of a box in front of a part of the cell, or the border of a cell that has moved. What hidden cells
    and numbers usually show is never left out.
    """
    trusted = {
        picture
        for name in ("hidden", *_NUMBERS)
        for picture, _ in states.get(name, Counter()).most_common(EVIDENCE.usual_pictures)
    }
    known = set().union(*(straight_edges(patches[picture]) for picture in trusted))
    kept = {
        name: Counter(
            {
                picture: count
                for picture, count in pictures.items()
                if picture in trusted or name == "hidden" or straight_edges(patches[picture]) <= known
            }
        )
        for name, pictures in states.items()
    }
    return {name: pictures for name, pictures in kept.items() if pictures}


def straight_edges(picture: Image) -> set[tuple[int, int]]:
    """The lines of pixels, by axis and place, along which an edge runs from a cell's border across most of it."""
    found = set()
    for axis in (0, 1):
        steps = np.abs(np.diff(picture.astype(np.int16), axis=axis)).max(axis=2) >= LIKENESS.edge_levels
        lines = steps if axis == 0 else steps.T
        rim, across = max(3, len(lines) // LIKENESS.border_part), round(LIKENESS.edge_share * lines.shape[1])
        for place in range(rim, len(lines) - rim):
            line = lines[place]
            if line[2 : 2 + across].all() or line[-2 - across : -2].all():
                found.add((axis, place))
    return found
