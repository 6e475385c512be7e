"""Learning clients that take their time: boards that are loaded anew, cells that light up under the pointer."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.live.touch import Times
from sweepbot.clock import VirtualClock
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Region
from sweepbot.level import Level
from tests.fake_windows import FakeWindows
from tests.skins import HoveringDesktop, OpenDesktop, Skin, SkinDesktop, fill, learn, looks, mislabelled, part

LEVEL = Level(9, 9, 11)
GREY = (180, 180, 180)


def bevelled() -> Skin:
    """A skin whose hidden cells are of the page's colour but for the light and the shade at their edges."""
    plain = replace(Skin.of(4), pitch=32, gap=0, chequered=False, gradient=0, bevel=2, face=False)
    return replace(plain, ground=GREY, hidden=(GREY, GREY), opened=((120, 120, 120),) * 2)


LOADS_S = 0.4
"""Seconds for which a page is being loaded."""


class LoadingDesktop(SkinDesktop):
    """A page that its browser loads anew at a key: a sign beside it turns at once, its board comes some time later.

    Args:
        skin: The look.
        level: Size and mines of the board.
        clock: The time.
        shows_ground: Whether the board gives way to its ground meanwhile; else the old one stays.
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
"""Seconds after which a busy client draws an open region: longer than a picture rests that is taken for the last."""


class LateOpeningDesktop(OpenDesktop):
    """One that draws the open region of its third board `OPENS_S` seconds after the board.

    Args:
        skin: The look.
        level: Size and mines of the board.
        clock: The time.
    """

    def __init__(self, skin: Skin, level: Level, clock: VirtualClock) -> None:
        self._clock = clock
        self._opens_s = 0.0
        super().__init__(skin, level)

    def shown(self) -> NDArray[np.uint8]:
        """The state that each cell shows."""
        cells = super().shown()
        if self._clock.now() < self._opens_s:
            cells[:] = State.HIDDEN
        return cells

    def _deal(self) -> None:
        super()._deal()
        if self.dealt == 3:
            self._opens_s = self._clock.now() + OPENS_S


class DarkeningDesktop(HoveringDesktop):
    """A client that lights up the hidden cell under the pointer, and after a loss only darkens its board."""

    def shown(self) -> NDArray[np.uint8]:
        """The state that each cell shows: no mine ever."""
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
    """What is learned of a client in six games."""
    windows = None
    if isinstance(desktop, LoadingDesktop):
        windows = FakeWindows(desktop)
        windows.program = "chromium"
    return learn(desktop, 6, Times(quiet=0.05, limit=0.3, flash=0.1), windows=windows, clock=clock)


@pytest.mark.parametrize("shows_ground", [False, True], ids=["late", "bare"])
def test_a_board_that_is_loaded_anew_is_waited_for(shows_ground: bool) -> None:  # noqa: FBT001
    """A key whose effect comes late is found, and what shows in between is no look of a hidden cell."""
    clock = VirtualClock()
    found = learned(LoadingDesktop(bevelled(), LEVEL, clock, shows_ground=shows_ground), clock)
    assert [way.key for way in found.behaviour.restart] == ["f5"]
    hidden = next(label for label in found.labels if label.state == "hidden")
    assert all(np.ptp(picture) > 0 for picture in hidden.pictures)


def test_a_cell_under_the_pointer_is_no_mine_that_was_hit() -> None:
    """Where the last that is seen of a lost game is a hidden cell under the pointer, that is not how mines look."""
    clock = VirtualClock()
    desktop = DarkeningDesktop(bevelled(), LEVEL)
    found = learned(desktop, clock)
    labels = looks(found).keys()
    assert not {"mine", "exploded"} & labels
    assert {"hidden", "0", "1", "2"} <= labels
    assert mislabelled(desktop, found, "0", "1", "2") == []


def test_a_new_board_whose_open_region_is_drawn_late_is_begun() -> None:
    """Boards that begin with an open region are told as new ones, though one of them was seen without it at first."""
    clock = VirtualClock()
    desktop = LateOpeningDesktop(replace(bevelled(), face=True), LEVEL, clock)
    found = learned(desktop, clock)
    assert found.stuck is None
    assert found.games > 2
