"""What leads from the end of a game to a new one, kept and walked again, or shown by a person."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.writing.write import write
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import StuckError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.replay.strict import replay_strictly
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.trace import open_trace
from sweepbot.vision.calibration import find_calibration, load_calibration
from sweepbot.vision.reader import Reader, unknown_client
from tests.learning import WORDS, learn
from tests.nightly import at_night
from tests.playing import Bot
from tests.standins.scripted_desktop import shown
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, say
from tools.drawing.trap_clients import Kind, TrapDesktop
from tools.recording.demo import trace_of


class ConfirmingDesktop(SkinDesktop):
    """A client whose button below the board asks in a box whether to begin a new game."""

    drawn_by = ("asks",)

    def __init__(self) -> None:
        self.asks = False
        super().__init__(replace(Skin.of(3), face=False), Level.parse("9x9/10"))
        middle = self.area.centre
        self.button = Region(middle.x - 45, self.area.bottom + 24, 90, 26)
        self.box = Region(middle.x - 90, middle.y - 45, 180, 90)
        self.no, self.yes = (Region(middle.x - 60 + 64 * n, middle.y + 8, 56, 26) for n in range(2))
        self.off_board: list[str] = []

    def draw_over(self, whole: Image) -> None:
        draw_button(whole, self.button, "New game")
        if self.asks:
            fill(whole, self.box.grown(1), 60)
            fill(whole, self.box, 235)
            say(whole, Region(self.box.x + 10, self.box.y + 10, 160, 24), "Give up this one?", (20, 20, 20))
            draw_button(whole, self.yes, "Yes")
            draw_button(whole, self.no, "No")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self.asks:
            self.move(at)
            self.off_board.append("yes" if at in self.yes else "no" if at in self.no else "box")
            self.asks = not (at in self.yes or at in self.no)
            if at in self.yes:
                self._deal()
        elif at in self.button:
            self.move(at)
            self.off_board.append("button")
            self.asks = True
        else:
            self.off_board += [] if at in self.area else ["elsewhere"]
            super().click(at, button, hold_s)

    def press(self, key: str) -> None:
        self.pressed.append(key)


@WORDS
def test_what_a_button_asks_is_answered_and_both_are_kept_as_steps(tmp_path: Path) -> None:
    """The button and the answer to its question are one way, which the next run walks without trying anything."""
    desktop = ConfirmingDesktop()
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert [len(way.steps) for way in learned.behaviour.restart] == [2]
    calibration = write(learned, tmp_path / "asking", "a client that asks", force=False)
    assert load_calibration(calibration.path.parent).behaviour.restart == learned.behaviour.restart
    again = ConfirmingDesktop()
    Bot(again, again, calibration, tmp_path, settings=PlaySettings(games=3)).finish(3)
    assert again.off_board == ["button", "yes"] * 2
    assert again.pressed == []


@WORDS
def test_a_box_that_a_key_closes_before_a_button_is_kept(tmp_path: Path) -> None:
    """Where the end puts a box over the board and only then a button begins a game, the next run tries nothing else."""
    kind = replace(Kind.plain("below", "menu", "link"), covers=True)
    calibration = write(learn(TrapDesktop(kind), 4), tmp_path / "boxed", "a client with boxes", force=False)
    desktop = TrapDesktop(kind)
    Bot(desktop, desktop, calibration, tmp_path, settings=PlaySettings(games=3)).finish(3)
    assert set(desktop.pressed) <= {"enter"}
    assert desktop.harm == []
    assert len(desktop.ends) == 3


class PersonDesktop(SkinDesktop):
    """A client that nothing but a place that says nothing restarts, and a person who clicks that when asked to.

    Attributes:
        place: What the person clicks; None for a key that the bot does not know.
        asked_at: When they were, in seconds, if they have not answered yet.
    """

    drawn_by = ("place",)

    def __init__(self, place: str | None) -> None:
        self.asked_at: float | None = None
        self.clock = VirtualClock()
        super().__init__(replace(Skin.of(3), face=False), Level.parse("9x9/10"))
        places = {"beside": Region(self.area.right + 30, self.area.y + 40, 30, 30), "cell": self.area.grown(-60)}
        self.place = None if place is None else places[place]
        self.wrong: list[Point] = []

    def draw_over(self, whole: Image) -> None:
        if self.place is not None and self.place.centre not in self.area:
            draw_button(whole, self.place)

    def position(self) -> Point:
        """Where the pointer is, which the person moves within a second, and clicks with a second later."""
        if self.asked_at is not None:
            since = self.clock.now() - self.asked_at
            if self.place is not None and since > 1:
                self._position = self.place.centre
            if since > 2:
                self.asked_at = None
                self._deal()
        return super().position()

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        if self.place is not None and at in self.place and self.game.over:
            self._deal()
        elif at not in self.area:
            self.wrong.append(at)

    def press(self, key: str) -> None:
        self.pressed.append(key)


ATTENDED = PlaySettings(games=3, is_attended=True)


def play_attended(
    desktop: PersonDesktop, folder: Path, games: int = 3, recording: Recording | None = None
) -> tuple[list[Learned], list[str]]:
    """Play with somebody there; return what was learned, and what was told."""
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if "Start one in the client, once" in text:
            desktop.asked_at = desktop.clock.now()

    client, clock = unknown_client("new"), desktop.clock
    bot = Bot(desktop, desktop, client, folder, clock=clock, settings=ATTENDED, tell=tell, recording=recording)
    bot.play(games)
    return bot.learned, told


@pytest.mark.parametrize("place", ["beside", *at_night("cell")])
def test_a_person_shows_how_a_game_is_started(place: str, tmp_path: Path) -> None:
    """Asked once, they click what says nothing; that is clicked from then on, and kept; the run replays."""
    desktop = PersonDesktop(place)
    desk = Desk(desktop, desktop, clock=desktop.clock)
    folder = tmp_path / "trace"
    with trace_of(desk, folder, ATTENDED) as recording:
        recording.played_with(unknown_client("new"), ATTENDED)
        (learned,), told = play_attended(desktop, tmp_path, recording=recording)
        recording.finish(None)
    assert sum("Start one in the client" in text for text in told) == 1
    assert [way.key for way in learned.behaviour.restart] == [None]
    assert desktop.wrong == []
    assert replay_strictly(open_trace(folder)).differences == []


def test_a_key_that_a_person_presses_cannot_be_seen_and_is_told(tmp_path: Path) -> None:
    """A new board while the pointer rests is by a key: it says so, names keys to try, and asks again next time."""
    desktop = PersonDesktop(None)
    learned, told = play_attended(desktop, tmp_path, games=2)
    assert sum("a key cannot be seen: as `restart` try f5" in text for text in told) == 2
    assert [it.behaviour.restart for it in learned] == [()]


@pytest.mark.parametrize("attended", [False, True])
def test_without_a_person_it_ends_in_part(*, attended: bool, tmp_path: Path) -> None:
    """Nobody is asked in an unattended run, and one that nobody answers ends as well: no button was clicked."""
    desktop = PersonDesktop("beside")
    told: list[str] = []
    settings = PlaySettings(games=3, is_attended=attended)
    bot = Bot(desktop, desktop, unknown_client("new"), tmp_path, settings=settings, tell=told.append)
    with pytest.raises(StuckError, match="without a person's word"):
        bot.play(3)
    assert any("Start one in the client" in text for text in told) is attended
    assert desktop.wrong == []


class AdvertisingDesktop(TrapDesktop):
    """A client whose ended games are behind a button that says "Play now", and leads elsewhere."""

    def __init__(self) -> None:
        super().__init__(Kind.plain("put up"))

    def _cover(self, image: Image) -> None:
        if self.game.over:
            self._button(image, self._controls["restart"], words="Play now")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self.game.over and at in self._controls["restart"]:
            self._do_harm("advertisement")
        super().click(at, button, hold_s)


@WORDS
def test_what_the_end_puts_in_front_is_clicked_only_if_it_offers_another_game() -> None:
    """To play again is an offer of the client's; to play or to start may be anybody's, and is left to a person."""
    desktop = AdvertisingDesktop()
    learned = learn(desktop, 2)
    assert isinstance(learned.stuck, StuckError)
    assert desktop.harm == []


def test_what_the_end_alone_has_opened_is_hidden_in_the_next_game() -> None:
    """A cell that was hidden before the last click looks so again in a new game, and is not what the end has shown."""
    rows_above, reader = "000000000 " * 7, Reader(find_calibration("demo"))
    before, end, new = (
        Frame(image := shown(rows, 3), Region.of(image))
        for rows in (rows_above + "111111### 1#11#1###", rows_above + "111111111 1*11*11*1", "######### " * 9)
    )
    touch = SimpleNamespace(seen=end, watch=lambda _: None, look=lambda **_: None)
    situation = Situation(cast("Any", touch), reader, reader.read(before.image))
    assert not situation.has_begun_anew
    touch.seen = new
    situation.look()
    assert situation.has_begun_anew


class LateBoxDesktop(SkinDesktop):
    """A client that shows its end for a while, and then a box over the whole board, with a button for another game."""

    drawn_by = ("is_up",)

    def __init__(self, late_s: float) -> None:
        self.clock, self.over_at, self.late_s = VirtualClock(), 0.0, late_s
        super().__init__(replace(Skin.of(3), face=False, first_click=FirstClick.OPEN), Level.parse("9x9/20"))
        middle = self.area.centre
        self.button = Region(middle.x - 60, middle.y + 60, 120, 28)

    @property
    def is_up(self) -> bool:
        return self.game.over and self.clock.now() > self.over_at + self.late_s

    def draw_over(self, whole: Image) -> None:
        if self.is_up:
            fill(whole, self.area.grown(12), 235)
            say(whole, Region(self.area.centre.x - 60, self.area.y + 40, 120, 24), "Game over!", (20, 20, 20))
            draw_button(whole, self.button, "New game")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.move(at)
        if not self.is_up:
            super().click(at, button, hold_s)
            self.over_at = self.clock.now()
        elif at in self.button:
            self._deal()

    def press(self, key: str) -> None:
        self.pressed.append(key)


@WORDS
@pytest.mark.parametrize("late_s", [0.6, 1.5])
def test_a_box_that_comes_after_the_end_over_the_whole_board_is_left_by_its_button(late_s: float) -> None:
    """What covers the board once a game is over was not there before the first click, and offers another game."""
    desktop = LateBoxDesktop(late_s)
    assert learn(desktop, 3, clock=desktop.clock).stuck is None
