"""Pictures of cells, each kept once, and the looks that they are pictures of.

How far two pictures are apart is what the eyes measure (`vision/pictures/difference.py`), without their rims. Whether
they show one thing all the same, be it drawn anew, framed, dimmed or on another ground, is asked pixel by pixel.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.geometry import Image, extent
from sweepbot.vision.pictures.difference import difference

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
        self._cores: list[Image] = []

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, number: int) -> Image:
        return self._pictures[number]

    def number(self, picture: Image) -> int:
        """The number of a picture, uint8 of shape (height, width, 3); a new one where it was never seen."""
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
        """The numbers of a board's cells: of shape (rows, columns, height, width, 3), returned as (rows, columns).

        Of new cells that differ at their rim the commonest is kept, and the next ones as drawn anew: those of the first
        row and column have other neighbours.
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
        """By how many grey levels a picture differs from each of some others, where it differs most."""
        own = self._cores[number]
        return np.array([difference(self._cores[other], own).max() for other in others], dtype=np.intp)

    def are_alike(self, number: int, other: int) -> bool:
        """Whether two pictures differ by no more than a neighbour's faint shadow at their sides."""
        return _differ_by_shade(self._cores[number], self._cores[other])

    def variants(self, number: int) -> list[Image]:
        """The same figure drawn anew, a little beside its place, or within another rim."""
        return self._variants[number]

    def is_redrawn(self, number: int, other: int, same: Callable[[Image, Image], bool]) -> bool:
        """Whether a picture shows the figure of another one drawn anew, as `same` tells; then it is kept with that."""
        picture = self._pictures[other]
        if not same(self._pictures[number], picture):
            return False
        variants = self._variants[number]
        # A shade is no other drawing: it may be the edge of a neighbour, of a board that was moved.
        is_new = not _differ_by_shade(self._cores[number], self._cores[other])
        is_new &= not any(np.array_equal(picture, one) for one in variants)
        if is_new and len(variants) < LIKENESS.most_variants:
            variants.append(picture)
        return True


class Looks:
    """Pictures gathered into looks: what leads from one to the other in small steps is the same look.

    Args:
        patches: Where the pictures are.
        pictures: The first ones.
    """

    def __init__(self, patches: PatchStore, pictures: Iterable[int] = ()) -> None:
        self._patches = patches
        self._leader: dict[int, int] = {}
        self.add(pictures)

    def add(self, pictures: Iterable[int]) -> None:
        """Take in more pictures; what was two looks may thereby become one."""
        for picture in pictures:
            if picture not in self._leader:
                joined = self._near(picture)
                leader = min(joined, default=picture)
                self._leader |= {member: leader for member, old in self._leader.items() if old in joined}
                self._leader[picture] = leader

    def _near(self, picture: int) -> set[int]:
        """The looks that are a small step from a picture."""
        known = list(self._leader)
        near = np.flatnonzero(self._patches.distances(picture, known) <= LIKENESS.look_step_levels)
        return {self._leader[known[index]] for index in near.tolist()}

    def __contains__(self, picture: int) -> bool:
        return picture in self._leader

    def includes(self, picture: int) -> bool:
        """Whether a picture has one of the looks, or would have if it was added."""
        return picture in self._leader or bool(self._near(picture))

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
    looks = Looks(patches, np.unique(pictures).tolist())
    kinds: NDArray[np.intp] = np.array([looks.of(picture) for picture in pictures.ravel().tolist()], dtype=np.intp)
    return kinds.reshape(pictures.shape)


def core(picture: Image, least_px: int = 1) -> Image:
    """A picture without its rim, which is at least so many pixels wide."""
    rim = max(least_px, min(picture.shape[:2]) // LIKENESS.rim_part)
    return picture[rim:-rim, rim:-rim]


def _is_same(one: Image, other: Image) -> bool:
    """Whether nobody could tell two cores apart, at a glance first."""
    if difference(one[::_COARSE, ::_COARSE], other[::_COARSE, ::_COARSE]).max() > LIKENESS.speck_levels:
        return False
    apart = difference(one, other)
    specks = np.count_nonzero(apart > LIKENESS.same_levels)
    return bool(apart.max() <= LIKENESS.speck_levels and specks <= LIKENESS.speck_share * apart.size)


def _differ_by_shade(one: Image, other: Image) -> bool:
    """Whether the middles of two cores are alike, and their sides nearly: there the shadow of a neighbour may fall."""
    apart = difference(one, other)
    height, width = (side // 4 for side in apart.shape)
    middle = apart[height:-height, width:-width]
    return bool(apart.max() <= LIKENESS.look_step_levels and middle.max() <= LIKENESS.same_levels)


def same_figure(one: Image, other: Image) -> bool:
    """Whether two pictures of one open cell show the same figure on the same ground, drawn up to a pixel apart.

    Browsers set text anew where it was moved, and not always in the same place. This tells a figure from what may come
    in front of it; it does not tell one figure from another.
    """
    if _differ_by_shade(core(one), core(other)):
        return True
    cores = [core(picture).astype(np.int16) for picture in (one, other)]
    grounds = [_ground(picture) for picture in cores]
    inks = [np.abs(picture - grounds[0]).max(axis=2) for picture in cores]
    return (
        max(ink.max() for ink in inks) > LIKENESS.distinct_levels  # else there is no figure on either
        and np.abs(grounds[0] - grounds[1]).max() <= LIKENESS.same_levels
        and _same_strokes(*inks, most_px=LIKENESS.stray_px)
    )


def same_shape(one: Image, other: Image) -> bool:
    """Whether two pictures show a figure of the same shape, drawn up to a pixel apart, on whatever ground."""
    cores = [core(picture, LIKENESS.relief_px).astype(np.int16) for picture in (one, other)]
    inks = [np.abs(picture - _ground(picture)).max(axis=2) for picture in cores]
    least = LIKENESS.off_shape_share * min(np.count_nonzero(ink > LIKENESS.distinct_levels) for ink in inks)
    return bool(least > 0) and _same_strokes(*inks, most_px=least)


def is_same_cell(one: Image, other: Image) -> bool:
    """Whether two pictures show the same figure, drawn up to a pixel apart, or only one of them with a thin frame.

    Some clients frame what was clicked last, which the keyboard would then act on.
    """
    return same_figure(one, other) or differ_by_frame(one, other)


def differ_by_frame(one: Image, other: Image) -> bool:
    """Whether all that differs lies on the outline of a rectangle, and is much of it."""
    differs = difference(one, other) > LIKENESS.same_levels
    frame = extent(differs)
    if frame is None or min(frame.width, frame.height) <= LIKENESS.smallest_frame_px:
        return False
    box = differs[frame.slices]
    sides = (box[0], box[-1], box[:, 0], box[:, -1])
    return not box[1:-1, 1:-1].any() and all(side.mean() >= LIKENESS.drawn_share for side in sides)


def shows_through(picture: Image, other: Image) -> bool:
    """Whether a picture may be another one beneath something of one colour that light shines through, or a plain one.

    Such a thing changes all colours in one way: each channel becomes a multiple of what it was and something added.
    """
    inner, beneath = (core(of).reshape(-1, 3).astype(np.float64) for of in (picture, other))
    inner, beneath = inner - inner.mean(axis=0), beneath - beneath.mean(axis=0)
    strength = float((inner * beneath).sum()) / max(1.0, float((beneath * beneath).sum()))
    return bool(np.abs(inner - strength * beneath).max() <= LIKENESS.distinct_levels)


def _ground(picture: NDArray[np.int16]) -> NDArray[np.float64]:
    return np.asarray(np.median(picture.reshape(-1, 3), axis=0))


def _same_strokes(one: NDArray[np.int16], other: NDArray[np.int16], *, most_px: float) -> bool:
    """Whether what is drawn in each of two inks is drawn in the other or beside it, but for so many pixels."""
    drawn = [ink > LIKENESS.distinct_levels for ink in (one, other)]
    return all(np.count_nonzero(here & ~_thickened(there)) <= most_px for here, there in (drawn, drawn[::-1]))


def _thickened(drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is drawn, and all pixels beside it."""
    padded = np.pad(drawn, 1)
    tall = padded[:-2] | padded[1:-1] | padded[2:]
    thick: NDArray[np.bool_] = tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:]
    return thick
