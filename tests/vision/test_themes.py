"""Themes of minesweeper.online: Windows XP's figures in other colours."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES, find_calibration
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tests.vision.test_grounds import check
from tools.drawing.positions import page, position
from tools.drawing.recoloured import DARK, THEMES, Theme, recoloured
from tools.places import CALIBRATIONS

_FINER = 12  # cells are drawn so many times larger than templates, then reduced


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(find_calibration("minesweeper-online"))


def _light() -> dict[str, Image]:
    """The templates of the light theme, which are those of Windows XP's client."""
    return {name: load_image(CALIBRATIONS / "winxp" / f"{name}.png") for name in STATE_NAMES}


def draw_themed(theme: Theme | None, states: NDArray[np.uint8], pitch: float) -> Image:
    """A board in a theme, None for the light one, scaled as a browser does: uint8 (height, width, 3)."""
    shown = _light() if theme is None else recoloured(theme)
    figures = {
        STATE_NAMES[name]: picture.repeat(_FINER, axis=0).repeat(_FINER, axis=1) for name, picture in shown.items()
    }
    large = np.vstack([np.hstack([figures[int(state)] for state in row]) for row in states])
    size = round(states.shape[1] * pitch), round(states.shape[0] * pitch)
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


@pytest.mark.parametrize(("theme", "screen"), by_turns(THEMES, [(12, 1.0), (18, 0.7), (35, 0.45), (60, 1.0)]))
def test_dark_themes_are_read_at_any_zoom_and_brightness(theme: Theme, screen: tuple[float, float]) -> None:
    """A dark theme of 12 to 60 px a cell is identified and read, on a dimmed screen too."""
    pitch, light = screen
    drawn = position(9, 9, seed=round(pitch))
    drawn[drawn == State.FLAG] = State.MINE
    drawn[tuple(np.argwhere(drawn == State.HIDDEN)[0])] = State.EXPLODED
    picture = 255 - page(255 - draw_themed(theme, drawn, pitch))
    reading = boards_of_any_client((picture * light).astype(np.uint8))[0][0]
    assert reading.client == "minesweeper-online"
    check(reading.board, drawn)


def test_the_light_theme_is_read_by_the_sites_calibration(reader: Reader) -> None:
    """The site's calibration reads its themes and the light one, whose pictures are Windows XP's."""
    drawn = position(9, 9, seed=4)
    light = {
        STATE_NAMES[path.stem]: load_image(path)
        for path in (CALIBRATIONS / "winxp").glob("[0-9hf]*.png")
        if path.stem in STATE_NAMES
    }
    board = np.vstack([np.hstack([light[int(state)] for state in row]) for row in drawn]).astype(np.uint8)
    check(reader.read(page(board)).board, drawn, most_refused=0)
    check(reader.read(page(draw_themed(DARK, drawn, 24))).board, drawn)


@pytest.mark.parametrize(
    ("colour", "radius", "board"),
    by_turns(
        [(0, 0, 255), (0, 0, 0), (255, 255, 255), (60, 180, 60), (230, 160, 30), (0, 220, 255)],
        [0.35, 0.8],  # of a cell
        [(18, 2, DARK, 1), (24, 1, None, 2), (36, 3, DARK, 3), (48, 5, None, 4)],  # pitch, thickness, theme and seed
        one_in=5,
    ),
)
def test_a_ring_around_a_click_causes_no_misreading(
    reader: Reader, colour: tuple[int, int, int], radius: float, board: tuple[int, int, Theme | None, int]
) -> None:
    """Cells under a ring of any colour and width are read right or unread, and all others are read."""
    pitch, thick, theme, seed = board
    drawn = position(9, 9, seed)
    picture = draw_themed(theme, drawn, pitch)
    ringed = np.zeros(drawn.shape, dtype=np.bool_)
    for row, column in ((1, 1), (4, 6), (7, 3)):
        centre = round((column + 0.5) * pitch), round((row + 0.5) * pitch)
        cv2.circle(picture, centre, round(radius * pitch), colour, thick, cv2.LINE_AA)
        ringed[row - 1 : row + 2, column - 1 : column + 2] = True
    read = reader.read(page(picture)).board.cells
    believed = read != State.UNKNOWN
    assert (read[believed] == drawn[believed]).all()
    assert (read[~ringed] == drawn[~ringed]).mean() > 0.97


def test_templates_of_the_dark_themes_match_the_drawing() -> None:
    """The shipped templates are exactly what the drawing code in tests/ produces."""
    for theme in THEMES:
        for name, picture in recoloured(theme).items():
            shipped = load_image(CALIBRATIONS / "minesweeper-online" / f"{theme.name}-{name}.png")
            assert np.array_equal(shipped, picture)
