"""Decisions on positions whose total of mines is known: by rules, by counting, or by sampling."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sweepbot.board import CLOSED, Board, cells_in, shows
from sweepbot.errors import ImpossibleBoardError
from sweepbot.solver.chances import COUNTED, TOO_LARGE, count_layouts, count_position
from sweepbot.solver.decision import Choice, CountedGrounds, Decision, KnownGrounds, safest_choice
from sweepbot.solver.deduction import LADDERS, Deduction, deduce
from sweepbot.solver.flat_board import UNKNOWN, FlatBoard, cell_at, flat_index, shown_chances
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.guess import best_guess
from sweepbot.solver.sampling import estimate


def decide_known(method: str, board: Board, time_is_up: Callable[[], bool] = lambda: False) -> Decision:
    """Decide a position by a method of `Solver`; see `Solver.decide`.

    Raises:
        KeyError: There is no such method.
    """
    if method == "walksat":
        return _decide_by_samples(board, deduce(board, Frontier.of(board), LADDERS["exact"]))
    if method not in ("best", "exact"):
        return _decide_by_rules(board, deduce(board, Frontier.of(board), LADDERS[method]))
    if time_is_up():
        deduction = deduce(board, Frontier.of(board), LADDERS["exact"])
        if deduction.safe or not deduction.knowledge.frontier.numbers.size:
            return replace(_decide_by_rules(board, deduction), cut_short=True)
    return _decide_by_count(board, method, time_is_up)


def _decide_by_count(board: Board, method: str, time_is_up: Callable[[], bool]) -> Decision:
    outcome, log_layouts, chances = count_position(FlatBoard.of(board))
    if outcome != COUNTED:
        return _decide_uncounted(board, outcome)
    grid = chances.reshape(board.cells.shape)
    clickable = shows(board.cells, *CLOSED)
    safe = tuple(cells_in((grid == 0.0) & clickable))
    mines = tuple(cells_in((grid == 1.0) & (clickable | (board.cells == UNKNOWN))))
    guess, cut_short = None, False
    if not safe and method == "best" and not time_is_up():
        guess, cut_short = best_guess(board, log_layouts, chances, time_is_up=time_is_up)
    elif not safe:
        guess = safest_choice(board, np.flatnonzero(clickable), chances)
        cut_short = guess is not None and method == "best"
    grounds = CountedGrounds(board, safe, mines, log_layouts)
    return Decision(safe, mines, guess, grid, exact=True, grounds=grounds, cut_short=cut_short)


def _decide_uncounted(board: Board, outcome: int) -> Decision:
    """Decide a position that could not be counted, because of `outcome`.

    Raises:
        ImpossibleBoardError: It has no layout.
    """
    frontier = Frontier.of(board)
    deduction = deduce(board, frontier, LADDERS["exact"])  # the error of a rule says which number is wrong
    if outcome == TOO_LARGE:
        return _decide_by_samples(board, deduction)
    dead_end = count_layouts(frontier).trellis.dead_end
    if dead_end >= 0:
        raise deduction.knowledge.impossible(int(frontier.over[dead_end, 0]))
    raise ImpossibleBoardError(
        f"no placement of {board.mines} mines gives this position", hint="check the total of mines"
    )


def _decide_by_samples(board: Board, deduction: Deduction) -> Decision:
    """Decide by the rules, and guess the cell that is safest in sampled layouts, if any layout was found."""
    by_rules, estimated = _decide_by_rules(board, deduction), estimate(deduction.knowledge)
    if estimated is None:
        return replace(by_rules, cut_short=True)
    chances, clickable = estimated.chances, deduction.knowledge.frontier.openable
    return replace(
        by_rules,
        guess=None if deduction.safe else safest_choice(board, clickable, chances),
        mine_probability=chances.reshape(board.cells.shape),
        standard_error=estimated.errors.reshape(board.cells.shape),
    )


def _decide_by_rules(board: Board, deduction: Deduction) -> Decision:
    """Decide by the rules; guess the first cell in reading order that may be safe."""
    frontier, chances = deduction.knowledge.frontier, shown_chances(board.cells.reshape(-1))
    for cells, chance in ((deduction.safe, 0.0), (deduction.mines, 1.0)):
        for cell in cells:
            chances[flat_index(board, cell)] = chance
    undecided = frontier.unopened[np.isnan(chances[frontier.unopened])]
    share = (frontier.mines_left - len(deduction.mines)) / max(1, undecided.size)
    clickable = frontier.openable
    clickable = clickable[np.isnan(chances[clickable])]
    if not frontier.numbers.size:  # nothing tells one cell from another
        chances[undecided] = share
    guess = None
    if not deduction.safe and len(clickable):
        guess = Choice(cell_at(board, int(clickable[0])), "no rule decides a cell: the first that may be safe", share)
    grid, grounds = chances.reshape(board.cells.shape), KnownGrounds(deduction.rules)
    return Decision(deduction.safe, deduction.mines, guess, grid, exact=False, grounds=grounds)
