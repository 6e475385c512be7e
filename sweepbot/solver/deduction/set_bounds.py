"""Sets of cells with a least and a most number of mines."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, Knowledge, contradictory

WORK = 200_000
"""Pairs of sets compared at most. Stopping early only leaves cells undecided."""


def set_bounds(knowledge: Knowledge) -> None:
    """Compare overlapping sets of cells, tightening bounds on their mines, until a set is decided or nothing changes.

    Each number starts as a set whose least and most are the mines it misses. Sets A and B fall into three disjoint
    parts: what they share, and what each has alone. Whatever the truth is, the mines of A are those of its two parts
    together, so the least of one part is the least of A less the most of the other part, and the most of one part is
    the most of A less the least of the other. The same holds for B. Each step follows from counting mines in disjoint
    sets, so bounds only narrow around the truth. A set whose least is its size is all mines, one whose most is 0 is
    safe.

    Source: the idea is Mark Probst's, in his program minedetector.

    Raises:
        ImpossibleBoardError: Some set would hold fewer mines than it must.
    """
    bounds = _Bounds()
    for cells, missing, _ in knowledge.equations():
        bounds.tighten(sum(1 << cell for cell in cells), missing, missing)
    bounds.settle()
    for mask, (least, most) in bounds.of.items():
        if most == 0:
            knowledge.mine[_cells(mask)] = SAFE
        elif least == mask.bit_count():
            knowledge.mine[_cells(mask)] = MINE


class _Bounds:
    """Least and most mines of sets of cells. A set is an integer whose bit i stands for the flat cell i."""

    def __init__(self) -> None:
        self.decided = False  # a set is: from there on single points are cheaper
        self.of: dict[int, tuple[int, int]] = {}
        self._with_cell: dict[int, list[int]] = {}
        self._changed: dict[int, None] = {}  # in the order of change

    def known(self, mask: int) -> tuple[int, int]:
        """The bounds of any set: what is stored, or what its size alone says."""
        return self.of.get(mask) or (0, mask.bit_count())

    def tighten(self, mask: int, least: int, most: int) -> None:
        """Learn that this set holds at least `least` and at most `most` mines."""
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
        """Compare each changed set with all that overlap it until one is decided or none changes any more."""
        work = WORK
        while self._changed and work > 0 and not self.decided:
            first = next(iter(self._changed))
            del self._changed[first]
            # Sets that still wait for their turn will be compared with this one then.
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
