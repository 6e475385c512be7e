"""Decisions and explanations in words and as JSON, for `solve` and `assist`."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.cli.output import cell_as_json, counted
from sweepbot.render.text import percent
from sweepbot.solver import Decision
from sweepbot.solver.efficiency import Efficient
from sweepbot.solver.explain import Candidate, Odds, Proof

_LONG = 6  # digits from which a count is given as a power of ten


def layouts_in_words(layouts: float) -> str:
    """Put a number of layouts into words, given its logarithm to base 2: it may be too large for a float."""
    exponent = layouts * math.log10(2)
    return counted(round(2**layouts), "layout") if exponent < _LONG else f"about 10^{math.floor(exponent)} layouts"


def decision_as_json(decision: Decision) -> dict[str, Any]:
    """Return a decision as `solve` and `assist` print it."""
    best, errors = decision.best, decision.standard_error
    return {
        "mine_probability": _grid_as_json(decision.mine_probability),
        "standard_error": None if errors is None else _grid_as_json(errors),
        "safe": [cell_as_json(cell) for cell in decision.safe],
        "mines": [cell_as_json(cell) for cell in decision.mines],
        "best": best
        and {
            **cell_as_json(best.cell),
            "reason": best.reason,
            "mine_probability": best.mine_probability,
            "win_probability": best.win_probability,
        },
        "layouts": None if decision.layouts is None else str(decision.layouts),
        "exact": decision.exact,
    }


def _grid_as_json(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in values.tolist()]


def proof_in_words(board: Board, proof: Proof, rule: str = "") -> str:
    """Say why a cell is certain: the rule's name, if given, and the numbers that prove it, each with its place."""
    numbers = [f"the {board[cell]} at {cell}" for cell in proof.numbers]
    if proof.uses_total:
        numbers.append(f"the total of {board.mines} mines")
    listed = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
    what = "a mine" if proof.is_mine else "safe"
    more = "" if proof.is_smallest else " (all of them are needed, but there may be a smaller set)"
    named = f" ({rule})" if rule else ""
    return f"{proof.cell} is {what}{named}: {listed} {'proves' if len(numbers) == 1 else 'prove'} it{more}"


def explanation_in_words(board: Board, explanation: Proof | Odds, rule: str) -> list[str]:
    """Return an explanation as lines of text, with the name of the rule if the cell is certain."""
    if isinstance(explanation, Proof):
        return [proof_in_words(board, explanation, rule)]
    odds = explanation
    share = f"{odds.layouts_with_mine:,} of {odds.layouts:,} layouts, {percent(odds.mine_probability)}%"
    lines = [f"{odds.cell} is not certain: a mine in {share}"]
    if odds.itself is None and not odds.candidates:
        return [*lines, "another cell is certainly safe, so that no guess is needed"]
    if odds.itself is not None:
        lines.append(f"as a guess: {_candidate_in_words(odds.itself)}")
    lines.append("the best guesses:")
    return [*lines, *(f"  {candidate.cell}: {_candidate_in_words(candidate)}" for candidate in odds.candidates)]


def efficient_in_words(click: Efficient) -> str:
    """Say which opening or chord leads to the end in the fewest clicks."""
    what = f"chord at {click.cell}" if click.is_chord else f"open {click.cell}"
    flags = f", with flags at {', '.join(map(str, click.flags))}" if click.flags else ""
    about = "" if click.clicks_to_end is None else f": about {click.clicks_to_end:.0f} clicks to the end"
    return f"fewest clicks: {what}{flags}{about}"


def efficient_as_json(click: Efficient | None) -> dict[str, Any] | None:
    """Return the value of the key `efficient`."""
    return click and {
        **cell_as_json(click.cell),
        "kind": "chord" if click.is_chord else "open",
        "flags": [cell_as_json(cell) for cell in click.flags],
        "opens": [cell_as_json(cell) for cell in click.opens],
        "clicks_to_end": click.clicks_to_end,
    }


def _candidate_in_words(candidate: Candidate) -> str:
    wins = "" if candidate.win_probability is None else f", wins the game {100 * candidate.win_probability:.1f}%"
    return (
        f"{percent(candidate.mine_probability)}% a mine, helps on {percent(candidate.progress_probability)}%,"
        f" worth {candidate.value:.3f}{wins}"
    )


def explanation_as_json(explanation: Proof | Odds) -> dict[str, Any]:
    """Return the value of the key `explain`."""
    if isinstance(explanation, Proof):
        return {**cell_as_json(explanation.cell), **proof_as_json(explanation)}
    return {
        **cell_as_json(explanation.cell),
        "certain": None,
        "mine_probability": explanation.mine_probability,
        "layouts_with_mine": str(explanation.layouts_with_mine),
        "layouts": str(explanation.layouts),
        "guess": None if explanation.itself is None else _candidate_as_json(explanation.itself),
        "candidates": [_candidate_as_json(candidate) for candidate in explanation.candidates],
    }


def proof_as_json(proof: Proof) -> dict[str, Any]:
    """Return a proof without its cell."""
    return {
        "certain": "mine" if proof.is_mine else "safe",
        "numbers": [cell_as_json(cell) for cell in proof.numbers],
        "uses_total": proof.uses_total,
        "is_smallest": proof.is_smallest,
    }


def _candidate_as_json(candidate: Candidate) -> dict[str, Any]:
    values = asdict(candidate)
    del values["cell"]
    return cell_as_json(candidate.cell) | values
