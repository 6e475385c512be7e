"""Clients as their first start shows them: default window and settings, animations, plain `play`."""

import subprocess
from pathlib import Path

import pytest

from sweepbot.level import Level
from tests.commands import result
from tests.live.conftest import need
from tests.live.runs import expect_games, playing
from tests.nightly import at_night
from tools.live.clients import CLIENTS, gnome_mines, kmines
from tools.live.display import Display, virtual_display

pytestmark = pytest.mark.live


def play_two(display: Display, home: Path) -> str:
    """Play two games of whatever is on a display without a misread; return what was said."""
    with playing(display.environment | {"XDG_STATE_HOME": str(home)}, "--games", "2") as bot:
        report, talk = result(bot, 0)
    expect_games(report, 2)
    return talk


@pytest.mark.parametrize("level", ["8x8/10", *at_night("16x16/40", "30x16/99")])
def test_gnome_mines_is_played(display: Display, tmp_path: Path, level: str) -> None:
    """GNOME Mines finishes both games, its best times are closed and its window is put back."""
    need("gnome-mines")
    with gnome_mines(display, Level.parse(level), size=None, theme="default") as window:
        said = play_two(display, tmp_path)
        (now,) = [other for other in display.windows() if other.number == window.number]
        assert now.region == window.region
    assert ("made the client's window larger" in said) == (level == "30x16/99")


@pytest.mark.parametrize(
    ("level", "theme"),
    [("9x9/10", "default"), *at_night(("16x16/40", "classic"), ("30x16/99", "default"))],
)
def test_kmines_is_played(display: Display, tmp_path: Path, level: str, theme: str) -> None:
    """KMines finishes both games, its message is waited for and its best times closed."""
    need("kmines", "dbus-daemon")
    with kmines(display, Level.parse(level), theme=theme, size=None):
        play_two(display, tmp_path)


@pytest.mark.nightly
def test_kmines_is_played_at_150_percent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ragged cells are read, in a larger window if necessary."""
    need("Xvfb", "openbox", "kmines", "dbus-daemon")
    monkeypatch.setenv("QT_SCALE_FACTOR", "1.5")
    with virtual_display() as display, kmines(display, Level.parse("16x16/40"), size=None):
        play_two(display, tmp_path)


@pytest.mark.nightly
def test_kmines_is_played_without_a_window_manager(tmp_path: Path) -> None:
    """The keyboard that a closed box leaves to nobody is given back to the client."""
    need("Xvfb", "kmines", "dbus-daemon")
    with virtual_display(managed=False) as display, kmines(display, Level.parse("9x9/10"), size=None):
        play_two(display, tmp_path)


@pytest.mark.nightly
def test_gnome_mines_is_played_with_text_twice_as_large(tmp_path: Path) -> None:
    """Large text cuts the board off exactly at a cell's edge; the whole board is played."""
    need("Xvfb", "openbox", "xprop", "gnome-mines")
    with virtual_display() as display:
        resources = ["-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", "Xft.dpi:\t192\n"]
        subprocess.run(["xprop", "-root", *resources], env=display.environment, check=True)
        with gnome_mines(display, Level.parse("16x16/40"), size=None, theme="default"):
            assert "made the client's window larger" in play_two(display, tmp_path)


@pytest.mark.parametrize(("client", "level"), [("sgt-mines", "16x16/40"), *at_night(("gnome-mines", "16x16/40"))])
def test_a_client_is_played_in_a_serif_font(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: str, level: str
) -> None:
    """Numbers with serifs, which no template has, are read; GNOME Mines' small ones in a larger window."""
    need("Xvfb", "openbox", client)
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(
        '<fontconfig><include>/etc/fonts/fonts.conf</include><match target="pattern">'
        '<edit name="family" mode="assign" binding="strong"><string>DejaVu Serif</string></edit></match></fontconfig>'
    )
    monkeypatch.setenv("FONTCONFIG_FILE", str(fonts))
    with virtual_display() as display:
        asked = Level.parse(level)
        started = (
            gnome_mines(display, asked, size=None, theme="default")
            if client == "gnome-mines"
            else CLIENTS[client].start(display, asked)
        )
        with started:
            play_two(display, tmp_path)
