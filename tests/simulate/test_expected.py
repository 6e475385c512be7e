from collections import Counter
from statistics import fmean

import numpy as np
import pytest

from sweepbot import Board
from sweepbot.geometry import Cell
from sweepbot.intervals import Z95
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import SeededDeals, compare, simulate, summarise
from sweepbot.simulate.expected import expected_outcome, redeal
from sweepbot.solver import Solver
from tests.brute_force import layouts_of
from tests.nightly import by_turns

POSITION = "1###\n1###\n####"


@pytest.mark.parametrize("free", [Cell(0, 1), Cell(2, 0), Cell(2, 3)])
def test_mines_are_redealt_uniformly(free: Cell) -> None:
    """Every layout that agrees with the position and frees the cell is equally likely."""
    board, rng = Board.parse(POSITION, mines=3), np.random.default_rng(4)
    layouts = {mines for mines in layouts_of(board) if free not in mines}
    dealt = Counter(redeal(board, free, rng).mines for _ in range(200 * len(layouts)))
    assert dealt.keys() == layouts
    assert all(abs(count - 200) < 5 * 200**0.5 for count in dealt.values())


def test_a_redealt_game_has_the_same_position() -> None:
    """The same cells are open, and nothing else."""
    board = Board.parse(POSITION, mines=3)
    assert str(redeal(board, Cell(2, 2), np.random.default_rng(1)).board) == str(board)


@pytest.mark.parametrize("method", by_turns(["best", "exact", "single-point"], one_in=3))
def test_expected_outcomes_have_the_win_rate_as_their_mean(method: str) -> None:
    """Over many games expected outcomes average to the win rate, and vary less."""
    games = 600
    summary = summarise(simulate(SeededDeals(Level.parse("6x6/7"), FirstClick.SAFE, games, 3), method, expected=True))
    assert summary.expected is not None
    assert max(summary.expected.outcomes) <= 1.0
    assert min(summary.expected.outcomes) >= 0.0
    luck = fmean((won == "1") - mean for won, mean in zip(summary.outcomes, summary.expected.outcomes, strict=True))
    assert abs(luck) < 4 * 0.5 / games**0.5
    widths = [high - low for low, high in (summary.ci95, summary.expected.ci95)]
    assert widths[1] < 0.8 * widths[0]


def test_a_game_without_a_guess_is_expected_to_be_won() -> None:
    """Without a guess the expected outcome is 1."""
    records = list(simulate(SeededDeals(Level.parse("9x9/10"), FirstClick.OPEN, 20), expected=True))
    certain = [record for record in records if record.won and not record.guesses]
    assert len(certain) > 5
    assert all(record.expected == 1.0 for record in certain)


def test_a_deal_has_one_expected_outcome() -> None:
    """Scoring a game again gives the same, won or lost."""
    deals = SeededDeals(Level.parse("8x8/14"), FirstClick.SAFE, 8, 1)
    scores = [[expected_outcome(deals.deal(number), Solver()) for number in range(8)] for _ in range(2)]
    assert scores[0] == scores[1]
    assert any(0.0 < score < 1.0 for score in scores[0])


def test_expected_outcomes_are_compared_board_by_board() -> None:
    """A method differs from itself by 0, and a stronger one by more, within a narrower interval."""
    deals = SeededDeals(Level.parse("9x9/14"), FirstClick.SAFE, 60, 2)
    best, weak = (summarise(simulate(deals, method, expected=True)) for method in ("best", "single-point"))
    assert compare(best, best).expected_ci95 == (0.0, 0.0)
    found = compare(best, weak)
    assert found.expected_ci95 is not None
    assert found.expected_ci95[0] > 0.0
    assert found.expected_ci95[1] - found.expected_ci95[0] < found.ci95[1] - found.ci95[0]


def test_intervals_are_those_of_the_normal_distribution() -> None:
    """The 95% interval is 1.96 standard errors on either side."""
    records = list(simulate(SeededDeals(Level.parse("6x6/7"), FirstClick.SAFE, 30, 3), expected=True))
    summary = summarise(records)
    assert summary.expected is not None
    values = summary.expected.outcomes
    mean = fmean(values)
    error = (sum((value - mean) ** 2 for value in values) / 29 / 30) ** 0.5
    assert summary.expected.ci95 == pytest.approx((mean - Z95 * error, mean + Z95 * error))
