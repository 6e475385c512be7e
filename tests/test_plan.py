import pytest

from sweepbot.board import Board
from sweepbot.geometry import Cell
from sweepbot.plan import Kind, Style, against_promise, clicks_for
from sweepbot.solver import Solver

CORNER = "1###\n####\n####\n####"
"""Nothing is certain."""


def clicks(text: str, mines: int, style: Style, *, flags_to_win: bool = False) -> list[tuple[Kind, Cell]]:
    """The clicks of a round on a board, each as action and cell."""
    board = Board.parse(text, mines=mines)
    planned = clicks_for(board, Solver().decide(board), style, flags_to_win=flags_to_win)
    return [(click.kind, click.at) for click in planned]


@pytest.mark.parametrize("style", Style)
def test_a_guess_is_one_click(style: Style) -> None:
    """Where nothing is certain one cell is opened, in any style."""
    assert [kind for kind, _ in clicks(CORNER, 4, style)] == [Kind.OPEN]


def test_without_flags_only_safe_cells_are_clicked() -> None:
    """By default each safe cell is opened, and no mine is flagged."""
    assert clicks("1#1\n1#1\n111", 1, Style.NOFLAG) == [(Kind.OPEN, Cell(0, 1))]


def test_with_flags_certain_mines_are_marked_as_well() -> None:
    """In style `flag`, or where the client wants flags, a mine is flagged as soon as it is certain."""
    flagged = [(Kind.OPEN, Cell(0, 1)), (Kind.MARK, Cell(1, 1))]
    assert clicks("1#1\n1#1\n111", 1, Style.FLAG) == flagged
    assert clicks("1#1\n1#1\n111", 1, Style.NOFLAG, flags_to_win=True) == flagged


def test_a_mark_on_a_safe_cell_is_taken_away_first() -> None:
    """A mark on a safe cell is removed, and the cell is opened in the next round."""
    assert clicks("1?1\n1#1\n111", 1, Style.NOFLAG) == [(Kind.MARK, Cell(0, 1))]


def test_a_chord_opens_what_would_take_more_clicks() -> None:
    """Around a number with its mine flagged two cells are opened by one click."""
    assert clicks("1F##\n11##", 2, Style.CHORD) == [(Kind.CHORD, Cell(1, 1))]


def test_a_flag_is_set_where_that_pays() -> None:
    """One flag and one chord open three cells in two clicks."""
    assert clicks("1###\n11##\n12##\n1###", 4, Style.CHORD)[:2] == [(Kind.MARK, Cell(0, 1)), (Kind.CHORD, Cell(1, 1))]


def test_a_chord_is_not_used_where_it_saves_nothing() -> None:
    """For a single cell, a flag and a chord would be two clicks instead of one."""
    assert clicks("1#1\n1#1\n111", 1, Style.CHORD) == [(Kind.OPEN, Cell(0, 1))]


def test_every_chord_has_its_flags() -> None:
    """Before a chord each mine around the number has been flagged, and no other cell."""
    board = Board.parse("0001#\n0001#\n1101#\n#1122\n#####", mines=4)
    decision = Solver().decide(board)
    assert decision.safe
    flags = set()
    opened = set()
    for click in clicks_for(board, decision, Style.CHORD, flags_to_win=False):
        if click.kind is Kind.MARK:
            flags.add(click.at)
        if click.kind is Kind.CHORD:
            around = set(board.neighbours(click.at))
            assert len(flags & around) == board[click.at]
            assert set(click.opens) <= around
        opened |= set(click.opens)
    assert flags <= set(decision.mines)
    assert opened == set(decision.safe)


def test_a_guess_on_a_board_that_should_need_none_says_so() -> None:
    """Cell and chance stay; the reason adds that the client's boards are not no-guess."""
    decision = Solver().decide(Board.parse(CORNER, mines=4))
    told = against_promise(decision)
    assert told.guess is not None
    assert decision.guess is not None
    assert (told.guess.cell, told.guess.mine_probability) == (decision.guess.cell, decision.guess.mine_probability)
    assert "boards that need none" in told.guess.reason
