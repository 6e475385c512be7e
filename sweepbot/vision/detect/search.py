"""Find the looks of lattices: all looks of all clients are compared at once, and the likeliest are fitted first.

The time is bounded by `Effort`, whatever a picture shows.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sweepbot.geometry import Image
from sweepbot.vision.detect.fit import sampled
from sweepbot.vision.detect.locate import MOST_CELLS, same_place
from sweepbot.vision.detect.looks import Found, Hypothesis, Look
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.align import LEAST_CORRELATION, Sample
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.patches import Patches

_NEAR_HIGHEST_SHARE = 0.7  # of a lattice's highest correlation: the true look has at least so much
_NEAR_ITS_BEST_SHARE = 0.9  # the same among the looks of one client
_LEAST_LIKELIHOOD = 0.15  # of a hypothesis that is fitted
_LEAST_EXACT_LIKELIHOOD = 0.8  # the same on an exact lattice, where no phase confirms it; calculators have 0.76
_TIE_LIKELIHOOD = 0.03  # two clients that differ by less are not told apart
_BEHIND_LIKELIHOOD = 0.1  # if cells stay unread, a look that is behind by less may read the board better
_FIT_PIXELS = 300_000  # that a fit costs beside those that it cuts out: its time is that of so many
_MOST_SAMPLED_CELLS = 81  # of a lattice: a sample has at most nine a side
_SURE_LIKELIHOOD = 0.99  # the highest, so that log odds are finite


@dataclass(slots=True)
class Effort:
    """How much may still be spent on one picture.

    Attributes:
        lattices: Lattices to compare in shape, the most periodic first; a board's is always among the first three.
        samples: Hypotheses to compare with a sample of cells, those with the highest correlation first: a board's own
            is mostly among the first ten, and a picture may show several boards.
        pixels: Pixels to cut out, at the size of templates. Hypotheses are fitted, the likeliest first, until none
            are left; of 600 pictures no board needs more than 6 million.
    """

    lattices: int = 12
    samples: int = 36
    pixels: int = 8_000_000

    @property
    def is_spent(self) -> bool:
        """Whether no further hypothesis can be fitted."""
        return self.pixels <= 0

    def cut(self, image: Image, grid: Grid, cell: tuple[int, int], rows: Sequence[int] | None = None) -> Patches:
        """Do what `Patches.of` does; reading what is cut out takes a time in proportion to its pixels."""
        patches = Patches.of(image, grid, cell, rows)
        self.pixels -= patches.board.shape[0] * patches.board.shape[1]
        return patches


def search(image: Image, lattices: Sequence[Lattice], looks: Sequence[Look], effort: Effort) -> list[Found]:
    """Find the boards on the lattices of a picture, each in the looks that it is likely in.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        lattices: The lattices of the picture, the most periodic first.
        looks: All looks of the clients to search for.
        effort: What may be spent; it is reduced by what was.

    Returns:
        Boards and near misses, in the order in which they were tried: the likeliest first.
    """
    lattices = [lattice for lattice in lattices if lattice.grid.cells <= MOST_CELLS][: effort.lattices]
    effort.lattices -= len(lattices)
    return _fitted(_likely(image, lattices, looks, effort), effort)


def _likely(image: Image, lattices: Sequence[Lattice], looks: Sequence[Look], effort: Effort) -> list[Hypothesis]:
    """Return the hypotheses that a sample of cells supports, the likeliest first.

    Cells are compared in shape with each look of each client, then in full with those whose correlation is near the
    lattice's highest. If some look is drawn to the pixel, there is no light to estimate for the others.
    """
    cut = partial(effort.cut, image)
    shaped = [one for lattice in lattices for one in _of_shape(sampled(image, lattice, cut), lattice, looks)]
    shaped = sorted(shaped, key=lambda one: -one.correlation)[: effort.samples]
    effort.samples -= len(shaped)
    drawn = {id(one.lattice) for one in shaped if one.as_drawn.is_as_drawn}
    likely = [replace(one, likelihood=one.score(as_drawn=id(one.lattice) in drawn)) for one in shaped]
    return sorted(filter(_is_likely, likely), key=_rank, reverse=True)


def _of_shape(sample: Sample, lattice: Lattice, looks: Sequence[Look]) -> Iterator[Hypothesis]:
    """Yield the hypotheses for a lattice whose shapes agree nearly as well as any, and as any of their client's."""
    hypotheses = [one for look in looks if (one := look.on(lattice, sample)) is not None]
    best_of: dict[str, float] = {}
    for one in hypotheses:
        name = one.look.calibration.name
        best_of[name] = max(best_of.get(name, 0.0), one.correlation)
    least = max(LEAST_CORRELATION, _NEAR_HIGHEST_SHARE * max(best_of.values(), default=0.0))
    for one in hypotheses:
        if one.correlation >= max(least, _NEAR_ITS_BEST_SHARE * best_of[one.look.calibration.name]):
            yield one


def _is_likely(one: Hypothesis) -> bool:
    """Whether the sample supports a hypothesis."""
    return one.likelihood >= (_LEAST_EXACT_LIKELIHOOD if one.lattice.exact else _LEAST_LIKELIHOOD)


def _rank(one: Hypothesis) -> float:
    """Return the log odds of a hypothesis, as if the cells of its sample were independent.

    A few cells match the wrong look more easily than many do. Of two clients with one skin, the one that it is named
    for comes first.
    """
    likelihood = min(one.likelihood, _SURE_LIKELIHOOD) - (_TIE_LIKELIHOOD if one.look.calibration.skin else 0.0)
    return min(one.lattice.grid.cells, _MOST_SAMPLED_CELLS) * math.log(likelihood / (1 - likelihood))


def _fitted(likely: Sequence[Hypothesis], effort: Effort) -> list[Found]:
    """Fit hypotheses, the likeliest first, unless what was found rules them out."""
    found: list[Found] = []
    for one in likely:
        if any(_rules_out(other, one) for other in found):
            continue
        settled = next(
            (other.fitted.grid for other in found if other.is_settled and other.hypothesis.lattice is one.lattice), None
        )
        if settled is None:
            if effort.is_spent:
                break
            effort.pixels -= _FIT_PIXELS
        found.append(one.found(settled))
    return found


def _rules_out(found: Found, other: Hypothesis) -> bool:
    """Whether what was found makes another hypothesis needless.

    A board that was read without doubt is tried only with clients that tie with its own; one with unread cells, with
    all that may read as much.
    """
    own = found.hypothesis
    if not found.is_board:
        return False
    if own.lattice is not other.lattice:
        return same_place(other.lattice.grid.region, found.fitted.grid.region)
    if own.look.calibration is other.look.calibration:
        margin = 0.0 if found.is_settled else _BEHIND_LIKELIHOOD
    else:
        margin = _TIE_LIKELIHOOD if found.is_settled else max(_BEHIND_LIKELIHOOD, 1 - own.likelihood)
    return other.likelihood < own.likelihood - margin
