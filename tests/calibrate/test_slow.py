"""Learning clients that take their time: reloading pages, cells that light up under the pointer."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.calibrate.learned import Learned
from sweepbot.clock import VirtualClock
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.reader import unknown_client
from tests.learning import learn, looks, mislabelled
from tests.nightly import by_turns
from tests.playing import Bot
from tests.standins.fake_windows import FakeWindows
from tools.drawing.skins import HoveringDesktop, OpenDesktop, Skin, SkinDesktop, fill, part

LEVEL = Level(9, 9, 11)
GREY = (180, 180, 180)


def bevelled() -> Skin:
    """A skin whose hidden cells have the page's colour except for their bevels."""
    plain = replace(Skin.of(3), pitch=32, gap=0, chequered=False, gradient=0, bevel=2, face=False)
    return replace(plain, ground=GREY, hidden=(GREY, GREY), opened=((120, 120, 120),) * 2)


LOADS_S = 0.4
"""Seconds that a page takes to load."""


class LoadingDesktop(SkinDesktop):
    """A page that reloads at a key: a sign changes at once, the board comes some time later.

    With `shows_ground` the board gives way to its ground meanwhile; otherwise the old one stays.
    """

    def __init__(self, skin: Skin, level: Level, clock: VirtualClock, *, shows_ground: bool) -> None:
        super().__init__(skin, level)
        self._clock = clock
        self._shows_ground = shows_ground
        self._loaded_s: float | None = None

    def grab(self, region: Region | None = None) -> Frame:
        if self._loaded_s is not None and self._clock.now() >= self._loaded_s:
            self._loaded_s = None
            self._deal()
        return super().grab(region)

    def draw_over(self, whole: Image) -> None:
        if self._loaded_s is not None:
            whole[4:12, 4:12] = 255
            if self._shows_ground:
                fill(whole, self.area, self.skin.ground)

    def press(self, key: str) -> None:
        if key == "f5":
            self._loaded_s = self._clock.now() + LOADS_S


OPENS_S = 0.4
"""Seconds until a busy client draws an open region: longer than a picture must rest."""


class LateOpeningDesktop(OpenDesktop):
    """Draws the open region of its third board `OPENS_S` seconds after the board."""

    def __init__(self, skin: Skin, level: Level, clock: VirtualClock) -> None:
        self._clock = clock
        self._opens_s = 0.0
        super().__init__(skin, level)

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if self._clock.now() < self._opens_s:
            cells[:] = State.HIDDEN
        return cells

    def _deal(self) -> None:
        super()._deal()
        if self.dealt == 3:
            self._opens_s = self._clock.now() + OPENS_S


class DarkeningDesktop(HoveringDesktop):
    """A client that lights up the hidden cell under the pointer, and darkens its board after a loss."""

    drawn_by = ("_position", "_is_lost")

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if self._is_lost:
            cells[cells > State.HIDDEN] = State.HIDDEN
        return cells

    @property
    def _is_lost(self) -> bool:
        return bool((self._game.board.cells == State.EXPLODED).any())

    def draw_over(self, whole: Image) -> None:
        super().draw_over(whole)
        if self._is_lost:
            part(whole, self.area)[:] //= 3


def learned(desktop: SkinDesktop, clock: VirtualClock) -> Learned:
    """What is learned in six games."""
    windows = None
    if isinstance(desktop, LoadingDesktop):
        windows = FakeWindows(desktop)
        windows.program = "chromium"
    return learn(desktop, 6, windows=windows, clock=clock)


class TickingDesktop(SkinDesktop):
    """A client whose header's clock touches the board, and looks otherwise whenever it is looked at."""

    looks = 0

    def draw_over(self, whole: Image) -> None:
        self.looks += 1
        part(whole, Region(self.area.x + 10, self.area.y - 12, 50, 13))[:, ::3] = self.looks * 37 % 200


def test_a_clock_that_touches_the_board_does_not_slow_it_down(tmp_path: Path) -> None:
    """Whether the board is at rest is judged by its cells."""
    desktop, clock = TickingDesktop(Skin.of(3), LEVEL), VirtualClock()
    Bot(desktop, desktop, unknown_client("new"), tmp_path, clock=clock, settings=PlaySettings(games=1)).finish(1)
    assert clock.now() < 10


@pytest.mark.parametrize("shows_ground", by_turns([True, False]), ids=["bare", "late"])
def test_a_reloading_board_is_waited_for(shows_ground: bool) -> None:  # noqa: FBT001
    """A key with a late effect is found, and what shows meanwhile is no look of a hidden cell."""
    clock = VirtualClock()
    found = learned(LoadingDesktop(bevelled(), LEVEL, clock, shows_ground=shows_ground), clock)
    assert [way.key for way in found.behaviour.restart] == ["f5"]
    hidden = next(label for label in found.labels if label.state == "hidden")
    assert all(np.ptp(picture) > 0 for picture in hidden.pictures)


def test_a_lit_cell_is_not_an_exploded_mine() -> None:
    """Where a loss shows only a hidden cell lit by the pointer, that is not the look of a mine."""
    clock = VirtualClock()
    desktop = DarkeningDesktop(bevelled(), LEVEL)
    found = learned(desktop, clock)
    labels = looks(found).keys()
    assert not {"mine", "exploded"} & labels
    assert mislabelled(desktop, found, "0", "1", "2") == []


def test_a_late_opening_region_belongs_to_a_new_board() -> None:
    """New boards are recognised even where the open region of one was drawn late."""
    clock = VirtualClock()
    desktop = LateOpeningDesktop(replace(bevelled(), face=True), LEVEL, clock)
    found = learned(desktop, clock)
    assert found.stuck is None
    assert found.games > 2
