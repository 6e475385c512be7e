"""The numbers as linear equations."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from sweepbot.solver.deduction.knowledge import MINE, SAFE, Knowledge, contradictory
from sweepbot.solver.flat_board import lists_of

MAX_VALUES = 1_000
"""The most values of free variables that are tried. Stopping early only leaves cells undecided."""


def linear(knowledge: Knowledge) -> None:
    """Solve A x = b - f, b being the numbers and f the known mines around them; decide each x with only one value.

    A variable is the number of mines in a box, from 0 to its size; all cells off the frontier are one more box, so that
    the total of mines is an equation like the others. In reduced row echelon form each equation gives one dependent
    variable in terms of free ones. Values of the free variables are tried and the dependent ones computed, to find for
    each box a solution in which it has a mine, and one in which it has a safe cell.

    Sound because elimination preserves the set of solutions, and the true placement is one of them: if none has a mine
    in the box, all of it is safe; if none has a safe cell, all of it is mines.

    Raises:
        ImpossibleBoardError: The equations have no solution.
    """
    rest = knowledge.rest()
    boxes = sorted(cells for cells in (*lists_of(rest.boxes), rest.interior.tolist()) if cells)
    variable_of = {cell: variable for variable, cells in enumerate(boxes) for cell in cells}
    equations = [
        Equation({variable_of[cell]: 1 for cell in cells}, missing)
        for cells, missing in zip(lists_of(rest.around), rest.missing.tolist(), strict=True)
    ]
    equations.append(Equation(dict.fromkeys(range(len(boxes)), 1), rest.mines_left))
    # The original equations are redundant, but their small coefficients bound values more tightly.
    solutions = _Solutions(equations + reduce(equations), [len(cells) for cells in boxes])
    for variable, cells in enumerate(boxes):
        if solutions.none_within(variable, 1, len(cells)):
            knowledge.mine[cells] = SAFE
        elif solutions.none_within(variable, 0, len(cells) - 1):
            knowledge.mine[cells] = MINE


@dataclass(slots=True)
class Equation:
    """`sum(coefficient * variable) = right`, in integers; zero coefficients are left out."""

    left: dict[int, int]
    right: int

    def eliminate(self, variable: int, by: "Equation") -> None:
        """Remove a variable by adding a multiple of another equation; divide by the greatest common divisor."""
        mine, others = self.left.get(variable, 0), by.left[variable]
        if not mine:
            return
        terms = {v: others * c for v, c in self.left.items()}
        for v, c in by.left.items():
            terms[v] = terms.get(v, 0) - mine * c
        right = others * self.right - mine * by.right
        common = gcd(right, *terms.values()) or 1
        self.left = {v: c // common for v, c in terms.items() if c}
        self.right = right // common


def reduce(equations: Iterable[Equation]) -> list[Equation]:
    """Bring equations to reduced row echelon form by Gauss-Jordan elimination: each has a variable of its own.

    Raises:
        ImpossibleBoardError: Two equations contradict each other.
    """
    solved: dict[int, Equation] = {}
    for given in equations:
        equation = Equation(dict(given.left), given.right)
        for variable in solved.keys() & equation.left.keys():
            equation.eliminate(variable, solved[variable])
        if equation.left:
            pivot = min(equation.left)
            for other in solved.values():
                other.eliminate(pivot, equation)
            solved[pivot] = equation
        elif equation.right:
            raise contradictory()
    return list(solved.values())


class _Solutions:
    """Searches for solutions of equations whose variables run from 0 to their sizes."""

    def __init__(self, equations: list[Equation], sizes: list[int]) -> None:
        self._equations = equations
        self._with_variable: list[list[int]] = [[] for _ in sizes]
        for place, equation in enumerate(equations):
            for variable in equation.left:
                self._with_variable[variable].append(place)
        self._low, self._high = [0] * len(sizes), sizes
        self._work = MAX_VALUES
        # The least and greatest value of each variable in the solutions found: they answer most questions at once.
        self._least, self._greatest = list(sizes), [0] * len(sizes)
        if (
            not self._narrow(self._low, self._high, range(len(equations)))
            or self._search(self._low, self._high) is False
        ):
            raise contradictory()

    def none_within(self, variable: int, low: int, high: int) -> bool:
        """Whether no solution has `variable` from `low` to `high`; also False if the work ran out first."""
        if low <= self._greatest[variable] and self._least[variable] <= high:
            return False
        lows, highs = self._low.copy(), self._high.copy()
        lows[variable], highs[variable] = max(low, lows[variable]), min(high, highs[variable])
        if lows[variable] > highs[variable] or not self._narrow(lows, highs, self._with_variable[variable]):
            return True
        return self._search(lows, highs) is False

    def _search(self, low: list[int], high: list[int]) -> bool | None:
        """Whether a solution lies within these bounds; None if the work ran out first."""
        stack = [(low, high)]
        while stack:
            low, high = stack.pop()
            variable = self._tightest(low, high)
            if variable is None:
                self._least = list(map(min, self._least, low))
                self._greatest = list(map(max, self._greatest, low))
                return True
            for value in range(low[variable], high[variable] + 1):
                if self._work == 0:
                    return None
                self._work -= 1
                lows, highs = low.copy(), high.copy()
                lows[variable] = highs[variable] = value
                if self._narrow(lows, highs, self._with_variable[variable]):
                    stack.append((lows, highs))
        return False

    def _tightest(self, low: list[int], high: list[int]) -> int | None:
        """Return an undetermined variable of the equation that has the fewest of them; None if there is none."""
        fewest: list[int] = []
        for equation in self._equations:
            loose = [variable for variable in equation.left if low[variable] < high[variable]]
            if loose and (not fewest or len(loose) < len(fewest)):
                fewest = loose
        return fewest[-1] if fewest else None

    def _narrow(self, low: list[int], high: list[int], places: Iterable[int]) -> bool:
        """Narrow the bounds in place to what each equation allows; return whether that leaves anything."""
        waiting = dict.fromkeys(places)
        while waiting:
            equation = self._equations[waiting.popitem()[0]]
            terms = [
                (v, c, c * low[v], c * high[v]) if c > 0 else (v, c, c * high[v], c * low[v])
                for v, c in equation.left.items()
            ]
            spare_below, spare_above, widest = equation.right, -equation.right, 0
            for _, _, least, most in terms:
                spare_below -= least
                spare_above += most
                widest = max(widest, most - least)
            if spare_below < 0 or spare_above < 0:
                return False
            if spare_below >= widest and spare_above >= widest:
                continue
            for variable, coefficient, least, most in terms:
                # A term can exceed its least value by no more than the whole sum can; likewise below its most.
                ends = max(least, most - spare_above), min(most, least + spare_below)
                new_low, new_high = ends if coefficient > 0 else (-ends[1], -ends[0])
                size = abs(coefficient)
                new_low, new_high = -(-new_low // size), new_high // size
                if new_low > new_high:
                    return False
                if (new_low, new_high) != (low[variable], high[variable]):
                    low[variable], high[variable] = new_low, new_high
                    waiting |= dict.fromkeys(self._with_variable[variable])
        return True
