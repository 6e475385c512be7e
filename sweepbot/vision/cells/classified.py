"""What the cells of a board show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.cells.likeness import Floats
from sweepbot.vision.pictures.patches import Indices

BLANK = (0, State.HIDDEN)
"""States that show no figure."""

MINES = (State.MINE, State.EXPLODED)
"""States that show a mine."""

SURE_SCORE = 0.9
"""Least score of a cell that is exactly in its place and not covered."""

LEAST_RELIEF = 0.1
"""Least relief of a cell that is believed, see `Classified.reliefs`; a patch of a single colour has -1."""

LEAST_READABLE_SHARE = 0.5
"""Least share of readable cells of a board."""

_AS_DRAWN_SCORE = 0.96  # mean score: boards as clients draw them have at least 0.962, resized pictures up to 0.954


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """What the cells of a board show; all arrays have the same shape, for a whole board (rows, columns).

    Attributes:
        states: uint8, 0 to 8 or a `State`; `UNKNOWN` where the cell is not believed.
        templates: intp, the index of the best template.
        scores: float32 in [0, 1], the match score with that template.
        rivals: uint8, the second best state; `UNKNOWN` if that is a featureless patch.
        rival_scores: float32 in [0, 1], the match score of the rival.
        leads: float32, the lead over the second best state, as a share of the difference between the two templates.
        reliefs: float32, how far the cell is from being featureless, as a share of how far its template is: about 1
            if the template is the right one, and 1 if the template itself is featureless.
    """

    states: NDArray[np.uint8]
    templates: Indices
    scores: Floats
    rivals: NDArray[np.uint8]
    rival_scores: Floats
    leads: Floats
    reliefs: Floats

    def part(self, rows: slice, columns: slice) -> "Classified":
        """Return some rows and columns."""
        part = rows, columns
        return self._each(lambda of: of[part])

    def shaped(self, rows: int, columns: int) -> "Classified":
        """Return the arrays with another shape."""
        return self._each(lambda of: of.reshape(rows, columns))

    def some(self, which: Indices) -> "Classified":
        """Return some cells, of an array of shape (cells,)."""
        return self._each(lambda of: of[which])

    def with_line(self, above_below: tuple[int, int], left_right: tuple[int, int]) -> "Classified":
        """Pad the arrays with rows and columns that repeat the outermost ones."""
        return self._each(lambda of: np.pad(of, (above_below, left_right), mode="edge"))

    def _each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "Classified":
        return Classified(*map(change, self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, in the order of the attributes."""
        return self.states, self.templates, self.scores, self.rivals, self.rival_scores, self.leads, self.reliefs

    def replaced(self, which: Indices, by: "Classified") -> "Classified":
        """Replace some cells, numbered in reading order."""
        changed = self._each(np.copy)
        for own, other in zip(changed.arrays, by.arrays, strict=True):
            own.ravel()[which] = other.ravel()
        return changed

    @property
    def believed(self) -> NDArray[np.bool_]:
        """Which cells are believed."""
        believed: NDArray[np.bool_] = self.states != State.UNKNOWN
        return believed

    @property
    def agreement(self) -> float:
        """The sum of the scores of the cells that are believed."""
        return float(np.where(self.believed, self.scores, 0).sum())

    @property
    def confidence(self) -> float:
        """The mean score of all cells, in [0, 1]; one that is not believed counts as 0."""
        return self.agreement / self.states.size

    @property
    def readable(self) -> float:
        """The share of cells that are believed."""
        return float(np.mean(self.believed))

    @property
    def is_as_drawn(self) -> bool:
        """Whether enough cells for a board are believed, with scores that only pictures as clients draw them have."""
        return self.readable >= LEAST_READABLE_SHARE and self.agreement >= _AS_DRAWN_SCORE * self.believed.sum()

    @property
    def is_settled(self) -> bool:
        """Whether all cells are believed, as clients draw them: no other look or place needs to be tried."""
        return bool(self.believed.all()) and self.is_as_drawn


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """What some cells show by other signs than a match of pixels; all arrays have the shape (cells,).

    Attributes:
        states: uint8, `UNKNOWN` if no state is believed.
        templates: intp, the index of the template with their ground and ink.
        scores: float32 in [0, 1].
    """

    states: NDArray[np.uint8]
    templates: NDArray[np.intp]
    scores: Floats
