"""Bounds on the number of mines in sets of cells."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, Knowledge, contradictory
from sweepbot.solver.flat_board import lists_of

MAX_PAIRS = 200_000
"""The most pairs of sets that are compared. Stopping early only leaves cells undecided."""


def set_bounds(knowledge: Knowledge) -> None:
    """Compare overlapping sets of cells, tightening the bounds on their mines, until one is decided or none changes.

    Each number starts as a set whose lower and upper bound are the mines it misses. Sets A and B split into three
    disjoint parts: the shared one, and what each has alone. The mines of A are those of its two parts together, so the
    lower bound of one part is that of A minus the upper bound of the other part, and its upper bound is that of A minus
    the lower bound of the other. The same holds for B. Each step only counts mines in disjoint sets, so the bounds
    always contain the truth. A set whose lower bound is its size is all mines; one whose upper bound is 0 is safe.

    Source: Mark Probst's program minedetector.

    Raises:
        ImpossibleBoardError: The lower bound of a set exceeds its upper bound.
    """
    bounds = _Bounds()
    rest = knowledge.rest()
    for cells, missing in zip(lists_of(rest.around), rest.missing.tolist(), strict=True):
        bounds.tighten(sum(1 << cell for cell in cells), missing, missing)
    bounds.settle()
    for mask, (least, most) in bounds.of.items():
        if most == 0:
            knowledge.mine[_cells(mask)] = SAFE
        elif least == mask.bit_count():
            knowledge.mine[_cells(mask)] = MINE


class _Bounds:
    """The fewest and the most mines in sets of cells. A set is an integer whose bit i stands for the flat cell i."""

    def __init__(self) -> None:
        self.decided = False  # whether a set is: from then on single points are cheaper
        self.of: dict[int, tuple[int, int]] = {}
        self._with_cell: dict[int, list[int]] = {}
        self._changed: dict[int, None] = {}  # in the order of change

    def known(self, mask: int) -> tuple[int, int]:
        """Return the bounds of any set: those stored, or those that its size gives."""
        return self.of.get(mask) or (0, mask.bit_count())

    def tighten(self, mask: int, least: int, most: int) -> None:
        """Record that this set holds at least `least` and at most `most` mines."""
        old_least, old_most = self.known(mask)
        least, most = max(least, old_least), min(most, old_most)
        if least > most:
            raise contradictory()
        if (least, most) != (old_least, old_most):
            if mask not in self.of:
                for cell in _cells(mask):
                    self._with_cell.setdefault(cell, []).append(mask)
            self.of[mask] = least, most
            self._changed[mask] = None
            if most == 0 or least == mask.bit_count():
                self.decided = True

    def settle(self) -> None:
        """Compare each changed set with all that overlap it, until one is decided or none changes."""
        work = MAX_PAIRS
        while self._changed and work > 0 and not self.decided:
            first = next(iter(self._changed))
            del self._changed[first]
            # Sets still waiting for their turn will be compared with this one then.
            overlapping = {s for cell in _cells(first) for s in self._with_cell[cell]} - {first} - self._changed.keys()
            for second in overlapping:
                self._compare(first, second)
            work -= len(overlapping)

    def _compare(self, a: int, b: int) -> None:
        shared = a & b
        own_a, own_b = a ^ shared, b ^ shared
        (least_a, most_a), (least_b, most_b) = self.of[a], self.of[b]
        (least_own_a, most_own_a), (least_own_b, most_own_b) = self.known(own_a), self.known(own_b)
        self.tighten(
            shared,
            max(least_a - most_own_a, least_b - most_own_b),
            min(most_a - least_own_a, most_b - least_own_b),
        )
        least_shared, most_shared = self.known(shared)
        self.tighten(own_a, least_a - most_shared, most_a - least_shared)
        self.tighten(own_b, least_b - most_shared, most_b - least_shared)


def _cells(mask: int) -> list[int]:
    cells = []
    while mask:
        cells.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return cells
