"""Boards of which nobody knows how many mines they have: what to open, and what the end of a game tells of them."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State, around
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver.decision import Decision, Move, Named
from sweepbot.solver.deduction import LADDERS, Deduction, deduce
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.known_total import decide_known

_USUAL = 0.16
"""The share of mines that is supposed where a guess must be made."""

_LEAST, _MOST = 0.05, 0.35
"""The shares of mines for all of which a certain cell must be certain."""

_FOR_ALL = "certain for any number of mines"

_NEARLY = 1e-6
"""How far from 0 and 1 a chance is kept that is so for one number of mines only."""

_WITHOUT_TOTAL = tuple(rule for rule in LADDERS["exact"] if not rule.needs_total)
"""The rules that look at numbers alone."""

_SEVERAL = 2  # mines that the end of a game must show to be believed to show them all


def decide_unknown(method: str, board: Board, time_is_up: Callable[[], bool]) -> Decision:
    """Find what is certain and the best cell to open on a board whose number of mines is not known.

    A cell counts as certain only if it is so for every plausible number, and a guess is made as
    for the most usual number that gives the position.

    Args:
        method: How it is decided where the number is known. See `Solver`.
        board: The position.
        time_is_up: Whether to give up the search for a guess.

    Raises:
        ImpossibleBoardError: No placement of mines gives this position.
    """
    plausible = _decisions(method, board, range(board.cells.size), time_is_up)
    usual = next(plausible)
    if not _opens(usual):  # with so many mines nothing else is left; with fewer a cell that no number speaks of may be
        usual = next(filter(_opens, plausible), usual)
    by_rules = by_numbers(board)
    safe, mines, guess, chances = by_rules.safe, by_rules.mines, usual.guess, usual.mine_probability
    rules = {cell: by_rules.rules[cell] for cell in (*safe, *mines)}
    if usual.safe and not safe:
        safe, mines, guess, chances = _for_all(usual, board)
        rules = dict.fromkeys((*safe, *mines), _FOR_ALL)
    chances = _certain_only(board, chances, safe, mines)
    if guess is not None:
        guess = replace(guess, mine_probability=float(chances[guess.cell]), win_probability=None)
    grounds = Named(rules)
    return replace(usual, safe=safe, mines=mines, guess=guess, mine_probability=chances, exact=False, grounds=grounds)


def _opens(decision: Decision) -> bool:
    """Whether there is anything to open."""
    return bool(decision.safe) or decision.guess is not None


def by_numbers(board: Board) -> Deduction:
    """What the rules find that look at numbers alone, whatever the total of mines.

    Raises:
        ImpossibleBoardError: The numbers contradict each other.
    """
    any_total = Board(board.cells, _closed(board))
    return deduce(any_total, Frontier.of(any_total), _WITHOUT_TOTAL)


def _certain_only(
    board: Board, chances: NDArray[np.float64], safe: Collection[Cell], mines: Collection[Cell]
) -> NDArray[np.float64]:
    """The same chances, but 0.0 and 1.0 only for cells that are certain, or shown."""
    certain = np.isin(board.cells, (State.MINE, State.EXPLODED, State.WRONG_FLAG)) | np.isnan(chances)
    for cell in (*safe, *mines):
        certain[cell] = True
    supposed = np.clip(chances, _NEARLY, 1 - _NEARLY)
    return np.where(certain, chances, supposed)


def _for_all(
    usual: Decision, board: Board
) -> tuple[tuple[Cell, ...], tuple[Cell, ...], Move | None, NDArray[np.float64]]:
    """What of a decision holds for every plausible number of mines: safe cells, mines, the guess, the mean chances."""
    size = board.cells.size
    totals = range(round(_LEAST * size), round(_MOST * size) + 1)
    found = [usual, *_decisions("exact", board, totals, strict=False)]
    safe = tuple(cell for cell in usual.safe if all(cell in decision.safe for decision in found))
    mines = tuple(cell for cell in usual.mines if all(cell in decision.mines for decision in found))
    chances: NDArray[np.float64] = np.mean([decision.mine_probability for decision in found], axis=0)
    if safe:
        return safe, mines, None, chances
    best = min(usual.safe, key=lambda cell: float(chances[cell]))
    return safe, mines, Move(best, "certain if the board has the usual number of mines", float(chances[best])), chances


def _decisions(
    method: str,
    board: Board,
    totals: range,
    time_is_up: Callable[[], bool] = lambda: False,
    *,
    strict: bool = True,
) -> Iterator[Decision]:
    """The decisions for those numbers of mines that give the position, the most usual number first.

    Raises:
        ImpossibleBoardError: None of them does, and `strict` is given.
    """
    error: ImpossibleBoardError | None = None
    possible = False
    for total in sorted(totals, key=lambda total: abs(total - _USUAL * board.cells.size)):
        try:
            yield decide_known(method, Board(board.cells, total), time_is_up)
        except ImpossibleBoardError as impossible:
            error = error or impossible
        else:
            possible = True
    if strict and not possible and error is not None:
        raise error


def may_be_over(board: Board, opened: Collection[Cell] = ()) -> bool:
    """Whether the game may be won: a mine may be in every cell that is neither open nor was `opened` just now."""
    cells = board.cells.copy()
    for cell in opened:
        cells[cell] = State.WRONG_FLAG  # no mine, whatever else it shows by now
    left = Board(cells)
    try:
        decide_known("exact", Board(cells, _closed(left)))
    except ImpossibleBoardError:
        return False
    return True


def mines_at_end(board: Board, phase: Phase) -> int | None:
    """How many mines a board has, by the end of a game; None where that does not tell.

    A won board has one in each cell that is not open. A lost one shows them all, or some only: they are believed where
    every number has as many around it as it says.
    """
    if phase is Phase.WON:
        return _closed(board) if may_be_over(board) else None
    shown = np.isin(board.cells, (State.MINE, State.EXPLODED, State.FLAG))
    is_number = board.cells < State.HIDDEN
    agrees = (around(shown) == board.cells)[is_number].all() and is_number.any()
    return int(shown.sum()) if agrees and board.count(State.MINE) >= _SEVERAL else None


def _closed(board: Board) -> int:
    """How many cells are not open."""
    return board.count(State.HIDDEN, State.FLAG, State.QUESTION, State.MINE, State.EXPLODED)
