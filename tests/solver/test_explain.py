"""Explanations, checked against every layout of small boards."""

import random
from itertools import combinations

import numpy as np
import pytest

from sweepbot import Board, Solver
from sweepbot.board import State
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.solver.explain import Odds, Proof, explain
from tests.brute_force import layouts_of, wins, wins_by
from tools.boards import opened_at_random


def decided(board: Board, cell: Cell, numbers: tuple[Cell, ...], total: int | None) -> bool | None:
    """Whether a cell is a mine in all placements that satisfy these numbers, and the total where given."""
    hidden = board.where(State.HIDDEN)
    found = set()
    for bits in range(1 << len(hidden)):
        mines = {other for place, other in enumerate(hidden) if bits >> place & 1}
        if total is not None and len(mines) != total:
            continue
        if all(len(mines.intersection(board.neighbours(number))) == board[number] for number in numbers):
            found.add(cell in mines)
    return found.pop() if len(found) == 1 else None


@pytest.mark.parametrize("seed", range(12))
def test_a_proof_is_the_smallest_possible(seed: int) -> None:
    """The numbers named decide the cell, and no fewer numbers do."""
    board, _ = opened_at_random(3, 5, 3, 5, random.Random(seed))
    decision = Solver("exact").decide(board)
    numbers = [cell for cell in board if board[cell] < State.HIDDEN]
    for cell in (*decision.safe, *decision.mines):
        proof = explain(board, cell)
        assert isinstance(proof, Proof)
        assert proof.is_smallest
        assert proof.is_mine == (cell in decision.mines)
        total = board.mines if proof.uses_total else None
        assert decided(board, cell, proof.numbers, total) is proof.is_mine
        assert proof.uses_total == (decided(board, cell, tuple(numbers), None) is None)
        for size in range(len(proof.numbers)):
            assert all(decided(board, cell, fewer, total) is None for fewer in combinations(numbers, size))


def test_a_proof_has_no_needless_number() -> None:
    """With no work allowed a proof is marked as possibly not smallest, but none of its numbers is needless."""
    proven = 0
    for seed in range(40):
        board, _ = opened_at_random(3, 5, 3, 5, random.Random(seed))
        for cell in Solver("exact").decide(board).safe:
            proof = explain(board, cell, work=0)
            assert isinstance(proof, Proof)
            if proof.is_smallest:
                assert len(proof.numbers) <= 2  # up to two are always tried
                continue
            total = board.mines if proof.uses_total else None
            assert decided(board, cell, proof.numbers, total) is False
            for number in proof.numbers:
                fewer = tuple(other for other in proof.numbers if other != number)
                assert decided(board, cell, fewer, total) is None
            proven += 1
    assert proven > 2


@pytest.mark.parametrize("seed", range(8))
def test_odds_are_those_of_all_layouts(seed: int) -> None:
    """Layouts, chances to win and chances of progress are those of a count over all layouts."""
    board, _ = opened_at_random(3, 4, 3, 3, random.Random(seed))
    layouts = layouts_of(board)
    chances = Solver().probabilities(board)
    undecided = [Cell(int(row), int(column)) for row, column in np.argwhere((chances > 0) & (chances < 1))]
    has_safe = bool((chances == 0).any())
    for cell in undecided:
        odds = explain(board, cell)
        assert isinstance(odds, Odds)
        assert odds.layouts == len(layouts)
        assert odds.layouts_with_mine == sum(cell in mines for mines in layouts)
        assert odds.mine_probability == pytest.approx(odds.layouts_with_mine / odds.layouts)
        assert (odds.itself is None) == has_safe
        assert bool(odds.candidates) != has_safe
        if odds.itself is None:
            continue
        assert odds.itself.cell == cell
        assert odds.itself.win_probability == pytest.approx(wins_by(board, layouts, cell) / len(layouts))
        assert odds.candidates[0].win_probability == pytest.approx(wins(board, layouts) / len(layouts))
        assert odds.itself.progress_probability <= 1 - odds.mine_probability + 1e-12


def test_what_needs_no_explanation_is_refused() -> None:
    """An open cell, and one off the board, is an error that names it."""
    board = Board.parse("01#\n011\n000", mines=1)
    with pytest.raises(UsageError, match="row 0, column 1 is open"):
        explain(board, Cell(0, 1))
    with pytest.raises(UsageError, match="row 3, column 0 is not on this board"):
        explain(board, Cell(3, 0))
