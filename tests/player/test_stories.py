"""The player in short stories: what a client shows, and what the player must do, and nothing else."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from sweepbot.behaviour import Behaviour, Dialog, Restart
from sweepbot.board import Board
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.demo.drawing import Smiley
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window, Windows
from sweepbot.errors import (
    ClientGoneError,
    NoBoardFoundError,
    StoppedByUserError,
    StuckError,
    UntrustedReadingError,
)
from sweepbot.geometry import Image, Point, Region
from sweepbot.player.examining import Examiner
from sweepbot.player.machine import ATTEMPTS, STANDS_STILL_S
from sweepbot.player.states import AnyPosition, Position, Watching
from sweepbot.player.watcher import Watcher
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.differences import Replayed
from sweepbot.replay.strict import replay_strictly
from sweepbot.sessions.play import playing
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.solver import Decision, Solver
from sweepbot.trace.entries import Glance
from sweepbot.trace.events import Decided, Ended, Event, GoesOn, Read, Resizing, Waiting, box
from sweepbot.trace.trace import Trace, open_trace
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading
from tests.playing import Bot
from tests.standins.fake_windows import CLIENT, FakeWindows
from tests.standins.scripted_desktop import ScriptedDesktop, clicks, covered, shown
from tools.recording.demo import trace_of

# Everything is certain after the first click: there are three mines in the last row.
_SKY = "000000000 " * 7
FRESH = shown("######### " * 9, 3)
FACE = Point(166, 84)
FIRST = "left 0,0"
BEGUN = shown(_SKY + "111111111 #########", 3)
BEGUN_BUT_ONE = shown(_SKY + "111111111 1##1#11#1", 3)
LAST = clicks("left", [(8, column) for column in (0, 2, 3, 5, 6, 8)])
WON = shown(_SKY + "111111111 1F11F11F1", 0, Smiley.COOL)

# One of the last two cells in the corner is a mine: a toss of a coin.
_CALM = "000000000 " * 5 + "000000122 "
TOSS = shown(_CALM + "0000001## 00000013# 00000001#", 3)
TOSS_WON = shown(_CALM + "0000001FF 000000133 00000001F", 0, Smiley.COOL)
TOSS_LOST = shown(_CALM + "0000001** 00000013X 00000001#", 3, Smiley.DEAD)


def story(*told: Image | str) -> ScriptedDesktop:
    """Pictures, and between each two of them what makes the second follow."""
    frames = [part for part in told if not isinstance(part, str)]
    return ScriptedDesktop((9, 9), frames, [part for part in told if isinstance(part, str)])


class Player(Bot):
    """A player in front of a story of the demo's window with three mines.

    With `sees_panel` it knows the face and the counters; `behaviour` changes the calibration's; `mines` is None if the
    total is unknown, and `cell` the size that its templates are said to have.
    """

    def __init__(
        self,
        desktop: ScriptedDesktop,
        folder: Path,
        *,
        sees_panel: bool = True,
        behaviour: Callable[[Behaviour], Behaviour] = lambda known: known,
        mines: int | None = 3,
        cell: tuple[int, int] | None = None,
        **more: Any,  # noqa: ANN401  (as `Bot` takes it)
    ) -> None:
        shipped = find_calibration("demo")
        calibration: Calibration = replace(
            shipped,
            panel=shipped.panel if sees_panel else None,
            behaviour=behaviour(shipped.behaviour),
            cell=cell or shipped.cell,
        )
        settings = PlaySettings(games=1, mines=mines, learns=False)
        super().__init__(desktop, desktop, calibration, folder, clock=desktop.clock, settings=settings, **more)

    @property
    def waited(self) -> list[str]:
        """What it has said that it waits for."""
        return [event.why for event in self.events if isinstance(event, Waiting)]

    @property
    def ends(self) -> list[str]:
        """How the games ended."""
        return [game.result for game in self.results]

    def ends_of(self, games: int) -> list[str]:
        """Play and return how the games ended."""
        self.play(games)
        return self.ends


def by_hand_at(number: int, desktop: ScriptedDesktop) -> Callable[[Event], None]:
    """Let a person act at a decision, counted from 1, before it is carried out."""
    decisions = count(1)

    def watch(event: Event) -> None:
        if isinstance(event, Decided) and next(decisions) == number:
            desktop.press("by hand")

    return watch


def slow(known: Behaviour) -> Behaviour:
    """The same, but a picture is at rest only after so long."""
    return replace(known, settle=replace(known.settle, quiet_ms=60.0))


def closes_dialogs(*keys: str, drawn_inside: bool = False) -> Callable[[Behaviour], Behaviour]:
    """A behaviour with a dialog that may follow each end, and what closes it."""
    dialogs = tuple(Dialog(after=after, keys=keys, drawn_inside=drawn_inside) for after in ("won", "lost"))
    return lambda known: replace(known, dialogs=dialogs)


def test_a_game_is_won_with_the_clicks_that_it_takes(tmp_path: Path) -> None:
    """Where everything is certain each safe cell is clicked once, nothing else is, and the game is won."""
    desktop = story(FRESH, FIRST, BEGUN, LAST, WON)
    assert Player(desktop, tmp_path).ends_of(1) == ["won"]
    assert desktop.is_over


class Picture(ScriptedDesktop):
    """A static picture of a board."""

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002  (whichever it is)
        self.move(at)

    def press(self, key: str) -> None:
        assert key


def test_a_board_that_takes_no_click_is_never_won(tmp_path: Path) -> None:
    """A picture of a fresh board, which no click changes, is given up after some rounds and one long wait."""
    desktop = Picture((10, 9), [shown("########## " * 9, 3)])
    player = Player(desktop, tmp_path, sees_panel=False, mines=None)
    with pytest.raises(StuckError, match="has not changed"):
        player.play(1)
    assert player.ends == ["aborted"]
    assert sum(isinstance(event, Decided) for event in player.events) == ATTEMPTS
    assert desktop.clock.now() > STANDS_STILL_S


def test_somebody_elses_win_is_not_counted(tmp_path: Path) -> None:
    """If only mines are left on the first board, another game is begun; if that fails, none was won."""
    won = shown("0000000000 " * 7 + "1111111110 1#11#11#10", 3)
    player = Player(Picture((10, 9), [won]), tmp_path, sees_panel=False, mines=None)
    with pytest.raises(StuckError):
        player.play(1)
    assert "won" not in player.ends


@pytest.mark.parametrize("covers_first", [True, False])
def test_covered_cells_are_left_out(tmp_path: Path, *, covers_first: bool) -> None:
    """Covered cells are never clicked, and all others are played to the win."""
    cover = story(FRESH).cell(2, 2).grown(8)
    first = covered(FRESH, cover) if covers_first else FRESH
    desktop = story(first, FIRST, covered(BEGUN, cover), LAST, covered(WON, cover))
    assert Player(desktop, tmp_path).ends_of(1) == ["won"]
    assert desktop.is_over


def test_a_mostly_covered_board_is_not_clicked(tmp_path: Path) -> None:
    """A mostly covered board is not clicked; the run ends with the cells named and the picture saved."""
    board = story(FRESH).board
    desktop = story(FRESH, FIRST, covered(BEGUN, Region(board.x, board.y, board.width, board.height * 2 // 3)))
    with pytest.raises(UntrustedReadingError, match="54 of 81 cells cannot be read") as caught:
        Player(desktop, tmp_path).play(1)
    (picture,) = tmp_path.glob("*.png")
    assert str(picture) in str(caught.value)
    assert load_image(picture).shape[2] == 3


def test_a_picture_that_cannot_be_kept_hides_no_doubt(tmp_path: Path) -> None:
    """Where the picture of an unreadable board cannot be saved, the run ends with what is wrong with the board."""
    board = story(FRESH).board
    desktop = story(FRESH, FIRST, covered(BEGUN, Region(board.x, board.y, board.width, board.height * 2 // 3)))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UntrustedReadingError, match=r"54 of 81 cells cannot be read.*not kept"):
        Player(desktop, tmp_path / "file").play(1)


def test_numbers_that_contradict_each_other_are_never_clicked_on(tmp_path: Path) -> None:
    """A position without a layout, such as a 7 beside a 1, is not acted upon."""
    desktop = story(shown("######### " * 4 + "####71### " + "######### " * 4, 3))
    with pytest.raises(UntrustedReadingError, match="no placement of mines"):
        Player(desktop, tmp_path).play(1)


def test_without_a_board_the_error_says_what_was_searched(tmp_path: Path) -> None:
    """On a desktop without a board nothing is clicked, and the error says what was searched."""
    desktop = story(covered(FRESH))
    with pytest.raises(NoBoardFoundError, match=f"searched {desktop.region.width}x{desktop.region.height} pixels"):
        Player(desktop, tmp_path).play(1)


def test_a_client_that_is_minimised_is_named(tmp_path: Path) -> None:
    """Without a board, a minimised window of the client's is named."""
    desktop = story(covered(FRESH))
    windows = FakeWindows(desktop)
    windows.is_minimised = True
    with pytest.raises(NoBoardFoundError) as caught:
        Player(desktop, tmp_path, windows=windows).play(1)
    assert "minimised: 'sweepbot demo'" in caught.value.hint


def test_a_client_that_shows_no_board_is_named(tmp_path: Path) -> None:
    """Where the client's window shows a menu instead of a board, a game has to be started first, and that is said."""
    desktop = story(covered(FRESH))
    with pytest.raises(NoBoardFoundError, match="the window 'sweepbot demo' shows none") as caught:
        Player(desktop, tmp_path, windows=FakeWindows(desktop)).play(1)
    assert "start a game in it first" in caught.value.hint


def test_a_cover_that_goes_away_in_time_is_waited_for(tmp_path: Path) -> None:
    """A board that is covered for a second is played on."""
    cell = story(FRESH).cell(2, 2)
    desktop = story(FRESH, FIRST, covered(BEGUN, cell), "1 s", BEGUN, LAST, WON)
    assert Player(desktop, tmp_path).ends_of(1) == ["won"]


def looking_at(desktop: ScriptedDesktop, reader: Reader) -> tuple[Controls, Examiner]:
    """What examines the pictures of a desktop."""
    desk = Desk(desktop, desktop)
    controls = Controls(desk, ClientWindow(desk), reader.calibration.behaviour.settle)
    return controls, Examiner(controls, reader, Solver())


def test_a_board_that_changed_while_waiting_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """When patience ends with an unreadable board, its newest picture is read first."""
    cell = story(FRESH).cell(2, 2)
    desktop, reader = story(covered(FRESH, cell), "key by hand", FRESH), Reader(find_calibration("demo"))
    place = reader.read(FRESH)
    read_at = Reader.read_at

    def slow(self: Reader, image: Image, known: Reading) -> Reading:
        if not desktop.is_over:
            desktop.press("by hand")
        return read_at(self, image, known)

    monkeypatch.setattr(Reader, "read_at", slow)
    controls, examiner = looking_at(desktop, reader)
    watcher = Watcher(controls, examiner, lambda _: None)
    seen = watcher.watch(Watching(AnyPosition(), place, patience_s=0))
    assert isinstance(seen, Position)
    assert seen.reading.board == place.board


class Thinker(Solver):
    """Remembers which boards it had to decide."""

    def __init__(self) -> None:
        super().__init__()
        self.decided: list[Board] = []

    def decide(self, board: Board, time_is_up: Callable[[], bool] = lambda: False) -> Decision:
        self.decided.append(board)
        return super().decide(board, time_is_up)


def test_a_board_is_decided_once_while_its_picture_comes_to_rest(tmp_path: Path) -> None:
    """Where a picture changes in a cell's rim, what the same board asks for is not thought out again."""
    half_drawn, cell = TOSS.copy(), story(TOSS).cell(2, 2)
    half_drawn[cell.y, cell.x] ^= 1
    desktop, thinker = story(FRESH, FIRST, half_drawn, "0.03 s", TOSS, "left 7,8", TOSS_WON), Thinker()
    player = Player(desktop, tmp_path, behaviour=slow, solver=thinker)
    assert player.ends_of(1) == ["won"]
    assert len(thinker.decided) == len(set(thinker.decided)) == 2


def test_an_end_seen_before_its_cover_counts(tmp_path: Path) -> None:
    """Games whose end is covered before it rests, by something no key closes, end won."""
    cover = covered(WON, story(WON).board)
    game = FRESH, FIRST, BEGUN, LAST, WON, "0.03 s", cover
    desktop = story(*game, f"left at {FACE}", *game)
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=slow).ends_of(2) == ["won", "won"]
    assert desktop.is_over


def test_an_end_is_remembered_while_its_box_is_waited_for(tmp_path: Path) -> None:
    """A win covered by a box at once is a win, even if the box is first waited for."""

    def boxed(known: Behaviour) -> Behaviour:
        return replace(slow(known), dialogs=(Dialog(after="won", clicks=((40, 20),)),))

    desktop = story(FRESH, FIRST, BEGUN, LAST, WON, "0.03 s", covered(WON, story(WON).cell(3, 3).grown(20)))
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=boxed).ends_of(1) == ["won"]


def test_an_end_that_was_not_seen_is_not_reported(tmp_path: Path) -> None:
    """Where the board is covered before its end was seen, no result is claimed."""
    desktop = story(FRESH, FIRST, BEGUN, LAST, covered(WON, story(WON).board))
    player = Player(desktop, tmp_path, sees_panel=False)
    with pytest.raises(UntrustedReadingError, match="81 of 81 cells cannot be read"):
        player.play(1)
    assert player.ends == ["aborted"]


def test_a_game_won_by_a_guess_is_won_behind_a_message(tmp_path: Path) -> None:
    """Where a message stays over cells that the last click opened, the flags beside it tell the win."""
    won = shown("000000000 " * 6 + "000000011 00000013F 0000001FF", 3)
    desktop = story(FRESH, FIRST, covered(won, story(won).cell(3, 3).grown(20)))
    assert Player(desktop, tmp_path, sees_panel=False).ends_of(1) == ["won"]


@pytest.mark.parametrize(("end", "result"), [(TOSS_WON, "won"), (TOSS_LOST, "lost")])
def test_mines_beside_a_box_are_a_loss(end: Image, result: str, tmp_path: Path) -> None:
    """Mines visible beside a box tell a loss from a win."""
    desktop = story(FRESH, FIRST, TOSS, "left 7,8", covered(end, story(end).cell(6, 7)))
    assert Player(desktop, tmp_path, sees_panel=False).ends_of(1) == [result]


@pytest.mark.parametrize(("end", "result"), [(TOSS_WON, "won"), (TOSS_LOST, "lost")])
def test_an_end_seen_beside_a_dialog_counts(end: Image, result: str, tmp_path: Path) -> None:
    """If closing a dialog begins the next game, the last one ended as seen beside the dialog."""
    boxed = covered(end, story(end).cell(6, 3))
    desktop = story(FRESH, FIRST, TOSS, "left 7,8", boxed, "key enter", FRESH)
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("enter")).ends_of(1) == [result]


@pytest.mark.parametrize("stopped", ["moved by hand", "corner", "Ctrl-C"])
@pytest.mark.parametrize(
    ("end", "result"),
    [(TOSS_WON, "won"), (TOSS_LOST, "lost"), (covered(TOSS_WON, story(TOSS_WON).cell(3, 3)), "won"), (TOSS, "aborted")],
    ids=["won", "lost", "won behind a message", "not over"],
)
def test_an_end_that_is_shown_as_a_person_stops_counts(end: Image, result: str, stopped: str, tmp_path: Path) -> None:
    """Who takes the mouse, or presses Ctrl-C, as the client shows an end stops the run after that game, else in it."""
    desktop = story(FRESH, FIRST, TOSS, "left 7,8", end)

    is_pressed = False

    def position() -> Point:
        nonlocal is_pressed
        if not desktop.is_over or (stopped == "Ctrl-C" and is_pressed):
            return of_bot()
        if stopped == "Ctrl-C":
            is_pressed = True
            raise KeyboardInterrupt
        return Point(0, 0) if stopped == "corner" else Point(3, 100)

    of_bot, desktop.position = desktop.position, position  # type: ignore[method-assign]
    player = Player(desktop, tmp_path)
    ctrl_c = stopped == "Ctrl-C"
    with pytest.raises(KeyboardInterrupt if ctrl_c else StoppedByUserError, match=None if ctrl_c else stopped):
        player.play(3)
    assert player.ends == [result]
    assert [event.result for event in player.events if isinstance(event, Ended)] == [result] * (result != "aborted")


def test_a_dialog_is_closed_before_the_screen_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without window information, a dialog over the end is closed before the screen is searched."""
    searched = 0
    read_moved = Reader.read_moved

    def counted(self: Reader, image: Image, known: Reading) -> Reading:
        nonlocal searched
        searched += 1
        return read_moved(self, image, known)

    monkeypatch.setattr(Reader, "read_moved", counted)
    desktop = story(FRESH, FIRST, BEGUN, LAST, covered(WON, story(WON).board), "key esc", WON)
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("esc")).ends_of(1) == ["won"]
    assert searched == 0


def test_a_loss_at_the_first_click_counts(tmp_path: Path) -> None:
    """A mine at the first click is a loss, even if closing the dialog leads to the next game."""
    lost = covered(shown("X######## " + "######### " * 8, 3, Smiley.DEAD), story(FRESH).cell(6, 3))
    desktop = story(FRESH, FIRST, lost, "key enter", FRESH)
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("enter")).ends_of(1) == ["lost"]


def test_a_dialog_beside_the_board_is_answered(tmp_path: Path) -> None:
    """Where a dialog takes all clicks and the board shows no end, its key is pressed, and the next game begins."""
    ended = FRESH, FIRST, BEGUN, LAST, BEGUN, LAST, BEGUN, "key esc"
    desktop = story(*ended, FRESH, "key esc", FRESH, FIRST, BEGUN, LAST, WON)
    assert Player(desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("esc")).ends_of(2) == ["won", "won"]
    assert desktop.is_over


def test_late_clicks_may_have_won_the_game(tmp_path: Path) -> None:
    """If clicks that were given up on show late behind something small, the game they won is won."""
    hidden = covered(WON, story(WON).cell(0, 0))
    desktop = story(FRESH, FIRST, BEGUN, LAST, BEGUN, "key by hand", hidden, LAST, hidden, "left 0,1", hidden)
    assert Player(desktop, tmp_path, sees_panel=False, watch=by_hand_at(3, desktop)).ends_of(1) == ["won"]


def test_a_client_that_thaws_at_last_is_played_on(tmp_path: Path) -> None:
    """What the clicks of all rounds have done may show only while the client is watched without a click."""
    frozen: list[Image | str] = [BEGUN, LAST] * ATTEMPTS
    assert Player(story(FRESH, FIRST, *frozen, BEGUN, "30 s", WON), tmp_path).ends_of(1) == ["won"]


def test_a_game_that_a_person_starts_between_decision_and_clicks_gets_none(tmp_path: Path) -> None:
    """A board that has changed since it was read is judged before it is clicked on."""
    desktop = story(FRESH, FIRST, BEGUN, "key by hand", FRESH)
    player = Player(desktop, tmp_path, watch=by_hand_at(2, desktop))
    with pytest.raises(StoppedByUserError, match="another game was started by hand"):
        player.play(1)
    assert desktop.is_over
    assert player.ends == ["aborted"]


def test_no_dialog_is_told_of_where_a_client_only_freezes(tmp_path: Path) -> None:
    """A client that misses clicks for a while, and shows no dialog, is not said to have had one closed."""
    frozen: list[Image | str] = [BEGUN, LAST] * 3
    desktop = story(FRESH, FIRST, *frozen, BEGUN, LAST, WON)
    player = Player(desktop, tmp_path, windows=FakeWindows(desktop))
    assert player.ends_of(1) == ["won"]
    assert [event for event in player.events if isinstance(event, GoesOn)] == []


def test_a_client_that_freezes_is_said_to_be_waited_for(tmp_path: Path) -> None:
    """A client that takes neither the clicks nor their repetition is said to be waited for, before any third."""
    desktop = story(FRESH, FIRST, BEGUN, LAST, BEGUN, LAST, BEGUN, "key once it is said", WON)

    def watch(event: Event) -> None:
        if isinstance(event, Waiting):
            desktop.press("once it is said")

    player = Player(desktop, tmp_path, watch=watch)
    assert player.ends_of(1) == ["won"]
    assert player.waited == ["for the client to react"]


def test_a_picture_that_does_not_come_to_rest_is_said_to_be_waited_for(tmp_path: Path) -> None:
    """Where a clicked cell goes on changing, this is said once, after a second."""
    flicker = [covered(WON, story(WON).cell(8, 0)), BEGUN] * 150
    desktop = story(FRESH, FIRST, BEGUN, LAST, *[part for image in flicker for part in (image, "0.004 s")], WON)
    player = Player(desktop, tmp_path)
    assert player.ends_of(1) == ["won"]
    assert player.waited == ["for the picture to come to rest"]


def asking(image: Image) -> Image:
    """The same behind a page's own box: everything dimmed, and a white box above the board."""
    image = image // 5 * 2
    image[8:58, 60:240] = 255
    image[20:28, 70:150:2] = 60
    image[36:52, 190:230] = (180, 80, 20)
    return image


def test_a_box_in_the_clients_own_window_is_closed(tmp_path: Path) -> None:
    """A box inside a page is not a window, but its key is pressed all the same."""
    quiet = shown(_SKY + "111111111 1#11#11#1", 3)
    first = FRESH, FIRST, BEGUN, LAST, asking(quiet), "key enter", quiet, f"left at {FACE}"
    desktop = story(*first, FRESH, FIRST, BEGUN, LAST, WON)
    windows = FakeWindows(desktop)
    assert Player(
        desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("enter", drawn_inside=True), windows=windows
    ).ends_of(2) == ["won", "won"]
    assert desktop.is_over
    assert windows.dismissed == []


def test_the_pointer_clears_a_message_after_a_dialog(tmp_path: Path) -> None:
    """After a dialog the pointer passes over the board, so that the client notices it has left."""
    quiet = shown(_SKY + "111111111 1#11#11#1", 3)
    message = covered(quiet, story(quiet).cell(8, 1))
    first = FRESH, FIRST, BEGUN, LAST, asking(quiet), "key enter", message, "over 4,4", quiet, f"left at {FACE}"
    desktop = story(*first, FRESH, FIRST, BEGUN, LAST, WON)
    assert Player(
        desktop,
        tmp_path,
        sees_panel=False,
        behaviour=closes_dialogs("enter", drawn_inside=True),
        windows=FakeWindows(desktop),
    ).ends_of(2) == ["won", "won"]
    assert desktop.is_over


@pytest.mark.parametrize("way", ["dialog", "restart"])
def test_nothing_is_pressed_after_the_client_has_quit(way: str, tmp_path: Path) -> None:
    """A client that quits at a key is given up at once, without further keys or clicks."""
    if way == "dialog":
        desktop = story(FRESH, FIRST, BEGUN, LAST, BEGUN, LAST, BEGUN, "key esc", covered(FRESH))
        player = Player(desktop, tmp_path, sees_panel=False, behaviour=closes_dialogs("esc", "enter"))
    else:

        def by_keys(known: Behaviour) -> Behaviour:
            return replace(known, restart=(Restart(key="f2"), Restart(key="n")))

        desktop = story(FRESH, FIRST, BEGUN, LAST, WON, "key f2", covered(FRESH))
        player = Player(desktop, tmp_path, sees_panel=False, behaviour=by_keys)
    with pytest.raises(ClientGoneError, match="not in sight any more"):
        player.play(2)
    assert desktop.is_over


def test_a_client_that_is_paused_is_waited_for(tmp_path: Path) -> None:
    """A board that the client hides itself for longer than a cover is awaited, which is said; then play goes on."""
    desktop = story(FRESH, FIRST, np.full_like(BEGUN, 192), "20 s", BEGUN, LAST, WON)
    player = Player(desktop, tmp_path, sees_panel=False, windows=FakeWindows(desktop))
    assert player.ends_of(1) == ["won"]
    assert desktop.is_over
    assert player.waited[-1] == "for the client to show its board, which it hides itself, as while it is paused"


def test_a_pause_that_looks_like_open_cells_is_waited_for(tmp_path: Path) -> None:
    """One colour with a word on it is no board whose numbers have become zeros."""
    flat = shown("000000000 " * 9, 3)
    paused = covered(flat, story(flat).cell(4, 4))
    desktop = story(FRESH, FIRST, BEGUN, LAST, paused, "20 s", WON)
    player = Player(desktop, tmp_path, sees_panel=False, windows=FakeWindows(desktop))
    assert player.ends_of(1) == ["won"]
    assert player.waited[-1] == "for the client to show its board, which it hides itself, as while it is paused"


def test_a_pause_in_a_burst_is_no_misread(tmp_path: Path) -> None:
    """While cells that were open cannot be read, others that look like zeros are not taken for what clicks opened."""
    flat, ends = shown("000000000 " * 9, 3), [story(FRESH).cell(0, 0), story(FRESH).cell(7, 8)]
    paused = covered(flat, Region.spanning(ends))
    desktop = story(FRESH, FIRST, BEGUN, LAST, paused, "2 s", BEGUN_BUT_ONE, "left 8,2", WON)
    player = Player(desktop, tmp_path, sees_panel=False, windows=FakeWindows(desktop))
    assert player.ends_of(1) == ["won"]
    assert player.results[0].misreads == 0


def test_a_pause_gets_no_click(tmp_path: Path) -> None:
    """A hidden cell that looks like an open 0 while the client is paused is not clicked to make the others readable."""
    flat, ends = shown("000000000 " * 9, 3), [story(FRESH).cell(0, 0), story(FRESH).cell(7, 8)]
    desktop = story(FRESH, FIRST, BEGUN, LAST, covered(flat, Region.spanning(ends)), "20 s", WON)
    player = Player(desktop, tmp_path, sees_panel=False, windows=FakeWindows(desktop))
    assert player.ends_of(1) == ["won"]


def test_a_client_that_stays_paused_is_given_up(tmp_path: Path) -> None:
    """The hint asks whether it is paused, and no result is claimed."""
    desktop = story(FRESH, FIRST, np.full_like(BEGUN, 192))
    player = Player(desktop, tmp_path, sees_panel=False, windows=FakeWindows(desktop))
    with pytest.raises(UntrustedReadingError, match="81 of 81 cells cannot be read") as caught:
        player.play(1)
    assert "is the client paused" in caught.value.hint
    assert player.ends == ["aborted"]


def test_an_idle_click_clears_a_selection(tmp_path: Path) -> None:
    """A click on an open 0 restores numbers that a selection has made unreadable."""
    half = shown(_SKY + "111111111 1#11#####", 3)
    selected, rest = covered(half, story(half).cell(7, 4)), clicks("left", [(8, 5), (8, 6), (8, 8)])
    desktop = story(FRESH, FIRST, BEGUN, LAST, selected, "left 0,0", half, rest, WON)
    player = Player(desktop, tmp_path)
    player.play(1)
    assert desktop.is_over
    assert player.ends == ["won"]
    assert player.results[0].misreads == 0


def test_a_board_pushed_down_by_a_message_is_found_again(tmp_path: Path) -> None:
    """A board that moves by nearly a cell while its game is over has its end read, and the next game begins."""
    lower = Point(0, story(WON).cell(0, 0).height - 1)
    pushed = np.roll(WON, lower.y, axis=0)
    desktop = story(FRESH, FIRST, BEGUN, LAST, pushed, f"left at {FACE + lower}", FRESH, FIRST, BEGUN, LAST, WON)
    assert Player(desktop, tmp_path).ends_of(2) == ["won", "won"]
    assert desktop.is_over


def test_a_board_that_was_found_again_comes_with_its_picture() -> None:
    """A position shows the board where it is now, so that what changes on it can be told."""
    reader, lower = Reader(find_calibration("demo")), Point(0, story(BEGUN).cell(0, 0).height - 1)
    place, desktop = reader.read(BEGUN), story(np.roll(BEGUN, lower.y, axis=0))
    _, examiner = looking_at(desktop, reader)
    frame = desktop.grab(examiner.region_of(place))
    seen = examiner.examine(frame, examiner.read(frame, place), searches=True)
    assert isinstance(seen, Position)
    assert seen.reading.grid == place.grid.moved(lower)
    assert seen.frame.region == seen.reading.grid.region
    assert np.array_equal(seen.frame.image, desktop.grab(seen.frame.region).image)


class Astray(Reader):
    """Finds each board half a cell beside where it is, as happens where cells have unknown looks."""

    def read_all(self, image: Image) -> list[Reading]:
        found = super().read_all(image)
        return [it.moved(Point(round(it.grid.pitch[0] / 2), 0)) for it in found]


@pytest.mark.parametrize("shows", [BEGUN // 2 + 100, covered(BEGUN, story(BEGUN).board)], ids=["unlike", "covered"])
def test_a_board_that_stays_in_its_window_is_not_found_beside_it(shows: Image) -> None:
    """Where its cells have not moved, a board found half a cell off is no new place, but a doubt about the old one."""
    reader = Astray(find_calibration("demo"))
    found = Reader(reader.calibration).read(BEGUN)
    desktop = story(shows)
    _, examiner = looking_at(desktop, reader)
    frame = desktop.grab(examiner.region_of(found))
    seen = examiner.examine(frame, examiner.read(frame, found), searches=True)
    assert seen.reading.grid == found.grid


def test_a_window_that_is_painted_late_after_it_was_resized_is_played_on(tmp_path: Path) -> None:
    """A resized window that stays blank for a while is waited for, and the game in it goes on."""
    blank = np.full_like(BEGUN, 192)
    desktop = story(FRESH, FIRST, blank, "0.5 s", BEGUN, LAST, WON)
    whole = desktop.window

    def resize(_: FakeWindows) -> None:
        if not np.array_equal(desktop.grab().image, FRESH):
            desktop.window = Region(whole.x, whole.y, whole.width - 40, whole.height - 40)

    assert Player(desktop, tmp_path, windows=FakeWindows(desktop, resize)).ends_of(1) == ["won"]
    assert desktop.is_over


OTHER_LEVEL = "000000000000 " * 7 + "111111111111 " + "############"


@pytest.mark.parametrize("then", ["the same", "a half painted one", "another"])
def test_a_resized_board_is_compared_with_the_known_size(then: str, tmp_path: Path) -> None:
    """What looks like another size for a moment is waited for; a person is blamed only if it can be read as that."""
    begun, fresh, won = (np.pad(it, ((0, 0), (0, 60), (0, 0)), mode="edge") for it in (BEGUN, FRESH, WON))
    other = shown(OTHER_LEVEL, 3)[:, : begun.shape[1]]
    other = np.pad(other, ((0, 0), (0, begun.shape[1] - other.shape[1]), (0, 0)), mode="edge")
    if then == "a half painted one":
        other = covered(other, story(other).cell(3, 3).grown(60))
    rest = (LAST, won) if then == "the same" else ()
    desktop = story(fresh, FIRST, other, "0.5 s", begun, *rest) if rest else story(fresh, FIRST, other)
    whole = desktop.window

    def resize(_: FakeWindows) -> None:
        if not np.array_equal(desktop.grab().image, fresh):
            desktop.window = Region(whole.x, whole.y, whole.width - 4, whole.height - 4)

    player = Player(desktop, tmp_path, windows=FakeWindows(desktop, resize))
    if rest:
        assert player.ends_of(1) == ["won"]
        return
    expected = StoppedByUserError if then == "another" else UntrustedReadingError
    with pytest.raises(expected, match=r"another level was started by hand, 12x9|looks like|be found in it"):
        player.play(1)


def test_a_theme_changed_in_mid_game_is_not_guessed_at(tmp_path: Path) -> None:
    """If all colours change to ones that no calibration has, nothing more is clicked or claimed."""
    other_theme = 255 - BEGUN
    desktop = story(FRESH, FIRST, other_theme)
    player = Player(desktop, tmp_path)
    with pytest.raises(UntrustedReadingError, match="81 of 81 cells cannot be read"):
        player.play(1)
    assert player.ends == ["aborted"]


def dimmed(image: Image) -> Image:
    return image // 2


def test_a_dimmed_won_game_is_won(tmp_path: Path) -> None:
    """Where an end only dims the board, the result is read off it."""
    end = WON.copy()
    board = Reader(find_calibration("demo")).read(WON).grid.region
    inside = slice(board.y, board.bottom), slice(board.x, board.right)
    end[inside] = dimmed(end[inside])
    assert Player(story(FRESH, FIRST, BEGUN, LAST, end), tmp_path, sees_panel=False).ends_of(1) == ["won"]


def test_a_board_that_is_dimmed_in_mid_game_is_not_clicked_on(tmp_path: Path) -> None:
    """Dimming in mid-game may mean a question in front of the board, so nothing is clicked."""
    desktop = story(FRESH, FIRST, dimmed(BEGUN))
    with pytest.raises(UntrustedReadingError, match="darker than before"):
        Player(desktop, tmp_path).play(1)
    assert desktop.is_over


def test_a_night_light_that_comes_on_in_mid_game_is_harmless(tmp_path: Path) -> None:
    """If the screen turns warmer and darker, the game goes on."""

    def warm(image: Image) -> Image:
        return np.asarray(image * np.array([0.6, 0.8, 0.95]), dtype=np.uint8)

    desktop = story(FRESH, FIRST, warm(BEGUN), LAST, warm(WON))
    assert Player(desktop, tmp_path).ends_of(1) == ["won"]
    assert desktop.is_over


def test_a_game_that_a_person_starts_in_a_burst_gets_no_further_click(tmp_path: Path) -> None:
    """The rest of the burst is not clicked into the new board, and no result is claimed."""
    desktop = story(FRESH, FIRST, BEGUN, "left 8,0", FRESH)
    player = Player(desktop, tmp_path)
    with pytest.raises(StoppedByUserError, match="another game was started by hand"):
        player.play(1)
    assert desktop.is_over
    assert player.ends == ["aborted"]
    assert player.results[0].misreads == 0


def test_a_cell_that_changes_in_a_burst_is_not_clicked(tmp_path: Path) -> None:
    """A cell that a person flags while the cells before it are clicked is left alone, and read again."""
    flagged = shown(_SKY + "111111111 1#F######", 2)
    rest = clicks("left", [(8, 3), (8, 5), (8, 6), (8, 8)])
    half = shown(_SKY + "111111111 1#F1#11#1", 2)
    desktop = story(FRESH, FIRST, BEGUN, "left 8,0", flagged, rest, half, "right 8,2", BEGUN_BUT_ONE, "left 8,2", WON)
    assert Player(desktop, tmp_path).ends_of(1) == ["won"]
    assert desktop.is_over


def recorded(desktop: ScriptedDesktop, folder: Path, windows: Windows | None = None) -> Trace:
    """The trace of a game of three mines, which a person may stop."""
    calibration, settings = find_calibration("demo"), PlaySettings(games=1, mines=3, learns=False)
    desk = Desk(desktop, desktop, windows, desktop.clock)
    record = trace_of(desk, folder, settings, whole_screen=windows is None)
    with suppress(StoppedByUserError), record:
        record.played_with(calibration, settings)
        with playing(record, named(calibration, settings), evidence=folder.parent) as player:
            player.play(1)
    return open_trace(folder)


def test_a_burst_that_was_broken_off_replays(tmp_path: Path) -> None:
    """A trace keeps what a glance between two clicks has seen, and its replay breaks off the same burst."""
    trace = recorded(story(FRESH, FIRST, BEGUN, "left 8,0", FRESH), tmp_path / "trace")
    assert [line.changed for line in trace.entries() if isinstance(line, Glance)] == [[False, True]]
    assert replay_strictly(trace).differences == []


@pytest.mark.parametrize("replay", [replay_strictly, replay_by_step])
def test_a_client_that_was_resized_replays(replay: Callable[[Trace], Replayed], tmp_path: Path) -> None:
    """A board that is elsewhere in a window of another size is in the trace from there on, and the game goes on."""
    place, back = story(BEGUN), Point(-64, -40)
    first = f"left at {place.cell(0, 0).centre + back}"
    desktop = story(np.roll(FRESH, (back.y, back.x), (0, 1)), first, BEGUN, LAST, WON)
    around = place.board.grown(57)
    desktop.window = around.moved(back).intersection(desktop.region) or around

    def resize(_: FakeWindows) -> None:
        if np.array_equal(desktop.grab().image, BEGUN):
            desktop.window = around

    trace = recorded(desktop, tmp_path / "trace", FakeWindows(desktop, resize))
    assert desktop.is_over
    assert [line.region for line in trace.entries() if isinstance(line, Resizing)] == [box(around)]
    assert replay(trace).differences == []


def test_a_dialog_that_is_closed_in_mid_game_is_told_of(tmp_path: Path) -> None:
    """A person's question to the client, as for a new game, is closed without an answer, and the game goes on."""
    desktop = story(FRESH, FIRST, BEGUN, LAST, WON)
    asked: list[Window] = []

    def ask(windows: FakeWindows) -> None:
        if not asked and np.array_equal(desktop.grab().image, BEGUN):
            asked.append(Window(9, desktop.cell(6, 3).grown(20), owner=CLIENT, program=1))
            windows.in_front = [*asked]

    windows = FakeWindows(desktop, ask)
    player = Player(desktop, tmp_path, windows=windows)
    assert player.ends_of(1) == ["won"]
    assert windows.dismissed == [9]
    assert [str(event) for event in player.events if isinstance(event, GoesOn)] != []


def test_nothing_is_resized_while_a_game_is_on(tmp_path: Path) -> None:
    """A torn picture in mid-game, even of cells smaller than the calibration's, leaves the window as it is."""
    desktop = story(FRESH, FIRST, covered(BEGUN, story(BEGUN).board))
    windows = FakeWindows(desktop)
    player = Player(desktop, tmp_path, sees_panel=False, windows=windows, cell=(20, 20))
    with pytest.raises(UntrustedReadingError, match="81 of 81 cells cannot be read"):
        player.play(1)
    assert windows.placed == []


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_board_behind_the_clients_own_window_replays_by_step(tmp_path: Path, *, is_whole: bool) -> None:
    """Cells that a dialog hid are no difference, if the pictures alone tell them, or only those before told the run."""
    behind = story(WON).cell(8, 3).grown(9) if is_whole else story(WON).cell(8, 3).moved(Point(-4, 9))
    desktop = story(FRESH, FIRST, BEGUN, LAST, covered(WON, behind), "1 s", WON)

    def ask(windows: FakeWindows) -> None:
        is_up = not desktop.is_over and np.array_equal(desktop.grab().image, covered(WON, behind))
        windows.in_front = [Window(9, behind, owner=CLIENT, program=1)] if is_up else []

    trace = recorded(desktop, tmp_path / "trace", FakeWindows(desktop, ask))
    assert desktop.is_over
    doubted = [line.rows for line in trace.entries() if isinstance(line, Read) and "another window" in line.doubt]
    assert doubted
    if is_whole:
        lines = (trace.folder / "events.jsonl").read_bytes()
        unread, told = (msgspec.json.encode(rows) for rows in (doubted[0], (_SKY + "111111111 1F11F11F1").split()))
        (trace.folder / "events.jsonl").write_bytes(lines.replace(unread, told))
    assert replay_by_step(trace).differences == []


@pytest.mark.parametrize("is_window", [True, False])
def test_a_game_around_covered_cells_replays_by_step(tmp_path: Path, *, is_window: bool) -> None:
    """The cells that a run has left out are left out again, whether behind a window or unread."""
    cover = story(FRESH).cell(2, 2).grown(8)
    desktop = story(FRESH, FIRST, covered(BEGUN, cover), LAST, covered(WON, cover))

    def hide(windows: FakeWindows) -> None:
        is_up = not np.array_equal(desktop.grab().image, FRESH)
        windows.in_front = [Window(9, cover, program=2)] if is_up else []

    trace = recorded(desktop, tmp_path / "trace", FakeWindows(desktop, hide) if is_window else None)
    assert desktop.is_over
    assert replay_by_step(trace).differences == []
