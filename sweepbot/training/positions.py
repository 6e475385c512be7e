"""Positions of every stage of a game, as arrays of `State`."""

import random

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around

_MINE_SHARES = (0.1, 0.13, 0.16, 0.18, 0.2, 0.2, 0.25, 0.3, 0.4, 0.55)  # of usual levels, and of harder ones
_FLAGGED_SHARES = (0, 0.3, 0.7, 1, 1)  # of the mines beside open cells
_CARELESS_SHARES = (0, 0, 0.05, 0.1, 0.2)  # of hidden cells, flagged wherever they are
_OPENINGS = (1, 2, 4, 8, 15, 30, 60, 99)

States = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def position(rng: random.Random, rows: int, columns: int) -> States:
    """Draw a position of shape (rows, columns): fresh, played, lost or won, now and then one that no game shows."""
    chance = np.random.default_rng(rng.getrandbits(32))
    mines = _mines(rng, chance, rows, columns)
    numbers = around(mines)
    stage = rng.choices(("fresh", "played", "lost", "won"), (12, 54, 23, 11))[0]
    opened = np.zeros_like(mines)
    if stage != "fresh":
        times = rows * columns if stage == "won" or rng.random() < 0.25 else rng.choice(_OPENINGS)
        _open(rng, opened, mines, numbers, times)
    states = np.where(opened, numbers, State.HIDDEN).astype(np.uint8)
    _mark(rng, chance, states, opened, mines)
    if stage == "won":
        states[mines] = rng.choice((State.FLAG, State.FLAG, State.FLAG, State.HIDDEN, State.MINE))
    if stage == "lost":
        _lose(rng, chance, states, mines, numbers)
    if rng.random() < 0.07:
        anything = chance.integers(0, State.UNKNOWN, mines.shape).astype(np.uint8)
        states = np.where(chance.random(mines.shape) < 0.5, anything, states)
    return states


def _mines(rng: random.Random, chance: np.random.Generator, rows: int, columns: int) -> Mask:
    """Lay mines, some of them crowded for the sake of high numbers."""
    mines: Mask = chance.random((rows, columns)) < rng.choice(_MINE_SHARES)
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 3)):
            row, column = rng.randrange(1, rows - 1), rng.randrange(1, columns - 1)
            mines[row - 1 : row + 2, column - 1 : column + 2] = chance.random((3, 3)) < 0.88
            mines[row, column] = False
    return mines


def _open(rng: random.Random, opened: Mask, mines: Mask, numbers: States, times: int) -> None:
    """Open safe cells in place, zeros with all around them, as most clients do."""
    safe = [tuple(cell) for cell in np.argwhere(~mines).tolist()]
    rng.shuffle(safe)
    floods = rng.random() < 0.93
    for cell in safe[:times]:
        todo = [cell]
        while todo:
            row, column = todo.pop()
            if opened[row, column]:
                continue
            opened[row, column] = True
            if floods and numbers[row, column] == 0:
                rows = range(max(0, row - 1), min(len(mines), row + 2))
                columns = range(max(0, column - 1), min(mines.shape[1], column + 2))
                todo += [(r, c) for r in rows for c in columns if not opened[r, c]]


def _mark(rng: random.Random, chance: np.random.Generator, states: States, opened: Mask, mines: Mask) -> None:
    """Put flags and question marks on hidden cells in place."""
    front = (around(opened) > 0) & ~opened
    states[mines & front & (chance.random(mines.shape) < rng.choice(_FLAGGED_SHARES))] = State.FLAG
    states[~opened & (chance.random(mines.shape) < rng.choice(_CARELESS_SHARES))] = State.FLAG
    if rng.random() < 0.18:
        states[~opened & (chance.random(mines.shape) < rng.choice((0.05, 0.2)))] = State.QUESTION


def _lose(rng: random.Random, chance: np.random.Generator, states: States, mines: Mask, numbers: States) -> None:
    """Show the mines of a lost game in place, one of them exploded, flags that were wrong, sometimes all cells."""
    shown = mines & ((states != State.FLAG) | (rng.random() < 0.15))
    if rng.random() < 0.2:  # some clients show only the mine that was hit
        shown &= chance.random(mines.shape) < rng.choice((0.02, 0.1))
    wrong = (states == State.FLAG) & ~mines
    states[shown] = State.MINE
    if rng.random() < 0.7:
        states[wrong] = State.WRONG_FLAG
    if shown.any() and rng.random() < 0.92:  # some clients draw the mine that was hit like the others
        row, column = rng.choice(np.argwhere(shown).tolist())
        states[row, column] = State.EXPLODED
    if rng.random() < 0.15:
        everything = (states == State.HIDDEN) & ~mines
        states[everything] = numbers[everything]
