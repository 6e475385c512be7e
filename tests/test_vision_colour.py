"""What a screen does to colours is found again from a board of which it is known what it shows."""

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
def test_tints_are_told_to_a_few_grey_levels(gains: tuple[float, float, float], offset: float) -> None:
    """A template put through the transform looks as it was seen, in every colour of it."""
    tinted = seen(gains, offset)
    colours = estimate_colours(tinted, DRAWN, EVERYWHERE)
    assert colours is not None
    assert np.abs(colours.apply(DRAWN).astype(int) - tinted).mean() < 4


def test_true_colours_stay_as_they_are() -> None:
    """Where nothing was changed, or by less than can be seen, there is no transform."""
    assert estimate_colours(DRAWN, DRAWN, EVERYWHERE) is TRUE_COLOURS
    assert estimate_colours(seen((0.99, 0.99, 0.99)), DRAWN, EVERYWHERE) is TRUE_COLOURS


def test_what_no_screen_does_is_not_explained() -> None:
    """A negative picture, or one of another thing, gives no transform."""
    assert estimate_colours(255 - DRAWN, DRAWN, EVERYWHERE) is None
    assert estimate_colours(np.full_like(DRAWN, 5), DRAWN, EVERYWHERE) is None


def test_nothing_known_gives_nothing() -> None:
    """Without a cell that is known there is no estimate."""
    assert estimate_colours(DRAWN, DRAWN, ~EVERYWHERE) is None


def test_a_board_of_one_shade_tells_how_pale_it_is() -> None:
    """Where every cell is hidden, contrast and brightness are told apart by the edges of the cells."""
    fresh = np.tile(draw_cell(9), (6, 6, 1))
    pale = np.rint(fresh * 0.6 + 50).astype(np.uint8)
    colours = estimate_colours(pale, fresh, np.ones(fresh.shape[:2], dtype=np.bool_))
    assert colours is not None
    assert np.abs(colours.apply(fresh).astype(int) - pale).max() < 16


@pytest.mark.parametrize(
    ("weights", "grey"),
    [((0.114, 0.587, 0.299), True), ((1 / 3, 1 / 3, 1 / 3), True), ((0.05, 0.1, 0.85), False)],
)
def test_a_screen_in_grey_is_told_from_one_that_shows_red_alone(
    weights: tuple[float, float, float], *, grey: bool
) -> None:
    """A picture whose greys are weighed as on no screen is another look: a red is not taken for a light grey."""
    tinted = np.repeat(np.rint(DRAWN @ np.array(weights))[:, :, None], 3, axis=2).astype(np.uint8)
    colours = estimate_colours(tinted, DRAWN, EVERYWHERE)
    through = None if colours is None else colours.without_exceptions().apply(DRAWN).astype(int)
    assert grey == (through is not None and np.abs(through - tinted).max() < 24)
