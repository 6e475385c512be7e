from math import comb

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.solver import Solver
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.sampling import Estimate, estimate
from tools.boards import stuck_positions


def sampled(board: Board) -> Estimate:
    estimated = estimate(deduce(board, Frontier.of(board), LADDERS["exact"]).knowledge)
    assert estimated is not None
    return estimated


@pytest.mark.parametrize(("mines", "one", "two"), [(3, comb(20, 2), comb(20, 1)), (12, comb(20, 11), comb(20, 10))])
def test_solutions_weigh_as_much_as_the_rest_of_the_board_has_ways(mines: int, one: int, two: int) -> None:
    """One mine in the middle or two outside: their odds depend on the cells off the frontier."""
    result = sampled(Board.parse("#1#1#" + "#" * 20, mines))
    outer, middle = two / (one + two), one / (one + two)
    truth = np.array([outer, middle, outer])
    cells = [0, 2, 4]
    assert (np.abs(result.chances[cells] - truth) < 5 * result.errors[cells]).all()
    assert (result.errors[cells] < 0.03).all()
    off = (mines - 1) / 20 * middle + (mines - 2) / 20 * outer
    assert abs(result.chances[5] - off) < 5 * result.errors[5]
    assert len(set(result.chances[5:])) == 1


def test_boxes_weigh_as_much_as_they_have_ways() -> None:
    """By hand: a shared mine with 2 layouts against separate mines with 2 x 2 x 2."""
    result = sampled(Board.parse("#11##\n#####", 3))
    for cell, truth in [(0, 0.4), (6, 0.1), (3, 0.4), (4, 0.6)]:
        assert abs(result.chances[cell] - truth) < 5 * result.errors[cell]
        assert result.errors[cell] < 0.02


@pytest.mark.parametrize(("mines", "ends"), [(1, 0.0), (2, 1.0)])
def test_total_of_mines_is_respected(mines: int, ends: float) -> None:
    """Without cells off the frontier the total decides, and chances stay off 0 and 1."""
    result = sampled(Board.parse("#1#1#", mines))
    assert result.chances[0] == pytest.approx(ends, abs=0.001)
    assert 0.0 < result.chances[0] < 1.0


def test_what_rules_know_is_certain() -> None:
    """Cells that rules decide are exactly 0 or 1 without an error; open cells have no chance."""
    certain = sampled(Board.parse("###\n121", 2))
    assert certain.chances[:3].tolist() == [1.0, 0.0, 1.0]
    assert certain.errors[:3].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(certain.chances[3:]).all()
    assert certain.samples == 0


def test_without_numbers_all_cells_are_alike() -> None:
    """On a fresh board the chance is the density, exactly."""
    result = sampled(Board.hidden(3, 4, 3))
    assert result.chances.tolist() == [0.25] * 12
    assert result.errors.tolist() == [0.0] * 12


def test_same_position_gives_same_estimate() -> None:
    """Sampling is random, but repeatable for a position."""
    board = stuck_positions(3)[0]
    first, again = sampled(board), sampled(board)
    assert np.array_equal(first.chances, again.chances, equal_nan=True)
    assert first.samples == again.samples > 1000


def test_agrees_with_exact_chances() -> None:
    """On expert positions errors are small, and as large as the standard error says."""
    scores, errors = [], []
    for board in stuck_positions(16):
        result = sampled(board)
        hidden = (board.cells.reshape(-1) == State.HIDDEN) & (result.errors > 0)
        truth = Solver("exact").probabilities(board).reshape(-1)
        difference = (result.chances - truth)[hidden]
        errors.append(float(np.sqrt(np.mean(difference**2))))
        scores.extend(difference / result.errors[hidden])
    assert len(errors) > 8
    assert max(errors) < 0.05
    assert np.mean(np.abs(scores) < 3) > 0.95


def test_impossible_positions_are_errors() -> None:
    """A total that fits nothing is an error; if no walk finds a layout there is no estimate."""
    for text, mines in [("#1#1#", 3), ("*1##", 3)]:
        with pytest.raises(ImpossibleBoardError):
            sampled(Board.parse(text, mines))
    board = Board.parse("#1#1#1#" + "#" * 3, 6)
    assert estimate(deduce(board, Frontier.of(board), LADDERS["exact"]).knowledge) is None
