"""Ends of runs on an X11 display: the display goes, the terminal goes, and what was played is kept."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.x11.mouse import X11Mouse
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point
from sweepbot.history import games
from sweepbot.level import Level
from tests.commands import heed_hang_up, result, until_game
from tests.live.conftest import need
from tests.live.runs import playing
from tests.user_folders import user_folders
from tools.live.clients import sgt_mines, xdemineur
from tools.live.display import virtual_display

pytestmark = pytest.mark.live

MAX_S = 5.0
"""To close what is open; a clean-up that waits for an answer waits without end."""


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_no_clean_up_waits_for_a_display_that_does_not_answer(
    fate: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the server is gone, as the mouse has noticed, or hangs: closing takes seconds, and no core."""
    with virtual_display(managed=False) as display:
        monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])
        mouse = X11Mouse()
        os.kill(display.server.pid, fate)
        if fate == signal.SIGKILL:
            with pytest.raises(DesktopError, match=r"has ended: (\[Errno|Display connection closed)"):  # noqa: PT012  (any call)
                while True:  # it shows at one of the next calls
                    mouse.move(Point(5, 5))
        began_s, spent_s = time.monotonic(), time.process_time()
        mouse.close()
        assert time.monotonic() - began_s < MAX_S
        assert time.process_time() - spent_s < MAX_S / 5
        os.kill(display.server.pid, signal.SIGCONT)


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_window_is_not_put_back_on_a_display_that_does_not_answer(*, is_interrupted: bool) -> None:
    """What has ended the run is said within seconds, even if python-xlib was interrupted in the middle of a call."""
    need("sgt-mines")
    beginner = Level.parse("beginner")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    with virtual_display() as display, sgt_mines(display, beginner) as shown, display.adopted() as desk:
        window = ClientWindow(desk)
        window.adopt(shown.region)
        next(window.enlarge())
        os.kill(display.server.pid, signal.SIGSTOP)
        began_s = time.monotonic()
        try:
            with suppress(KeyboardInterrupt), window.restored():
                if is_interrupted:
                    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
                    window.take_keyboard()
                raise KeyboardInterrupt
            assert time.monotonic() - began_s < 2 * MAX_S
        finally:
            signal.signal(signal.SIGINT, before)
            os.kill(display.server.pid, signal.SIGCONT)


@pytest.mark.parametrize("how", ["hang-up", "closed output"])
def test_what_was_played_is_in_the_history(how: str, tmp_path: Path) -> None:
    """Games that were finished before the terminal or the output went are kept."""
    need("xdemineur")
    is_hang_up = how == "hang-up"
    before = heed_hang_up if is_hang_up else partial(os.close, 1)
    games_to_play = "500" if is_hang_up else "1"
    with (
        virtual_display() as display,
        xdemineur(display, Level.parse("16x16/40")),
        playing(display.environment | user_folders(tmp_path), "--games", games_to_play, before=before) as bot,
    ):
        if is_hang_up:
            until_game(bot)
            bot.send_signal(signal.SIGHUP)
        result(bot, 5 if is_hang_up else 1)
    assert len(games(file=tmp_path / "sweepbot" / "games.sqlite")) >= 1


def test_a_limit_on_the_size_of_files_does_not_prevent_looking() -> None:
    """Under `ulimit -f` a picture of the screen is taken without shared memory."""
    look = "from sweepbot.desktop.mss_screen import DesktopScreen as S; s = S(); print(s.grab().image.shape); s.close()"
    with virtual_display(managed=False) as display:
        done = subprocess.run(
            [sys.executable, "-c", look],
            env=display.environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        )
    assert done.stdout.strip() == "(1200, 1600, 3)", done.stderr
