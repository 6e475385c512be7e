"""Which state each cell shows: template matching with a score, a rival's score, and the right to refuse.

A cell is compared with every template of a calibration. The measure is the share of the cell that agrees: the largest
difference of the three channels of a pixel, cut off at `CUTOFF` so that a pointer or a ring drawn over a part of the
cell costs no more than the part it covers. Two things must hold for a cell to be believed: it must agree with its
template, and the best state must lead the runner-up by a fair part of what sets the two states' templates apart.
A featureless patch is always among the rivals, so that the plain face of a dialog is not taken for an open cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.calibration import Template

CUTOFF = 64.0
"""Grey levels from which on two pixels are simply different."""

LEAST_SCORE = 0.5
"""A cell that agrees with its template on less than this share is not believed."""

LEAST_LEAD = 0.35
"""The lead over the runner-up that a cell needs, as a share of what sets the templates of both apart."""

SURE_SCORE = 0.97
"""A cell that agrees so well, where it is expected to be, is not looked at again a pixel off."""

FLAT = 0.03
"""A template is itself featureless where it is set apart from a single colour by less than this share."""

MARGIN = 1
"""Pixels by which a cell may lie off its place, at scale 1."""

Pixels = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """What the cells of a board show; all arrays have shape (rows, columns).

    Attributes:
        states: uint8, 0 to 8 or a `State`; `UNKNOWN` where the cell is not believed.
        scores: float32 in [0, 1], how far the cell agrees with the best template.
        rivals: uint8, the runner-up's state.
        rival_scores: float32 in [0, 1], how far the cell agrees with the runner-up's best template.
    """

    states: NDArray[np.uint8]
    scores: NDArray[np.float32]
    rivals: NDArray[np.uint8]
    rival_scores: NDArray[np.float32]

    def part(self, rows: slice, columns: slice) -> "Classified":
        """The same of some rows and columns only."""
        part = rows, columns
        return Classified(self.states[part], self.scores[part], self.rivals[part], self.rival_scores[part])

    @property
    def readable(self) -> float:
        """The share of cells that are believed."""
        return float(np.mean(self.states != State.UNKNOWN))


class Classifier:
    """Compares cells with the templates of one calibration.

    Args:
        templates: At least two states, all of the same size.
    """

    def __init__(self, templates: Sequence[Template]) -> None:
        self._height, self._width = templates[0].image.shape[:2]
        self._states = np.array(sorted({template.state for template in templates}))
        self._template_states = np.array([template.state for template in templates])
        self._templates = np.stack(
            [template.image.transpose(2, 0, 1).astype(np.float32).ravel() for template in templates]
        )
        self._squares = np.einsum("ij,ij->i", self._templates, self._templates)
        self._gaps = self._gaps_between_states()
        self._flat_gaps = 1 - _agreement(self._templates, _flattened(self._templates))

    def classify(self, board: NDArray[np.uint8], rows: int, columns: int) -> Classified:
        """Tell what each cell of a rectified board shows.

        Args:
            board: uint8 array of shape (rows * cell height + 2 * MARGIN, columns * cell width + 2 * MARGIN, 3), the
                cells at the templates' size with `MARGIN` pixels around the board.
            rows: Cells from top to bottom.
            columns: Cells from left to right.
        """
        cells = self._cut(board, rows, columns, (0, 0))
        scores, templates = self._score(cells, _RIVALS)
        doubtful = np.flatnonzero(scores.max(axis=1) < SURE_SCORE)
        scores[doubtful] = 0
        for shift in _SHIFTS if doubtful.size else ():
            shifted = self._cut(board, rows, columns, shift)[doubtful]
            shifted_scores, shifted_templates = self._score(shifted, len(self._states))
            better = shifted_scores.max(axis=1) > scores[doubtful].max(axis=1)
            chosen = doubtful[better]
            cells[chosen] = shifted[better]
            scores[chosen], templates[chosen] = shifted_scores[better], shifted_templates[better]
        return self._judge(cells, scores, templates, (rows, columns))

    def _cut(self, board: NDArray[np.uint8], rows: int, columns: int, shift: tuple[int, int]) -> Pixels:
        """All cells in reading order, taken `shift` = (x, y) pixels from their place: shape (cells, 3 * pixels)."""
        left, top = MARGIN + shift[0], MARGIN + shift[1]
        inner = board[top : top + rows * self._height, left : left + columns * self._width]
        tiles = inner.reshape(rows, self._height, columns, self._width, 3).transpose(0, 2, 4, 1, 3)
        return tiles.reshape(rows * columns, -1).astype(np.float32)

    def _score(self, cells: Pixels, rivals: int) -> tuple[Pixels, NDArray[np.intp]]:
        """Measure each cell against the `rivals` states with the least squared difference.

        Returns:
            The agreement with each state, 0 where it was not measured, and the template of the state that comes
            nearest; both of shape (cells, states).
        """
        # The cell's own square is the same for all its rivals, and left out.
        squared = self._squares - 2 * cells @ self._templates.T
        nearest = np.empty((len(cells), len(self._states)), dtype=np.intp)
        for index, state in enumerate(self._states):
            of_state = np.flatnonzero(self._template_states == state)
            nearest[:, index] = of_state[np.argmin(squared[:, of_state], axis=1)]
        distance = np.take_along_axis(squared, nearest, axis=1)
        scores = np.zeros(nearest.shape, dtype=np.float32)
        everyone = np.arange(len(cells))
        for state_index in np.argsort(distance, axis=1)[:, :rivals].T:
            scores[everyone, state_index] = _agreement(cells, self._templates[nearest[everyone, state_index]])
        return scores, nearest

    def _judge(self, cells: Pixels, scores: Pixels, templates: NDArray[np.intp], shape: tuple[int, int]) -> Classified:
        everyone = np.arange(len(cells))
        order = np.argsort(scores, axis=1)
        best, second = order[:, -1], order[:, -2]
        best_score, second_score = scores[everyone, best], scores[everyone, second]
        believed = (best_score >= LEAST_SCORE) & (best_score - second_score >= LEAST_LEAD * self._gaps[best, second])
        flat_gap = self._flat_gaps[templates[everyone, best]]
        maybe_flat = np.flatnonzero((best_score < SURE_SCORE) & (flat_gap >= FLAT))
        flat_score = _agreement(cells[maybe_flat], _flattened(cells[maybe_flat]))
        believed[maybe_flat] &= best_score[maybe_flat] - flat_score >= LEAST_LEAD * flat_gap[maybe_flat]
        return Classified(
            np.where(believed, self._states[best], State.UNKNOWN).astype(np.uint8).reshape(shape),
            best_score.reshape(shape),
            self._states[second].astype(np.uint8).reshape(shape),
            second_score.reshape(shape),
        )

    def _gaps_between_states(self) -> Pixels:
        """For each pair of states, what sets their most alike templates apart: shape (states, states)."""
        gaps = np.zeros((len(self._states),) * 2, dtype=np.float32)
        for i, one in enumerate(self._states):
            for j, other in enumerate(self._states):
                gaps[i, j] = 1 - max(
                    float(_agreement(a[None], b[None])[0])
                    for a in self._templates[self._template_states == one]
                    for b in self._templates[self._template_states == other]
                )
        return gaps


_RIVALS = 2  # a cell that plainly agrees with its template is measured against one rival only
_SHIFTS = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1))


def _agreement(cells: Pixels, templates: Pixels) -> Pixels:
    """The share on which cells agree with templates, row by row of (cells, 3 * pixels): in [0, 1], shape (cells,)."""
    blue, green, red = _channels(np.abs(cells - templates))
    difference = np.maximum(np.maximum(blue, green), red)
    agreement: Pixels = 1 - np.minimum(difference, CUTOFF).mean(axis=1) / CUTOFF
    return agreement


def _flattened(cells: Pixels) -> Pixels:
    """Each cell with all its pixels in its own median colour."""
    return np.hstack([np.broadcast_to(np.median(c, axis=1, keepdims=True), c.shape) for c in _channels(cells)])


def _channels(cells: Pixels) -> tuple[Pixels, Pixels, Pixels]:
    """Blue, green and red of cells of shape (cells, 3 * pixels), which holds one channel after the other."""
    blue, green, red = np.hsplit(cells, 3)
    return blue, green, red
