"""A simulated person who plays well except for planted blunders, to check reviews against."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sweepbot.board import Board, Phase, State
from sweepbot.demo.drawing import Smiley, draw
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.render.files import save_image
from sweepbot.review.grading import Grade
from sweepbot.solver import Decision, Solver

PLAINLY_WORSE = 0.1
"""How much more likely a planted guess is a mine than the best one: too much to be worth it."""

_GUESSES = 0.4
"""How often a bad guess is planted where one is possible."""


@dataclass
class Played:
    """A game as it was seen, and what was planted in it.

    Attributes:
        positions: One after each look.
        blunders: The cells opened by blunders, with their kinds.
        forced: The cells of good guesses.
        opened: The cells clicked, in order.
    """

    game: Game
    positions: list[Board] = field(default_factory=list)
    blunders: dict[Cell, Grade] = field(default_factory=dict)
    forced: list[Cell] = field(default_factory=list)
    opened: list[Cell] = field(default_factory=list)

    @property
    def clicks(self) -> int:
        return len(self.opened)


def played(level: str, seed: int, *, share: float = 0.15, most_between_looks: int = 1) -> Played:
    """Play a game.

    Args:
        level: The level.
        seed: Seed of the mines and the blunders.
        share: How often something certain is missed.
        most_between_looks: How many clicks a look may miss.
    """
    rng, solver = random.Random(seed), Solver()
    game = Game(Level.parse(level), FirstClick.SAFE, rng)
    story = Played(game, [game.board])
    first = rng.choice(list(game.board))
    game.open(first)
    story.opened.append(first)
    unseen = 0
    while not game.over:
        if not unseen:
            story.positions.append(game.board)
            unseen = rng.randint(1, most_between_looks)
        unseen -= 1
        decision = solver.decide(game.board)
        blunder = _blunder(game, decision, rng) if rng.random() < (share if decision.safe else _GUESSES) else None
        if blunder is not None:
            cell, grade = blunder
            story.blunders[cell] = grade
        else:
            assert decision.best is not None
            cell = rng.choice(decision.safe) if decision.safe else decision.best.cell
            if not decision.safe:
                story.forced.append(cell)
        game.open(cell)
        story.opened.append(cell)
    story.positions.append(game.board)
    assert game.phase in (Phase.WON, Phase.LOST)
    return story


def _blunder(game: Game, decision: Decision, rng: random.Random) -> tuple[Cell, Grade] | None:
    """A cell that nobody should open there, and why; None if there is none.

    It opens no flood: where a flood contains a certain cell, nobody can tell which cell was clicked.
    """
    chances, board = decision.mine_probability, game.board
    unsure = [
        cell
        for cell in board
        if 0 < chances[cell] < 1 and (cell in game.mines or game.mines & {*board.neighbours(cell)})
    ]
    if decision.mines and rng.random() < 0.1:
        return rng.choice(decision.mines), Grade.MINE
    if decision.safe:
        return (min(unsure, key=lambda cell: (chances[cell], cell)), Grade.MISSED) if unsure else None
    best = decision.best
    worse = [cell for cell in unsure if best and chances[cell] > best.mine_probability + PLAINLY_WORSE]
    return (rng.choice(worse), Grade.WORSE) if worse else None


def write_screenshots(folder: Path, positions: Sequence[Board]) -> None:
    """Write the demo's picture of each position as `1.png`, `2.png` and so on."""
    folder.mkdir()
    for number, board in enumerate(positions, start=1):
        left = (board.mines or 0) - board.count(State.FLAG)
        save_image(draw(board, left, 0, Smiley.SMILE, ()), folder / f"{number}.png")
