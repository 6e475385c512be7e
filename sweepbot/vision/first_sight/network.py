"""The network of first sight: pixels of a lattice of cells -> what each cell may show.

It has two halves. The eye, a few convolutions over the whole picture, turns each cell into features; `cv2.dnn` runs it.
The judge compares each cell with the cells around it, and with what four heads gather from all cells, since hidden and
open are told only against each other; it is a few products of matrices, done here. It judges twice: first in the
context of the whole lattice, then in that of the cells which are not outside the board.

`sweepbot/training` trains both on drawn boards.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import cv2
import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.pictures.board import CELL_PX
from sweepbot.vision.trust import Floats

STATES = 16
"""How many states there are for a cell: those of `State`, of which `UNKNOWN` stands for no cell of the board."""

HEADS, TONE = 4, 16  # that gather what a board's cells look like, and how many values each has of a cell
COLOUR_PARTS = 4  # of a cell, across and down, whose mean colours are features
FEWEST_OUTSIDE = 0.01  # the weight of a cell that is surely none, so that a board of such cells has a context, too
_LEAST_RANGE = 0.06  # of grey in a cell, in [0, 1], at which it is still stretched: less is noise


def prepare(lattice: Image) -> Floats:
    """Return what the eye takes: colours in [-0.5, 0.5], and grey stretched within each cell.

    Args:
        lattice: uint8 array of shape (rows * CELL_PX, columns * CELL_PX, 3), blue, green, red.

    Returns:
        float32 array of shape (4, height, width).
    """
    height, width = lattice.shape[:2]
    colours = lattice.astype(np.float32) / 255
    grey = colours @ np.array((0.11, 0.59, 0.3), np.float32)
    cells = grey.reshape(height // CELL_PX, CELL_PX, width // CELL_PX, CELL_PX)
    low, high, mean = (of(axis=(1, 3), keepdims=True) for of in (cells.min, cells.max, cells.mean))
    stretched = ((cells - mean) / (high - low + _LEAST_RANGE)).reshape(1, height, width)
    return np.concatenate([colours.transpose(2, 0, 1) - 0.5, stretched])


def softmax(values: Floats, axis: int) -> Floats:
    """Return exponentials that sum to 1 along an axis."""
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What the eye has seen of a lattice's cells.

    Attributes:
        seen: Of each cell itself, of shape (rows, columns, values).
        cells: The same, and of the cells around it.
    """

    seen: Floats
    cells: Floats


@dataclass(eq=False)
class Network:
    """A trained network.

    Attributes:
        weights: The judge's, by name, as `sweepbot.training.model` names them.
        eye: The eye.
    """

    weights: dict[str, Floats]
    eye: cv2.dnn.Net = field(repr=False)

    def look(self, lattice: Image) -> Features:
        """Look at a lattice of cells, a picture as `prepare` takes it."""
        prepared = prepare(lattice)
        self.eye.setInput(prepared[None])
        own = self.eye.forward()[0].transpose(1, 2, 0)
        part = CELL_PX // COLOUR_PARTS
        rows, columns = own.shape[:2]
        means = prepared[:3].reshape(3, rows, COLOUR_PARTS, part, columns, COLOUR_PARTS, part).mean((3, 6))
        seen = np.concatenate([own, means.transpose(1, 3, 0, 2, 4).reshape(rows, columns, -1)], axis=2)
        small = np.maximum(self._linear("small", seen), 0)
        padded = np.pad(small, ((1, 1), (1, 1), (0, 0)))
        around = np.concatenate([padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3)], axis=2)
        return Features(seen, np.concatenate([seen, np.maximum(self._linear("around", around), 0)], axis=2))

    def judge(self, features: Features) -> Floats:
        """Return the probability of each state for each cell, of shape (rows, columns, STATES)."""
        first = self._in_context(features, np.ones(features.seen.shape[:2], np.float32))
        outside = softmax(first, 2)[..., -1]
        return softmax(self._in_context(features, 1 - outside + FEWEST_OUTSIDE), 2)

    def _in_context(self, features: Features, weights: Floats) -> Floats:
        """Return the logits of all cells, compared with all cells by their weights."""
        cells = features.cells.reshape(-1, features.cells.shape[2])
        weight = weights.reshape(-1, 1)
        attention = softmax(self._linear("gate", cells) + np.log(weight), 0)
        tone = self._linear("tone", cells)
        pooled = attention.T @ tone
        differ = np.abs(tone[:, None] - pooled[None]).reshape(len(cells), -1)
        kinds = (np.maximum(self._linear("kind", cells), 0) * weight).sum(0) / weight.sum()
        board = np.concatenate([pooled.ravel(), kinds]) @ self.weights["board.weight"].T
        hidden = np.maximum(self._linear("own", np.concatenate([cells, differ], axis=1)) + board, 0)
        hidden = np.maximum(self._linear("middle", hidden), 0)
        eye = features.seen.reshape(len(cells), -1)
        return self._linear("last", np.concatenate([hidden, eye], axis=1)).reshape(*features.seen.shape[:2], STATES)

    def _linear(self, name: str, values: Floats) -> Floats:
        return np.asarray(values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"], dtype=np.float32)


@cache
def network() -> Network:
    """Return the network that comes with sweepbot, loaded once."""
    folder = files("sweepbot.vision.first_sight")
    with np.load(folder / "judge.npz") as stored:  # type: ignore[arg-type]
        weights = {name: stored[name] for name in stored.files}
    eye = cv2.dnn.readNetFromONNX(np.frombuffer((folder / "eye.onnx").read_bytes(), np.uint8))
    return Network(weights, eye)
