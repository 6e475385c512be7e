"""Compares rules for choosing a guess, over logged guesses with the values of the other cells that could be opened.

python -m tests.bench.guess_bench log GUESSES.npz --rule safe --positions 1000 --rollouts 128   # hours of a core
python -m tests.bench.guess_bench judge GUESSES.npz

`log` plays games. Wherever a guess is chosen by lookahead, the chosen cell and the next best ones are valued by
rollouts in the same layouts. A rule gains the mean difference between the value of its picks and that of the chosen
cells, times the number of guesses per game. Rules that learn from rollouts choose by one half of them and are judged by
the other.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate import Deals, SeededDeals
from sweepbot.solver import Solver
from sweepbot.solver.chances import count_chances
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, flat_index, reduce_position
from sweepbot.solver.lookahead import CELLS_TRIED, best_openings, new_outlook
from tests.bench.rollouts import value_guesses

GUESSES = 6
"""The number of cells valued in each position, including the chosen one."""

SLOPE = 0.4
"""The share of a difference seen by lookahead that rollouts confirm."""

TRUE_SPREAD = 0.01
"""The standard deviation of the true values of such cells around that."""

Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Logged:
    """One guess; arrays have one entry per valued cell, the chosen cell first.

    Attributes:
        game: The number of the game.
        open_cells: The number of open cells.
        chance: The chance of a mine in each cell.
        ahead: The value of each cell by a lookahead of two openings.
        values: Shape (rollouts, cells).
    """

    game: int
    open_cells: int
    chance: NDArray[np.float64]
    ahead: NDArray[np.float64]
    values: NDArray[np.float64]


Choice = Callable[[Logged, NDArray[np.float64]], int]
"""A rule: from a guess and the half of the rollouts that it may learn from to the index of the cell it picks."""


def by_rollouts(guess: Logged, values: NDArray[np.float64]) -> int:
    """The highest mean, shrunk towards the lookahead according to the uncertainty of the rollouts."""
    gain = values - values[:, [0]]
    error = gain.std(axis=0) / len(gain) ** 0.5
    expected = SLOPE * (guess.ahead - guess.ahead[0])
    return int((expected + (gain.mean(axis=0) - expected) * TRUE_SPREAD**2 / (TRUE_SPREAD**2 + error**2)).argmax())


def second_by_the_look_ahead(guess: Logged, values: NDArray[np.float64]) -> int:  # noqa: ARG001  (the signature of all rules)
    """The second best by lookahead: shows how much there is to lose."""
    return min(1, len(guess.ahead) - 1)


def safest(guess: Logged, values: NDArray[np.float64]) -> int:  # noqa: ARG001  (the signature of all rules)
    """The lowest chance of a mine; among equals the one that lookahead prefers."""
    return int(guess.chance.round(9).argmin())


RULES: tuple[Choice, ...] = (by_rollouts, second_by_the_look_ahead, safest)


def main() -> None:
    """Log guesses, or judge the rules by the logged ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["log", "judge"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rule", type=FirstClick, default=FirstClick.SAFE)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--rollouts", type=int, default=128)
    parser.add_argument("--open-cells", type=int, default=0, help="log only guesses with at least this many open cells")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    if words.what == "judge":
        _judge(_read(words.file))
        return
    logged: list[Logged] = []
    for guess in log(words.rule, words.rollouts, words.open_cells, words.seed):
        logged.append(guess)
        if len(logged) % 50 == 0 or len(logged) >= words.positions:
            _write(words.file, logged)  # an interrupted log keeps what it has
        if len(logged) >= words.positions:
            break


def log(rule: FirstClick, rollouts: int, open_cells: int, seed: int) -> Iterator[Logged]:
    """Endless guesses of expert games in order, with at least a number of open cells."""
    rng = np.random.default_rng(seed)
    for number, board, chosen in look_ahead_guesses(SeededDeals(LEVELS["expert"], rule, 1_000_000, seed)):
        if (board.cells < HIDDEN).sum() < open_cells:
            continue
        yield _valued(number, board, chosen, rollouts, rng)


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


def _valued(game: int, board: Board, chosen: int, rollouts: int, rng: np.random.Generator) -> Logged:
    position = FlatBoard.of(board)
    _, log_layouts, chances = count_chances(position)
    puzzle = reduce_position(position, log_layouts, chances)
    outlook = new_outlook(puzzle)
    promising, _ = best_openings(outlook, 1, -1, CELLS_TRIED[0], -1.0)
    ahead = {int(puzzle.place[i]): float(best_openings(outlook, 2, i, 1, -1.0)[1][0]) for i in promising.tolist()}
    others = sorted((cell for cell in ahead if cell != chosen), key=lambda cell: -ahead[cell])
    guesses = np.array([chosen, *others][:GUESSES], np.int32)
    values = value_guesses(position, guesses, rollouts, rng)
    looked = np.array([ahead[int(cell)] for cell in guesses])
    return Logged(game, int((position.cells < HIDDEN).sum()), chances[guesses], looked, values)


def _judge(logged: list[Logged]) -> None:
    """Print what each rule gains, in points per game, with its 95% interval over games."""
    games = max(guess.game for guess in logged) + 1
    print(f"{len(logged)} guesses of {games} games, {len(logged[0].values)} rollouts each")  # noqa: T201
    for rule in RULES:
        gains, others = np.zeros(games), 0
        for guess in logged:
            half = len(guess.values) // 2
            for learn, judge in (
                (guess.values[:half], guess.values[half:]),
                (guess.values[half:], guess.values[:half]),
            ):
                pick = rule(guess, learn)
                others += pick != 0
                gains[guess.game] += (judge[:, pick] - judge[:, 0]).mean() / 2
        error = Z95 * gains.std(ddof=1) / games**0.5
        share = others / 2 / len(logged)
        print(f"{rule.__name__}: {100 * gains.mean():+.2f} ±{100 * error:.2f} points a game, other in {share:.0%}")  # noqa: T201


def _write(path: Path, logged: list[Logged]) -> None:
    with ZipFile(path, "w") as file:  # like numpy's savez, whose keywords cannot be numbers
        for i, guess in enumerate(logged):
            about = [np.full(len(guess.chance), value) for value in (guess.game, guess.open_cells)]
            with file.open(f"{i}.npy", "w") as array:
                np.lib.format.write_array(array, np.vstack([*about, guess.chance, guess.ahead, guess.values]))


def _read(path: Path) -> list[Logged]:
    with np.load(path) as file:
        tables = [file[str(i)] for i in range(len(file.files))]
    return [Logged(int(table[0, 0]), int(table[1, 0]), table[2], table[3], table[4:]) for table in tables]


if __name__ == "__main__":
    main()
