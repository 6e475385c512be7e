"""Why a cell is safe or a mine: the fewest numbers that prove it; and what an uncertain cell is worth as a guess.

A set of numbers proves a cell if every layout that satisfies these numbers, ignoring all others, agrees about it. This
is checked by exact counting, with the code that counts whole positions. To ignore the total of mines as well, enough
spare cells are added, apart from all others, to take up any remaining mines.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import MAY_BE_CLOSED, Board, State
from sweepbot.errors import ImpossibleBoardError, UsageError
from sweepbot.geometry import Cell
from sweepbot.solver.chances import COUNTED, IMPOSSIBLE, Count, count_layouts, count_position, exact_layouts
from sweepbot.solver.deduction.ladder import SINGLE_POINT, TWO_NUMBERS
from sweepbot.solver.endgame import play_out
from sweepbot.solver.flat_board import FlatBoard, cell_at, flat_index, neighbour_table, reduce_position
from sweepbot.solver.frontier import Frontier, Neighbourhoods
from sweepbot.solver.lookahead import CELLS_TRIED, best_openings, new_outlook
from sweepbot.solver.unknown_total import with_most_mines

MAX_SETS = 20_000
"""Sets of numbers tried, in about a second, before settling for a proof that may not be the smallest."""

_SMALL_NUMBERS = 2  # a larger proof is only looked for once it is known that there is one

CANDIDATES = 5
"""How many guesses are compared if nothing is certain."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a cell is certain.

    Attributes:
        cell: The cell.
        is_mine: Whether it is a mine or safe.
        numbers: The open cells whose numbers prove it, in reading order.
        uses_total: Whether the total of mines is needed too.
        is_smallest: Whether no smaller set of numbers proves it. If False there may be a smaller one, but none of
            `numbers` can be left out.
    """

    cell: Cell
    is_mine: bool
    numbers: tuple[Cell, ...]
    uses_total: bool
    is_smallest: bool

    @property
    def rule(self) -> str:
        """The name of the rule: how many numbers have to be seen together, and whether all mines are counted."""
        total = ["mines left"] if self.uses_total else []
        few = {1: SINGLE_POINT.name, 2: TWO_NUMBERS.name}
        numbers = [few.get(len(self.numbers), f"{len(self.numbers)} numbers")] if self.numbers else []
        return " and ".join(numbers + total)

    @property
    def effort(self) -> int:
        """How much has to be seen together: each of the numbers, and the total of mines."""
        return len(self.numbers) + self.uses_total


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cell that may be guessed.

    Attributes:
        cell: The cell.
        mine_probability: The chance that it is a mine.
        progress_probability: The chance that it is safe and either makes another cell certainly safe or wins the game.
        value: Its value two openings ahead, as the method `best` computes it: about the chance that this cell and the
            best one after it are both safe. Cells that become certain add a little, so that it may exceed 1.
        win_probability: The chance to win if it is opened next and best play follows; None if the game is too long to
            be played out.
    """

    cell: Cell
    mine_probability: float
    progress_probability: float
    value: float
    win_probability: float | None


@dataclass(frozen=True, slots=True)
class Odds:
    """What is known about an uncertain cell.

    Attributes:
        cell: The cell.
        mine_probability: The chance that it is a mine.
        layouts_with_mine: The number of layouts in which it is a mine.
        layouts: The number of all layouts.
        itself: The cell as a guess; None if another cell is certainly safe, so that no guess is needed.
        candidates: The best guesses, the best first; empty if another cell is certainly safe.
    """

    cell: Cell
    mine_probability: float
    layouts_with_mine: int
    layouts: int
    itself: Candidate | None
    candidates: tuple[Candidate, ...]


def explain(board: Board, cell: Cell, work: int = MAX_SETS) -> Proof | Odds:
    """Explain why a cell is certain, or how likely it is a mine and what it is worth as a guess.

    Args:
        board: The position; if its total of mines is unknown, only what the numbers alone prove can be explained.
        cell: An unopened cell of it.
        work: How many sets of numbers may be tried.

    Raises:
        UsageError: The cell is off the board or open; or its odds cannot be counted, as with an unknown total.
        ImpossibleBoardError: No placement of mines gives this position.
    """
    if not (0 <= cell.row < board.rows and 0 <= cell.column < board.columns):
        raise UsageError(
            f"{cell} is not on this board of {board.rows} rows and {board.columns} columns", hint="both count from 0"
        )
    if board[cell] not in MAY_BE_CLOSED:
        raise UsageError(f"{cell} is open: it shows {str(board).split()[cell.row][cell.column]!r}, and needs no proof")
    proof = prove(board, cell, work)
    if proof is not None:
        return proof
    count = count_layouts(Frontier.of(board))
    if count.outcome == IMPOSSIBLE:
        raise ImpossibleBoardError("no placement of mines gives this position", hint="check the numbers and the total")
    if count.outcome != COUNTED:
        raise UsageError(f"{cell}: not proven by numbers, and this position has too many layouts to be counted")
    flat = flat_index(board, cell)
    with_mine = board.cells.copy()
    with_mine[cell] = State.MINE
    layouts_with_mine = exact_layouts(count_layouts(Frontier.of(Board(with_mine, board.mines))))
    weighed: dict[int, Candidate] = {}
    clickable = count.frontier.openable
    if (count.chances[clickable] > 0.0).all():
        weigher = _Weigher(board, count)
        guesses = dict.fromkeys([*weigher.promising(), *([flat] if flat in clickable else [])])
        weighed = {guess: weigher.weigh(guess) for guess in guesses}
    best = sorted(weighed.values(), key=rank, reverse=True)[:CANDIDATES]
    chance, layouts = float(count.chances[flat]), exact_layouts(count)
    return Odds(cell, chance, layouts_with_mine, layouts, weighed.get(flat), tuple(best))


def prove(board: Board, cell: Cell, work: int = MAX_SETS) -> Proof | None:
    """Prove that a cell is safe or a mine; None if it is not certain. See `explain`."""
    frontier = Frontier.of(with_most_mines(board) if board.mines is None else board)
    return _Prover(board, frontier, cell, work).proof()


class _Prover:
    """Searches for the fewest numbers that prove a cell."""

    def __init__(self, board: Board, frontier: Frontier, cell: Cell, work: int) -> None:
        self._board = board
        self._cell = cell
        self._work = work
        self._numbers = [cell_at(board, number) for number in frontier.numbers.tolist()]
        self._near = Neighbourhoods.of(frontier)
        self._over = self._near.over[flat_index(board, cell)]
        self._without_numbers = board.cells.copy()
        for number in self._numbers:
            self._without_numbers[number] = State.WRONG_FLAG  # no mine, and no number either

    def proof(self) -> Proof | None:
        """Return the smallest proof, or one that has no needless number; None if there is none."""
        by_size = self._connected_sets()
        # Nearly all proofs are this small, so that whether there is one at all is asked later.
        for numbers in chain.from_iterable(islice(by_size, _SMALL_NUMBERS)):
            is_mine = self._try(numbers, uses_total=False)
            if is_mine is not None:
                return self._as_proof(numbers, is_mine=is_mine, uses_total=False, is_smallest=True)
        part = self._component()
        uses_total = self._decides(part, uses_total=False) is None
        everything = range(len(self._numbers))
        if uses_total and (self._board.mines is None or self._decides(everything, uses_total=True) is None):
            return None
        if uses_total:  # through the total of mines any numbers may matter
            by_size = (combinations(everything, size) for size in range(len(everything) + 1))
        for numbers in chain.from_iterable(by_size):
            if self._work <= 0:
                break
            is_mine = self._try(numbers, uses_total=uses_total)
            if is_mine is not None:
                return self._as_proof(numbers, is_mine=is_mine, uses_total=uses_total, is_smallest=True)
        return self._minimal_proof(everything if uses_total else part, uses_total=uses_total)

    def _try(self, numbers: Collection[int], *, uses_total: bool) -> bool | None:
        self._work -= 1
        return self._decides(numbers, uses_total=uses_total)

    def _component(self) -> set[int]:
        """Return the numbers that are connected with the cell by unopened cells."""
        found, waiting = set(self._over), list(self._over)
        while waiting:
            more = self._beside(waiting.pop()) - found
            found |= more
            waiting += more
        return found

    def _beside(self, place: int) -> set[int]:
        """Return the numbers that share an unopened cell with this one, itself included."""
        return set().union(*(self._near.over[cell] for cell in self._near.around[place]))

    def _connected_sets(self) -> Iterator[Iterable[Collection[int]]]:
        """Yield, for each size from 1 up, the connected sets of so many numbers with one beside the cell.

        Without the total of mines a smallest proof is always such a set.
        """
        sets = {frozenset((place,)) for place in self._over}
        while sets:
            yield sorted(sets, key=sorted)
            if len(sets) > self._work:
                return
            sets = {
                numbers | {more}
                for numbers in sets
                for place in numbers
                for more in self._beside(place)
                if more not in numbers
            }

    def _minimal_proof(self, numbers: Collection[int], *, uses_total: bool) -> Proof:
        """Drop every number that the proof does not need, one after the other."""
        kept = set(numbers)
        is_mine = self._decides(kept, uses_total=uses_total)
        far_first = sorted(kept, key=lambda place: -np.abs(np.subtract(self._numbers[place], self._cell)).max())
        for place in far_first:
            if self._decides(kept - {place}, uses_total=uses_total) is not None:
                kept.remove(place)
        return self._as_proof(kept, is_mine=bool(is_mine), uses_total=uses_total, is_smallest=False)

    def _as_proof(self, numbers: Collection[int], *, is_mine: bool, uses_total: bool, is_smallest: bool) -> Proof:
        cells = tuple(self._numbers[place] for place in sorted(numbers))
        return Proof(self._cell, is_mine, cells, uses_total, is_smallest)

    def _decides(self, numbers: Collection[int], *, uses_total: bool) -> bool | None:
        """Whether these numbers alone make the cell a mine or safe; None if neither."""
        shown = self._without_numbers.copy()
        for place in numbers:
            shown[self._numbers[place]] = self._board[self._numbers[place]]
        row, column = self._cell
        total = self._board.mines or 0
        if not uses_total:
            cells = [self._cell, *(self._numbers[place] for place in numbers)]
            rows = slice(max(0, min(cell.row for cell in cells) - 1), max(cell.row for cell in cells) + 2)
            columns = slice(max(0, min(cell.column for cell in cells) - 1), max(cell.column for cell in cells) + 2)
            shown, total = _with_spare_cells(shown[rows, columns])
            row, column = row - rows.start, column - columns.start
        outcome, _, chances = count_position(FlatBoard(shown.reshape(-1), neighbour_table(*shown.shape), total))
        chance = chances[row * shown.shape[1] + column] if outcome == COUNTED else np.nan
        return bool(chance) if chance in (0.0, 1.0) else None


def _with_spare_cells(shown: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], int]:
    """Return a part of a board with as many spare cells below it, and a total of mines that any layout can reach."""
    spare = np.full_like(shown, State.HIDDEN)
    between = np.full((1, shown.shape[1]), State.WRONG_FLAG, np.uint8)
    mines = int(np.isin(shown, (State.MINE, State.EXPLODED)).sum())
    return np.ascontiguousarray(np.vstack((shown, between, spare))), mines + spare.size


def weigh(board: Board, cells: Sequence[Cell]) -> list[Candidate] | None:
    """Weigh uncertain cells as guesses, in a position without a safe cell.

    Args:
        board: The position.
        cells: Unopened cells that are not certain.

    Returns:
        In the order of `cells`; None if the layouts cannot be counted, as with an unknown total.
    """
    if board.mines is None:
        return None
    count = count_layouts(Frontier.of(board))
    if count.outcome != COUNTED:
        return None
    weigher = _Weigher(board, count)
    return [weigher.weigh(flat_index(board, cell)) for cell in cells]


class _Weigher:
    """Weighs the guesses in a position whose layouts have been counted."""

    def __init__(self, board: Board, count: Count) -> None:
        self._board = board
        self._chances = count.chances
        self._position = FlatBoard.of(board)
        self._puzzle = reduce_position(self._position, count.log_layouts, count.chances)
        self._places = self._puzzle.place.tolist()

    def promising(self) -> list[int]:
        """Return the flat cells that are worth a second look, the best by one opening first."""
        first, _ = best_openings(new_outlook(self._puzzle), 1, -1, CELLS_TRIED[0], -1.0)
        return [self._places[place] for place in first[: 4 * CANDIDATES].tolist()]

    def weigh(self, flat: int) -> Candidate:
        """Weigh a flat cell."""
        _, [value] = best_openings(new_outlook(self._puzzle), 2, self._places.index(flat), 1, -1.0)
        progress, wins = self._progress_and_wins(flat)
        return Candidate(cell_at(self._board, flat), float(self._chances[flat]), progress, float(value), wins)

    def _progress_and_wins(self, flat: int) -> tuple[float, float | None]:
        """Return the chance that a cell makes progress, and the chance to win with it if that can be played out."""
        progress, wins = 0.0, 0.0
        is_played_out = True
        for number in range(9):
            after = self._position._replace(cells=self._position.cells.copy())
            after.cells[flat] = number
            outcome, log_after, chances = count_position(after)
            if outcome != COUNTED:
                continue
            share = float(np.exp(log_after - self._puzzle.log_layouts))
            undecided = chances[~np.isnan(chances) & (chances < 1.0)]
            is_certain = undecided.size == 0 or undecided.min() == 0.0
            progress += share * is_certain
            if undecided.size == 0 or undecided.max() == 0.0:  # only safe cells are left
                wins += share
            elif is_played_out:
                ending = play_out(reduce_position(after, log_after, chances))
                is_played_out = ending.wins >= 0
                wins += share * ending.wins / ending.layouts if is_played_out else 0.0
        return float(progress), float(wins) if is_played_out else None


def rank(candidate: Candidate) -> tuple[float, float]:
    """Return the sort key of a guess: its chance to win if that was played out, then its value."""
    return (-1.0 if candidate.win_probability is None else candidate.win_probability, candidate.value)
