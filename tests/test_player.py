"""The player against clients in memory: well-behaved ones, and ones that misbehave as real ones do."""

import io
import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console

from sweepbot.behaviour import Dialog, Restart
from sweepbot.board import Phase, State
from sweepbot.cli.live import LiveView
from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.demo.client import Client
from sweepbot.demo.drawing import draw_cell
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import (
    ClientGoneError,
    NoBoardFoundError,
    StoppedByUserError,
    StuckError,
    UntrustedReadingError,
    UsageError,
)
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.player import Decided, Ended, Event, WentOn
from sweepbot.player.observe import SettledReader
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader, Reading
from tests.playing import Bot


def desktop_with(level: str = "beginner", seed: int = 1) -> MemoryDesktop:
    rng, size = random.Random(seed), Level.parse(level)
    return MemoryDesktop(Client(lambda: Game(size, FirstClick.SAFE, rng)))


class Table(Bot):
    """A player in front of a desktop in memory, on a clock on which nobody waits.

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
        calibration: Calibration | None = None,
        clock: Clock | None = None,
        watch: Callable[[Event], None] = lambda _: None,
    ) -> None:
        super().__init__(
            watch_screen(desktop.screen),
            watch_mouse(desktop.mouse),
            calibration or find_calibration("demo"),
            folder,
            clock=clock,
            settings=PlaySettings(games=1, mines=mines, level=None if level is None else str(level), learns=False),
            watch=watch,
        )


class WatchedMouse:
    """A mouse that passes everything on and remembers where it clicked."""

    def __init__(self, mouse: Mouse) -> None:
        self._mouse = mouse
        self.clicks: list[Point] = []

    def position(self) -> Point:
        return self._mouse.position()

    def move(self, to: Point) -> None:
        self._mouse.move(to)

    def click(self, at: Point, button: Button = "left") -> None:
        self.clicks.append(at)
        self._mouse.click(at, button)

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        self.clicks.append(at)
        self._mouse.hold(at, button, seconds)

    def press(self, key: str) -> None:
        self._mouse.press(key)


class DeafMouse(WatchedMouse):
    """A mouse of whose clicks the client notices those only whose number, from 1, passes a test; and no keys."""

    def __init__(self, mouse: Mouse, notices: Callable[[int], bool]) -> None:
        super().__init__(mouse)
        self._notices = notices

    def click(self, at: Point, button: Button = "left") -> None:
        self.clicks.append(at)
        if self._notices(len(self.clicks)):
            self._mouse.click(at, button)
        else:
            self._mouse.move(at)

    def press(self, key: str) -> None:
        """The client does not hear it."""


class NudgedMouse(WatchedMouse):
    """A mouse that somebody takes to another place after some clicks."""

    def __init__(self, mouse: Mouse, after: int, to: Point) -> None:
        super().__init__(mouse)
        self._after, self._to = after, to

    def click(self, at: Point, button: Button = "left") -> None:
        super().click(at, button)
        if len(self.clicks) == self._after:
            self._mouse.move(self._to)


class CoveredScreen:
    """A screen with something painted over a part of it, from the n-th look on."""

    def __init__(self, screen: Screen, patch: Frame, looks: int = 0) -> None:
        self._screen, self._patch, self._looks = screen, patch, looks

    def cover(self) -> None:
        """Cover it from now on."""
        self._looks = 0

    def uncover(self) -> None:
        """Show everything from now on."""
        self._looks = sys.maxsize

    @property
    def region(self) -> Region:
        return self._screen.region

    def grab(self, region: Region | None = None) -> Frame:
        frame = self._screen.grab(region)
        self._looks -= 1
        both = frame.region.intersection(self._patch.region)
        if self._looks < 0 and both is not None:
            to, by = both.origin - frame.region.origin, both.origin - self._patch.region.origin
            frame.image[to.y : to.y + both.height, to.x : to.x + both.width] = self._patch.image[
                by.y : by.y + both.height, by.x : by.x + both.width
            ]
        return frame


def cell_region(desktop: MemoryDesktop, cell: Cell) -> Region:
    return desktop.client.layout.region_of(cell).moved(desktop.window.origin)


@pytest.mark.parametrize("level", ["beginner", "intermediate", "expert"])
def test_games_are_played_to_their_end(level: str, tmp_path: Path) -> None:
    """Games end won or lost, one result each, without a misread, whatever the level."""
    table = Table(desktop_with(level), tmp_path)
    table.play(4)
    assert {game.result for game in table.results} <= {"won", "lost"}
    assert [game.misreads for game in table.results] == [0] * 4
    assert [event.number for event in table.events if isinstance(event, Ended)] == [1, 2, 3, 4]


def test_a_decision_that_takes_too_long_is_cut_short_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time to think, games are played to their end all the same; events, results and the talk tell of it."""
    monkeypatch.setattr("sweepbot.player.observe.THINKING_S", 0.0)
    table = Table(desktop_with("expert"), tmp_path, clock=SYSTEM_CLOCK)
    table.play(3)
    hasty = [event for event in table.events if isinstance(event, Decided) and event.decision.cut_short]
    hasty = [event for event in hasty if not event.decision.safe]
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


@pytest.mark.parametrize("kind", [Game, GameOfFlags])
def test_a_win_that_was_never_seen_is_made_sure_of(kind: type[Game], tmp_path: Path) -> None:
    """Where it is not known whether a win takes flags, a game ends won on a client that asks for them or does not."""
    shipped = find_calibration("demo")
    calibration = replace(shipped, behaviour=replace(shipped.behaviour, flags_to_win=None))
    rng, size = random.Random(1), Level.parse("9x9/4")
    desktop = MemoryDesktop(Client(lambda: kind(size, FirstClick.OPEN, rng)))
    Table(desktop, tmp_path, mines=4, calibration=calibration).play(1)
    assert desktop.client.game.phase is Phase.WON


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_no_cell_called_certain_explodes(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """From any seed, every cell called certain is so on the client's own board, and the result is the client's."""
    desktop = desktop_with("16x16/40", seed)
    table = Table(desktop, tmp_path_factory.mktemp("evidence"))
    table.play(1)
    mines = desktop.client.game.mines
    for event in table.events:
        if isinstance(event, Decided) and event.reading.board.count(State.HIDDEN) < 16 * 16:
            assert mines.isdisjoint(event.decision.safe)
            assert mines.issuperset(event.decision.mines)
        if isinstance(event, WentOn):
            assert mines.isdisjoint(event.safe)
    assert table.results[0].result == desktop.client.game.phase.value


class SlowPainter:
    """A screen on which one cell more of what has changed is painted with each look, at first as an empty one."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        self._desktop = desktop
        self._shown = desktop.client.game.board.cells.copy()
        self._empty: list[Cell] = []

    @property
    def region(self) -> Region:
        return self._desktop.region

    def grab(self, region: Region | None = None) -> Frame:
        frame = self._desktop.screen.grab(region)
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


@pytest.mark.parametrize("seed", range(3))
def test_a_client_that_paints_slowly_is_clicked_on_where_it_is_certain(seed: int, tmp_path: Path) -> None:
    """What becomes certain while a burst is still being painted, empty cells before their numbers, holds no mine."""
    desktop = desktop_with("16x16/40", seed)
    went_on: list[set[Cell]] = []

    def watch(event: Event) -> None:
        if isinstance(event, WentOn):
            went_on.append(set(event.safe) & desktop.client.game.mines)

    table = Table(desktop, tmp_path, watch_screen=lambda _: SlowPainter(desktop), watch=watch)
    table.play(1)
    assert went_on
    assert not any(went_on)
    assert (table.results[0].result, table.results[0].misreads) == (desktop.client.game.phase.value, 0)


def test_clicks_land_on_the_board_and_the_face_only(tmp_path: Path) -> None:
    """Over several games no click lands anywhere but on the board and on the restart control."""
    desktop = desktop_with()
    mouse = WatchedMouse(desktop.mouse)
    Table(desktop, tmp_path, watch_mouse=lambda _: mouse).play(5)
    layout = desktop.client.layout
    board, face = (part.moved(desktop.window.origin) for part in (layout.board, layout.face))
    assert mouse.clicks
    assert all(click in board or click in face for click in mouse.clicks)


def test_a_game_under_way_is_played_on(tmp_path: Path) -> None:
    """A board that is already in play is finished rather than begun anew, wrong marks of a person included."""
    desktop = desktop_with(seed=3)
    desktop.mouse.click(cell_region(desktop, Cell(4, 4)).centre)
    game = desktop.client.game
    safe = next(cell for cell in game.board.where(State.HIDDEN) if cell not in game.mines)
    desktop.mouse.click(cell_region(desktop, safe).centre, "right")
    table = Table(desktop, tmp_path)
    table.play(1)
    assert desktop.client.game is game
    assert game.over


def test_a_finished_game_is_begun_anew(tmp_path: Path) -> None:
    """A board on which the game is over is restarted before the first move."""
    desktop = desktop_with(seed=3)
    desktop.mouse.click(cell_region(desktop, Cell(4, 4)).centre)
    lost = desktop.client.game
    desktop.mouse.click(cell_region(desktop, min(lost.mines)).centre)
    assert lost.over
    Table(desktop, tmp_path).play(1)
    assert desktop.client.game is not lost


def test_clicks_that_are_not_noticed_are_repeated(tmp_path: Path) -> None:
    """A client that misses every fifth click is played to the end all the same, the repeated clicks counted."""
    desktop = desktop_with(seed=2)
    table = Table(desktop, tmp_path, watch_mouse=lambda mouse: DeafMouse(mouse, lambda number: number % 5 > 0))
    table.play(3)
    assert {game.result for game in table.results} <= {"won", "lost"}
    assert sum(game.retries for game in table.results) > 0
    assert sum(game.misreads for game in table.results) == 0


def test_a_client_that_does_not_react_is_given_up(tmp_path: Path) -> None:
    """A client that notices no click at all is stuck, and its game is reported as broken off."""
    table = Table(desktop_with(), tmp_path, watch_mouse=lambda mouse: DeafMouse(mouse, lambda _: False))
    with pytest.raises(StuckError, match="has not changed"):
        table.play(1)
    assert [game.result for game in table.results] == ["aborted"]


def test_a_restart_that_does_not_work_is_given_up(tmp_path: Path) -> None:
    """A client that begins no new game, neither by its face nor by F2, is stuck."""
    desktop = desktop_with()
    Table(desktop, tmp_path).play(1)
    table = Table(desktop, tmp_path, watch_mouse=lambda mouse: DeafMouse(mouse, lambda _: False))
    with pytest.raises(StuckError, match="no new game"):
        table.play(1)


@pytest.mark.parametrize(
    ("to", "reason"), [(Point(200, 10), "moved by hand"), (Point(0, 0), "corner")], ids=["by hand", "into a corner"]
)
def test_a_person_who_takes_the_mouse_stops_the_game(to: Point, reason: str, tmp_path: Path) -> None:
    """A pointer that is not where it was put, or is in a corner, ends everything at once and without another click."""
    desktop = desktop_with()
    mouse = NudgedMouse(desktop.mouse, after=2, to=to)
    table = Table(desktop, tmp_path, watch_mouse=lambda _: mouse)
    with pytest.raises(StoppedByUserError, match=reason):
        table.play(5)
    assert len(mouse.clicks) == 2
    assert table.results[-1].result == "aborted"


def test_a_covered_board_is_never_clicked_on(tmp_path: Path) -> None:
    """Where something covers cells, nothing is clicked; the game ends with the cells named and the picture saved."""
    desktop = desktop_with()
    over = cell_region(desktop, Cell(2, 2)).grown(8)
    cover = Frame(random_pixels(over), over)
    mouse = WatchedMouse(desktop.mouse)
    table = Table(
        desktop, tmp_path, watch_screen=lambda screen: CoveredScreen(screen, cover), watch_mouse=lambda _: mouse
    )
    with pytest.raises(UntrustedReadingError, match="5 of 81 cells cannot be read, most in rows 1 to 2") as caught:
        table.play(1)
    assert not mouse.clicks
    (picture,) = tmp_path.glob("*.png")
    assert str(picture) in str(caught.value)
    assert load_image(picture).shape[2] == 3


def test_numbers_that_contradict_each_other_are_never_clicked_on(tmp_path: Path) -> None:
    """A reading that no layout of mines explains is not acted upon."""
    desktop = desktop_with()
    # A 7 beside a 1 on an otherwise fresh board: each is possible alone, both together are not.
    seven, one = cell_region(desktop, Cell(4, 4)), cell_region(desktop, Cell(4, 5))
    mouse = WatchedMouse(desktop.mouse)

    def paint(screen: Screen) -> Screen:
        return CoveredScreen(CoveredScreen(screen, Frame(draw_cell(7), seven)), Frame(draw_cell(1), one))

    table = Table(desktop, tmp_path, watch_screen=paint, watch_mouse=lambda _: mouse)
    with pytest.raises(UntrustedReadingError, match="no placement of mines"):
        table.play(1)
    assert not mouse.clicks


def test_a_cover_that_goes_away_in_time_is_waited_for(tmp_path: Path) -> None:
    """A board that is covered for a moment only is played on."""
    desktop = desktop_with()
    over = cell_region(desktop, Cell(2, 2))

    class Passing(CoveredScreen):
        def grab(self, region: Region | None = None) -> Frame:
            self.left -= 1
            return super().grab(region) if self.left > 0 else desktop.screen.grab(region)

        left = 30

    table = Table(desktop, tmp_path, watch_screen=lambda screen: Passing(screen, Frame(random_pixels(over), over)))
    table.play(1)
    assert table.results[0].result in ("won", "lost")


def test_what_has_changed_meanwhile_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where patience is over by the time that a board proved unreadable, what it shows by then is looked at first."""
    desktop, reader = desktop_with(), Reader(find_calibration("demo"))
    place = reader.read(desktop.screen.grab().image)
    over = cell_region(desktop, Cell(2, 2))
    screen = CoveredScreen(desktop.screen, Frame(random_pixels(over), over))
    read_at = Reader.read_at

    def slow(self: Reader, image: Image, known: Reading) -> Reading:
        screen.uncover()
        return read_at(self, image, known)

    monkeypatch.setattr(Reader, "read_at", slow)
    desk = Desk(screen, desktop.mouse)
    controls = Controls.of(desk, ClientWindow(desk), reader.calibration.behaviour.settle)
    eyes = SettledReader(controls, reader, Solver())
    assert eyes.look(place, lambda _: True, patience_s=0).reading.board == place.board


class EndCover(CoveredScreen):
    """A screen on which something comes in front of the whole board a few looks after a game has ended."""

    def __init__(self, desktop: MemoryDesktop, looks: int = 3) -> None:
        over = desktop.client.layout.board.moved(desktop.window.origin)
        super().__init__(desktop.screen, Frame(random_pixels(over), over))
        self._desktop, self._before_it, self._seen = desktop, looks, 0

    def grab(self, region: Region | None = None) -> Frame:
        if region is None or region.width > self._patch.region.width:  # no look at a cell alone
            self._seen = self._seen + 1 if self._desktop.client.game.over else 0
        return super().grab(region) if self._seen > self._before_it else self._screen.grab(region)


def test_an_end_is_what_was_seen_before_something_came_in_front(tmp_path: Path) -> None:
    """Games end won or lost, and others are begun, where each end is soon covered for good by what no key closes."""
    desktop = desktop_with()
    shipped = find_calibration("demo")
    slow = replace(shipped.behaviour.settle, quiet_ms=60.0)
    calibration = replace(shipped, panel=None, behaviour=replace(shipped.behaviour, settle=slow))
    table = Table(desktop, tmp_path, watch_screen=lambda _: EndCover(desktop), calibration=calibration)
    table.play(2)
    assert {game.result for game in table.results} <= {"won", "lost"}


def test_an_end_that_was_not_seen_is_not_reported(tmp_path: Path) -> None:
    """Where the whole board is covered before its end could be seen, no result is claimed, however sure it may be."""
    rng, size = random.Random(5), Level.parse("9x9/4")
    desktop = MemoryDesktop(Client(lambda: Game(size, FirstClick.OPEN, rng)))
    calibration = replace(find_calibration("demo"), panel=None)
    table = Table(desktop, tmp_path, watch_screen=lambda _: EndCover(desktop, 0), mines=4, calibration=calibration)
    with pytest.raises(UntrustedReadingError, match="81 of 81 cells cannot be read"):
        table.play(1)
    assert (table.results[0].result, desktop.client.game.phase) == ("aborted", Phase.WON)


class EndBox(EndCover):
    """A screen on which a box is in front of the middle of the board as soon as a game has ended."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        super().__init__(desktop, 0)
        board = self._patch.region
        box = Region(board.x + board.width // 4, board.y + board.height // 3, board.width // 2, board.height // 3)
        self._patch = Frame(random_pixels(box), box)


def test_an_end_beside_which_mines_are_seen_is_a_loss(tmp_path: Path) -> None:
    """Where a box hides a part of the end, games end as they did: mines to be seen tell a lost guess from a won one."""
    rng, size = random.Random(7), Level.parse("9x9/18")
    desktop = MemoryDesktop(Client(lambda: Game(size, FirstClick.OPEN, rng)))
    ends: list[tuple[str, Phase]] = []

    def observe(event: Event) -> None:
        if isinstance(event, Ended):
            ends.append((event.result.result, desktop.client.game.phase))

    calibration = replace(find_calibration("demo"), panel=None)
    Table(
        desktop,
        tmp_path,
        watch_screen=lambda _: EndBox(desktop),
        mines=size.mines,
        calibration=calibration,
        watch=observe,
    ).play(3)
    assert {phase for _, phase in ends} == {Phase.WON, Phase.LOST}
    assert all(result == phase.value for result, phase in ends)


class DeafToAll(WatchedMouse):
    """A mouse whose clicks get through to the client only while no dialog waits for an answer beside its board."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        super().__init__(desktop.mouse)
        self._game, self.asked = desktop.client.game, 0
        self._desktop = desktop

    def click(self, at: Point, button: Button = "left") -> None:
        if self._waits():
            self._mouse.move(at)
        else:
            super().click(at, button)

    def press(self, key: str) -> None:
        if key == "esc" and self._waits():
            self.asked += 1
            self._desktop.client.key("f2")
        elif not self._waits():
            super().press(key)

    def _waits(self) -> bool:
        return self._desktop.client.game.over


class FrozenEnd(CoveredScreen):
    """A screen that shows nothing of a game's end."""

    def __init__(self, desktop: MemoryDesktop, screen: CoveredScreen | None = None) -> None:
        super().__init__(screen or desktop.screen, Frame(np.zeros((1, 1, 3), dtype=np.uint8), Region(0, 0, 1, 1)))
        self._desktop, self._last = desktop, desktop.screen.grab(None).image

    def grab(self, region: Region | None = None) -> Frame:
        if not self._desktop.client.game.over:
            self._last = self._screen.grab(None).image
        region = region or self.region
        return Frame(self._last[region.y : region.bottom, region.x : region.right].copy(), region)


def test_a_dialog_beside_the_board_is_answered(tmp_path: Path) -> None:
    """Where nothing shows an end but a dialog that takes all clicks, its key is pressed, and the next game begins."""
    desktop = desktop_with(seed=6)
    shipped = find_calibration("demo")
    dialogs = tuple(Dialog(after=after, keys=("esc",)) for after in ("won", "lost"))
    calibration = replace(shipped, panel=None, behaviour=replace(shipped.behaviour, dialogs=dialogs))
    mouse = DeafToAll(desktop)
    table = Table(
        desktop,
        tmp_path,
        watch_screen=lambda _: FrozenEnd(desktop),
        watch_mouse=lambda _: mouse,
        calibration=calibration,
    )
    table.play(2)
    assert mouse.asked
    assert {game.result for game in table.results} <= {"won", "lost"}


def test_clicks_that_show_late_have_ended_the_game(tmp_path: Path) -> None:
    """Where the last clicks were given up, and show just then behind something small, the game they won is won."""
    desktop = desktop_with(seed=6)
    corner = cell_region(desktop, Cell(0, 0))

    class ThawedEnd(FrozenEnd):
        is_thawed = False

        def grab(self, region: Region | None = None) -> Frame:
            frame = super().grab(region)
            return covered.grab(region) if self.is_thawed else frame

    covered = CoveredScreen(desktop.screen, Frame(random_pixels(corner), corner))
    screen = ThawedEnd(desktop)

    def watch(event: Event) -> None:
        screen.is_thawed |= isinstance(event, Decided) and desktop.client.game.over

    calibration = replace(find_calibration("demo"), panel=None)
    table = Table(desktop, tmp_path, watch_screen=lambda _: screen, watch=watch, calibration=calibration)
    with pytest.raises(UntrustedReadingError):  # the next game is behind it as well
        table.play(2)
    assert table.results[0].result == "won"


class ClosingMouse(WatchedMouse):
    """A mouse whose every key ends the client, after which another program stands where it was; it counts keys."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        super().__init__(desktop.mouse)
        whole = desktop.screen.region
        self.screen = CoveredScreen(desktop.screen, Frame(random_pixels(whole), whole), sys.maxsize)
        self.keys = 0

    def press(self, key: str) -> None:
        assert key
        self.keys += 1
        self._mouse.press("f2")  # no game is over any more, so that a frozen screen shows what is there
        self.screen.cover()


@pytest.mark.parametrize("way", ["dialog", "restart"])
def test_no_key_goes_to_what_stands_where_the_client_was(way: str, tmp_path: Path) -> None:
    """A client that ends at a key is given up at once: neither other keys nor clicks follow."""
    desktop = desktop_with(seed=4)
    shipped = find_calibration("demo")
    if way == "dialog":
        dialogs = tuple(Dialog(after=after, keys=("esc", "enter")) for after in ("won", "lost"))
        behaviour = replace(shipped.behaviour, dialogs=dialogs)
    else:
        behaviour = replace(shipped.behaviour, restart=(Restart(key="f2"), Restart(key="n")))
    mouse = ClosingMouse(desktop)
    table = Table(
        desktop,
        tmp_path,
        watch_screen=lambda _: FrozenEnd(desktop, mouse.screen) if way == "dialog" else mouse.screen,
        watch_mouse=lambda _: mouse,
        calibration=replace(shipped, panel=None, behaviour=behaviour),
    )
    with pytest.raises(ClientGoneError, match="not in sight any more"):
        table.play(2)
    assert mouse.keys == 1


class Selected(CoveredScreen):
    """A screen on which an open number is painted over from some look on, until the next click."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        self._desktop, self.left, self.painted = desktop, 3, 0
        super().__init__(desktop.screen, Frame(np.zeros((1, 1, 3), dtype=np.uint8), Region(0, 0, 1, 1)))

    def grab(self, region: Region | None = None) -> Frame:
        board = self._desktop.client.game.board
        cells = board.where(1)
        if cells and self.left and (board.cells == 0).any() and not self._desktop.client.game.over:
            self.painted += 1
            over = cell_region(self._desktop, cells[0])
            self._patch = Frame(random_pixels(over), over)
            return super().grab(region)
        return self._screen.grab(region)


def test_numbers_that_look_another_are_let_be_by_an_idle_click(tmp_path: Path) -> None:
    """Where an open number cannot be read any more, a click on an open 0 helps on a page that had it selected."""
    desktop = desktop_with(seed=3)
    screen = Selected(desktop)

    class Unselecting(WatchedMouse):
        def click(self, at: Point, button: Button = "left") -> None:
            if screen.painted:
                screen.left = 0
            super().click(at, button)

    table = Table(desktop, tmp_path, watch_screen=lambda _: screen, watch_mouse=Unselecting)
    table.play(1)
    assert screen.painted
    assert table.results[0].result in ("won", "lost")
    assert table.results[0].misreads == 0


def test_a_board_pushed_down_by_a_message_is_found_again(tmp_path: Path) -> None:
    """Where all stands lower by nearly a cell while a game is over, its end is read, and the next one is begun."""
    desktop = desktop_with()
    side = desktop.client.layout.region_of(Cell(0, 0)).height

    def off() -> Point:
        return Point(0, side - 1 if desktop.client.game.over else 0)

    class Pushed(CoveredScreen):
        def grab(self, region: Region | None = None) -> Frame:
            region = region or self.region
            image = np.roll(desktop.screen.grab(None).image, off().y, axis=0)
            return Frame(image[region.y : region.bottom, region.x : region.right].copy(), region)

    class Lower(WatchedMouse):
        def click(self, at: Point, button: Button = "left") -> None:
            desktop.mouse.click(at - off(), button)
            desktop.mouse.move(at)

    nothing = Frame(np.zeros((1, 1, 3), dtype=np.uint8), Region(0, 0, 1, 1))
    table = Table(desktop, tmp_path, watch_screen=lambda screen: Pushed(screen, nothing), watch_mouse=Lower)
    table.play(3)
    assert {game.result for game in table.results} <= {"won", "lost"}
    assert [game.misreads for game in table.results] == [0] * 3


def test_no_board_is_said_with_what_was_searched(tmp_path: Path) -> None:
    """On a desktop without a board nothing is clicked, and the error says what was searched."""
    desktop = desktop_with()
    mouse = WatchedMouse(desktop.mouse)
    cover = Frame(random_pixels(desktop.region), desktop.region)
    table = Table(
        desktop, tmp_path, watch_screen=lambda screen: CoveredScreen(screen, cover), watch_mouse=lambda _: mouse
    )
    with pytest.raises(NoBoardFoundError, match=f"searched {desktop.region.width}x{desktop.region.height} pixels"):
        table.play(1)
    assert not mouse.clicks


def test_a_board_of_no_level_is_played_with_the_mines_of_its_counter(tmp_path: Path) -> None:
    """Where no level has the size, the mines are those that the counter shows, unless they are said."""
    for mines in (None, 15):
        table = Table(desktop_with("10x12/15"), tmp_path, mines=mines)
        table.play(1)
        assert table.results[0].result in ("won", "lost")


def test_a_board_of_another_level_is_refused(tmp_path: Path) -> None:
    """Where a level is insisted on, a board of another size is not touched."""
    with pytest.raises(UsageError, match="9x9 cells, not 16x16"):
        Table(desktop_with(), tmp_path, level=Level.parse("intermediate")).play(1)


def random_pixels(region: Region) -> Image:
    return np.random.default_rng(1).integers(0, 256, (region.height, region.width, 3), dtype=np.uint8)
