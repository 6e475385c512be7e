"""Clients that nobody has calibrated: asked about, played at first sight, remembered, and known from then on."""

from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from sweepbot.behaviour import Restart
from sweepbot.board import State, cells_in
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.writing.write import write
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.errors import NoBoardFoundError, StuckError, UntrustedReadingError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.render.files import save_image
from sweepbot.replay.strict import replay_strictly
from sweepbot.sessions.recognised import target_client
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import Target
from sweepbot.trace.events import GameResult
from sweepbot.trace.trace import open_trace
from sweepbot.vision.calibration import calibration_folders
from sweepbot.vision.reader import unknown_client
from sweepbot.vision.reading import UNKNOWN
from tests.commands import Command
from tests.learning import mislabelled
from tests.nightly import at_night, by_turns
from tests.playing import Bot
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, part
from tools.drawing.trap_clients import HELD_S, Kind, TrapDesktop
from tools.recording.demo import trace_of

NEW = PlaySettings(games=3)


class NewClient(SkinDesktop):
    """A client in a skin that writes down how its games end."""

    def __init__(self, seed: int) -> None:
        self._ends: list[str] = []
        super().__init__(Skin.of(seed), Level.parse("9x9/10"))

    @property
    def ends(self) -> list[str]:
        """How its games have ended, also the one that it shows."""
        return [*self._ends, *([self.game.phase.value] if self.game.over else [])]

    def _deal(self) -> None:
        if hasattr(self, "_game"):
            self._ends = self.ends
        super()._deal()


def play(
    desktop: SkinDesktop,
    folder: Path,
    games: int = 3,
    *,
    recording: Recording | None = None,
    target: Target | None = None,
) -> tuple[list[GameResult], list[Learned]]:
    """Play a client of which nothing is known; return the games, and what was learned, if anything."""
    client = unknown_client("new")
    bot = Bot(desktop, desktop, client, folder, settings=NEW, recording=recording, target=target)
    with suppress(StuckError, UntrustedReadingError):
        bot.play(games)
    return bot.results, bot.learned


@pytest.mark.parametrize("seed", by_turns([3, 16]))
def test_a_client_like_a_known_one_is_not_read_by_the_looks_of_that(seed: int, tmp_path: Path) -> None:
    """A board that was found by a known client's looks, but is another's, is read at first sight, and remembered."""
    desktop = NewClient(seed)
    target = target_client(None, NEW, lambda *_: (unknown_client("new"), NEW), print)
    assert target.read(desktop.grab().image).client != UNKNOWN
    games, (learned,) = play(desktop, tmp_path, target=target)
    assert [game.result for game in games] == desktop.ends
    assert mislabelled(desktop, learned) == []


@cache
def first_run(seed: int) -> tuple[NewClient, list[GameResult], list[Learned]]:
    """What comes of the first run on a client, shared by several tests."""
    desktop = NewClient(seed)
    with TemporaryDirectory() as folder:
        return desktop, *play(desktop, Path(folder))


@pytest.mark.parametrize("seed", by_turns([0, 1, 3, 7]))
def test_an_unknown_client_is_played_and_remembered(seed: int) -> None:
    """Its first game counts, no cell is misread, every look that is remembered is right, and its restart is known."""
    desktop, games, (learned,) = first_run(seed)
    assert [game.result for game in games] == desktop.ends
    assert [game.misreads for game in games] == [0, 0, 0]
    assert mislabelled(desktop, learned) == []
    assert learned.behaviour.restart == (Restart(key="f2"),)


def test_after_a_single_game_its_restart_is_known_as_well(tmp_path: Path) -> None:
    """Where no second game is played, the way to one is found out at the end, where a new board is left behind."""
    desktop = NewClient(0)
    _, (learned,) = play(desktop, tmp_path, games=1)
    assert learned.behaviour.restart == (Restart(key="f2"),)
    assert (desktop.shown() == State.HIDDEN).all()


def test_what_is_remembered_is_known_from_then_on(tmp_path: Path) -> None:
    """The calibration that is written reads and plays the client; what was not met in it is read at first sight."""
    *_, (learned,) = first_run(3)
    calibration = write(learned, tmp_path / "new", "a new one", force=False)
    text = calibration.path.read_text(encoding="utf-8")
    assert "read at first sight" in text
    assert {4, 5, 6, 7, 8} <= set(calibration.unmet)
    assert "with as many mines around each at the ends of" in text
    desktop = NewClient(3)
    Bot(desktop, desktop, calibration, tmp_path, settings=PlaySettings(games=3)).finish(3)


def test_a_run_replays(tmp_path: Path) -> None:
    """A recorded run on an unknown client, with the search for its restart, replays without a difference."""
    desktop = NewClient(0)
    desk = Desk(desktop, desktop, clock=VirtualClock())
    folder = tmp_path / "trace"
    with trace_of(desk, folder, NEW) as recording:
        recording.played_with(unknown_client("new"), NEW)
        play(desktop, tmp_path, recording=recording)
        recording.finish(None)
    assert replay_strictly(open_trace(folder)).differences == []


@pytest.mark.parametrize("seed", [1, 2, 5, 8, 29, *at_night(3, 4, 6, 7, *range(9, 29), *range(30, 40))])
def test_nothing_harmful_is_touched(seed: int, tmp_path: Path) -> None:
    """Among links, levels, menus and crosses nothing else is clicked, no end is told wrongly, and no look is wrong."""
    desktop = TrapDesktop(Kind.of(seed))
    games, remembered = play(desktop, tmp_path)
    assert desktop.harm == []
    told = [game.result for game in games if game.result != "aborted"]
    assert told == desktop.ends[: len(told)]
    assert [mislabelled(desktop, learned, dims=True) for learned in remembered] in ([], [[]])


def test_a_win_that_needs_flags_is_finished(tmp_path: Path) -> None:
    """Where no new game starts although every safe cell is open, the mines are flagged, and then one starts."""
    desktop = TrapDesktop(Kind.plain("wide", end="flags"))
    games, _ = play(desktop, tmp_path)
    assert [game.result for game in games] == desktop.ends
    assert "won" in desktop.ends


def test_buttons_are_held_where_nothing_else_shows(tmp_path: Path) -> None:
    """A client that looks at the mouse now and then is played by longer clicks, which are remembered."""
    kind = replace(Kind.of(6), holds=True, traps=frozenset(), covers=False, end="plain", mines=(11,))
    desktop = TrapDesktop(kind)
    games, (learned,) = play(desktop, tmp_path)
    assert [game.result for game in games] == desktop.ends
    assert learned.behaviour.settle.hold_ms >= 1000 * HELD_S


class BusyClient(NewClient):
    """A client that looks at buttons ten times a second, and once a game has begun only five times."""

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        has_begun = bool((self.game.board.cells < State.HIDDEN).any())
        if hold_s >= (0.2 if has_begun else 0.1):
            super().click(at, button, hold_s)
        else:
            self.move(at)


def test_buttons_are_held_for_longer_once_a_client_looks_less_often(tmp_path: Path) -> None:
    """Clicks that showed at first, and then no longer do, are made with buttons that are held for longer."""
    desktop = BusyClient(0)
    games, _ = play(desktop, tmp_path, games=1)
    assert [game.result for game in games] == desktop.ends


class TutorialDesktop(SkinDesktop):
    """A client with a tutorial in front of its board that lets no click through.

    `closes` is what takes it away: `esc`, `cross` (at its corner) or nothing; `harm` counts other clicks on it.
    """

    drawn_by = ("_is_up",)

    def __init__(self, closes: str) -> None:
        self._closes, self._is_up, self.harm = closes, True, 0
        super().__init__(replace(Skin.of(4), face=False), Level.parse("9x9/10"))
        middle = self.area.centre
        self.box = Region(middle.x - 85, middle.y - 55, 170, 103)
        self.cross = Region(self.box.right - 22, self.box.y + 6, 14, 14)
        self.button = Region(self.box.x + 50, self.box.bottom - 32, 70, 24)

    def draw_over(self, whole: Image) -> None:
        if self._is_up:
            fill(whole, self.box.grown(1), 40)
            fill(whole, self.box, 232)
            for row in range(3):
                whole[
                    self.box.y + 30 + 12 * row : self.box.y + 36 + 12 * row, self.box.x + 20 : self.box.right - 20 : 3
                ] = 60
            draw_button(whole, self.button)
            if self._closes == "cross":
                for step in range(14):
                    for x in (step, 13 - step):
                        fill(whole, Region(self.cross.x + x - 1, self.cross.y + step, 2, 1), 20)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if not self._is_up:
            super().click(at, button, hold_s)
            return
        self.move(at)
        self._is_up = not (self._closes == "cross" and at in self.cross)
        self.harm += self._is_up and at in self.box

    def press(self, key: str) -> None:
        if self._is_up:
            self._is_up = not (key == "esc" and self._closes == "esc")
        else:
            super().press(key)


@pytest.mark.parametrize("closes", ["esc", "cross", ""])
def test_a_tutorial_is_closed_only_where_that_is_safe(closes: str, tmp_path: Path) -> None:
    """A box over a fresh board is closed by Escape or its cross; otherwise the run ends, and says why."""
    desktop = TutorialDesktop(closes)
    with nullcontext() if closes else pytest.raises(NoBoardFoundError, match="in front of the board"):
        games, _ = play(desktop, tmp_path, games=1)
        assert games[0].result in ("won", "lost")
    assert desktop.harm == 0


# ---------------------------------------------------------------- the command


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> SkinDesktop:  # noqa: ARG001  (nothing is kept)
    """An unknown client on the desktop on which `play` plays."""
    desktop = NewClient(0)
    desk = Desk(desktop, desktop, clock=VirtualClock())
    monkeypatch.setattr("sweepbot.cli.play.open_desktop", lambda _: nullcontext(desk))
    return desktop


def test_with_nobody_to_ask_it_is_not_played(sweepbot: Command, client: SkinDesktop) -> None:
    """Without a terminal `play` ends with exit code 3, says what it sees and what to give, and clicks nothing."""
    answer = sweepbot("play", "--no-countdown")
    assert answer.exit_code == 3
    assert "a Minesweeper that I do not know: 9x9 cells, read at first sight" in answer.err
    assert "--client minesweeper" in answer.err
    assert "--yes" in answer.err
    assert client.clicks == []


@pytest.mark.parametrize(("says", "code"), [(True, 0), (False, 5)])
def test_a_person_is_asked(
    says: bool,  # noqa: FBT001
    code: int,
    sweepbot: Command,
    client: SkinDesktop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a terminal the person is asked; after a no nothing is clicked, and nothing is written."""
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return says

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sweepbot.cli.output.click.confirm", confirm)
    assert sweepbot("play", "--no-countdown").exit_code == code
    (question,) = asked
    assert question.endswith("9x9 cells, read at first sight; learn it as minesweeper and play?")
    assert bool(client.clicks) is says
    assert ("minesweeper" in calibration_folders()) is says


def test_a_new_name_plays_and_is_kept(sweepbot: Command, client: SkinDesktop) -> None:
    """With `--client NEW` it is played at once; its games are in the report and the history under that name."""
    answer = sweepbot("play", "--client", "zebra", "--games", 2, "--no-countdown", "--json")
    assert answer.exit_code == 0, answer.err
    assert [game["misreads"] for game in answer.json["games"]] == [0, 0]
    assert answer.json["won"] + answer.json["lost"] == 2
    assert "remembered of zebra" in answer.err.replace("\n", " ")
    assert sweepbot("stats", "--client", "zebra").exit_code == 0
    again = sweepbot("play", "--no-countdown", "--json")
    assert again.exit_code == 0, again.err
    assert "found zebra" in again.err
    assert client.clicks


@pytest.mark.parametrize(
    ("name", "says"), [("winemin", "did you mean winemine"), ("unknown", "no client"), ("a/b", "no client")]
)
def test_a_slip_is_no_new_client(name: str, says: str, sweepbot: Command, client: SkinDesktop) -> None:
    """A name that is nearly a known one, or that no folder can have, is an error before anything is clicked."""
    answer = sweepbot("play", "--client", name)
    assert answer.exit_code == 2
    assert says in answer.err
    assert client.clicks == []


class CoveredClient(NewClient):
    """A client of which nothing is to be seen."""

    drawn_by = ()

    def draw_over(self, whole: Image) -> None:
        whole[:] = 90


def test_a_new_name_without_a_board_is_said_to_be_new(
    sweepbot: Command,
    monkeypatch: pytest.MonkeyPatch,
    own_folders: Path,  # noqa: ARG001  (nothing is kept)
) -> None:
    """With a name that nobody knows any board is searched for: where there is none, the hint says that it is new."""
    desktop = CoveredClient(0)
    empty = Desk(desktop, desktop, clock=VirtualClock())
    monkeypatch.setattr("sweepbot.cli.play.open_desktop", lambda _: nullcontext(empty))
    answer = sweepbot("play", "--client", "zebra", "--no-countdown")
    assert answer.exit_code == 3
    assert "no client is called 'zebra' yet" in answer.err.replace("\n", " ")


def test_equal_tiles_of_no_usual_size_are_played_once_that_is_agreed(
    sweepbot: Command,
    monkeypatch: pytest.MonkeyPatch,
    own_folders: Path,  # noqa: ARG001  (nothing is kept)
    tmp_path: Path,
) -> None:
    """A fresh board of 15x10 cells may be no board for `read`, but is one where a person says so."""
    desktop = SkinDesktop(Skin.of(0), Level.parse("15x10/20"))
    desk = Desk(desktop, desktop, clock=VirtualClock())
    monkeypatch.setattr("sweepbot.cli.play.open_desktop", lambda _: nullcontext(desk))
    save_image(desktop.grab().image, tmp_path / "fresh.png")
    assert sweepbot("read", tmp_path / "fresh.png", "--client", "unknown").exit_code == 4
    answer = sweepbot("play", "--yes", "--no-countdown", "--json")
    assert answer.exit_code == 0, answer.err
    assert [game["misreads"] for game in answer.json["games"]] == [0]


class BlotchedClient(NewClient):
    """A client whose first opened cell shows a blot that nobody can read."""

    drawn_by = ()

    def draw_over(self, whole: Image) -> None:
        opened = cells_in(self.shown() < State.HIDDEN)[:1]
        for cell in opened:
            blot = np.random.default_rng(2).integers(0, 256, (*part(whole, self.pixels(cell)).shape[:2], 3), np.uint8)
            fill(whole, self.pixels(cell), blot)


def test_a_cell_that_cannot_be_read_is_not_clicked_again(tmp_path: Path) -> None:
    """On a board that shows nothing else, the corner that was opened and cannot be read is no first cell."""
    desktop = BlotchedClient(7)
    play(desktop, tmp_path, games=1)
    cells = [cell for at in desktop.clicks if (cell := desktop.cell_at(at)) is not None]
    assert len(cells) > 1
    assert cells.count(cells[0]) == 1
