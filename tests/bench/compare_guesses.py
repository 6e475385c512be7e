"""Compares the guesses of other versions of the solver with this version's, where they differ.

python -m tests.bench.compare_guesses ../changed ../bolder --rule safe --games 600

This version plays expert games. Wherever it chooses a guess by lookahead, each other checkout is asked for its guess,
and if that is another cell, both are valued by rollouts in the same layouts. A change is thus judged only by the
positions in which it matters: a few hundred games give ±0.1 points per game. How the game goes on after another guess
is ignored.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate import Deals, SeededDeals
from sweepbot.solver import Solver
from sweepbot.solver.flat_board import FlatBoard, flat_index
from tests.bench.rollouts import value_guesses

ANSWER = """
import sys
from sweepbot import Board, Solver
solver = Solver()
for line in sys.stdin:
    cell = solver.decide(Board.parse(line.replace("/", chr(10)), mines=int(sys.argv[1]))).best.cell
    print(cell.row, cell.column, flush=True)
"""
"""Run in another checkout: reads boards, whose rows are separated by slashes, and prints its guesses."""

Z95 = 1.96


def look_ahead_guesses(deals: Deals) -> Iterator[tuple[int, Board, int]]:
    """Play games; yield for each guess by lookahead the game's number, the position, and the chosen flat cell."""
    solver = Solver()
    for number in range(len(deals)):
        deal = deals.deal(number)
        game = deal.game
        game.open(deal.first)
        while not game.over:
            decision = solver.decide(game.board)
            best = decision.best
            if best is not None and best.reason == "best guess, by what it may show":
                yield number, game.board, flat_index(game.board, best.cell)
            for cell in decision.safe or ([] if best is None else [best.cell]):
                game.open(cell)


class OtherVersion:
    """Another checkout, whose solver runs in a process of its own."""

    def __init__(self, checkout: Path, mines: int) -> None:
        self.checkout = checkout
        command = [sys.executable, "-c", ANSWER, str(mines)]
        environment = os.environ | {"PYTHONPATH": str(checkout.resolve())}
        self._process = subprocess.Popen(
            command, cwd=checkout, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def guess(self, board: Board) -> int:
        """The flat cell that it would open."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("/".join(str(board).splitlines()) + "\n")
        self._process.stdin.flush()
        row, column = map(int, self._process.stdout.readline().split())
        return row * board.columns + column


def gains(board: Board, own: int, picks: Sequence[int], rollouts: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How much more each pick is worth than this version's, from -1 to 1; 0 where it is the same cell."""
    cells = np.array([own, *sorted(set(picks) - {own})], np.int32)
    if cells.size == 1:
        return np.zeros(len(picks))
    worth = value_guesses(FlatBoard.of(board), cells, rollouts, rng).mean(axis=0)
    return np.array([worth[cells == pick][0] - worth[0] for pick in picks])


def main() -> None:
    """Play, and print what each version's guesses gain, in points per game with a 95% interval over games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--rule", type=FirstClick, default=FirstClick.SAFE)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    level, rng = LEVELS["expert"], np.random.default_rng(words.seed)
    deals = SeededDeals(level, words.rule, words.games, words.seed)
    others = [OtherVersion(checkout, level.mines) for checkout in words.checkouts]
    gained, differing = np.zeros((words.games, len(others))), np.zeros(len(others), int)
    for number, board, own in look_ahead_guesses(deals):
        picks = [other.guess(board) for other in others]
        gained[number] += gains(board, own, picks, words.rollouts, rng)
        differing += np.array(picks) != own
    errors = Z95 * gained.std(axis=0, ddof=1) / words.games**0.5
    for other, gain, error, count in zip(others, gained.mean(axis=0), errors, differing, strict=True):
        print(f"{other.checkout}: {100 * gain:+.2f} ±{100 * error:.2f} points a game, {count} other guesses")  # noqa: T201


if __name__ == "__main__":
    main()
