"""Playing where windows are known: what is in front, where the client is, who has the keyboard."""

import random
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from sweepbot.board import Phase, State
from sweepbot.control.client_window import ClientWindow, Obstruction
from sweepbot.control.guard import Guard
from sweepbot.control.program_kinds import EDITORS, check_client
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window, with_words
from sweepbot.errors import ClientCoveredError, ClientGoneError, NoBoardFoundError, UntrustedReadingError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Decided, Event, Waiting
from sweepbot.vision.calibration import find_calibration
from tests.playing import Bot
from tests.standins.fake_windows import CLIENT, FakeWindows

STRANGER, DIALOG = 50, 51


class Scene:
    """The demo in memory with windows around it, and a mouse that records clicks and keys."""

    def __init__(
        self,
        folder: Path,
        happens: Callable[["Scene"], None] = lambda _: None,
        seed: int = 1,
        region: Region | None = None,
    ) -> None:
        rng, size = random.Random(seed), Level.parse("intermediate")
        self.desktop = MemoryDesktop(Client(lambda: Game(size, FirstClick.SAFE, rng)), at=Point(150, 120))
        self.windows = FakeWindows(self.desktop, lambda _: happens(self))
        self.clicks: list[Point] = []
        self.keys: list[str] = []
        self.told: list[str] = []
        self.bot = Bot(
            self.desktop,
            self,
            find_calibration("demo"),
            folder,
            windows=self.windows,
            settings=PlaySettings(games=1, learns=False, region=None if region is None else str(region)),
            watch=self._watch,
        )

    def _watch(self, event: Event) -> None:
        if isinstance(event, Waiting):
            self.told.append(event.why)
        if isinstance(event, Decided) and self.desktop.client.game.mines:
            assert self.desktop.client.game.mines.isdisjoint(event.safe)

    def position(self) -> Point:
        return self.desktop.position()

    def move(self, to: Point) -> None:
        self.desktop.move(to)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        assert self.windows.is_open, "a click where the client was"
        assert not any(at in window.region for window in self.windows.in_front), "a click on another window"
        self.clicks.append(at)
        self.desktop.click(at, button, hold_s)

    def press(self, key: str) -> None:
        assert self.windows.keyboard == CLIENT, "a key for another window"
        self.keys.append(key)
        self.desktop.press(key)

    @property
    def board(self) -> Region:
        return self.desktop.client.layout.board.moved(self.desktop.window.origin)


def once(after_clicks: int, act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Do something once, after a number of clicks."""
    done: list[bool] = []

    def happens(scene: Scene) -> None:
        if not done and len(scene.clicks) >= after_clicks:
            done.append(True)
            act(scene)

    return happens


def cover(scene: Scene) -> None:
    scene.windows.in_front = [Window(STRANGER, scene.board.grown(-20))]


@pytest.mark.parametrize("by", [Point(16, 0), Point(-32, 48), Point(5, 3)], ids=str)
@pytest.mark.parametrize("after", [1, 4, 9])
def test_a_window_that_moves_is_followed(by: Point, after: int, tmp_path: Path) -> None:
    """A window that moves in mid-game, even by whole cells, is followed, and no wrong cell is clicked."""
    scene = Scene(tmp_path, once(after, lambda scene: scene.windows.move_client(by)))
    scene.bot.play(1)
    assert scene.bot.results[0].result == scene.desktop.client.game.phase.value
    assert scene.bot.results[0].misreads == 0


def test_a_client_that_is_closed_gets_no_click_and_no_result(tmp_path: Path) -> None:
    """A closed client is reported at once; nothing is clicked in its place, and no result claimed."""

    def close(scene: Scene) -> None:
        scene.windows.is_open = False

    scene = Scene(tmp_path, once(3, close))
    with pytest.raises(ClientGoneError, match="was closed"):
        scene.bot.play(1)
    assert [game.result for game in scene.bot.results] == ["aborted"]
    assert scene.bot.results[0].clicks == len(scene.clicks)


@pytest.mark.parametrize("program", [1, 2])
def test_a_new_window_of_the_same_program_is_the_client(program: int, tmp_path: Path) -> None:
    """A window that replaces the client's at the end of a game is the client's if its program is the same."""

    def replace(scene: Scene) -> None:
        if scene.desktop.client.game.over and scene.windows.is_open:
            scene.windows.is_open = False
            scene.windows.in_front = [Window(DIALOG, scene.desktop.window, program=program)]

    scene = Scene(tmp_path, replace)
    with nullcontext() if program == 1 else pytest.raises(ClientGoneError, match="was closed"):
        scene.bot.play(1)
    ends = {Phase.WON: "won", Phase.LOST: "lost"}
    end = ends[scene.desktop.client.game.phase] if program == 1 else "aborted"
    assert [game.result for game in scene.bot.results] == [end]


def test_a_window_that_is_replaced_in_another_place_is_followed(tmp_path: Path) -> None:
    """A client that opens its next game in a new window, a few pixels off, is played on there."""

    def replaces(scene: Scene) -> None:
        scene.windows.move_client(Point(7, 22))
        scene.windows.number = DIALOG

    scene = Scene(tmp_path, once(3, replaces))
    scene.bot.finish(1)


def test_a_board_that_is_covered_for_a_while_is_waited_for(tmp_path: Path) -> None:
    """While another program's window is in front, nothing is clicked; then the game goes on."""
    looks: list[int] = []

    def happens(scene: Scene) -> None:
        if len(scene.clicks) == 3 and not looks:
            cover(scene)
        if scene.windows.in_front:
            looks.append(1)
        if len(looks) > 40:
            scene.windows.in_front = []

    scene = Scene(tmp_path, happens)
    scene.bot.play(1)
    assert scene.told == ["the client cannot be seen: another program's window is in front of the board"]
    assert scene.bot.results[0].result == scene.desktop.client.game.phase.value


@pytest.mark.parametrize("shared", ["owner", "program"])
def test_an_open_menu_of_the_client_is_waited_for(shared: str, tmp_path: Path) -> None:
    """A menu over the board is no dialog: it is neither answered nor clicked, and play goes on once it is closed."""
    menu = {"owner": Window(DIALOG, Region(160, 160, 120, 200), owner=CLIENT, is_menu=True)}
    menu["program"] = Window(DIALOG, Region(160, 160, 120, 200), program=1, is_menu=True)

    def happens(scene: Scene) -> None:
        scene.windows.in_front = [menu[shared]] if len(scene.clicks) == 3 and not scene.told else []

    scene = Scene(tmp_path, happens)
    scene.bot.play(1)
    assert scene.told == ["the client cannot be seen: a menu is open"]
    assert scene.windows.dismissed == []
    assert scene.bot.results[0].result == scene.desktop.client.game.phase.value


def cover_corner(scene: Scene, title_px: int = 0) -> None:
    """Put a window over nine cells in the corner of the board and over some pixels of seven others."""
    at = scene.board.end - Point(3 * 16 + 4, 3 * 16 + 4)
    inside = Region(at.x, at.y + title_px, 200, 200 - title_px)
    scene.windows.in_front = [Window(STRANGER, inside, frame=Region(at.x, at.y, 200, 200))]


@pytest.mark.parametrize("title_px", [0, 20, 100])
def test_the_cells_beside_a_window_that_stays_are_played(title_px: int, tmp_path: Path) -> None:
    """A window over a corner, or only its title bar, costs the cells behind it; all others are opened first."""
    scene = Scene(tmp_path, once(3, partial(cover_corner, title_px=title_px)))
    with pytest.raises(
        ClientCoveredError, match="nothing is left to do but the 16 cells behind another program's window"
    ):
        scene.bot.play(1)
    assert "for the 16 cells behind another program's window; the others are played meanwhile" in scene.told
    assert scene.bot.results[0].misreads == 0
    game = scene.desktop.client.game
    closed = set(game.board.where(State.HIDDEN)) - game.mines
    assert closed <= {Cell(row, column) for row in range(12, 16) for column in range(12, 16)}


def test_the_cells_behind_a_window_are_played_once_it_goes(tmp_path: Path) -> None:
    """A game of which only covered cells are left is finished when they come into sight."""

    def happens(scene: Scene) -> None:
        if any("nothing is left to do" in why for why in scene.told):
            scene.windows.in_front = []
        elif len(scene.clicks) == 3:
            cover_corner(scene)

    scene = Scene(tmp_path, happens)
    scene.bot.play(1)
    assert scene.bot.results[0].result == "won"
    assert scene.bot.results[0].misreads == 0


@pytest.mark.parametrize(
    ("why", "hint"),
    [
        ("another program's window is in front of the board", "bring its window to the front"),
        ("its window is minimised, or on another workspace", "bring its window back"),
        ("its window is rolled up", "roll it down"),
        ("part of its board is off the screen", "move its window back"),
        ("a menu is open", "close it"),
    ],
)
def test_a_board_that_stays_out_of_sight_is_given_up(why: str, hint: str, tmp_path: Path) -> None:
    """A board that stays hidden is given up with the reason and what helps, and no result is claimed."""

    def hide(scene: Scene) -> None:
        if "front" in why:
            cover(scene)
        elif "menu" in why:
            scene.windows.in_front = [Window(DIALOG, scene.board.grown(-20), owner=CLIENT, is_menu=True)]
        elif "minimised" in why:
            scene.windows.is_minimised = True
        elif "rolled" in why:
            scene.windows.is_rolled_up = True
        else:
            scene.windows.move_client(Point(400, 0))

    scene = Scene(tmp_path, once(3, hide))
    with pytest.raises(ClientCoveredError, match=why) as caught:
        scene.bot.play(1)
    assert caught.value.hint.startswith(hint)
    assert [game.result for game in scene.bot.results] == ["aborted"]


def test_lines_found_beside_the_window_hide_nothing(tmp_path: Path) -> None:
    """A board whose outer lines are found a few pixels beyond its window's frame is in sight."""
    scene = Scene(tmp_path)
    window = ClientWindow(Desk(scene.desktop, scene.desktop, scene.windows))
    window.adopt(scene.board)
    assert window.obstruction(scene.desktop.window.grown(4)) is None


def test_an_unknown_window_of_the_clients_own_is_left_alone(tmp_path: Path) -> None:
    """A window that the client opens in mid-game is not answered."""

    def ask(scene: Scene) -> None:
        scene.windows.in_front = [Window(DIALOG, scene.board.grown(-30), owner=CLIENT)]

    scene = Scene(tmp_path, once(6, ask))
    with pytest.raises(UntrustedReadingError, match="another window of the client's own"):
        scene.bot.play(1)
    assert scene.windows.dismissed == []
    assert scene.keys == []


def test_the_dialog_of_an_end_is_closed_and_the_end_is_read(tmp_path: Path) -> None:
    """A dialog over the end of a game is closed, and the board gives the result."""
    up: list[object] = []

    def happens(scene: Scene) -> None:
        game = scene.desktop.client.game
        if game.over and all(game is not other for other in up):
            up.append(game)
            scene.windows.in_front = [Window(DIALOG + len(up), scene.board.grown(20), owner=CLIENT)]

    scene = Scene(tmp_path, happens, seed=4)
    scene.bot.play(3)
    assert len(scene.windows.dismissed) >= 2
    assert all(game.result in ("won", "lost") for game in scene.bot.results)
    assert sum(game.misreads for game in scene.bot.results) == 0


def test_a_box_that_is_there_at_the_start_is_closed(tmp_path: Path) -> None:
    """A box left over from an earlier game is closed before the first click."""
    scene = Scene(tmp_path)
    scene.windows.in_front = [Window(DIALOG, scene.board.grown(-30), owner=CLIENT)]
    scene.bot.play(1)
    assert scene.windows.dismissed == [DIALOG]
    assert scene.bot.results[0].result in ("won", "lost")


@pytest.mark.parametrize("grants", [True, False])
def test_keys_are_pressed_only_for_the_client(*, grants: bool, tmp_path: Path) -> None:
    """A key is pressed only while the client has the keyboard; otherwise the run says why it is not."""
    scene = Scene(tmp_path)
    scene.windows.keyboard, scene.windows.grants_focus = STRANGER, grants
    desk = Desk(scene.desktop, scene, scene.windows)
    client = ClientWindow(desk)
    client.adopt(scene.board)
    guard = Guard(desk, client)
    if grants:
        guard.press("f2")
        assert scene.keys == ["f2"]
    else:
        with pytest.raises(ClientCoveredError, match="the keyboard belongs to another window"):
            guard.press("f2")
        assert scene.keys == []


@pytest.mark.parametrize("program", ["xterm", "org.gnome.gedit"])
def test_no_key_is_pressed_in_a_terminal_or_an_editor(program: str, tmp_path: Path) -> None:
    """A key may be a command there, or change a text, so pressing one is an error."""
    scene = Scene(tmp_path)
    scene.windows.program = program
    desk = Desk(scene.desktop, scene, scene.windows)
    client = ClientWindow(desk)
    client.adopt(scene.board)
    with pytest.raises(ClientCoveredError, match="where the key f2 may be a command"):
        Guard(desk, client).press("f2")
    assert scene.keys == []


PICTURES = [
    ("eog", "board"),
    ("display-im6.q16", "board"),
    ("code", "board"),
    ("mpv", "board"),
    ("", "Board.PNG (80%)"),
]


@pytest.mark.parametrize(("program", "title"), PICTURES)
def test_a_picture_of_a_board_is_not_clicked(program: str, title: str, tmp_path: Path) -> None:
    """Nothing is clicked in a viewer, an editor or a player, nor where the title names a picture."""
    scene = Scene(tmp_path)
    scene.windows.program, scene.windows.name = program, title
    with pytest.raises(NoBoardFoundError, match="a window that shows a picture or a text") as caught:
        scene.bot.play(1)
    assert f"if {title!r} is the client, name its place: --region" in caught.value.hint
    assert scene.clicks == []


def test_a_page_is_no_editor_whatever_its_address_says(tmp_path: Path) -> None:
    """A page that a browser shows as an application is named by its address, which may contain any program's name."""
    scene = Scene(tmp_path)
    scene.windows.program = "127.0.0.1__preview_minesweeper-js-code_index.html chromium"
    check_client(scene.windows, scene.board)
    client = ClientWindow(Desk(scene.desktop, scene, scene.windows))
    client.adopt(scene.board)
    assert not client.takes_text


def test_a_region_that_a_person_names_is_played_in_any_program(tmp_path: Path) -> None:
    """A client that looks like a viewer by its name is played where the person says that it is one."""
    scene = Scene(tmp_path, region=Region(0, 0, 546, 559))
    scene.windows.program = "minefeh"
    scene.bot.play(1)
    assert scene.bot.results[0].result in ("won", "lost")


def test_a_window_that_leaves_the_screen_is_moved_onto_it_and_put_back(tmp_path: Path) -> None:
    """A window that is partly off the screen is moved onto it to play, and back at the end."""
    scene = Scene(tmp_path)
    before = scene.desktop.window
    scene.windows.move_client(Point(scene.desktop.region.right - before.right + 70, 0))
    away = scene.desktop.window
    scene.bot.play(1)
    assert scene.bot.results[0].result in ("won", "lost")
    assert scene.desktop.window == away


@pytest.mark.parametrize(
    ("name", "is_editor"),
    [
        ("code\0Code\0", True),
        ("Code.exe", True),
        ("sun-awt-X11-XFramePeer\0com-zetcode-Minesweeper\0", False),
        ("gedit", True),
    ],
)
def test_an_editor_is_told_by_its_name(name: str, is_editor: bool) -> None:  # noqa: FBT001
    """A client whose name only contains that of an editor is none."""
    assert any(word in with_words(name) for word in EDITORS) is is_editor


def test_a_board_whose_line_is_found_beside_its_window_is_in_sight() -> None:
    """At the edge of the screen only what is of the client's window can be off it, not a line found beside it."""
    level = Level.parse("beginner")
    desktop = MemoryDesktop(Client(lambda: Game(level, FirstClick.SAFE, random.Random(1))), at=Point(0, 0))
    window, board = ClientWindow(Desk(desktop, desktop, FakeWindows(desktop))), Region(-1, 40, 100, 100)
    window.adopt(board)
    assert window.obstruction(board) is None
    desktop.window = desktop.window.moved(Point(-40, 0))
    window.follow()
    assert window.obstruction(board.moved(Point(-40, 0))) is Obstruction.OFF_SCREEN
