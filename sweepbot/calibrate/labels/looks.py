"""Pictures of cells, each kept once, grouped into looks.

The distance of two pictures is that of `vision/pictures/difference.py`, without their rims. Whether they still show the
same figure, redrawn, framed, dimmed or on another ground, is decided pixel by pixel.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

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
        own = np.ascontiguousarray(core(picture))
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
            by_rim = Counter(picture.tobytes() for picture in alike).most_common(1 + LIKENESS.most_variants)
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
        """Whether two pictures differ only by faint shadows of neighbours at their sides."""
        return _differ_by_shade(self._cores[number], self._cores[other])

    def variants(self, number: int) -> list[Image]:
        """Return the variants of a picture: the same figure redrawn, slightly shifted, or with another rim."""
        return self._variants[number]

    def is_redrawn(self, number: int, other: int, same: Callable[[Image, Image], bool]) -> bool:
        """Whether picture `other` is the figure of `number` redrawn, by `same`; if so, it is kept as its variant."""
        picture = self._pictures[other]
        if not same(self._pictures[number], picture):
            return False
        variants = self._variants[number]
        # One in another shade is not redrawn: it may show the edge of a neighbour on a board that was moved.
        is_new = not _differ_by_shade(self._cores[number], self._cores[other])
        is_new &= not any(np.array_equal(picture, one) for one in variants)
        if is_new and len(variants) < LIKENESS.most_variants:
            variants.append(picture)
        return True


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

    def __contains__(self, picture: int) -> bool:
        return picture in self._leader

    def includes(self, picture: int) -> bool:
        """Whether a picture has one of the looks, or would have if it were added."""
        return picture in self._leader or bool(self._near(picture))

    def of(self, picture: int) -> int:
        """Return the look of a picture, as the number of the look's earliest picture; its own if it was not added."""
        return self._leader.get(picture, picture)

    def of_each(self, pictures: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the look of each picture, as an array of the same shape."""
        found: NDArray[np.intp] = np.vectorize(self.of, otypes=[np.intp])(pictures)
        return found

    def all(self) -> dict[int, list[int]]:
        """Return the pictures of each look."""
        members: dict[int, list[int]] = {}
        for picture, leader in self._leader.items():
            members.setdefault(leader, []).append(picture)
        return members


def kinds_of(pictures: NDArray[np.intp], patches: PatchStore) -> NDArray[np.intp]:
    """Return the look of each picture, grouped from these pictures alone, as an array of the same shape."""
    return Looks(patches, np.unique(pictures).tolist()).of_each(pictures)


def core(picture: Image, least_px: int = 1) -> Image:
    """Return a picture without its rim, which is at least `least_px` wide."""
    rim = max(least_px, min(picture.shape[:2]) // LIKENESS.rim_part)
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


def same_figure(one: Image, other: Image) -> bool:
    """Whether two pictures of one open cell show the same figure on the same ground, shifted by up to a pixel.

    Browsers may place text slightly differently after it was moved. This distinguishes a figure from something in front
    of it, but not from another figure.
    """
    if _differ_by_shade(core(one), core(other)):
        return True
    cores = [core(picture).astype(np.int16) for picture in (one, other)]
    grounds = [_ground(picture) for picture in cores]
    inks = [np.abs(picture - grounds[0]).max(axis=2) for picture in cores]
    strongest = [picture.reshape(-1, 3)[ink.argmax()] for picture, ink in zip(cores, inks, strict=True)]
    return (
        max(ink.max() for ink in inks) > LIKENESS.distinct_levels  # else neither has a figure
        and np.abs(grounds[0] - grounds[1]).max() <= LIKENESS.same_levels
        and np.abs(strongest[0] - strongest[1]).max() <= LIKENESS.other_figure_levels
        and _same_strokes(*inks, most_px=LIKENESS.stray_px)
    )


def same_shape(one: Image, other: Image) -> bool:
    """Whether two pictures show a figure of the same shape, shifted by up to a pixel, on any ground."""
    cores = [core(picture, LIKENESS.relief_px).astype(np.int16) for picture in (one, other)]
    inks = [np.abs(picture - _ground(picture)).max(axis=2) for picture in cores]
    least = LIKENESS.off_shape_share * min(np.count_nonzero(ink > LIKENESS.distinct_levels) for ink in inks)
    return bool(least > 0) and _same_strokes(*inks, most_px=least)


def is_same_cell(one: Image, other: Image) -> bool:
    """Whether two pictures show the same figure, shifted by up to a pixel, or differ only by a thin frame.

    Some clients frame the cell that has the keyboard focus.
    """
    return same_figure(one, other) or differ_by_frame(one, other)


def differ_by_frame(one: Image, other: Image) -> bool:
    """Whether two pictures differ only on the outline of a rectangle, and on much of it."""
    differs = difference(one, other) > LIKENESS.same_levels
    frame = extent(differs)
    if frame is None or min(frame.width, frame.height) <= LIKENESS.smallest_frame_px:
        return False
    box = differs[frame.slices]
    sides = (box[0], box[-1], box[:, 0], box[:, -1])
    return not box[1:-1, 1:-1].any() and all(side.mean() >= LIKENESS.drawn_share for side in sides)


def shows_through(picture: Image, other: Image) -> bool:
    """Whether a picture may be another one, or a plain one, beneath a translucent layer of one colour.

    Such a layer changes all pixels alike: each channel is multiplied by a factor, and an offset is added.
    """
    inner, beneath = (core(it).reshape(-1, 3).astype(np.float64) for it in (picture, other))
    inner, beneath = inner - inner.mean(axis=0), beneath - beneath.mean(axis=0)
    strength = float((inner * beneath).sum()) / max(1.0, float((beneath * beneath).sum()))
    return bool(np.abs(inner - strength * beneath).max() <= LIKENESS.distinct_levels)


def _ground(picture: NDArray[np.int16]) -> NDArray[np.float64]:
    return np.asarray(np.median(picture.reshape(-1, 3), axis=0))


def _same_strokes(one: NDArray[np.int16], other: NDArray[np.int16], *, most_px: float) -> bool:
    """Whether all but `most_px` of the drawn pixels of each of two inks are drawn in the other, or beside it."""
    drawn = [ink > LIKENESS.distinct_levels for ink in (one, other)]
    return all(np.count_nonzero(here & ~_thickened(there)) <= most_px for here, there in (drawn, drawn[::-1]))


def _thickened(drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the drawn pixels and all pixels next to them."""
    padded = np.pad(drawn, 1)
    tall = padded[:-2] | padded[1:-1] | padded[2:]
    thick: NDArray[np.bool_] = tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:]
    return thick
