"""The states of a game, fed with scripted readings: no screen, no clock, no clicks."""

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace

from sweepbot.board import Board, Phase, State
from sweepbot.desktop.screen import Frame
from sweepbot.errors import StoppedByUserError, StuckError
from sweepbot.geometry import Cell, Region
from sweepbot.outcome import Outcome, Verdict
from sweepbot.plan import Action, Style
from sweepbot.player.judging import end_of, is_another, judge_stuck
from sweepbot.player.machine import ATTEMPTS, Machine
from sweepbot.player.round import Round
from sweepbot.player.states import (
    LEADS_TO,
    PATIENCE_S,
    Acting,
    AnyPosition,
    AnyState,
    Beginning,
    ChangedBoard,
    Deciding,
    Doubt,
    HandingOver,
    Judged,
    Judging,
    NewGame,
    Over,
    Position,
    Progress,
    Requesting,
    Result,
    Seeking,
    Stopped,
    Watching,
)
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading
from tests.standins.scripted_desktop import shown

DEMO = find_calibration("demo")
READER = Reader(DEMO, 3)
SKY = "000000000 " * 7
FRESH = READER.read(shown("######### " * 9, 3))

FRAME = Frame(np.zeros((1, 1, 3), dtype=np.uint8), Region(0, 0, 1, 1))


def machine(*, stop_at_guess: bool = False) -> Machine:
    """The states of a game of the demo, whose window is unknown."""
    return Machine(DEMO.behaviour, Style.NOFLAG, stop_at_guess, is_loss_known=True, is_window_known=False)


def position(reading: Reading) -> Position:
    """A trusted position, and what to do in it."""
    return Position(FRAME, reading, None if reading.over else Solver().decide(reading.board))


@pytest.mark.parametrize(
    ("rows", "mines", "is_loss_known", "ending"),
    [
        ("111 1#1 111", None, True, Verdict.WON),  # only mines can be left, so the client has ended the game
        ("01# 12# #.#", 3, False, Verdict.LOST),  # a guess with an unknown look was not the last cell
        ("01# 12# ###", 3, True, None),
    ],
    ids=["only mines are left", "a guess cannot be read", "the client stands still"],
)
def test_a_board_that_no_longer_reacts_may_have_ended(
    rows: str, mines: int | None, *, is_loss_known: bool, ending: Verdict | None
) -> None:
    """A board that changed in this game but no longer does may show how it ended; otherwise it is stuck."""
    board = Board.parse("\n".join(rows.split()), mines)
    verdict = judge_stuck(board, Progress(has_changed=True, guessed=Cell(2, 1)), ATTEMPTS, is_loss_known=is_loss_known)
    assert verdict is ending if ending is not None else isinstance(verdict, StuckError)


@pytest.mark.parametrize("flags_to_win", [False, True])
def test_a_played_out_game_is_won_by_flags_where_needed(*, flags_to_win: bool) -> None:
    """With an unknown total and only mines left, a client that wants flags gets them."""
    rules = machine()
    rules = dataclasses.replace(rules, behaviour=replace(rules.behaviour, flags_to_win=flags_to_win))
    reader = Reader(DEMO)
    left, flagged = (reader.read(shown(SKY + f"111111111 1{it}11{it}11{it}1", 3)) for it in "#F")
    left, flagged = (dataclasses.replace(it, board=Board(it.board.cells)) for it in (left, flagged))
    state = rules.step(Deciding(position(left), Progress()), position(left))
    assert isinstance(state, Acting if flags_to_win else Over)
    if isinstance(state, Acting):
        assert [click.action for click in state.clicks] == [Action.MARK] * 3
        state = rules.step(Deciding(position(flagged), Progress()), position(flagged))
    assert isinstance(state, Over)
    assert state.verdict is Verdict.WON


def test_cells_that_nobody_can_read_are_no_doubt_where_they_are_mines_by_the_rules() -> None:
    """A client may mark its mines in a way of its own; unless one of them was guessed, all safe cells are open."""
    whole = Reader(DEMO).read(shown(SKY + "111111111 1#11#11#1", 3))
    cells = np.where(whole.board.cells == State.HIDDEN, np.uint8(State.UNKNOWN), whole.board.cells)
    end = position(dataclasses.replace(whole, board=Board(cells), phase=Phase.PLAYING))
    over, hit = (machine().step(Deciding(end, Progress(unread=it)), end) for it in ((), (Cell(8, 1),)))
    assert isinstance(over, Over)
    assert over.verdict is Verdict.WON
    assert not isinstance(hit, Over)


def test_a_misread_end_is_no_new_game() -> None:
    """A picture that has not changed since a game has ended shows that game, whatever it is read as now."""
    rows = SKY + "111111111 1#11#11#1"
    end = READER.read(shown(rows, 3))
    over = dataclasses.replace(end, phase=Phase.WON)
    misread = end.board.cells.copy()
    misread[:5] = State.HIDDEN
    for now, is_new in ((dataclasses.replace(end, board=Board(misread, 3)), False), (FRESH, True)):
        state = machine().step(Watching(AnyPosition(), over), position(now))
        assert isinstance(state, Beginning if is_new else Requesting)


def test_a_guess_is_left_to_the_person() -> None:
    """With --stop-at-guess a game without a certain cell is handed over."""
    toss = READER.read(shown("000000000 " * 5 + "000000122 0000001## 00000013# 00000001#", 3))
    assert isinstance(
        machine(stop_at_guess=True).step(Deciding(position(toss), Progress()), position(toss)), HandingOver
    )


def test_the_table_is_complete() -> None:
    """Every state can be reached from the first, and only the ends of a game lead nowhere."""
    left: list[type[AnyState]] = [Watching]
    reached = set(left)
    while left:
        for following in LEADS_TO.get(left.pop(), frozenset()) - reached:
            reached.add(following)
            left.append(following)
    assert reached - LEADS_TO.keys() == {HandingOver, Over, Stopped}
    assert reached >= LEADS_TO.keys()


@pytest.mark.parametrize(("drawn", "verdict"), [(True, Verdict.LOST), (False, Verdict.UNCLEAR)])
def test_mines_that_nobody_can_read_are_told_in_another_light(drawn: bool, verdict: Verdict) -> None:  # noqa: FBT001
    """Where the end darkens the board, unread cells show mines only if they look alike, and unlike hidden ones."""
    marks, picture, cells = [(0, 0), (2, 5), (5, 2), (7, 7)], FRESH.seen.picture // 2, FRESH.board.cells.copy()
    side = picture.shape[0] // FRESH.board.rows
    for row, column in marks:
        cells[row, column] = State.UNKNOWN
        if drawn:
            picture[row * side + 6 : (row + 1) * side - 6, column * side + 6 : (column + 1) * side - 6] = 0
    seen = dataclasses.replace(FRESH.seen, picture=picture)
    now = dataclasses.replace(FRESH, board=Board(cells, 3), seen=seen)
    doubt = Doubt(FRAME, now, "cells cannot be read")
    round_ = Round(FRESH.board, Solver().decide(FRESH.board), FRESH.board, opened=(Cell(0, 0),))
    result = Result(position(FRESH), round_, Progress())
    assert machine().judge(Judging(result, Watching(result, FRESH, PATIENCE_S, 0.0), doubt)).verdict is verdict


def test_lines_that_move_by_a_part_of_a_pixel_hide_no_loss() -> None:
    """Mines that nobody can read are shown apart, though edges of hidden cells between them have changed a little."""
    picture, cells = FRESH.seen.picture.copy(), FRESH.board.cells.copy()
    side = picture.shape[0] // FRESH.board.rows
    picture[::side, : 3 * side] ^= 8
    for row, column in [(0, 0), (2, 5), (5, 2), (7, 7)]:
        cells[row, column] = State.UNKNOWN
        picture[row * side : (row + 1) * side, column * side : (column + 1) * side] = 0
    now = dataclasses.replace(FRESH, board=Board(cells, 3), seen=dataclasses.replace(FRESH.seen, picture=picture))
    round_ = Round(FRESH.board, Solver().decide(FRESH.board), FRESH.board, opened=(Cell(0, 0),))
    result, doubt = Result(position(FRESH), round_, Progress()), Doubt(FRAME, now, "cells cannot be read")
    assert machine().judge(Judging(result, Watching(result, FRESH), doubt)).verdict is Verdict.LOST


def test_an_earlier_guess_that_shows_a_mine_now_is_the_bots_own() -> None:
    """Where play goes on after a mine that could not be read at once, the game is lost, and by no hand of a person."""
    before, now = (READER.read(shown(SKY + f"111111111 {last}", 3)) for last in ("1#11#11#1", "1*11X11#1"))
    round_ = Round(before.board, Solver().decide(before.board), before.board, opened=(Cell(8, 3),))
    result = Result(position(before), round_, Progress(unread=(Cell(8, 4),)))
    seeking = dataclasses.replace(machine(), seeks=True)
    assert seeking.judge(Judging(result, Watching(result, before), position(now))).verdict is Verdict.LOST


@pytest.mark.parametrize("seeks", [False, True])
@pytest.mark.parametrize("verdict", [Verdict.BEGUN_ANEW, Verdict.ENDED_BY_HAND])
def test_what_nobody_clicked_is_a_persons_doing_only_where_the_client_is_known(
    verdict: Verdict, *, seeks: bool
) -> None:
    """A client that nobody knows may open cells of its own accord, or be misread."""
    before = position(FRESH)
    effect = ChangedBoard(before, None, Progress())
    state = Judging(effect, Watching(effect, FRESH), before)
    stopped = dataclasses.replace(machine(), seeks=seeks).step(state, Judged(Outcome(verdict, "so it is"), before))
    assert isinstance(stopped, Stopped)
    assert isinstance(stopped.why, StuckError if seeks else StoppedByUserError)


def test_a_found_game_is_begun_although_the_last_one_was_read_only_before_its_first_click() -> None:
    """A new game that was seen to begin is played, even if the last reading of the one before shows a fresh board, too.

    The end of a game that the first click has lost may not be readable as a whole.
    """
    seeking = dataclasses.replace(machine(), seeks=True)
    watching = seeking.step(Seeking(Requesting(FRESH)), FRESH)
    assert isinstance(watching, Watching)
    assert isinstance(watching.purpose, NewGame)
    assert isinstance(seeking.step(watching, position(FRESH)), Beginning)


def test_an_end_that_nobody_can_read_is_not_the_next_game() -> None:
    """A loss at the first click that only shows what is unreadable is another game once that is hidden again."""
    lost = Board.parse("#.## ###. .### ####")
    fresh = Board.parse("#### #### #### ####")
    assert not is_another(lost, lost)
    assert not is_another(Board.parse("#.## ###* .### ####"), lost)
    assert is_another(fresh, lost)
    assert is_another(fresh, fresh)


def test_a_game_lost_at_once_is_over_for_the_next_one_though_its_end_cannot_be_trusted() -> None:
    """The board of a loss at the first click is compared with what comes then, not the fresh one before the click."""
    before, now = position(FRESH), READER.read(shown(".######## #.####### " + "######### " * 7, 3))
    round_ = Round(FRESH.board, before.decision, FRESH.board) if before.decision else pytest.fail("it is over")
    doubt = Doubt(before.frame, now, "2 of 81 cells cannot be read")
    end = end_of(Result(before, round_, Progress()), doubt, Outcome(Verdict.LOST, "cells have changed"))
    assert not is_another(now.board, end.reading.board)


def test_the_end_of_a_game_is_what_was_seen_beside_a_box_that_has_led_to_the_next() -> None:
    """A loss at the first click whose mines look like flags ends as it was seen, not as the fresh board after it."""
    before, now = position(FRESH), position(READER.read(shown("######### " * 9, 3)))
    beside = READER.read(shown("F######## #F####### " + "######### " * 7, 3))
    round_ = Round(FRESH.board, before.decision, FRESH.board) if before.decision else pytest.fail("it is over")
    result = Result(before, round_, Progress())
    end = end_of(result, now, Outcome(Verdict.LOST, "a guess was made"), beside)
    assert (end.reading.board, end.reading.phase) == (beside.board, Phase.LOST)
    assert end_of(result, now, Outcome(Verdict.LOST, "a guess was made"), FRESH) is before
