"""Learning a drawn client as `calibrate --live` does, and what of it was learned wrongly."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sweepbot.calibrate.learned import Learned
from sweepbot.clock import VirtualClock
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.windows import Windows
from sweepbot.errors import StoppedByUserError, StuckError, SweepbotError, UntrustedReadingError
from sweepbot.geometry import Cell, Image
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import unknown_client
from tests.playing import Bot
from tools.drawing.skins import SkinDesktop

WORDS = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
"""The mark of tests in which the words on a control are read."""


def learn(
    desktop: SkinDesktop | MemoryDesktop,
    games: int,
    *,
    windows: Windows | None = None,
    clock: VirtualClock | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Learned:
    """Learn the client in at most so many games, as `calibrate --live` does, with what has ended that, as `stuck`."""
    settings, client = PlaySettings(games=games, until_known=True), unknown_client("new")
    failed: SweepbotError | None = None
    with tempfile.TemporaryDirectory() as evidence:
        bot = Bot(desktop, desktop, client, Path(evidence), windows=windows, clock=clock, settings=settings, tell=tell)
        try:
            bot.play(games)
        except (StuckError, UntrustedReadingError, StoppedByUserError) as error:
            failed = error
    nowhere = Grid.uniform((0, 0), (16, 16), 9, 9)
    (learned,) = bot.learned or [Learned(nowhere, [], [], client.behaviour, {})]
    learned.stuck = failed
    return learned


def looks(learned: Learned) -> dict[str, list[Image]]:
    """The pictures of each state."""
    return {label.state: label.pictures for label in learned.labels}


def mislabelled(desktop: SkinDesktop, learned: Learned, *only: str, dims: bool = False) -> list[str]:
    """The names of states with a picture that the skin draws for another state, or never.

    `only` limits the states; with `dims` pictures may be half as bright.
    """
    place = learned.place
    skin, rows = desktop.skin, desktop.shown().shape[0]
    # Only the outermost lines may be a pixel off.
    dx, dy = (
        round(float(np.median(np.array(lines) - skin.pitch * np.arange(len(lines))))) - first
        for lines, first in ((place.xs, desktop.area.x), (place.ys, desktop.area.y))
    )
    rim = 2 + max(abs(dx), abs(dy))
    places = [Cell(row, column) for row in range(rows) for column in range(2)]
    drawn = {
        name: [skin.cell(state, cell, rows) // factor for cell in places for factor in range(1, 2 + dims)]
        for name, state in STATE_NAMES.items()
    }

    def shows(picture: Image, cell: Image) -> bool:
        inner = picture[rim:-rim, rim:-rim]
        height, width = inner.shape[:2]
        return np.array_equal(inner, cell[rim + dy : rim + dy + height, rim + dx : rim + dx + width])

    return [
        name
        for name, pictures in looks(learned).items()
        for picture in pictures
        if name in (only or STATE_NAMES)
        if not any(shows(picture, cell) for cell in drawn[name])
    ]
