"""The start of a game: corners until an opening is found."""

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from tests.solver.boards import best_move

REASON = "no opening yet: the next corner"


def expert(shown: dict[tuple[int, int], int]) -> Board:
    """An expert board with these cells open."""
    cells = np.full((16, 30), State.HIDDEN, dtype=np.uint8)
    for place, state in shown.items():
        cells[place] = state
    return Board(cells, 99)


@pytest.mark.parametrize(
    ("numbers", "corner"),
    [
        ({(0, 0): 1}, (0, 29)),
        ({(0, 0): 2}, (0, 29)),
        ({(0, 29): 1}, (0, 0)),
        ({(0, 0): 1, (0, 29): 1}, (15, 0)),
        ({(0, 0): 1, (0, 29): 3, (15, 0): 2}, (15, 29)),
    ],
)
def test_until_a_zero_is_open_the_next_corner_is_opened(
    numbers: dict[tuple[int, int], int], corner: tuple[int, int]
) -> None:
    """Where all other cells are alike, the first corner without a number beside it is opened."""
    best = best_move(expert(numbers))
    assert best.cell == Cell(*corner)
    assert best.reason == REASON


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param({(0, 0): 1, (0, 2): 1}, id="a safer cell at the numbers"),
        pytest.param({(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 3}, id="a zero is open"),
        pytest.param({(0, 0): 1, (0, 29): 1, (15, 0): 1, (15, 29): 1}, id="no corner is left"),
        pytest.param({(0, 0): 1, (0, 29): 1, (15, 0): 1, (14, 28): 1}, id="a number is beside the last corner"),
    ],
)
def test_elsewhere_the_look_ahead_decides(numbers: dict[tuple[int, int], int]) -> None:
    """Once there is something to reason about, or no free corner is safest, the look ahead decides."""
    best = best_move(expert(numbers))
    assert best.reason == "best guess, by what it may show"


def test_a_flagged_corner_is_not_opened() -> None:
    """A flagged corner is skipped for the next one."""
    best = best_move(expert({(0, 0): 1, (0, 29): State.FLAG}))
    assert best.cell == Cell(15, 0)
