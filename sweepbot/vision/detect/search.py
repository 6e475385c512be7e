"""Which look a lattice's cells have: all looks of all clients compared at once, the likeliest fitted first.

How long it takes is bounded by how much is looked at, whatever a picture shows, see `Effort`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sweepbot.geometry import Image
from sweepbot.vision.detect.fit import sampled
from sweepbot.vision.detect.locate import MOST_CELLS, Candidate, same_place
from sweepbot.vision.detect.looks import Hypothesis, Look
from sweepbot.vision.lattices.align import LEAST_CORRELATION
from sweepbot.vision.lattices.lattice import Lattice

_NEAR_HIGHEST = 0.7  # of a lattice's highest correlation: what the true look has
_NEAR_ITS_BEST = 0.9  # of the highest correlation of a client's looks: one of less is not what it is seen in
_LEAST_LIKELIHOOD = 0.15  # what is read by none of a client's templates is not its board
_LEAST_WHERE_EXACT = 0.6  # the same where no shape was asked where cells begin: keys of calculators have up to 0.42
_TIE = 0.03  # of likelihood: less sets no two clients apart
_AS_LIKELY = 0.1  # of likelihood, by which the look that reads a board best may be behind where cells are left unread
_FEWEST_CELLS = 750  # that a fit counts as: settling the lines of a small lattice takes as long as reading so many
_CELL_PX = 4_000  # pixels of a picture: cells of more take longer to bring to a template's size than to read
_SAMPLED = 81  # cells that a likelihood is told by at most
_SURE = 0.99  # a likelihood of more is none
_FINER = 0.75  # of a board's pitch: half of it is the largest that parts its cells evenly


@dataclass(slots=True)
class Effort:
    """What may still be done about one picture.

    Attributes:
        lattices: How many are compared in shape, the most periodic first: of pictures with a board, one of the first
            three is its own.
        samples: How many hypotheses are tried on some cells, those most alike in shape first.
        cells: How many are read where hypotheses are tried on whole boards, the likeliest first: the true one is among
            the first two, and boards of four windows are read with those that tie.
    """

    lattices: int = 12
    samples: int = 36
    cells: int = MOST_CELLS


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What may be a board.

    Attributes:
        look: What it was read in.
        candidate: What was read.
        likelihood: How well some of its cells agreed with the look.
        lattice: What it was found on.
    """

    look: Look
    candidate: Candidate
    likelihood: float
    lattice: Lattice


@dataclass(frozen=True, slots=True, eq=False)
class _Likely:
    """A hypothesis and how likely it is."""

    look: Look
    hypothesis: Hypothesis
    likelihood: float
    lattice: Lattice


def search(image: Image, lattices: Sequence[Lattice], looks: Sequence[Look], effort: Effort) -> list[Found]:
    """Find the boards on the lattices of a picture, each in the looks that it is likely in.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        lattices: Those of the picture, the most periodic first.
        looks: All that the clients looked for may have.
        effort: Is spent on the picture, and lessened by that.

    Returns:
        Boards and near misses, see `Candidate.is_board`, in the order in which they were tried: the likeliest first.
    """
    lattices = [lattice for lattice in lattices if lattice.cells <= MOST_CELLS][: effort.lattices]
    effort.lattices -= len(lattices)
    return list(_fitted(_likely(image, lattices, looks, effort), effort))


def _likely(image: Image, lattices: Sequence[Lattice], looks: Sequence[Look], effort: Effort) -> list[_Likely]:
    """The hypotheses that some cells speak for, the likeliest first.

    Cells are compared in shape with each look of each client, and then in full with those whose correlation is near
    the lattice's highest.
    """
    shaped = []
    for lattice in lattices:
        sample = sampled(image, lattice)
        on_it = [(look, hypothesis) for look in looks if (hypothesis := look.on(image, lattice)) is not None]
        correlations = [sample.correlation(hypothesis.patterns) for _, hypothesis in on_it]
        least = max(LEAST_CORRELATION, _NEAR_HIGHEST * max(correlations, default=0.0))
        best_of: dict[str, float] = {}
        for (look, _), correlation in zip(on_it, correlations, strict=True):
            name = look.calibration.name
            best_of[name] = max(best_of.get(name, 0.0), correlation)
        for (look, hypothesis), correlation in zip(on_it, correlations, strict=True):
            if correlation >= max(least, _NEAR_ITS_BEST * best_of[look.calibration.name]):
                shaped.append((correlation, lattice, sample, look, hypothesis))
    shaped = sorted(shaped, key=lambda one: -one[0])[: effort.samples]
    effort.samples -= len(shaped)
    likely = [
        _Likely(look, hypothesis, hypothesis.likelihood(sample), lattice)
        for _, lattice, sample, look, hypothesis in shaped
    ]
    return sorted(filter(_is_likely, likely), key=_rank, reverse=True)


def _is_likely(one: _Likely) -> bool:
    """Whether enough of the cells looked at speak for a hypothesis."""
    return one.likelihood >= (_LEAST_WHERE_EXACT if one.lattice.exact else _LEAST_LIKELIHOOD)


def _rank(one: _Likely) -> float:
    """By what hypotheses are ordered: the log odds of the cells looked at, as if each were told by itself.

    A few cells agree with the wrong look more easily than many do. Of two clients that wear one skin the one that it is
    named for comes first.
    """
    likelihood = min(one.likelihood, _SURE) - (_TIE if one.look.calibration.skin else 0.0)
    return min(one.lattice.cells, _SAMPLED) * math.log(likelihood / (1 - likelihood))


def _fitted(likely: Iterable[_Likely], effort: Effort) -> Iterator[Found]:
    """What is read by hypotheses, the likeliest first, as far as what has been read leaves something to be asked."""
    found: list[Found] = []
    for one in likely:
        if any(_rules_out(other, one) for other in found):
            continue
        if effort.cells <= 0:
            break
        place = one.lattice.region
        effort.cells -= max(_FEWEST_CELLS, one.lattice.cells, place.width * place.height // _CELL_PX)
        candidate = one.hypothesis.candidate(one.lattice)
        if candidate is not None:
            found.append(Found(one.look, candidate, one.likelihood, one.lattice))
            yield found[-1]


def _rules_out(found: Found, other: _Likely) -> bool:
    """Whether what was found leaves nothing to be asked of another hypothesis.

    A board that is read without doubt is asked only of clients that tie with its own; one that leaves something
    unexplained, of all that may explain as much.
    """
    if not found.candidate.is_board:
        return False
    if found.lattice is not other.lattice:
        return _occupies(found, other.lattice)
    if found.look.calibration is other.look.calibration:
        margin = 0.0 if found.candidate.is_beyond_doubt else _AS_LIKELY
    else:
        margin = _TIE if found.candidate.classified.is_settled else max(_AS_LIKELY, 1 - found.likelihood)
    return other.likelihood < found.likelihood - margin


def _occupies(found: Found, lattice: Lattice) -> bool:
    """Whether a lattice is the one of a board found, or has several of its cells in one, as is so on every board.

    That several cells of a lattice were taken for one of the board may be where that is not settled.
    """
    grid, classified = found.candidate.grid, found.candidate.classified
    finer = lattice.pitch[0] < _FINER * grid.pitch[0]
    same = found.candidate.is_board and same_place(lattice.region, grid.region)
    return same and (classified.is_settled or not finer)
