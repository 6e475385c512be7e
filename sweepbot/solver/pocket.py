"""Closed pockets: parts of a position that the rest can tell nothing of, and that can tell nothing of the rest.

No undecided cell of a pocket has one outside as its neighbour, and it holds the same number of mines in every layout.
So it is a game of its own: how well it is played does not depend on when. Two cells with one mine between them behind a
wall of mines, the coin toss that nothing decides, are the smallest.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import count_layouts
from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.endgame import mines_to_come
from sweepbot.solver.frontier import read_frontier
from sweepbot.solver.puzzle import Puzzle


def closed_pocket(puzzle: Puzzle) -> Puzzle | None:
    """The first pocket of a puzzle that has other parts too, as a puzzle of its own."""
    part_of, parts = _parts(puzzle)
    for part in range(parts if parts > 1 else 0):
        pocket = _alone(puzzle, part_of, part)
        frontier = read_frontier(pocket.cells, pocket.around, puzzle.mines)
        if frontier.interior.size > 0:
            continue
        trellis = count_layouts(pocket.cells, frontier).trellis
        if trellis.complete:
            least, most = mines_to_come(trellis)
            if least[0] == most[0]:
                return pocket._replace(mines=int(least[0]))
    return None


@kernel
def _parts(puzzle: Puzzle) -> tuple[NDArray[np.int32], int]:
    """For each cell of a puzzle which part of it the cell is in, by steps to neighbours; and how many parts there are.

    Steps are listed from numbers to cells only, so parts that meet later are joined.
    """
    leader = np.empty(puzzle.cells.size, np.int32)
    for cell in range(leader.size):
        leader[cell] = cell
    for cell in range(leader.size):
        for i in range(puzzle.around[cell, 8]):
            one, other = _leader(leader, cell), _leader(leader, puzzle.around[cell, i])
            leader[max(one, other)] = min(one, other)
    part_of, parts = np.empty(leader.size, np.int32), 0
    for cell in range(leader.size):
        first = _leader(leader, cell)
        if first == cell:
            part_of[cell] = parts
            parts += 1
        else:
            part_of[cell] = part_of[first]
    return part_of, parts


@helper
def _leader(leader: NDArray[np.int32], cell: int) -> int:
    """The first cell of the part that a cell is in (union-find, Galler and Fisher 1964)."""
    while leader[cell] != cell:
        leader[cell] = leader[leader[cell]]
        cell = int(leader[cell])
    return cell


def _alone(puzzle: Puzzle, part_of: NDArray[np.int32], part: int) -> Puzzle:
    """One part of a puzzle as a puzzle of its own; its mines are not counted yet."""
    here = np.flatnonzero(part_of == part)
    name = np.cumsum(part_of == part, dtype=np.int32) - 1
    around, counts = puzzle.around[here], puzzle.around[here, 8:]
    around[:, :8] = name[np.where(np.arange(8) < counts, around[:, :8], 0)]
    return Puzzle(puzzle.cells[here], around, 0, puzzle.place[here])
