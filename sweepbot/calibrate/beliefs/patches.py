"""Pictures of cells, each kept once, grouped into looks.

The distance of two pictures is that of `vision/pictures/difference.py`, without their rims. Whether they still show the
same figure, redrawn, framed, dimmed or on another ground, is decided pixel by pixel.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.geometry import Image, extent
from sweepbot.vision.pictures.difference import difference


class PatchStore:
    """Keeps every different picture of a cell once, numbered from 0 in the order of their first appearance.

    Pictures that nobody could tell apart are the same, and so are those that differ only at their rim, where neighbours
    may show, or a shared line.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._variants: dict[int, list[Image]] = defaultdict(list)
        self._pictures: list[Image] = []
        self._cores: list[Image] = []

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, number: int) -> Image:
        return self._pictures[number]

    def number(self, picture: Image) -> int:
        """Return the number of a picture, uint8 of shape (height, width, 3), adding it if it is new."""
        own = np.ascontiguousarray(_core(picture))
        key = own.tobytes()
        if key not in self._numbers:
            known = (number for number, other in enumerate(self._cores) if _is_same(own, other))
            self._numbers[key] = next(known, len(self))
            if self._numbers[key] == len(self):
                self._pictures.append(np.array(picture, dtype=np.uint8))
                self._cores.append(own)
        return self._numbers[key]

    def numbers(self, cells: Image) -> NDArray[np.intp]:
        """Return the numbers of a board's cells, given as (rows, columns, height, width, 3), as (rows, columns).

        Of new cells that differ only at their rim, as in the first row and column, the commonest is kept as the
        picture, and the next ones as its variants.
        """
        flat, known = cells.reshape(-1, *cells.shape[2:]), len(self)
        numbers = np.array([self.number(cell) for cell in flat], dtype=np.intp)
        for new in range(known, len(self)):
            alike = flat[numbers == new]
            by_rim = Counter(picture.tobytes() for picture in alike).most_common(1 + LIKENESS.max_variants)
            rims = [np.frombuffer(rim, np.uint8).reshape(alike.shape[1:]) for rim, count in by_rim if count > 1]
            if rims:
                self._pictures[new], *others = rims
                self._variants[new] += others
        return numbers.reshape(cells.shape[:2])

    def distances(self, number: int, others: Sequence[int]) -> NDArray[np.intp]:
        """Return the most grey levels by which a picture differs from each of some others."""
        own = self._cores[number]
        return np.array([difference(self._cores[other], own).max() for other in others], dtype=np.intp)

    def are_alike(self, number: int, other: int) -> bool:
        """Whether two pictures differ only by their neighbours: by faint shadows, or where these begin within them."""
        one, two = self._cores[number], self._cores[other]
        return _differ_by_shade(one, two) or _differ_at_corner(one, two)

    def variants(self, number: int) -> list[Image]:
        """Return the variants of a picture: the same figure redrawn, slightly shifted, or with another rim."""
        return self._variants[number]


class Looks:
    """Pictures grouped into looks: pictures connected by small steps have the same look."""

    def __init__(self, patches: PatchStore, pictures: Iterable[int] = ()) -> None:
        self._patches = patches
        self._leader: dict[int, int] = {}
        self.add(pictures)

    def add(self, pictures: Iterable[int]) -> None:
        """Add pictures; two looks may thereby become one."""
        for picture in pictures:
            if picture not in self._leader:
                joined = self._near(picture)
                leader = min(joined, default=picture)
                self._leader |= {member: leader for member, old in self._leader.items() if old in joined}
                self._leader[picture] = leader

    def _near(self, picture: int) -> set[int]:
        """Return the looks that are a small step from a picture."""
        known = list(self._leader)
        near = np.flatnonzero(self._patches.distances(picture, known) <= LIKENESS.look_step_levels)
        return {self._leader[known[index]] for index in near.tolist()}

    def all(self) -> dict[int, list[int]]:
        """Return the pictures of each look."""
        members: dict[int, list[int]] = {}
        for picture, leader in self._leader.items():
            members.setdefault(leader, []).append(picture)
        return members


def _core(picture: Image) -> Image:
    """Return a picture without its rim."""
    rim = min(max(1, min(picture.shape[:2]) // LIKENESS.rim_part), LIKENESS.max_rim_px)
    return picture[rim:-rim, rim:-rim]


def _is_same(one: Image, other: Image) -> bool:
    """Whether nobody could tell two cores apart."""
    apart = difference(one, other)
    specks = np.count_nonzero(apart > LIKENESS.same_levels)
    return bool(apart.max() <= LIKENESS.look_step_levels and specks <= LIKENESS.speck_share * apart.size)


def _differ_by_shade(one: Image, other: Image) -> bool:
    """Whether two cores are alike in the middle, and nearly so at the sides, where a neighbour may cast a shadow."""
    apart = difference(one, other)
    height, width = (side // 4 for side in apart.shape)
    middle = apart[height:-height, width:-width]
    return bool(apart.max() <= LIKENESS.look_step_levels and middle.max() <= LIKENESS.same_levels)


def _differ_at_corner(one: Image, other: Image) -> bool:
    """Whether two cores differ only at one side or two that meet, by which they were cut out too far there.

    What is drawn on a cell, or pressed, changes it at opposite sides or in its middle.
    """
    differs = difference(one, other) > LIKENESS.same_levels
    height, width = (max(1, side // LIKENESS.side_part) for side in differs.shape)
    downs, rights = (slice(height, None), slice(-height)), (slice(width, None), slice(-width))
    return any(not differs[down, right].any() for down, right in itertools.product(downs, rights))


def differ_by_frame(one: Image, other: Image) -> bool:
    """Whether two pictures differ only on the outline of a rectangle, and on much of it."""
    differs = difference(one, other) > LIKENESS.same_levels
    frame = extent(differs)
    if frame is None or min(frame.width, frame.height) <= LIKENESS.min_frame_px:
        return False
    box = differs[frame.slices]
    sides = (box[0], box[-1], box[:, 0], box[:, -1])
    return not box[1:-1, 1:-1].any() and all(side.mean() >= LIKENESS.outline_share for side in sides)
