"""Compares exact chances with ms-toollib's in the same run: speed as a ratio, and differences.

python -m tools.bench.chances
"""

import random
import time
from collections.abc import Callable

import ms_toollib
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.solver import Solver
from sweepbot.solver.compiling import get_ready
from tools.boards import opened, opened_at_random, stuck_positions

Chances = NDArray[np.float64]


def grown_position(level: Level, share: float, seed: int) -> Board:
    """A board opened from the middle outwards, with the mines known, until a share of its safe cells is open."""
    rng = random.Random(seed)
    game = Game(level, FirstClick.OPEN, rng)
    game.open(Cell(level.rows // 2, level.columns // 2))
    while True:
        board = game.board
        is_open = board.cells < State.HIDDEN
        if is_open.sum() >= share * (board.cells.size - level.mines):
            return board
        beside = {other for cell in board if is_open[cell] for other in board.neighbours(cell) if not is_open[other]}
        for cell in sorted(beside - game.mines):
            if rng.random() < 0.5:
                game.open(cell)


def random_reveals(level: Level, share: float, seed: int) -> Board:
    """A board on which a share of the cells, chosen at random among those without mines, is open."""
    cells = int(share * level.rows * level.columns)
    return opened_at_random(level.rows, level.columns, level.mines, cells, random.Random(seed))[0]


def walled_position() -> Board:
    """78 border cells in one ring with 50 mines left: only the rim of a 20x25 board is open."""
    rng = random.Random(78)
    board = Board.hidden(20, 25, 50)
    rim = [cell for cell in board if cell.row in (0, 19) or cell.column in (0, 24)]
    return opened(board, rng.sample([cell for cell in board if cell not in rim], 50), rim)


def timed(chances: Callable[[Board], Chances], board: Board) -> tuple[float, Chances]:
    """The seconds of one call, and its result."""
    start = time.perf_counter()
    result = chances(board)
    return time.perf_counter() - start, result


def reference(board: Board) -> Chances:
    """The chances by ms-toollib, which writes 10 for a hidden cell."""
    cells = [[10 if state == State.HIDDEN else int(state) for state in row] for row in board.cells]
    assert board.mines is not None
    return np.asarray(ms_toollib.cal_probability_onboard(cells, board.mines)[0])


def compare(name: str, boards: list[Board]) -> None:
    """Time both on every board, print the comparison, and require that they agree and that ours is no slower."""
    get_ready()
    solver, ours, theirs, worst = Solver(), [], [], 0.0
    for board in boards:
        seconds, chances = timed(solver.probabilities, board)
        reference_seconds, known = timed(reference, board)
        ours.append(1e6 * seconds)
        theirs.append(1e6 * reference_seconds)
        worst = max(worst, float(np.abs(chances - known)[board.cells == State.HIDDEN].max()))
    ratio, ratio_p99 = np.mean(ours) / np.mean(theirs), np.quantile(ours, 0.99) / np.quantile(theirs, 0.99)
    print(
        f"\n{name}: {len(boards)} positions, mean {np.mean(ours):.0f} us, p99 {np.quantile(ours, 0.99):.0f} us; "
        f"ms-toollib {np.mean(theirs):.0f} us; ratio of means {ratio:.3f}, of p99 {ratio_p99:.3f}; "
        f"largest difference {worst:.1e}"
    )
    assert worst < 1e-9
    assert ratio <= 0.5
    assert ratio_p99 <= 1.0


LARGE_AND_DENSE = (
    *(("50x50/500", 0.5), ("100x100/2000", 0.5), ("100x100/2500", 0.5)),
    *(("30x16/99", 0.3), ("30x16/130", 0.4)),
)
"""Boards on which other solvers give up, and the shares of them that are open."""


def main() -> None:
    """Compare positions in which a player has to guess, large and dense boards, and a ring that takes a search long."""
    solver = Solver("exact")
    compare("expert, stuck", [board for board in stuck_positions(300) if not solver.decide(board).safe][:200])
    for level, share in LARGE_AND_DENSE:
        size = Level.parse(level)
        make = grown_position if size.rows >= 50 else random_reveals
        compare(f"{level}, {share:.0%} open", [make(size, share, seed) for seed in range(4)])
    compare("78 border cells, 50 mines", [walled_position()])


if __name__ == "__main__":
    main()
