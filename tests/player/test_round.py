"""A round of play: whether its clicks can be the last of a game, and which of them have no effect."""

from dataclasses import replace

import pytest

from sweepbot.board import Board
from sweepbot.geometry import Cell
from sweepbot.plan import opening
from sweepbot.player.judging import complete_won_board
from sweepbot.player.round import Round
from sweepbot.solver import Solver


def round_of(before: Board, opened: tuple[Cell, ...], marked: tuple[Cell, ...] = ()) -> Round:
    """A round on a board, with these cells clicked."""
    return Round(before, Solver().decide(before), before, opened, marked)


def test_clicks_can_be_the_last_if_only_mines_are_left() -> None:
    """Clicked cells count as open, cells that still change do not."""
    before = Board.parse("11\n##\n##", mines=1)
    round_ = round_of(before, opened=(Cell(1, 0), Cell(2, 0)))
    assert not round_.clicked().are_last
    round_ = replace(round_, known=Board.parse("11\n.#\n.#", mines=1))
    assert not round_.clicked().are_last
    round_ = round_.with_clicks(opening([Cell(2, 1)]))
    assert round_.clicked().are_last


def test_an_open_cell_with_an_unknown_number_is_not_left() -> None:
    """An open cell with an unknown number is not a cell left to open."""
    before = Board.parse("1.\n##", mines=1)
    assert round_of(before, opened=(Cell(1, 0),)).clicked().are_last


def test_what_a_click_opens_for_others_is_not_left() -> None:
    """A cell that was to be clicked next, and is seen open before that, is not a cell left to open."""
    round_ = round_of(Board.parse("110\n#10\n1##"), opened=(Cell(2, 2),))
    assert not round_.clicked().are_last
    assert round_.seeing(Board.parse("110\n*10\n110")).clicked().are_last


@pytest.mark.parametrize(
    ("known", "may_end"),
    [
        ("1##\n###\n###", True),
        ("1##\n###\n##1", False),
        ("1##\n###\n##0", True),
        ("1##\n###\n##.", True),
        ("1#1\n111\n000", True),
    ],
    ids=["nothing is seen yet", "it is a number", "it is a zero", "it is not at rest", "only mines are left"],
)
def test_clicks_may_end_a_game_while_they_may_open_what_is_left(known: str, may_end: bool) -> None:  # noqa: FBT001
    """A click that is seen to have opened a cell has not ended the game if others are left."""
    round_ = round_of(Board.parse("1##\n###\n###", mines=1), opened=(Cell(2, 2),))
    assert replace(round_, known=Board.parse(known, mines=1)).clicked().may_end is may_end


def test_a_cell_beside_a_certain_mine_opens_no_others() -> None:
    """Of a cell that touches a mine, a number is all that a click can show, though it is not seen yet."""
    assert not round_of(Board.parse("01##\n01##\n01##", mines=2), opened=(Cell(2, 2),)).clicked().may_end


@pytest.mark.parametrize(("now", "missed"), [("1F\n1#", []), ("1#\n##", [Cell(1, 0), Cell(0, 1)])])
def test_clicks_that_do_not_show_are_missed(now: str, missed: list[Cell]) -> None:
    """A click is missed if its cell stays hidden, or keeps its mark."""
    before = Board.parse("1#\n##", mines=1)
    round_ = round_of(before, opened=(Cell(1, 0),), marked=(Cell(0, 1),))
    assert round_.missed(Board.parse(now, mines=1)) == missed


@pytest.mark.parametrize(
    ("now", "end"),
    [
        ("1F1\n1..\n0.0", "1F1\n111\n000"),
        ("1.1\n111\n000", "1F1\n111\n000"),
        ("##1\n1..\n0.0", None),
    ],
    ids=["numbers are covered", "the mine is covered", "two cells are left"],
)
def test_the_end_of_a_won_game_follows_from_its_mines(now: str, end: str | None) -> None:
    """Where a won game is partly covered, open cells stay open, and the mines give the rest."""
    before = Board.parse("##1\n1#1\n000", mines=1)
    whole = complete_won_board(before, [Cell(1, 1), Cell(0, 0)] if end else [Cell(1, 1)], Board.parse(now, mines=1))
    assert whole == (None if end is None else Board.parse(end, mines=1))


def test_the_end_follows_from_flags_too_where_they_are_all_mines() -> None:
    """Once there are as many flags as mines, the covered cells are open."""
    before, now = Board.parse("##1\n##1\n###", mines=1), Board.parse("..1\n.F1\n.11", mines=1)
    assert complete_won_board(before, [Cell(0, 0)], now) == Board.parse("111\n1F1\n111", mines=1)


def test_a_first_click_is_no_last_one_where_the_total_is_not_known() -> None:
    """All other cells could be mines, but nobody deals such a board."""
    fresh = Board.parse("##\n##")
    assert not round_of(fresh, opened=(Cell(0, 0),)).clicked().are_last
    begun = Board.parse("1#\n##")
    assert round_of(begun, opened=(Cell(0, 1), Cell(1, 0))).clicked().are_last
