"""The look ahead against its definition, by enumerating layouts."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from sweepbot.board import Board, State, neighbours
from sweepbot.geometry import Cell
from sweepbot.solver.chances import count_chances
from sweepbot.solver.flat_board import FlatBoard, reduce_position
from sweepbot.solver.lookahead import SECOND_SHARE, Outlook, best_openings, new_outlook
from tools.boards import opened_at_random

ROWS, COLUMNS, MINES = 4, 5, 5
AROUND = neighbours(ROWS, COLUMNS)
Layouts = list[frozenset[Cell]]


def shown(layout: frozenset[Cell], cell: Cell) -> int:
    return len(layout.intersection(AROUND[cell]))


def agreeing(layouts: Layouts, cell: Cell, number: int) -> Layouts:
    return [layout for layout in layouts if cell not in layout and shown(layout, cell) == number]


def worth(layouts: Layouts, is_open: set[Cell], progress: float) -> float:
    """The value of a position where the look ahead ends."""
    chances = {cell: sum(cell in layout for layout in layouts) / len(layouts) for cell in AROUND if cell not in is_open}
    undecided = {cell for cell, chance in chances.items() if 0 < chance < 1}
    certain = [cell for cell, chance in chances.items() if chance == 0 and undecided.intersection(AROUND[cell])]
    living = sorted([0.0] * len(certain) + [chances[cell] for cell in undecided])
    if not living:
        return 1.0
    lowest, second = living[0], living[min(1, len(living) - 1)]
    return 1 - (1 - SECOND_SHARE) * lowest - SECOND_SHARE * second + progress * math.log1p(len(certain))


def value(layouts: Layouts, is_open: set[Cell], cell: Cell, progress: float) -> float:
    """A cell's value by looking one opening ahead."""
    after = [agreeing(layouts, cell, number) for number in range(9)]
    total = sum(len(part) / len(layouts) * worth(part, {*is_open, cell}, progress) for part in filter(None, after))
    return total if sum(map(bool, after)) > 1 else 0.99 * total


def outlook_of(board: Board) -> Outlook:
    position = FlatBoard.of(board)
    _, log_layouts, chances = count_chances(position)
    return new_outlook(reduce_position(position, log_layouts, chances))


@pytest.mark.parametrize("seed", range(20))
def test_no_skipped_cell_is_worth_more(seed: int) -> None:
    """Identical interior cells are tried once, and cells that cannot be best are skipped."""
    outlook = outlook_of(opened_at_random(10, 12, 25, 6, random.Random(seed))[0])
    hidden = np.flatnonzero(outlook.puzzle.position.cells == State.HIDDEN).tolist()
    worth = [best_openings(outlook, 1, place, 1, -1.0)[1][0] for place in hidden]
    _, values = best_openings(outlook, 1, -1, len(hidden), -1.0)
    assert values[0] == pytest.approx(max(worth), abs=1e-9)
    assert list(values) == sorted(values, reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_a_cells_value_follows_from_the_positions_after_it(seed: int) -> None:
    """Averaged over what it may show: the chances of the two safest informative cells."""
    rng = random.Random(seed)
    layouts = [frozenset(mines) for mines in combinations(AROUND, MINES)]
    mines, opened = rng.choice(layouts), set[Cell]()
    board = np.full((ROWS, COLUMNS), State.HIDDEN, dtype=np.uint8)
    for cell in rng.sample(sorted(AROUND.keys() - mines), rng.randrange(1, 5)):
        board[cell] = shown(mines, cell)
        opened.add(cell)
        layouts = agreeing(layouts, cell, shown(mines, cell))
    outlook = outlook_of(Board(board, MINES))
    for place, flat in enumerate(outlook.puzzle.place.tolist()):
        cell = Cell(*divmod(flat, COLUMNS))
        if cell not in opened and outlook.puzzle.chances[place] < 1:
            _, [found] = best_openings(outlook, 1, place, 1, -1.0)
            assert found == pytest.approx(value(layouts, opened, cell, outlook.progress), abs=1e-9)
