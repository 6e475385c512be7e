"""The look ahead against its definition, worked out by listing layouts."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from sweepbot.board import Board, State, neighbours
from sweepbot.geometry import Cell
from sweepbot.solver.chances import count_chances
from sweepbot.solver.frontier import flat_cells, neighbour_table
from sweepbot.solver.lookahead import SECOND, best_openings, new_outlook
from sweepbot.solver.puzzle import reduce_position

ROWS, COLUMNS, MINES = 4, 5, 5
AROUND = neighbours(ROWS, COLUMNS)
Layouts = list[frozenset[Cell]]


def shown(layout: frozenset[Cell], cell: Cell) -> int:
    return len(layout.intersection(AROUND[cell]))


def agreeing(layouts: Layouts, cell: Cell, number: int) -> Layouts:
    return [layout for layout in layouts if cell not in layout and shown(layout, cell) == number]


def worth(layouts: Layouts, is_open: set[Cell], progress: float) -> float:
    """What a position is worth where the look ends."""
    chances = {cell: sum(cell in layout for layout in layouts) / len(layouts) for cell in AROUND if cell not in is_open}
    undecided = {cell for cell, chance in chances.items() if 0 < chance < 1}
    certain = [cell for cell, chance in chances.items() if chance == 0 and undecided.intersection(AROUND[cell])]
    living = sorted([0.0] * len(certain) + [chances[cell] for cell in undecided])
    if not living:
        return 1.0
    lowest, second = living[0], living[min(1, len(living) - 1)]
    return 1 - (1 - SECOND) * lowest - SECOND * second + progress * math.log1p(len(certain))


def value(layouts: Layouts, is_open: set[Cell], cell: Cell, progress: float) -> float:
    """What a cell is worth by one opening."""
    after = [agreeing(layouts, cell, number) for number in range(9)]
    total = sum(len(part) / len(layouts) * worth(part, {*is_open, cell}, progress) for part in filter(None, after))
    return total if sum(map(bool, after)) > 1 else 0.99 * total


@pytest.mark.parametrize("seed", range(12))
def test_a_cell_is_worth_what_the_positions_after_it_are(seed: int) -> None:
    """By one opening: over what it may show, the chances of the two safest cells that may teach something."""
    rng = random.Random(seed)
    layouts = [frozenset(mines) for mines in combinations(AROUND, MINES)]
    mines, opened = rng.choice(layouts), set[Cell]()
    board = np.full((ROWS, COLUMNS), State.HIDDEN, dtype=np.uint8)
    for cell in rng.sample(sorted(AROUND.keys() - mines), rng.randrange(1, 5)):
        board[cell] = shown(mines, cell)
        opened.add(cell)
        layouts = agreeing(layouts, cell, shown(mines, cell))
    position, table = flat_cells(Board(board, MINES)), neighbour_table(ROWS, COLUMNS)
    _, log_layouts, chances = count_chances(position, table, MINES)
    puzzle = reduce_position(position, table, MINES, chances)
    outlook = new_outlook(puzzle, log_layouts, chances[puzzle.place])
    for place, flat in enumerate(puzzle.place.tolist()):
        cell = Cell(*divmod(flat, COLUMNS))
        if cell not in opened and chances[flat] < 1:
            _, [found] = best_openings(outlook, 1, place, 1, -1.0)
            assert found == pytest.approx(value(layouts, opened, cell, outlook.progress), abs=1e-9)
