"""Real desks: other keyboards, resized windows, and games taken over."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.trace.entries import Grab
from sweepbot.trace.events import Shows
from sweepbot.trace.trace import SeenScreen, open_trace
from tests.commands import result, until_game
from tests.live.conftest import need
from tests.live.runs import expect_games, expect_replay, playing
from tests.nightly import by_turns
from tools.live.clients import gnome_mines, kmines, sgt_mines
from tools.live.display import Display, Window, virtual_display
from tools.waiting import wait_until

pytestmark = pytest.mark.live


@pytest.fixture
def desk() -> Iterator[Display]:
    """A display of the test's own, so that keyboard changes are gone with it."""
    need("Xvfb", "openbox", "setxkbmap", "xdotool")
    with virtual_display() as display:
        yield display


def xdotool(display: Display, *words: str) -> None:
    """Act as a person would."""
    subprocess.run(["xdotool", *words], env=display.environment, check=True, capture_output=True)


def fill_screen(display: Display, window: Window) -> None:
    """Make a window full screen, as its window manager's own key would, and wait for it."""
    display.add_state(window.number, "FULLSCREEN")
    width = display.region.width

    def is_full() -> bool | None:
        return any(it.number == window.number and it.region.width == width for it in display.windows()) or None

    wait_until(is_full, "the full screen")


def keymap(display: Display) -> bytes:
    """The meaning of every key."""
    command = ["xkbcomp", display.environment["DISPLAY"], "-"]
    return subprocess.run(command, env=display.environment, check=True, capture_output=True).stdout


def started(client: str, display: Display) -> AbstractContextManager[Window]:
    """A client on its smallest board."""
    if client == "sgt-mines":
        return sgt_mines(display, Level.parse("9x9/10"))
    if client == "kmines":
        return kmines(display, Level.parse("9x9/10"), size=None)
    return gnome_mines(display, Level.parse("8x8/10"), size=None)


@pytest.mark.parametrize(
    ("client", "layout"),
    by_turns(["sgt-mines", "kmines", "gnome-mines"], [("ru",), ("us,el", "-option", "grp:alt_shift_toggle")], one_in=3),
)
def test_a_keyboard_without_latin_letters_begins_new_games(
    desk: Display, tmp_path: Path, client: str, layout: tuple[str, ...]
) -> None:
    """Where the current layout has no Latin letter, keys still begin games, and the layout is unchanged."""
    need(client)
    subprocess.run(["setxkbmap", *layout], env=desk.environment, check=True)
    if layout[0] == "us,el":
        xdotool(desk, "key", "ISO_Next_Group")
    before = keymap(desk)
    home = {"XDG_STATE_HOME": str(tmp_path)}
    with started(client, desk), playing(desk.environment | home, "--games", "2") as bot:
        report, _ = result(bot, 0)
    expect_games(report, 2)
    assert keymap(desk) == before


@pytest.mark.parametrize("seed", by_turns(range(3), one_in=3))
def test_a_persons_wrong_flag_costs_no_game(desk: Display, tmp_path: Path, seed: int) -> None:
    """A game with a dozen flags of a person's, one of them wrong, is never lost on a certain cell."""
    need("sgt-mines")
    level, lots = Level.parse("16x16/40"), random.Random(seed)
    cells = [Cell(row, column) for row in range(16) for column in range(16)]
    mines = set(lots.sample([cell for cell in cells if min(cell) > 2 or max(cell) > 4], 40))
    safe = [cell for cell in cells if cell not in mines]
    flagged = [*lots.sample(sorted(mines), 12), lots.choice([cell for cell in safe if max(cell) > 6])]
    with sgt_mines(desk, level, mines=mines) as window:

        def click(cell: Cell, button: str) -> None:
            at = window.region.x + 30 + 20 * cell.column + 10, window.region.y + 55 + 20 * cell.row + 10
            xdotool(desk, "mousemove", str(at[0]), str(at[1]), "click", button)

        click(Cell(0, 0), "1")
        for cell in flagged:
            click(cell, "3")
        home = {"XDG_STATE_HOME": str(tmp_path)}
        with playing(desk.environment | home, "--mines", "40") as bot:
            report, _ = result(bot, 0)
    expect_games(report, 1)


def test_a_client_put_to_full_screen_in_mid_game_is_played_on(desk: Display, tmp_path: Path) -> None:
    """A board that grows under the pointer is found again, and the games go on."""
    need("gnome-mines")
    home = {"XDG_STATE_HOME": str(tmp_path)}
    with (
        gnome_mines(desk, Level.parse("16x16/40"), size=None, theme="default") as window,
        playing(desk.environment | home, "--games", "2") as bot,
    ):
        until_game(bot)
        fill_screen(desk, window)
        report, _ = result(bot, 0)
    expect_games(report, 2)


TEXT, PAPER = (254, 0, 255), (253, 255, 1)
"""The text and background of notes, BGR: colours that no client has."""


@pytest.mark.parametrize("client", by_turns(["sgt-mines", "kmines", "gnome-mines"], one_in=3))
def test_a_trace_shows_the_clients_window_and_nothing_else(desk: Display, tmp_path: Path, client: str) -> None:
    """Text in windows around and in front of a client that moves is in no picture of its trace."""
    need(client, "xterm")
    trace = tmp_path / "trace"
    with started(client, desk) as window, ExitStack() as notes:
        xdotool(desk, "windowmove", "--sync", window.number, "300", "400")
        (at,) = [other.region for other in desk.windows() if other.number == window.number]
        places = {"20x12": (at.right + 8, at.y), "60x8": (at.x, at.y - 190), "2x1": (at.x + 4, at.bottom - 30)}
        for size, (left, top) in places.items():
            notes.enter_context(desk.program(note(size, left, top)))
        wait_until(lambda: shows_text(desk.picture(at)) or None, "a note in front of the client")
        home = {"XDG_STATE_HOME": str(tmp_path)}
        with playing(desk.environment | home, "--games", "2", "--trace", str(trace), "--no-resize") as bot:
            until_game(bot)
            xdotool(desk, "windowmove", window.number, "340", "430")
            report, _ = result(bot, 0)
    expect_games(report, 2)
    recorded = open_trace(trace)
    seen_screen = SeenScreen(recorded)
    for entry in recorded.entries():
        seen_screen.show(entry)
        if isinstance(entry, Grab | Shows) and (isinstance(entry, Shows) or entry.patches):
            assert not shows_text(seen_screen.part(recorded.screen)), f"at {entry.t} us"
    expect_replay(str(trace))


def shows_text(image: Image) -> bool:
    """Whether any of a note is visible in a picture."""
    return bool(((image == TEXT).all(axis=2) | (image == PAPER).all(axis=2)).any())


def note(size: str, left: int, top: int) -> list[str]:
    """A terminal full of text, titled with its size in characters."""
    colours = ["-fg", "#ff00fe", "-bg", "#01fffd", "+sb", "-fa", "", "-title", size]
    return ["xterm", *colours, "-geometry", f"{size}+{left}+{top}", "-e", "yes secret | head -900; sleep 600"]
