"""What the cells of a board show, and what every way to tell that has in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.likeness import Floats

Indices = NDArray[np.intp]

BLANK = (0, State.HIDDEN)
"""States that show no figure."""

MINES = (State.MINE, State.EXPLODED)
"""States that show a mine."""

SURE_SCORE = 0.9
"""A cell that agrees so well is in its place, and nothing covers it."""

LEAST_RELIEF = 0.1
"""How far a cell must be from being featureless, see `Classified.reliefs`; a patch of a single colour has -1."""

_SETTLED = 0.95  # the average score of cells beyond doubt


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """What the cells of a board show; all arrays have the same shape, for a whole board (rows, columns).

    Attributes:
        states: uint8, 0 to 8 or a `State`; `UNKNOWN` where the cell is not believed.
        templates: intp, the number of the best template.
        scores: float32 in [0, 1], how far the cell agrees with that.
        rivals: uint8, the state that came nearest to being believed instead; `UNKNOWN` where that is none, but a
            featureless patch.
        rival_scores: float32 in [0, 1], how far the cell agrees with that.
        reliefs: float32, how far the cell is from being featureless, as a share of how far its template is; about 1
            where it is what it seems to be, 1 where its template is itself featureless.
    """

    states: NDArray[np.uint8]
    templates: Indices
    scores: Floats
    rivals: NDArray[np.uint8]
    rival_scores: Floats
    reliefs: Floats

    def part(self, rows: slice, columns: slice) -> "Classified":
        """The same of some rows and columns only."""
        part = rows, columns
        return self._each(lambda of: of[part])

    def shaped(self, rows: int, columns: int) -> "Classified":
        """The same with another shape."""
        return self._each(lambda of: of.reshape(rows, columns))

    def some(self, which: Indices) -> "Classified":
        """The same of some cells only, of an array of shape (cells,)."""
        return self._each(lambda of: of[which])

    def with_line(self, above_below: tuple[int, int], left_right: tuple[int, int]) -> "Classified":
        """The same with so many more rows and columns at the sides, as which the outermost ones are repeated."""
        return self._each(lambda of: np.pad(of, (above_below, left_right), mode="edge"))

    def _each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "Classified":
        return Classified(
            change(self.states),
            change(self.templates),
            change(self.scores),
            change(self.rivals),
            change(self.rival_scores),
            change(self.reliefs),
        )

    def replaced(self, which: Indices, by: "Classified") -> "Classified":
        """The same with other findings for some cells, numbered in reading order."""
        changed = self._each(np.copy)
        changed.states.ravel()[which] = by.states.ravel()
        changed.templates.ravel()[which] = by.templates.ravel()
        changed.scores.ravel()[which] = by.scores.ravel()
        changed.rivals.ravel()[which] = by.rivals.ravel()
        changed.rival_scores.ravel()[which] = by.rival_scores.ravel()
        changed.reliefs.ravel()[which] = by.reliefs.ravel()
        return changed

    @property
    def believed(self) -> NDArray[np.bool_]:
        """Which cells are believed."""
        believed: NDArray[np.bool_] = self.states != State.UNKNOWN
        return believed

    @property
    def agreement(self) -> float:
        """How many cells are believed, weighed by how well they agree."""
        return float(np.where(self.believed, self.scores, 0).sum())

    @property
    def readable(self) -> float:
        """The share of cells that are believed."""
        return float(np.mean(self.believed))

    @property
    def is_settled(self) -> bool:
        """Whether all cells are believed and agree so well that no other look or place needs to be tried."""
        return bool(self.believed.all()) and float(self.scores.mean()) >= _SETTLED


class Templates(Protocol):
    """What cells are compared with, pixel by pixel."""

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a template."""

    @property
    def of_template(self) -> NDArray[np.uint8]:
        """The state that each shows: of shape (templates,)."""

    @property
    def images(self) -> Image:
        """As they were calibrated: of shape (templates, height, width, 3)."""

    @property
    def looks(self) -> Image:
        """As the screen shows them, of the same shape."""

    @property
    def cutoff(self) -> float:
        """Grey levels from which on two pixels of this screen are simply different."""

    @property
    def brightness(self) -> float:
        """How large differences of colours are on this screen, 1 where it changes nothing."""

    def cells(self, board: Image, size: tuple[int, int], which: Indices, shift: tuple[int, int] = (0, 0)) -> Image:
        """Cells of a rectified board as they are compared with the templates: see `cut` for the arguments."""

    def reconsider(self, board: Image, size: tuple[int, int], which: Indices) -> Classified:
        """Look at cells in full that something speaks against, and believe only what leads clearly."""
