"""The player against clients in memory, well-behaved ones and ones that misbehave as real ones do."""

import io
import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from rich.console import Console

from sweepbot.board import Phase, State
from sweepbot.cli.live import LiveView
from sweepbot.clock import SYSTEM_CLOCK, Clock, VirtualClock
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.desktop.screen import Frame, MaskedScreen, Screen
from sweepbot.errors import (
    StuckError,
    UntrustedReadingError,
    UsageError,
)
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.plan import Style
from sweepbot.player.machine import ATTEMPTS, STANDS_STILL_S
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Decided, Ended, Event, FollowUp, Restarting
from sweepbot.vision.calibration import Calibration, find_calibration
from tests.nightly import by_turns
from tests.playing import Bot
from tools.drawing.demo import draw_cell
from tools.recording.demo import demo_desktop


class Table(Bot):
    """A player in front of a desktop in memory, on a virtual clock.

    `watch_screen` and `watch_mouse` put something between the player and the desktop.
    """

    def __init__(
        self,
        desktop: MemoryDesktop,
        folder: Path,
        *,
        watch_screen: Callable[[Screen], Screen] = lambda screen: screen,
        watch_mouse: Callable[[Mouse], Mouse] = lambda mouse: mouse,
        mines: int | None = None,
        level: Level | None = None,
        style: Style = Style.NOFLAG,
        calibration: Calibration | None = None,
        clock: Clock | None = None,
        watch: Callable[[Event], None] = lambda _: None,
    ) -> None:
        super().__init__(
            watch_screen(desktop),
            watch_mouse(desktop),
            calibration or find_calibration("demo"),
            folder,
            clock=clock,
            settings=PlaySettings(
                games=1, mines=mines, level=None if level is None else str(level), style=style, learns=False
            ),
            watch=watch,
        )


class WatchedMouse:
    """A mouse that passes everything on and records its clicks."""

    def __init__(self, mouse: Mouse) -> None:
        self._mouse = mouse
        self.clicks: list[Point] = []

    def position(self) -> Point:
        return self._mouse.position()

    def move(self, to: Point) -> None:
        self._mouse.move(to)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.clicks.append(at)
        self._mouse.click(at, button, hold_s)

    def press(self, key: str) -> None:
        self._mouse.press(key)


class DeafMouse(WatchedMouse):
    """A mouse whose client only notices clicks whose number, from 1, passes a test, and no keys."""

    def __init__(self, mouse: Mouse, notices: Callable[[int], bool]) -> None:
        super().__init__(mouse)
        self._notices, self.held_s = notices, 0.0

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.clicks.append(at)
        self.held_s = hold_s
        if self._notices(len(self.clicks)):
            self._mouse.click(at, button, hold_s)
        else:
            self._mouse.move(at)

    def press(self, key: str) -> None: ...


class LateMouse(WatchedMouse):
    """A mouse whose client reads the pointer only when it draws: all clicks until then land there."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        super().__init__(desktop)
        self.region, self._desktop, self._waiting = desktop.region, desktop, list[Button]()

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002
        self.move(at)
        self._waiting.append(button)

    def grab(self, region: Region | None = None) -> Frame:
        """Draw, with all clicks made by then where the pointer now is."""
        for button in self._waiting:
            super().click(self.position(), button)
        self._waiting.clear()
        return self._desktop.grab(region)


def cell_region(desktop: MemoryDesktop, cell: Cell) -> Region:
    return desktop.client.layout.region_of(cell).moved(desktop.window.origin)


def test_games_are_played_with_the_fewest_clicks(tmp_path: Path) -> None:
    """In style `efficient` nothing is misread, and wins take less than a click per 3BV."""
    table = Table(demo_desktop("beginner"), tmp_path, style=Style.EFFICIENT)
    table.finish(4)
    won = [game for game in table.results if game.three_bv is not None]
    assert won
    assert sum(game.clicks for game in won) < sum(game.three_bv or 0 for game in won)


@pytest.mark.parametrize("level", ["beginner", "intermediate", "expert"])
def test_games_are_played_to_their_end(level: str, tmp_path: Path) -> None:
    """At any level games are won or lost, one result each, without a misread."""
    table = Table(demo_desktop(level), tmp_path)
    table.finish(4)
    assert [event.number for event in table.events if isinstance(event, Ended)] == [1, 2, 3, 4]


def test_a_slow_decision_is_cut_short_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time to think games are still finished; events, results and messages report it."""
    monkeypatch.setattr("sweepbot.player.examining.THINKING_S", 0.0)
    table = Table(demo_desktop("expert"), tmp_path, clock=SYSTEM_CLOCK)
    table.play(3)
    hasty = [event for event in table.events if isinstance(event, Decided) and event.cut_short]
    hasty = [event for event in hasty if not event.safe]
    assert hasty
    assert sum(game.cut_short for game in table.results) == len(hasty)
    console = Console(file=io.StringIO(), width=200)
    view = LiveView(console, games=3)
    for event in table.events:
        view.observe(event)
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    assert said.count("no time to look further ahead") == len(hasty)


class GameOfFlags(Game):
    """A game that goes on until every mine is flagged."""

    def _win(self) -> None:
        pass

    def mark(self, cell: Cell) -> None:
        super().mark(cell)
        if set(self.board.where(State.FLAG)) == self.mines:
            self.phase = Phase.WON


class LateScreen:
    """A screen that shows each picture only when the next one is asked for."""

    def __init__(self, screen: Screen) -> None:
        self._screen, self._last = screen, screen.grab()
        self.region = screen.region

    def grab(self, region: Region | None = None) -> Frame:
        shown, self._last = self._last, self._screen.grab()
        return Frame(shown.part(region or self.region), region or self.region)


@pytest.mark.parametrize("watch_screen", [lambda screen: screen, LateScreen])
@pytest.mark.parametrize("kind", [Game, GameOfFlags])
def test_a_win_by_flags_or_without_is_reached(
    kind: type[Game], watch_screen: Callable[[Screen], Screen], tmp_path: Path
) -> None:
    """Where it is unknown whether a win takes flags, a game is won on either kind of client, at once or late."""
    shipped = find_calibration("demo")
    calibration = replace(shipped, behaviour=replace(shipped.behaviour, flags_to_win=None))
    rng, size = random.Random(1), Level.parse("9x9/4")
    desktop = MemoryDesktop(Client(lambda: kind(size, FirstClick.OPEN, rng)))
    Table(desktop, tmp_path, mines=4, calibration=calibration, watch_screen=watch_screen).play(1)
    assert desktop.client.game.phase is Phase.WON


@pytest.mark.parametrize("seed", by_turns(range(100, 115), one_in=3))
def test_no_cell_called_certain_explodes(seed: int, tmp_path: Path) -> None:
    """In each game every certain cell is so on the client's own board, and the result is the client's."""
    desktop = demo_desktop("16x16/40", seed)
    table = Table(desktop, tmp_path)
    table.play(1)
    mines = desktop.client.game.mines
    for event in table.events:
        if isinstance(event, Decided) and None in {chance for row in event.chances for chance in row}:
            assert mines.isdisjoint(event.safe)
            assert mines.issuperset(event.mines)
        if isinstance(event, FollowUp):
            assert mines.isdisjoint(event.safe)
    assert table.results[0].result == desktop.client.game.phase.value


class SlowPainter:
    """A screen that paints one more changed cell with each look, first as an empty one."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        self._desktop = desktop
        self._shown = desktop.client.game.board.cells.copy()
        self._empty: list[Cell] = []

    @property
    def region(self) -> Region:
        return self._desktop.region

    def grab(self, region: Region | None = None) -> Frame:
        frame = self._desktop.grab(region)
        image, now = frame.image.copy(), self._desktop.client.game.board.cells
        late = [Cell(*cell) for cell in np.argwhere(self._shown != now).tolist()]
        for cell in self._empty[:1]:
            self._shown[cell] = now[cell]
        self._empty = self._empty[1:] + [cell for cell in late[:1] if cell not in self._empty]
        if self._desktop.client.game.over:
            self._shown, late = now.copy(), []
        for cell in late:
            self._paint(image, frame.region, cell, 0 if cell in self._empty else int(self._shown[cell]))
        return Frame(image, frame.region)

    def _paint(self, image: Image, region: Region, cell: Cell, state: int) -> None:
        place = self._desktop.client.layout.region_of(cell).moved(self._desktop.window.origin)
        if (common := place.intersection(region)) == place:
            left, top = common.x - region.x, common.y - region.y
            image[top : top + common.height, left : left + common.width] = draw_cell(state)


@pytest.mark.parametrize("seed", by_turns(range(3), one_in=3))
def test_a_client_that_paints_slowly_is_played(seed: int, tmp_path: Path) -> None:
    """Cells that become certain while a burst is still being painted hold no mine."""
    desktop = demo_desktop("16x16/40", seed)
    went_on: list[set[Cell]] = []

    def watch(event: Event) -> None:
        if isinstance(event, FollowUp):
            went_on.append(set(event.safe) & desktop.client.game.mines)

    table = Table(desktop, tmp_path, watch_screen=lambda _: SlowPainter(desktop), watch=watch)
    table.play(1)
    assert went_on
    assert not any(went_on)
    assert (table.results[0].result, table.results[0].misreads) == (desktop.client.game.phase.value, 0)


def test_a_game_under_way_is_played_on(tmp_path: Path) -> None:
    """A game in play is finished rather than restarted, despite a person's wrong marks."""
    desktop = demo_desktop(seed=3)
    desktop.click(cell_region(desktop, Cell(4, 4)).centre)
    game = desktop.client.game
    safe = next(cell for cell in game.board.where(State.HIDDEN) if cell not in game.mines)
    desktop.click(cell_region(desktop, safe).centre, "right")
    table = Table(desktop, tmp_path)
    table.play(1)
    assert desktop.client.game is game
    assert game.over


def test_a_finished_game_is_restarted(tmp_path: Path) -> None:
    """A finished game is restarted before the first move."""
    desktop = demo_desktop(seed=3)
    desktop.click(cell_region(desktop, Cell(4, 4)).centre)
    lost = desktop.client.game
    desktop.click(cell_region(desktop, min(lost.mines)).centre)
    assert lost.over
    Table(desktop, tmp_path).play(1)
    assert desktop.client.game is not lost


def test_clicks_that_are_not_noticed_are_repeated(tmp_path: Path) -> None:
    """A client that misses every fifth click is played to the end, and retries are counted."""
    desktop = demo_desktop(seed=2)
    table = Table(desktop, tmp_path, watch_mouse=lambda mouse: DeafMouse(mouse, lambda number: number % 5 > 0))
    table.finish(3)
    assert sum(game.retries for game in table.results) > 0


@pytest.mark.parametrize("grey", [48, 80, 112, 200])
def test_a_desktop_of_one_colour_is_no_board(grey: int, tmp_path: Path) -> None:
    """Where no windows are known, a client that is gone leaves its desktop, whose colour is not that of its cells."""
    looks = count()

    def gone(screen: Screen) -> Screen:
        def mask(frame: Frame) -> Frame:
            return frame if next(looks) < 40 else Frame(np.full_like(frame.image, grey), frame.region)

        return MaskedScreen(screen, mask)

    table = Table(demo_desktop("16x16/40", seed=2), tmp_path, watch_screen=gone)
    with pytest.raises(UntrustedReadingError, match="256 of 256 cells cannot be read"):
        table.play(1)
    assert [game.result for game in table.results] == ["aborted"]


def test_a_client_that_hung_at_first_is_clicked_as_quickly_as_ever(tmp_path: Path) -> None:
    """Buttons that were held because nothing showed are not held any longer once the client reacts."""
    mice = list[DeafMouse]()

    def hang(mouse: Mouse) -> Mouse:
        mice.append(DeafMouse(mouse, lambda number: number > 2))
        return mice[0]

    Table(demo_desktop("16x16/40", seed=2), tmp_path, watch_mouse=hang).play(1)
    assert len(mice[0].clicks) > 10
    assert mice[0].held_s == 0


def test_a_client_that_reads_the_pointer_late_is_played(tmp_path: Path) -> None:
    """If a burst lands in one place, the pointer waits at each cell from then on."""
    desktop = demo_desktop("beginner")
    mouse = LateMouse(desktop)
    Bot(mouse, mouse, find_calibration("demo"), tmp_path).finish(3)


def test_a_restart_that_does_not_work_is_given_up(tmp_path: Path) -> None:
    """A client that restarts neither by its face nor by F2, each tried in turn, is stuck after one long wait."""
    desktop, clock = demo_desktop(), VirtualClock()
    Table(desktop, tmp_path).play(1)
    table = Table(desktop, tmp_path, watch_mouse=lambda mouse: DeafMouse(mouse, lambda _: False), clock=clock)
    with pytest.raises(StuckError, match="no new game"):
        table.play(1)
    asked = [event.key for event in table.events if isinstance(event, Restarting)]
    assert asked == [None, "f2"] * ATTEMPTS
    assert clock.now() > STANDS_STILL_S


class FacelessMouse(WatchedMouse):
    """A mouse whose client ignores clicks beside its board."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        super().__init__(desktop)
        self._board = desktop.client.layout.board.moved(desktop.window.origin)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if at in self._board:
            super().click(at, button, hold_s)
        else:
            self.move(at)


def test_a_second_way_to_a_new_game_is_tried_where_the_first_fails(tmp_path: Path) -> None:
    """Where the face takes no click F2 is pressed, each once, and the next game is played."""
    desktop = demo_desktop()
    table = Table(desktop, tmp_path, watch_mouse=lambda _: FacelessMouse(desktop))
    table.finish(2)
    asked = [event for event in table.events if isinstance(event, Restarting)]
    assert [(event.key, event.click) for event in asked] == [(None, (-1, -28)), ("f2", None)]


def test_a_board_of_no_level_is_played_with_the_mines_of_its_counter(tmp_path: Path) -> None:
    """Where no level has the size, the total is the counter's unless it is given."""
    for mines in (None, 15):
        Table(demo_desktop("10x12/15"), tmp_path, mines=mines).finish(1)


def test_a_board_of_another_level_is_refused(tmp_path: Path) -> None:
    """A board that is not of the requested level is not touched."""
    with pytest.raises(UsageError, match="9x9 cells, not 16x16"):
        Table(demo_desktop(), tmp_path, level=Level.parse("intermediate")).play(1)
