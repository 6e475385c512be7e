"""The network of first sight: pixels of a lattice of cells -> what each cell may show.

It has two halves. The eye, a few convolutions over the whole picture, turns each cell into features; `cv2.dnn` runs it.
The judge compares each cell with the cells around it, and with what four heads gather from all cells, since hidden and
open are told only against each other; it is a few products of matrices, done here. It judges several times, each time
having heard what it said before: of the cell itself, of its neighbours, as the rules bind them, of the cells that look
like it, and how near the cell is to the mean of those that were taken for each state. Cells that were found to be
outside the board no longer count.

`sweepbot/training` trains both on drawn boards.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import cv2
import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.pictures.board import CELL_PX
from sweepbot.vision.trust import Floats

STATES = 16
"""How many states there are for a cell: those of `State`, of which `UNKNOWN` stands for no cell of the board."""

HEADS, TONE = 4, 16  # that gather what a board's cells look like, and how many values each has of a cell
KEY = 24  # values of a cell, by whose distance it is like another
JUDGEMENTS = 3
HEARD = 4 * STATES  # values that a cell hears of the judgement before
NEIGHBOURS = 4.0  # by which what is heard of eight neighbours is divided, to be of the size of a chance
MAX_OTHERS = 1000  # cells that each is compared with, evenly spread: all of any usual board
FEW_CELLS = 0.1  # beside which cells taken for a state count, so that a state of none has a mean
COLOUR_PARTS = 4  # of a cell, across and down, whose mean colours are features
MIN_OUTSIDE = 0.01  # the weight of a cell that is surely none, so that a board of such cells has a context, too
LATTICE_ODDS = 0.2
"""Odds that a cell of a lattice found on a board is none of the board's, one in six or so, over those in training."""

_MIN_RANGE = 0.06  # of grey in a cell, in [0, 1], at which it is still stretched: less is noise


def prepare(lattice: Image) -> Floats:
    """Return what the eye takes: colours in [-0.5, 0.5], and grey stretched within each cell.

    Args:
        lattice: uint8 array of shape (rows * CELL_PX, columns * CELL_PX, 3), blue, green, red.

    Returns:
        float32 array of shape (4, height, width).
    """
    planes = np.ascontiguousarray(lattice.transpose(2, 0, 1)).astype(np.float32) / 255
    blue, green, red = planes
    grey = 0.11 * blue + 0.59 * green + 0.3 * red
    low, high = (_in_cells(of, grey, CELL_PX)[:, None, :, None] for of in (np.minimum, np.maximum))
    mean = _in_cells(np.add, grey, CELL_PX)[:, None, :, None] / CELL_PX**2
    cells = grey.reshape(low.shape[0], CELL_PX, low.shape[2], CELL_PX)
    stretched = ((cells - mean) / (high - low + _MIN_RANGE)).reshape(1, *grey.shape)
    return np.concatenate([planes - 0.5, stretched])


def _in_cells(of: np.ufunc, values: Floats, side: int) -> Floats:
    """Return the least, the greatest or the sum in each square of `side` pixels: the last two dimensions shrink."""
    rows, columns = values.shape[-2] // side, values.shape[-1] // side
    down = of.reduce(values.reshape(*values.shape[:-2], rows, side, columns * side), axis=-2)
    return np.asarray(of.reduce(down.reshape(*down.shape[:-1], columns, side), axis=-1), dtype=np.float32)


def softmax(values: Floats, axis: int) -> Floats:
    """Return exponentials that sum to 1 along an axis."""
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """What is known of the cells of a lattice before they are judged; all arrays begin with the dimension of cells.

    Attributes:
        shape: Rows and columns.
        seen: What the eye has seen of each.
        gate: How much each counts for each head.
        tone: What is compared with what the heads gather.
        kind: What is averaged over the board.
        own: The part of the judgement that depends on the cell and those around it alone.
        others: Those that each is compared with.
        alike: How much each of these looks like it, the sum being 1.
    """

    shape: tuple[int, int]
    seen: Floats
    gate: Floats
    tone: Floats
    kind: Floats
    own: Floats
    others: slice
    alike: Floats


@dataclass(eq=False)
class Network:
    """A trained network.

    Attributes:
        weights: The judge's, by name, as `sweepbot.training.model` names them.
        eye: The eye.
    """

    weights: dict[str, Floats]
    eye: cv2.dnn.Net = field(repr=False)

    def judge(self, lattice: Image) -> Floats:
        """Return the probability of each state for each cell of a lattice.

        Args:
            lattice: A picture as `prepare` takes it.

        Returns:
            float32 array of shape (rows, columns, STATES).
        """
        cells = self._look(prepare(lattice))
        says = np.zeros((len(cells.seen), STATES), np.float32)
        heard, inside = np.zeros((len(says), HEARD), np.float32), np.ones((len(says), 1), np.float32)
        for judgement in range(JUDGEMENTS):
            if judgement:
                heard, inside = _hear(cells, says), 1 - says[:, -1:] + MIN_OUTSIDE
            pooled = softmax(np.asarray(cells.gate + np.log(inside)), 0).T @ cells.tone
            differ = np.abs(cells.tone[:, None] - pooled[None]).reshape(len(says), -1)
            kinds = (cells.kind * inside).sum(0) / inside.sum()
            board = np.concatenate([pooled.ravel(), kinds, says.mean(0)]) @ self.weights["board.weight"].T
            of_context = self.weights["own.weight"][:, -HEADS * TONE :]
            hidden = cells.own + differ @ of_context.T + board + heard @ self.weights["heard.weight"].T
            hidden = np.maximum(self._linear("middle", np.maximum(hidden, 0)), 0)
            says = softmax(self._linear("last", np.concatenate([hidden, cells.seen], axis=1)), 1)
        return says.reshape(*cells.shape, STATES)

    def _look(self, prepared: Floats) -> _Cells:
        self.eye.setInput(prepared[None])
        own = self.eye.forward()[0].transpose(1, 2, 0)
        rows, columns = own.shape[:2]
        part = CELL_PX // COLOUR_PARTS
        means = _in_cells(np.add, prepared[:3], part).reshape(3, rows, COLOUR_PARTS, columns, COLOUR_PARTS) / part**2
        seen = np.concatenate([own, means.transpose(1, 3, 0, 2, 4).reshape(rows, columns, -1)], axis=2)
        beside = np.concatenate(_beside(np.maximum(self._linear("small", seen), 0)), axis=2)
        cells = np.concatenate([seen, np.maximum(self._linear("around", beside), 0)], axis=2).reshape(
            rows * columns, -1
        )
        gate, tone, kind, keys = (self._linear(name, cells) for name in ("gate", "tone", "kind", "key"))
        of_own = cells @ self.weights["own.weight"][:, : -HEADS * TONE].T + self.weights["own.bias"]
        others = slice(None, None, -(-len(cells) // MAX_OTHERS))
        squares = (keys**2).sum(1)
        apart = squares[:, None] + squares[None, others] - 2 * keys @ keys[others].T
        alike = softmax(-np.maximum(apart, 0), 1)
        flat = seen.reshape(len(cells), -1)
        return _Cells((rows, columns), flat, gate, tone, np.maximum(kind, 0), of_own, others, alike)

    def _linear(self, name: str, values: Floats) -> Floats:
        return np.asarray(values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"], dtype=np.float32)


def _beside(cells: Floats) -> list[Floats]:
    """Return, for cells of shape (rows, columns, values), those of the nine places around and at each."""
    rows, columns = cells.shape[:2]
    padded = np.pad(cells, ((1, 1), (1, 1), (0, 0)))
    return [padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3)]


def _hear(cells: _Cells, says: Floats) -> Floats:
    """Return what each cell hears of a judgement, of shape (cells, HEARD)."""
    beside = np.sum(_beside(says.reshape(*cells.shape, STATES)), axis=0).reshape(says.shape) - says
    means = says.T @ cells.tone / (says.sum(0)[:, None] + FEW_CELLS)
    off = np.abs(cells.tone[:, None] - means[None]).mean(2)
    return np.concatenate([says, beside / NEIGHBOURS, cells.alike @ says[cells.others], off], axis=1)


@cache
def network() -> Network:
    """Return the network that comes with sweepbot, loaded once."""
    return load(files("sweepbot.vision.first_sight"))


def load(folder: Traversable) -> Network:
    """Load the weights that a training has written into a folder."""
    with np.load(folder / "judge.npz") as stored:  # type: ignore[arg-type]
        weights = {name: stored[name] for name in stored.files}
    eye = cv2.dnn.readNetFromONNX(np.frombuffer((folder / "eye.onnx").read_bytes(), np.uint8))
    return Network(weights, eye)


def weighed(chances: Floats, odds: float) -> Floats:
    """Return chances if cells that are none of a board's are so many times as likely as was thought."""
    changed = chances.copy()
    changed[..., -1] *= odds
    return np.asarray(changed / changed.sum(axis=2, keepdims=True), dtype=np.float32)
