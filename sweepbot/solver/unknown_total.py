"""Boards with an unknown number of mines: what to open, and what the end of a game reveals."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State, around
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver.decision import Choice, Decision, KnownGrounds
from sweepbot.solver.deduction import LADDERS, Deduction, deduce
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.known_total import decide_known

_USUAL_SHARE = 0.16
"""The share of mines that is assumed when a guess must be made."""

_MIN_SHARE, _MAX_SHARE = 0.05, 0.35
"""The plausible shares of mines: a cell is certain only if it is for all of them."""

_FOR_ALL = "certain for any number of mines"

_NEARLY_CHANCE = 1e-6
"""How far a chance is kept from 0 and 1 if it is certain for one number of mines only."""

_WITHOUT_TOTAL = tuple(rule for rule in LADDERS["exact"] if not rule.needs_total)
"""The rules that use numbers alone."""

_SEVERAL_MINES = 2  # that must be shown at the end of a game before they can be taken for all of them


def decide_unknown(method: str, board: Board, time_is_up: Callable[[], bool]) -> Decision:
    """Decide a position with an unknown number of mines by a method of `Solver`; see `Solver.decide`.

    Raises:
        ImpossibleBoardError: No placement of mines gives this position.
    """
    plausible = _decisions(method, board, range(board.cells.size), time_is_up)
    usual = next(plausible)
    if not _opens(usual):  # all cells left would be mines; with fewer mines, an interior cell may be safe
        usual = next(filter(_opens, plausible), usual)
    by_rules = by_numbers(board)
    if usual.safe and not by_rules.safe:
        decision = _decide_for_all(usual, board)
        rules = dict.fromkeys((*decision.safe, *decision.mines), _FOR_ALL)
    else:
        decision = replace(usual, safe=by_rules.safe, mines=by_rules.mines)
        rules = {cell: by_rules.rules[cell] for cell in (*by_rules.safe, *by_rules.mines)}
    chances, guess = _blur_uncertain(board, decision), decision.guess
    if guess is not None:
        guess = replace(guess, mine_probability=float(chances[guess.cell]), win_probability=None)
    return replace(decision, guess=guess, mine_probability=chances, exact=False, grounds=KnownGrounds(rules))


def _opens(decision: Decision) -> bool:
    """Whether there is anything to open."""
    return bool(decision.safe) or decision.guess is not None


def by_numbers(board: Board) -> Deduction:
    """Apply the rules that use numbers alone, and so hold for any total of mines.

    Raises:
        ImpossibleBoardError: The numbers contradict each other.
    """
    filled = with_most_mines(board)
    return deduce(filled, Frontier.of(filled), _WITHOUT_TOTAL)


def with_most_mines(board: Board) -> Board:
    """Return the board with a mine for each readable cell that is not open, for what does not depend on the total."""
    return Board(board.cells, board.count(State.HIDDEN, State.FLAG, State.QUESTION, State.MINE, State.EXPLODED))


def _blur_uncertain(board: Board, decision: Decision) -> NDArray[np.float64]:
    """Return the chances with 0.0 and 1.0 only for cells that are certain or shown."""
    chances = decision.mine_probability
    certain = np.isin(board.cells, (State.MINE, State.EXPLODED, State.WRONG_FLAG)) | np.isnan(chances)
    for cell in (*decision.safe, *decision.mines):
        certain[cell] = True
    return np.where(certain, chances, np.clip(chances, _NEARLY_CHANCE, 1 - _NEARLY_CHANCE))


def _decide_for_all(usual: Decision, board: Board) -> Decision:
    """Keep what holds for every plausible number of mines: safe cells, mines, the guess and the mean chances."""
    size = board.cells.size
    totals = range(round(_MIN_SHARE * size), round(_MAX_SHARE * size) + 1)
    found = [usual, *_decisions("exact", board, totals, strict=False)]
    safe = tuple(cell for cell in usual.safe if all(cell in decision.safe for decision in found))
    mines = tuple(cell for cell in usual.mines if all(cell in decision.mines for decision in found))
    chances: NDArray[np.float64] = np.mean([decision.mine_probability for decision in found], axis=0)
    guess = None
    if not safe:
        best = min(usual.safe, key=lambda cell: float(chances[cell]))
        guess = Choice(best, "certain if the board has the usual number of mines", float(chances[best]))
    return replace(usual, safe=safe, mines=mines, guess=guess, mine_probability=chances)


def _decisions(
    method: str,
    board: Board,
    totals: range,
    time_is_up: Callable[[], bool] = lambda: False,
    *,
    strict: bool = True,
) -> Iterator[Decision]:
    """Yield the decisions for the numbers of mines that are possible, the most usual number first.

    Raises:
        ImpossibleBoardError: None is possible, and `strict` is True.
    """
    error: ImpossibleBoardError | None = None
    possible = False
    for total in sorted(totals, key=lambda total: abs(total - _USUAL_SHARE * board.cells.size)):
        try:
            yield decide_known(method, Board(board.cells, total), time_is_up)
        except ImpossibleBoardError as impossible:
            error = error or impossible
        else:
            possible = True
    if strict and not possible and error is not None:
        raise error


def may_be_over(board: Board, opened: Collection[Cell] = ()) -> bool:
    """Whether the game may be won: every cell that is neither open nor was `opened` just now may be a mine."""
    cells = board.cells.copy()
    for cell in opened:
        cells[cell] = State.WRONG_FLAG  # no mine, whatever number it shows by now
    try:
        decide_known("exact", with_most_mines(Board(cells)))
    except ImpossibleBoardError:
        return False
    return True


def mines_at_end(board: Board, phase: Phase) -> int | None:
    """Return how many mines a board has, as the end of a game shows; None if it does not.

    A won board has one in each cell that is not open. A lost one shows all of them or only some: they are taken for all
    if every number has as many around it as it says.
    """
    if phase is Phase.WON:
        return with_most_mines(board).mines if may_be_over(board) else None
    shown = np.isin(board.cells, (State.MINE, State.EXPLODED, State.FLAG))
    is_number = board.cells < State.HIDDEN
    agrees = (around(shown) == board.cells)[is_number].all() and is_number.any()
    return int(shown.sum()) if agrees and board.count(State.MINE) >= _SEVERAL_MINES else None
