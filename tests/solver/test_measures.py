"""The measures of a board, against counts by hand and by ms-toollib."""

import random

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from sweepbot.board import around
from sweepbot.history import sum_up
from sweepbot.level import LEVELS, Level
from sweepbot.solver.measures import Measures, measure
from sweepbot.trace.events import Ended
from tests.test_history import game


def mines_of(text: str) -> NDArray[np.bool_]:
    return np.array([[character == "*" for character in line] for line in text.split()])


def dealt(level: Level, seed: int) -> NDArray[np.bool_]:
    mine = np.zeros(level.rows * level.columns, np.bool_)
    mine[random.Random(seed).sample(range(mine.size), level.mines)] = True
    return mine.reshape(level.rows, level.columns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("... ... ...", Measures(1, 1, 1, 1)),
        # Open an edge, flag, chord: five numbers. Then chord twice beside the rest. Starting in a corner saves less.
        ("... .*. ...", Measures(8, 0, 5, 6)),
        ("..* ... ...", Measures(1, 1, 1, 1)),  # the flood opens all numbers too
        ("**. ... ...", Measures(2, 1, 2, 2)),
        (".*.*.", Measures(3, 0, 3, 3)),
        ("**** *..* *..* ****", Measures(4, 0, 4, 4)),  # no chord is worth so many flags
    ],
)
def test_small_boards_are_measured_as_by_hand(text: str, expected: Measures) -> None:
    """3BV, openings and both kinds of ZiNi of boards that can be counted by hand."""
    assert measure(mines_of(text)) == expected


@pytest.mark.parametrize("level", LEVELS)
def test_measures_agree_with_those_of_ms_toollib(level: str) -> None:
    """3BV, openings, greedy and human ZiNi equal those of the library that judges replays."""
    reference = pytest.importorskip("ms_toollib", reason="ms-toollib, of the extra [videos], is not installed")
    for seed in range(20):
        mine = dealt(LEVELS[level], seed)
        board = np.where(mine, -1, around(mine).astype(int)).tolist()
        counts = [getattr(reference, f"cal_{name}")(board) for name in ("bbbv", "op", "zini", "hzini")]
        assert measure(mine) == tuple(counts)


def test_games_report_their_efficiency() -> None:
    """A won game's line names 3BV, ZiNi and their ratio to the clicks; the history has the median of wins."""
    ended = Ended(number=1, result="won", clicks=40, three_bv=50, openings=3, zini=38)
    assert str(ended) == "game 1 won after 40 clicks: 3BV 50, ZiNi 38, IOE 1.25"

    played = (("won", 40, 50), ("won", 40, 30), ("won", 50, 50), ("lost", 3, None))
    games = [replace(game(result), clicks=clicks, three_bv=three_bv) for result, clicks, three_bv in played]
    assert sum_up(games).efficiency == 1.0
    assert sum_up(games[3:]).efficiency is None
