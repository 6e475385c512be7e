"""Pictures of cells, each kept once, and the looks that they are pictures of."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.geometry import Image

_COARSE = 4  # one pixel in so many is compared first


class PatchStore:
    """Keeps every different picture of a cell once, numbered from 0 in the order of their first appearance.

    Pictures that differ only at their rim are the same: there the neighbours may show, or a line that both share. So
    are those that nobody could tell apart.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._variants: dict[int, list[Image]] = defaultdict(list)
        self._pictures: list[Image] = []
        self._cores: list[NDArray[np.int16]] = []

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, number: int) -> Image:
        return self._pictures[number]

    def number(self, picture: Image) -> int:
        """The number of a picture, uint8 of shape (height, width, 3); a new one where it was never seen."""
        core = _core(picture)
        key = core.tobytes()
        if key not in self._numbers:
            self._numbers[key] = self._nearest(core, picture)
        return self._numbers[key]

    def variants(self, number: int) -> list[Image]:
        """The same figure drawn anew, a little beside its place."""
        return self._variants[number]

    def is_redrawn(self, number: int, other: int, same: Callable[[Image, Image], bool]) -> bool:
        """Whether a picture shows the figure of another one drawn anew, as `same` tells; then it is kept with that."""
        picture = self._pictures[other]
        if not same(self._pictures[number], picture):
            return False
        variants = self._variants[number]
        if len(variants) < LIKENESS.most_variants and not any(np.array_equal(picture, one) for one in variants):
            variants.append(picture)
        return True

    def _nearest(self, core: NDArray[np.int16], picture: Image) -> int:
        """The earlier picture that is the same, else a new one."""
        for number, earlier in enumerate(self._cores):
            at_a_glance = np.abs(earlier[::_COARSE, ::_COARSE] - core[::_COARSE, ::_COARSE]).max()
            if at_a_glance <= LIKENESS.speck_levels:
                difference = np.abs(earlier - core).max(axis=2)
                specks = int((difference > LIKENESS.same_levels).sum())
                if specks <= LIKENESS.speck_share * difference.size and difference.max() <= LIKENESS.speck_levels:
                    return number
        self._pictures.append(np.array(picture, dtype=np.uint8))
        self._cores.append(core)
        return len(self._cores) - 1

    def numbers(self, cells: Image) -> NDArray[np.intp]:
        """The numbers of many pictures: of shape (rows, columns, height, width, 3), returned as (rows, columns)."""
        rows, columns = cells.shape[:2]
        numbers = np.empty((rows, columns), dtype=np.intp)
        for cell in np.ndindex(rows, columns):
            numbers[cell] = self.number(cells[cell])
        return numbers

    def distances(self, number: int, others: Sequence[int]) -> NDArray[np.intp]:
        """By how many grey levels a picture differs from each of some others, where it differs most."""
        if not len(others):
            return np.empty(0, dtype=np.intp)
        difference = np.abs(np.stack([self._cores[other] for other in others]) - self._cores[number])
        largest: NDArray[np.intp] = difference.max(axis=(1, 2, 3)).astype(np.intp)
        return largest


def _core(picture: Image, least_px: int = 1) -> NDArray[np.int16]:
    """A picture without its rim, which is at least so many pixels wide."""
    rim = max(least_px, min(picture.shape[:2]) // LIKENESS.rim_part)
    return picture[rim:-rim, rim:-rim].astype(np.int16)


def same_figure(one: Image, other: Image) -> bool:
    """Whether two pictures of one open cell show the same figure on the same ground, drawn up to a pixel apart.

    Browsers set text anew where it was moved, and not always in the same place. This tells a figure from what may come
    in front of it; it does not tell one figure from another.
    """
    first, second = _core(one), _core(other)
    ground = np.median(first.reshape(-1, 3), axis=0)
    if np.abs(ground - np.median(second.reshape(-1, 3), axis=0)).max() > LIKENESS.same_levels:
        return False
    inks = [np.abs(picture - ground).max(axis=2) for picture in (first, second)]
    drawn = [ink > LIKENESS.distinct_levels for ink in inks]
    if not (drawn[0].any() and drawn[1].any()):
        return not (drawn[0].any() or drawn[1].any()) and bool(np.abs(first - second).max() <= LIKENESS.same_levels)
    strongest = [picture.reshape(-1, 3)[int(ink.argmax())] for picture, ink in zip((first, second), inks, strict=True)]
    if np.abs(strongest[0] - strongest[1]).max() > LIKENESS.other_figure_levels:
        return False
    return all((here & ~_thickened(there)).sum() <= LIKENESS.stray_px for here, there in (drawn, drawn[::-1]))


def same_shape(one: Image, other: Image) -> bool:
    """Whether two pictures show a figure of the same shape, drawn up to a pixel apart, on whatever ground."""
    shapes = []
    for picture in (one, other):
        inner = _core(picture, LIKENESS.relief_px)
        shapes.append(np.abs(inner - np.median(inner.reshape(-1, 3), axis=0)).max(axis=2) > LIKENESS.distinct_levels)
    least = LIKENESS.off_shape_share * min(int(shape.sum()) for shape in shapes)
    return least > 0 and all((here & ~_thickened(there)).sum() <= least for here, there in (shapes, shapes[::-1]))


def is_same_cell(one: Image, other: Image) -> bool:
    """Whether two pictures show the same figure, drawn up to a pixel apart, or only one of them with a thin frame.

    Some clients frame what was clicked last, which the keyboard would then act on.
    """
    return same_figure(one, other) or differ_by_frame(one, other)


def differ_by_frame(one: Image, other: Image) -> bool:
    """Whether all that differs lies on the outline of a rectangle, and is much of it."""
    differs = np.abs(one.astype(np.int16) - other).max(axis=2) > LIKENESS.same_levels
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not rows.size or min(np.ptp(rows), np.ptp(columns)) < LIKENESS.smallest_frame_px:
        return False
    box = differs[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    sides = (box[0], box[-1], box[:, 0], box[:, -1])
    return not box[1:-1, 1:-1].any() and all(side.mean() >= LIKENESS.drawn_share for side in sides)


def shows_through(picture: Image, other: Image) -> bool:
    """Whether a picture may be another one beneath something of one colour that light shines through, or a plain one.

    Such a thing changes all colours in one way: each channel becomes a multiple of what it was and something added.
    """
    inner, beneath = (_core(of).reshape(-1, 3).astype(np.float64) for of in (picture, other))
    inner, beneath = inner - inner.mean(axis=0), beneath - beneath.mean(axis=0)
    strength = float((inner * beneath).sum()) / max(1.0, float((beneath * beneath).sum()))
    return bool(np.abs(inner - strength * beneath).max() <= LIKENESS.distinct_levels)


def _thickened(drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is drawn, and all pixels beside it."""
    padded = np.pad(drawn, 1)
    tall = padded[:-2] | padded[1:-1] | padded[2:]
    thick: NDArray[np.bool_] = tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:]
    return thick


class Looks:
    """Pictures gathered into looks: what leads from one to the other in small steps is the same look.

    Args:
        patches: Where the pictures are.
        tolerance: The largest step, in grey levels.
        pictures: The first ones.
    """

    def __init__(self, patches: PatchStore, tolerance: int, pictures: Iterable[int] = ()) -> None:
        self._patches = patches
        self.tolerance = tolerance
        self._leader: dict[int, int] = {}
        self.add(pictures)

    def add(self, pictures: Iterable[int]) -> None:
        """Take in more pictures; what was two looks may thereby become one."""
        for picture in pictures:
            if picture in self._leader:
                continue
            known = list(self._leader)
            near = np.flatnonzero(self._patches.distances(picture, known) <= self.tolerance)
            joined = {self._leader[known[int(index)]] for index in near}
            leader = min(joined, default=picture)
            self._leader[picture] = leader
            for member, old in self._leader.items():
                if old in joined:
                    self._leader[member] = leader

    def __contains__(self, picture: int) -> bool:
        return picture in self._leader

    def includes(self, picture: int) -> bool:
        """Whether a picture has one of the looks, or would have if it was added."""
        near = picture in self._leader or (self._patches.distances(picture, list(self._leader)) <= self.tolerance).any()
        return bool(near)

    def of(self, picture: int) -> int:
        """The look of a picture: the number of its earliest picture; its own where it was never added."""
        return self._leader.get(picture, picture)

    def all(self) -> dict[int, list[int]]:
        """The pictures of each look."""
        members: dict[int, list[int]] = {}
        for picture, leader in self._leader.items():
            members.setdefault(leader, []).append(picture)
        return members


def kinds_of(pictures: NDArray[np.intp], patches: PatchStore) -> NDArray[np.intp]:
    """The look of each of some pictures, told apart as finely as can be: an array of the same shape."""
    looks = Looks(patches, LIKENESS.look_steps_levels[0], np.unique(pictures).tolist())
    kinds: NDArray[np.intp] = np.array([looks.of(picture) for picture in pictures.ravel().tolist()], dtype=np.intp)
    return kinds.reshape(pictures.shape)
