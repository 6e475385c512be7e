"""One drawn sample: a picture of a lattice of cells, with a board somewhere on it, and what each cell shows."""

import random

import numpy as np

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.training import boards, screens, surroundings
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.positions import States, position
from sweepbot.training.skins import skin
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.board import CELL_PX

ROWS = COLUMNS = 12  # of a sample's lattice: enough context for boards of any size
_MIN_CELLS = 5  # along each side of a board
_FLUSH_CHANCE = 0.4  # for a board to begin, or to end, with the lattice
_LOOKALIKE_CHANCE = 0.06
_ASTRAY_CELLS = (0.01, 0.01, 0.03, 0.08)  # standard deviations of a lattice's error
_MAX_ASTRAY_CELLS = 0.2


def sample(seed: int, kinds: Kinds) -> tuple[Image, States]:
    """Draw a sample.

    Returns:
        The rectified picture, uint8 of shape (rows * cell, columns * cell, 3), and what
        each cell shows, of shape (rows, columns): `UNKNOWN` where it is covered, or outside the board.
    """
    rng = random.Random(seed)
    drawn = skin(rng, kinds)
    labels = np.full((ROWS, COLUMNS), State.UNKNOWN, dtype=np.uint8)
    (top, bottom), (left, right) = _span(rng, ROWS), _span(rng, COLUMNS)
    cell = drawn.size
    if rng.random() < _LOOKALIKE_CHANCE:
        picture = surroundings.lookalike(rng, kinds, drawn, bottom - top, right - left)
    else:
        picture, states = boards.draw(rng, kinds, drawn, position(rng, bottom - top, right - left))
        labels[top:bottom, left:right] = states
    page_px = rng.choice((0, cell.side // 3, cell.side))
    around = (
        left * cell.width + page_px,
        top * cell.height + page_px,
        (COLUMNS - right) * cell.width + page_px,
        (ROWS - bottom) * cell.height + page_px,
    )
    picture = surroundings.place(rng, kinds, drawn, picture, around)
    height, width = picture.shape[:2]
    picture = screens.shown(rng, kinds, picture, cell.side)
    across, down = picture.shape[1] / width, picture.shape[0] / height
    pitch = cell.width * across, cell.height * down
    grid = Grid.uniform((page_px * across, page_px * down), pitch, ROWS, COLUMNS)
    grid, is_true = kinds.one(rng, "lattices")(rng, grid)
    labels = labels if is_true else np.full_like(labels, State.UNKNOWN)
    return grid.rectify(picture.astype(np.uint8), (CELL_PX, CELL_PX)), labels


def _span(rng: random.Random, count: int) -> tuple[int, int]:
    """Draw where a board begins and ends along one side of a lattice."""
    room = count - _MIN_CELLS
    before = 0 if rng.random() < _FLUSH_CHANCE else rng.choice((1, 1, 1, 2))
    after = 0 if rng.random() < _FLUSH_CHANCE else rng.choice((1, 1, 1, 1, 2, 2, rng.randint(1, room - before)))
    return before, count - min(after, room - before)


def _changed(grid: Grid, across: tuple[float, float], down: tuple[float, float]) -> Grid:
    """Move the first and the last line of a lattice by cells, and all between them in proportion."""

    def moved(lines: tuple[float, ...], by: tuple[float, float]) -> tuple[float, ...]:
        pitch = lines[1] - lines[0]
        return tuple((np.array(lines) + pitch * np.linspace(*by, len(lines))).tolist())

    return Grid(moved(grid.xs, across), moved(grid.ys, down))


@kind("lattices", 94)
def nearly_true(rng: random.Random, grid: Grid) -> tuple[Grid, bool]:
    """The lines between the cells, up to a fifth of a cell off, as a lattice that was found is."""
    deviation = rng.choice(_ASTRAY_CELLS)

    def off() -> tuple[float, float]:
        one, other = np.clip([rng.gauss(0, deviation) for _ in range(2)], -_MAX_ASTRAY_CELLS, _MAX_ASTRAY_CELLS)
        return float(one), float(other)

    return _changed(grid, off(), off()), True


@kind("lattices", 4)
def out_of_phase(rng: random.Random, grid: Grid) -> tuple[Grid, bool]:
    """Lines through the middle of cells, along one side or both: no cell of the board is there."""
    wrong, either = (rng.choice((-1, 1)) * rng.uniform(0.33, 0.5) for _ in range(2))
    other = rng.choice((0.0, 0.0, either))
    across, down = rng.choice(((wrong, other), (other, wrong)))
    return _changed(grid, (across, across), (down, down)), False


@kind("lattices", 2)
def of_another_pitch(rng: random.Random, grid: Grid) -> tuple[Grid, bool]:
    """Lines at half or twice the pitch of cells, or at another ratio: no cell of the board is there."""
    ratio = rng.choice((0.5, 0.5, 2.0, 2.0, 1.5, rng.uniform(0.55, 0.8)))
    pitch = grid.pitch[0] * ratio, grid.pitch[1] * (ratio if rng.random() < 0.7 else 1)
    middle = (grid.xs[0] + grid.xs[-1]) / 2, (grid.ys[0] + grid.ys[-1]) / 2
    origin = middle[0] - pitch[0] * grid.columns / 2, middle[1] - pitch[1] * grid.rows / 2
    return Grid.uniform(origin, pitch, grid.rows, grid.columns), False
