"""Estimating what a screen does to colours, from a board whose cells are known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.vision.cells.colour import TRUE_COLOURS, estimate_colours
from tests.drawn_demo import draw_cell

DRAWN = np.hstack(
    [np.vstack([draw_cell(state) for state in row]) for row in ((0, 1, 2, 9), (3, 10, 12, 7), (4, 13, 0, 9))]
)
EVERYWHERE = np.ones(DRAWN.shape[:2], dtype=np.bool_)


def seen(gains: tuple[float, float, float], offset: float = 0) -> NDArray[np.uint8]:
    tinted: NDArray[np.uint8] = np.clip(np.rint(DRAWN * np.array(gains) + offset), 0, 255).astype(np.uint8)
    return tinted


@pytest.mark.parametrize(
    ("gains", "offset"),
    [((0.6, 0.85, 1), 0), ((0.4, 0.4, 0.4), 0), ((0.8, 0.8, 0.8), 25), ((0.5, 0.7, 0.9), 10)],
)
def test_tints_are_estimated_to_a_few_grey_levels(gains: tuple[float, float, float], offset: float) -> None:
    """Applying the estimated transform to a template gives the colours that were seen."""
    tinted = seen(gains, offset)
    colours = estimate_colours(tinted, DRAWN, EVERYWHERE)
    assert colours is not None
    assert np.abs(colours.apply(DRAWN).astype(int) - tinted).mean() < 4


def test_true_colours_stay_as_they_are() -> None:
    """Where colours have not changed, or only imperceptibly, there is no transform."""
    assert estimate_colours(DRAWN, DRAWN, EVERYWHERE) is TRUE_COLOURS
    assert estimate_colours(seen((0.99, 0.99, 0.99)), DRAWN, EVERYWHERE) is TRUE_COLOURS


def test_an_impossible_colour_change_gives_no_transform() -> None:
    """A negative picture, or a picture of something else, gives no transform."""
    assert estimate_colours(255 - DRAWN, DRAWN, EVERYWHERE) is None
    assert estimate_colours(np.full_like(DRAWN, 5), DRAWN, EVERYWHERE) is None


def test_without_known_cells_there_is_no_transform() -> None:
    """Without a single known cell there is no estimate."""
    assert estimate_colours(DRAWN, DRAWN, ~EVERYWHERE) is None


def test_contrast_is_estimated_from_hidden_cells_alone() -> None:
    """Where every cell is hidden, the edges of the cells separate contrast from brightness."""
    fresh = np.tile(draw_cell(9), (6, 6, 1))
    pale = np.rint(fresh * 0.6 + 50).astype(np.uint8)
    colours = estimate_colours(pale, fresh, np.ones(fresh.shape[:2], dtype=np.bool_))
    assert colours is not None
    assert np.abs(colours.apply(fresh).astype(int) - pale).max() < 16


@pytest.mark.parametrize(
    ("weights", "grey"),
    [((0.114, 0.587, 0.299), True), ((1 / 3, 1 / 3, 1 / 3), True), ((0.05, 0.1, 0.85), False)],
)
def test_greys_weighed_as_on_no_screen_are_rejected(weights: tuple[float, float, float], *, grey: bool) -> None:
    """A picture whose greys have impossible weights is rejected: red is not mistaken for light grey."""
    tinted = np.repeat(np.rint(DRAWN @ np.array(weights))[:, :, None], 3, axis=2).astype(np.uint8)
    colours = estimate_colours(tinted, DRAWN, EVERYWHERE)
    through = None if colours is None else colours.without_exceptions().apply(DRAWN).astype(int)
    assert grey == (through is not None and np.abs(through - tinted).max() < 24)
