"""The demo's board while the bot plays: what is marked on it, and for how long."""

from collections.abc import Sequence

import pytest

from sweepbot.assist import own_moves
from sweepbot.assist.board_marks import BoardMarks
from sweepbot.assist.own_moves import OwnMoves, ShownMouse
from sweepbot.board import Board
from sweepbot.clock import VirtualClock
from sweepbot.demo.process import scale_to_watch
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.overlay import Overlay
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Cell, Region
from sweepbot.level import LEVELS
from sweepbot.player.as_events import decided_event, found_event
from sweepbot.programs import read
from sweepbot.solver import Solver
from sweepbot.trace.events import Ended, FollowUp, Read
from tests.standins.fake_windows import FakeWindows
from tools.recording.demo import demo_desktop


class Marks(Overlay):
    """The marks that are shown, by their regions."""

    def __init__(self) -> None:
        self.shown: list[Region] = []

    def show(self, marks: Sequence[Frame], window: WindowId) -> None:  # noqa: ARG002  (see `Overlay`)
        self.shown = [mark.region for mark in marks]

    def hide(self) -> None:
        self.shown = []

    def without_marks(self, frame: Frame) -> Frame:
        return frame

    def close(self) -> None:
        raise NotImplementedError


def test_marks_go_with_the_cells_that_a_click_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells are marked before a guess, the opened ones no more; then all hidden ones again, and none at the end."""
    monkeypatch.setattr(own_moves, "_GUESS_S", 0)
    desktop, marks = demo_desktop(), Marks()
    desk = Desk(desktop, desktop, FakeWindows(desktop), VirtualClock())
    moves = OwnMoves(desk, BoardMarks(marks))
    mouse = ShownMouse(desktop, moves.clicked)
    fresh = read(desktop.grab().image, "demo")
    moves.observe(found_event(fresh))
    moves.observe(decided_event(Solver().decide(fresh.board), 10))
    assert len(marks.shown) == 81
    mouse.click(fresh.grid.centre(Cell(4, 4)))
    opened = read(desktop.grab().image, "demo").board
    hidden = [cell for cell in opened if desktop.client.game.board[cell] > 8]
    assert len(marks.shown) == len(hidden) < 81
    assert all(any(mark.centre in fresh.grid.region_of(cell) for cell in hidden) for mark in marks.shown)
    changing = [*opened.lines()]
    changing[0] = "." + changing[0][1:]  # a cell that is being drawn
    moves.observe(FollowUp(rows=changing, safe=[hidden[0]]))
    assert len(marks.shown) == len([cell for cell in hidden if cell != Cell(0, 0)])
    moves.observe(
        Ended(number=1, client="demo", board=opened.lines(), total=10, result="won", seconds=1.0, clicks=1, reads=1)
    )
    assert not marks.shown


def test_nothing_is_marked_once_a_game_is_over() -> None:
    """A board that shows its mines gets no marks, though a box over it keeps it from being read in full."""
    desktop, marks = demo_desktop(), Marks()
    fresh = read(desktop.grab().image, "demo")
    shown = BoardMarks(marks)
    shown.mark(fresh.board, Solver().decide(fresh.board).mine_probability, None, fresh.grid, 1)
    assert len(marks.shown) == 81
    rows = ["*........", *fresh.board.lines()[1:]]
    lost = Board.parse(rows)
    shown.observe(Read(rows=rows, phase=lost.phase().value, confidence=1.0, xs=fresh.grid.xs, ys=fresh.grid.ys))
    assert not marks.shown


@pytest.mark.parametrize(
    ("level", "monitor", "scale"),
    [
        ("beginner", (1920, 1080), 4),
        ("expert", (1920, 1080), 3),
        ("expert", (1366, 768), 2),
        ("expert", (800, 600), 1),
        ("expert", (3840, 2160), 6),
    ],
)
def test_cells_are_as_large_as_the_screen_has_room_for(level: str, monitor: tuple[int, int], scale: int) -> None:
    """A board fills the screen but for a panel and a title, and is never smaller than its pictures."""
    assert scale_to_watch(LEVELS[level], Region(0, 0, *monitor)) == scale
