"""Assist: a person, played by the test, opens cells with a mouse that the onlooker does not have."""

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import groupby, islice, pairwise
from pathlib import Path

import pytest

from sweepbot.assist import Advice, Onlooker
from sweepbot.assist import advice as advise
from sweepbot.assist.beside import advice_in_words
from sweepbot.board import Board, Phase, State
from sweepbot.cli.assist import advice_as_json
from sweepbot.clock import VirtualClock
from sweepbot.demo.client import Client
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import NoMouse
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell, Point
from sweepbot.programs import read
from sweepbot.replay.by_step import replay_by_step
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.solver import Solver
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Event, Read, Waiting
from sweepbot.vision.calibration import find_calibration
from tests.commands import Command
from tests.standins.fake_windows import FakeWindows
from tests.standins.scripted_desktop import ScriptedDesktop, shown
from tools.recording.demo import demo_desktop, record_person


class Table:
    """A person's desktop with the demo on it, and an onlooker."""

    def __init__(self, seed: int = 1) -> None:
        self.desktop = demo_desktop(seed=seed)
        self.events: list[object] = []
        calibration = find_calibration("demo")
        self.onlooker = Onlooker(
            Recording(Desk(self.desktop, NoMouse(self.desktop), None, VirtualClock())),
            named(calibration, PlaySettings(games=None)),
            self.events.append,
        )

    def advise(self, *, one: bool = False) -> Iterator[Advice]:
        return (advice for _, advice in self.onlooker.advise(one=one))

    def open(self, advice: Advice, cell: Cell) -> None:
        self.desktop.click(advice.reading.grid.centre(cell))
        self.desktop.move(Point(3, 3))


def play(table: Table, advices: Iterator[Advice]) -> Advice:
    """Play by the advice until the game is over; return the last advice."""
    for advice in advices:
        if advice.decision is None or advice.decision.best is None:
            return advice
        table.open(advice, advice.decision.best.cell)
    pytest.fail("advice ended before the game did")


@pytest.mark.parametrize("seed", range(4))
def test_a_game_can_be_played_by_its_advice(seed: int) -> None:
    """Each new position gets advice until the game is over; no mouse is touched, and no cell called safe is a mine."""
    table = Table(seed=seed)
    seen: list[Advice] = []

    def noted() -> Iterator[Advice]:
        for advice in table.advise():
            seen.append(advice)
            yield advice

    last = play(table, noted())
    assert last.reading.over
    mines = table.desktop.client.game.mines
    for advice in seen[1:]:
        for hint in advice.hints:
            assert hint.is_mine == (hint.cell in mines)
    boards = [advice.reading.board for advice in seen]
    assert all(one != other for one, other in pairwise(boards))
    if last.reading.phase is Phase.LOST:  # then on a guess
        assert not seen[-2].hints or all(hint.is_mine for hint in seen[-2].hints)


def test_one_hint_is_the_next_safe_cell_with_its_proof() -> None:
    """A single hint names one safe cell and the numbers that prove it, and gives away no mine."""
    table = Table(seed=1)
    advices = table.advise(one=True)
    first = next(advices)
    assert first.hints == ()
    table.open(first, Cell(4, 4))
    for advice in islice(advices, 6):
        assert len(advice.hints) <= 1
        assert advice.decision is not None
        for hint in advice.hints:
            assert not hint.is_mine
            assert hint.proof is not None
            assert all(advice.reading.board[number] < State.HIDDEN for number in hint.proof.numbers)
        assert advice.decision.best is not None
        table.open(advice, advice.decision.best.cell)


class ShortClock(VirtualClock):
    """Ctrl-C is pressed after some seconds."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.now() > 5:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("own_folders")
@pytest.mark.parametrize(("hint", "safe"), [("one", 1), ("all", 4)])
def test_one_hint_gives_no_other_cell_away(
    hint: str, safe: int, sweepbot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--hint one` the board has the next safe cell, and of all others only that they are hidden."""
    desktop = demo_desktop()
    screen = shown("01####### 011###### 001###### 001###### 001######", 8)
    desk = Desk(ScriptedDesktop((9, 5), [screen]), NoMouse(desktop), None, ShortClock())
    monkeypatch.setattr("sweepbot.cli.assist.open_view", lambda *_, **__: nullcontext((desk, None)))
    answer = sweepbot("assist", "--client", "demo", "--mines", 8, "--hint", hint)
    assert answer.exit_code == 5
    rows = [line.split() for line in answer.out.splitlines()[:5]]
    assert sum(row.count("0") for row in rows) == safe
    assert sum(row.count("#") for row in rows) == (30 if hint == "one" else 0)


def test_the_first_click_is_advised_as_in_play() -> None:
    """Where nothing is open, what the client promises for the first click decides, as when the bot plays."""
    advised = next(Table().advise())
    assert advised.decision is not None
    assert advised.decision.best is not None
    assert advised.decision.best.reason == "first click"


def test_the_persons_flags_prove_nothing() -> None:
    """A person's flag is a new position, but what is certain stays the same."""
    table = Table(seed=1)
    advices = table.advise()
    table.open(next(advices), Cell(4, 4))
    before = next(advices)
    cell = before.reading.board.where(State.HIDDEN)[0]
    table.desktop.click(before.reading.grid.centre(cell), "right")
    table.desktop.move(Point(3, 3))
    after = next(advices)
    assert after.reading.board[cell] == State.FLAG
    assert {hint.cell for hint in after.hints} == {hint.cell for hint in before.hints}


def test_a_persons_game_is_recorded(tmp_path: Path) -> None:
    """The trace has every position of the game and no click, and replays step by step without a difference."""
    shown: list[Board] = []

    def plays(client: Client) -> bool:
        game = client.game
        shown.append(game.board)
        if game.over:
            return False
        decision = Solver().decide(game.board)
        assert decision.best is not None
        game.open(decision.best.cell)
        return True

    trace = record_person(tmp_path / "kept", plays)
    lines = list(trace.entries())
    boards = [rows for rows, _ in groupby(line.rows for line in lines if isinstance(line, Read) and not line.doubt)]
    assert boards == [board.lines() for board in shown]
    assert not [line for line in lines if isinstance(line, Click)]
    assert replay_by_step(trace).differences == []
    assert not trace.is_repeatable


def test_a_cell_that_looks_open_under_the_pointer_is_left_out() -> None:
    """A hidden cell that is drawn as an open one, as some clients do under the pointer, does not keep advice back."""
    picture = shown("000000000 " * 7 + "111111111 ##0######", 3)
    desktop = ScriptedDesktop((9, 9), [picture])
    desk = Desk(desktop, NoMouse(desktop), None, desktop.clock)
    target = named(find_calibration("demo"), PlaySettings(games=None, mines=3))

    def never_waits(event: Event) -> None:
        assert not isinstance(event, Waiting)

    _, told = next(Onlooker(Recording(desk), target, never_waits).advise())
    assert told.reading.board.lines()[-1] == "##.######"
    assert {hint.cell for hint in told.hints} >= {Cell(8, 0), Cell(8, 1)}


def test_no_board_is_an_error() -> None:
    """Where no board is visible at the start, that is the documented error, not an endless wait."""
    table = Table()
    onlooker = table.onlooker
    table.desktop.window = table.desktop.window.moved(Point(5000, 5000))
    with pytest.raises(NoBoardFoundError):
        next(onlooker.advise())
    assert not [event for event in table.events if isinstance(event, Waiting)]


def test_the_onlookers_mouse_refuses_everything() -> None:
    """Even if a bug asks for it, nothing is moved, clicked or pressed."""
    mouse = NoMouse(Table().desktop)
    with pytest.raises(AssertionError, match="moves no mouse"):
        mouse.move(Point(1, 1))
    with pytest.raises(AssertionError, match="clicks nothing"):
        mouse.click(Point(1, 1))
    with pytest.raises(AssertionError, match="presses no key"):
        mouse.press("f2")


def test_a_cell_has_one_explanation(sweepbot: Command, tmp_path: Path) -> None:
    """The small window, the terminal, `solve --explain` and JSON prove the next cell by the same rule and numbers."""
    rows = ["01#######", "011######", "001######", "001######", "001######"]
    reading = read(shown(" ".join(rows), 8), "demo").with_mines(8)
    advised = advise(reading, Solver().decide(reading.board))
    said = advice_in_words(advised)[0]
    (tmp_path / "board.txt").write_text("\n".join(rows))
    asked = ("solve", tmp_path / "board.txt", "--mines", 8, "--explain", "0,3")
    explained = sweepbot(*asked).out.partition("\n")[0]
    assert said == explained
    assert explained.startswith("row 0, column 3 is safe (two numbers): the 1 at row 0, column 1 and the 1 at row 1")
    hint = advice_as_json(advised)["hints"][0]
    told = sweepbot(*asked, "--json").json["explain"]
    assert hint["rule"] == told["rule"] == "two numbers"
    assert [{"row": cell.row, "col": cell.column} for cell in hint["numbers"]] == told["numbers"]


def test_what_is_easiest_to_see_is_shown_first() -> None:
    """The next cell is the one that the fewest numbers prove, though others come before it that all numbers prove."""
    rows = "###10001# ###201121 12#101#10 011101110 000000000 110111011 #101#101# #2011212# #10001###"
    reading = read(shown(rows, 10), "demo").with_mines(10)
    decision = Solver().decide(reading.board)
    assert decision.safe[0] == Cell(0, 0)
    for one in (True, False):
        advised = advise(reading, decision, one=one, time_is_up=lambda: False)
        first = advised.hints[0]
        assert first.proof is not None
        assert len(first.proof.numbers) == 2
        assert not first.proof.uses_total
        assert advised.decision is not None
        assert advised.decision.best is not None
        assert advised.decision.best.cell == first.cell
        assert set(advised.decision.safe) == set(decision.safe)
    in_no_time = advise(reading, decision, time_is_up=lambda: True)
    assert in_no_time.hints[0].proof is not None
    assert not in_no_time.hints[0].proof.uses_total


def test_a_client_that_shows_no_board_is_named() -> None:
    """Where the client's window shows a menu instead of a board, a game has to be started first, and that is said."""
    desktop = demo_desktop(seed=1)
    windows = FakeWindows(desktop)
    desk = Desk(desktop, NoMouse(desktop), windows, VirtualClock())
    onlooker = Onlooker(Recording(desk), named(find_calibration("google"), PlaySettings(games=None)), lambda _: None)
    windows.name = "Minesweeper - Google Search"
    with pytest.raises(NoBoardFoundError, match="shows none") as caught:
        next(onlooker.advise())
    assert "start a game in it first" in caught.value.hint
