"""Pictures that cannot stand for the state they were seen of: they show the edge of something in front."""

from collections import Counter

import numpy as np

from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.calibrate.labels.thresholds import EVIDENCE, LIKENESS
from sweepbot.geometry import Image

_NUMBERS = tuple(map(str, range(9)))


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
