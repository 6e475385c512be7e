"""Rollouts, by which guesses are compared, against exact play."""

import random

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.solver import Solver
from sweepbot.solver.compiled import Kernel
from sweepbot.solver.flat_board import FlatBoard, flat_index
from tests.bench import rollouts

pytestmark = pytest.mark.nightly

ROLLOUTS = 500  # each plays a game to its end
MAX_SIGMAS = 5.0
"""A mean is farther from the true one by chance once in a million."""


@pytest.fixture(params=["plain", "compiled"])
def _form_of_rollouts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rollouts in plain Python, or compiled, which takes longer than playing these."""
    if request.param == "plain":
        for made in vars(rollouts).values():
            if isinstance(made, Kernel) and made.__module__ == rollouts.__name__:
                monkeypatch.setattr(made, "form", made.plain)


@pytest.mark.usefixtures("_form_of_rollouts")
@pytest.mark.parametrize("text", ["#####\n#2###\n#####", "1###\n####\n####\n####", "##1##\n#####\n#####\n##1##"])
def test_rollouts_come_to_the_exact_chance_to_win(text: str) -> None:
    """Where a game can be played out, the best guess's mean value is its exact chance, and none is higher."""
    board = Board.parse(text, mines=4)
    best = Solver().decide(board).best
    assert best is not None
    assert best.win_probability is not None
    hidden = [Cell(row, column) for row, column in np.argwhere(board.cells == State.HIDDEN).tolist()]
    guesses = [best.cell, *random.Random(text).sample(hidden, 4)]
    places = np.array([flat_index(board, cell) for cell in guesses], np.int32)
    values = rollouts.value_guesses(FlatBoard.of(board), places, ROLLOUTS, np.random.default_rng(1))
    error = values.std(axis=0) / ROLLOUTS**0.5
    assert abs(values[:, 0].mean() - best.win_probability) <= MAX_SIGMAS * error[0] + 1e-9
    assert (values.mean(axis=0) <= best.win_probability + MAX_SIGMAS * error + 1e-9).all()
