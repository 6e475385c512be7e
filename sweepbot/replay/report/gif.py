"""A run as a moving picture, at the speed at which it ran, but for waits that nobody wants to watch."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from sweepbot.board import Board
from sweepbot.explaining import chances_to_show
from sweepbot.geometry import Image
from sweepbot.render.film import draw_click, save_film
from sweepbot.render.marks import marks
from sweepbot.replay.steps import Step
from sweepbot.trace.entries import Click

_MIN_STEP_MS, _MAX_STEP_MS = 120, 1500
"""For how long a step is shown: what is shorter cannot be followed, what is longer is a wait."""

_LAST_MS = 3000
"""For how long the end is shown."""

_CLICK_SHARE = 0.36  # of a cell: the radius of the mark of a click


def write_gif(steps: Iterable[Step], path: Path) -> None:
    """Write a film of these steps; those whose reading was not trusted are left out.

    Raises:
        ImageError: It cannot be written.
    """
    trusted = [step for step in steps if not step.read.doubt]
    save_film(list(_stills(trusted)), path)


def _stills(steps: list[Step]) -> Iterator[tuple[Image, int]]:
    for step, following in pairwise(steps):
        lasts = (following.rested - step.rested) // 1000
        yield drawn(step), min(max(lasts, _MIN_STEP_MS), _MAX_STEP_MS)
    if steps:
        yield drawn(steps[-1]), _LAST_MS


def drawn(step: Step) -> Image:
    """What was seen, with the marks of `demo` and `assist --overlay` and the clicks drawn over it: a new array."""
    image = step.image.copy()
    decision, grid = step.decided, step.grid
    if decision is None or grid is None:
        return image
    chances, board = np.array(decision.chances, dtype=np.float64), Board.parse(step.read.rows, step.read.mines)
    if np.isnan(chances).all():  # none were counted, as clicks followed from each other
        chances = chances_to_show(board)
    places = {cell: grid.region_of(cell) for cell in board if not np.isnan(chances[cell])}
    for mark in marks(board, chances, decision.best, places).values():
        image[mark.region.slices] = mark.image
    radius = max(2, round(_CLICK_SHARE * grid.pitch[0]))
    for act in step.acts:
        if isinstance(act, Click):
            draw_click(image, act.at[0] - step.region.x, act.at[1] - step.region.y, radius)
    return image
