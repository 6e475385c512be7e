"""Why a cell is certain, or what a guess is worth: the same in each command, window and page, in words and by keys."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.render.text import counted, percent
from sweepbot.solver import Decision, Solver
from sweepbot.solver.efficiency import Efficient
from sweepbot.solver.explain import Candidate, Odds, Proof
from sweepbot.trace.events import Decided

_LONG = 6  # digits from which a count is given as a power of ten


def chances_to_show(board: Board) -> NDArray[np.float64]:
    """Return the chances of a mine on a board whose unreadable cells are changing: NaN there, or all if in doubt."""
    try:
        chances = Solver().decide(board).mine_probability
    except ImpossibleBoardError:  # the board at rest will show what is wrong with it
        return np.full(board.cells.shape, np.nan)
    return np.where(board.cells == State.UNKNOWN, np.nan, chances)


def layouts_in_words(layouts: float) -> str:
    """Put a number of layouts into words, given its logarithm to base 2: it may be too large for a float."""
    exponent = layouts * math.log10(2)
    return counted(round(2**layouts), "layout") if exponent < _LONG else f"about 10^{math.floor(exponent)} layouts"


def move_in_words(decision: Decided, board: Board) -> tuple[str, str]:
    """Say what is opened next on a board and why, and what is left to find: a line each.

    A mine that is certain has been found, whether it is flagged or not.
    """
    if decision.best is None:
        what = "only mines are left"
    elif decision.safe:
        what = f"{len(decision.safe)} certain, first {decision.best}: {decision.reason}"
    else:
        chance = percent(decision.chances[decision.best.row][decision.best.column] or 0.0)
        what = f"guess {decision.best}, {chance}% a mine: {decision.reason}"
    left = "any number of mines" if board.mines is None else counted(board.mines - len(decision.mines), "mine")
    layouts = "" if decision.layouts is None else f", {layouts_in_words(decision.layouts)}"
    return what, f"{left} to find{layouts}"


def proof_in_words(board: Board, proof: Proof) -> str:
    """Say why a cell is certain: the rule's name, and the numbers that prove it, each with its place."""
    numbers = [f"the {board[cell]} at {cell}" for cell in proof.numbers]
    if proof.uses_total:
        numbers.append(f"the total of {board.mines} mines")
    listed = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
    more = "" if proof.is_smallest else " (all of them are needed, but there may be a smaller set)"
    proved = f"{listed} {'proves' if len(numbers) == 1 else 'prove'} it{more}"
    return f"{certain_in_words(proof.cell, is_mine=proof.is_mine)} ({proof.rule}): {proved}"


def certain_in_words(cell: Cell, *, is_mine: bool) -> str:
    """Say what a cell certainly is."""
    return f"{cell} is {'a mine' if is_mine else 'safe'}"


def explanation_in_words(board: Board, explanation: Proof | Odds) -> list[str]:
    """Return an explanation as lines of text."""
    if isinstance(explanation, Proof):
        return [proof_in_words(board, explanation)]
    odds = explanation
    share = f"{percent(odds.mine_probability)}% of {layouts_in_words(math.log2(odds.layouts))}"
    lines = [f"{odds.cell} is not certain: a mine in {share}"]
    if odds.itself is None and not odds.candidates:
        return [*lines, "another cell is certainly safe, so that no guess is needed"]
    if odds.itself is not None:
        lines.append(f"as a guess: {_candidate_in_words(odds.itself)}")
    lines.append("the best guesses:")
    return [*lines, *(f"  {candidate.cell}: {_candidate_in_words(candidate)}" for candidate in odds.candidates)]


def _candidate_in_words(candidate: Candidate) -> str:
    wins = "" if candidate.win_probability is None else f", wins the game {100 * candidate.win_probability:.1f}%"
    return (
        f"{percent(candidate.mine_probability)}% a mine, helps on {percent(candidate.progress_probability)}%,"
        f" worth {candidate.value:.3f}{wins}"
    )


def efficient_in_words(click: Efficient) -> str:
    """Say which opening or chord leads to the end in the fewest clicks, and that nothing else speaks for it."""
    what = f"chord at {click.cell}" if click.is_chord else f"open {click.cell}"
    flags = f", with flags at {', '.join(map(str, click.flags))}" if click.flags else ""
    about = "" if click.clicks_to_end is None else f", about {click.clicks_to_end:.0f} to the end"
    return f"any safe cell will do; for the fewest clicks{about}: {what}{flags}"


def decision_by_keys(decision: Decision) -> dict[str, Any]:
    """Return a decision as programs get it."""
    return {
        "mine_probability": decision.mine_probability,
        "standard_error": decision.standard_error,
        "safe": decision.safe,
        "mines": decision.mines,
        "best": decision.best,
        "layouts": None if decision.layouts is None else str(decision.layouts),
        "exact": decision.exact,
    }


def explanation_by_keys(explanation: Proof | Odds) -> dict[str, Any]:
    """Return an explanation as programs get it."""
    if isinstance(explanation, Proof):
        return {
            "cell": explanation.cell,
            "certain": "mine" if explanation.is_mine else "safe",
            "rule": explanation.rule,
            "numbers": explanation.numbers,
            "uses_total": explanation.uses_total,
            "is_smallest": explanation.is_smallest,
        }
    return {
        "cell": explanation.cell,
        "certain": None,
        "mine_probability": explanation.mine_probability,
        "layouts_with_mine": str(explanation.layouts_with_mine),
        "layouts": str(explanation.layouts),
        "guess": explanation.itself,
        "candidates": explanation.candidates,
    }


def efficient_by_keys(click: Efficient | None) -> dict[str, Any] | None:
    """Return the most efficient click as programs get it."""
    return click and {
        "cell": click.cell,
        "kind": "chord" if click.is_chord else "open",
        "flags": click.flags,
        "opens": click.opens,
        "clicks_to_end": click.clicks_to_end,
    }
