"""TigerVNC's remote desktops, whose resolution follows the viewer's window."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweepbot.clock import SystemClock
from sweepbot.errors import DesktopError
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Decided, Event
from sweepbot.vision.calibration import find_calibration
from tests.live.conftest import need
from tests.live.runs import sweepbot
from tests.playing import Bot
from tools.live.display import Display, find_program, remote_display
from tools.waiting import wait_until

pytestmark = pytest.mark.live

SIZE = (21 * 16 + 31, 21 * 16 + 96)
"""xdemineur's window, 16x16, in pixels."""


@pytest.fixture
def remote() -> Iterator[Display]:
    """A remote desktop of the usual initial size, with xdemineur near its lower right corner."""
    need("Xvnc", "openbox", "xprop", "xwininfo", "xrandr", "xdotool", "xdemineur")
    command = [find_program("xdemineur") or "", "-geometry", "16x16", "-m", "40"]
    with remote_display(1600, 1200) as display, display.program(command) as client:
        window = display.wait_for_window(".*mineur", client, SIZE)
        change(display, "xdotool", "windowmove", "--sync", window.number, "1100", "650")
        display.wait_for_window(".*mineur", client, SIZE)
        yield display


def change(display: Display, *command: str) -> None:
    """Change the desktop as a person does."""
    subprocess.run(command, env=display.environment, check=True)


def test_a_client_on_a_remote_desktop_is_played(remote: Display) -> None:
    """`sweepbot play` without options finishes a game."""
    done = sweepbot(remote.environment, "play")
    assert done.returncode == 0, done.stderr
    assert "0 misreads" in done.stdout


def test_a_resolution_changed_in_mid_game_is_reported(remote: Display, tmp_path: Path) -> None:
    """Once the client is off the screen the error says why, and nothing beside it was clicked."""
    seen = tmp_path / "witnessed"

    def watch(event: Event) -> None:
        if isinstance(event, Decided):
            change(remote, "xrandr", "-s", "640x480")

    with remote.program([sys.executable, "-m", "tools.live.witness", str(seen)]), remote.adopted() as desk:
        wait_until(lambda: (seen.exists() and seen.read_text(encoding="ascii")) or None, "the witness")
        bot = Bot(
            desk.screen,
            desk.mouse,
            find_calibration("xdemineur"),
            tmp_path,
            windows=desk.windows,
            clock=SystemClock(),
            settings=PlaySettings(games=1, mines=40, learns=False),
            watch=watch,
        )
        with pytest.raises(DesktopError, match=r"was 1600x1200.* and is now 640x480"):
            bot.play(1)
    assert seen.read_text(encoding="ascii").splitlines()[1:] == []
    assert bot.results[0].result == "aborted"
