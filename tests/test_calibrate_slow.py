"""Learning clients that take their time: boards that are loaded anew, cells that light up under the pointer."""

from dataclasses import replace

import numpy as np
import pytest

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.live.calibrate import calibrate_live, find_board
from sweepbot.calibrate.live.touch import Times
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.level import Level
from tests.fake_windows import FakeWindows
from tests.open_clients import LateOpeningDesktop
from tests.skins import Skin, SkinDesktop, mislabelled
from tests.slow_clients import HoveringDesktop, LoadingDesktop

LEVEL = Level(9, 9, 11)
GREY = (180, 180, 180)


def bevelled() -> Skin:
    """A skin whose hidden cells are of the page's colour but for the light and the shade at their edges."""
    plain = replace(Skin.of(4), pitch=32, gap=0, chequered=False, gradient=0, bevel=2, face=False)
    return replace(plain, ground=GREY, hidden=(GREY, GREY), opened=((120, 120, 120),) * 2)


def learned(desktop: SkinDesktop, clock: VirtualClock) -> Learned:
    """What is learned of a client in six games."""
    windows = None
    if isinstance(desktop, LoadingDesktop):
        windows = FakeWindows(desktop)
        windows.program = "chromium"
    desk = Desk(desktop, desktop, windows, clock)
    times, place = Times(quiet=0.05, limit=0.3, flash=0.1), find_board(desktop.grab())
    return calibrate_live(desk, place, max_games=6, times=times, tell=lambda _: None)


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
    desktop = HoveringDesktop(bevelled(), LEVEL)
    found = learned(desktop, clock)
    labels = {label.state: label.pictures for label in found.labels}
    assert not {"mine", "exploded"} & labels.keys()
    assert {"hidden", "0", "1", "2"} <= labels.keys()
    assert mislabelled(desktop, found.place, {state: labels[state] for state in ("0", "1", "2")}) == []


def test_a_new_board_whose_open_region_is_drawn_late_is_begun() -> None:
    """Boards that begin with an open region are told as new ones, though one of them was seen without it at first."""
    clock = VirtualClock()
    desktop = LateOpeningDesktop(replace(bevelled(), face=True), LEVEL, clock)
    found = learned(desktop, clock)
    assert found.stuck is None
    assert found.games > 2
