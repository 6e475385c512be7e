import pytest
from msgspec.structs import replace

from sweepbot.board import Board, Phase
from sweepbot.geometry import Cell
from sweepbot.plan import Action, Style, as_promised, clicks_for
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration

CORNER = "1###\n####\n####\n####"
"""Nothing is certain."""


def clicks(text: str, mines: int, style: Style, *, flags_to_win: bool = False) -> list[tuple[Action, Cell]]:
    """The clicks of a round on a board, each as action and cell."""
    board = Board.parse(text, mines=mines)
    planned = clicks_for(board, Solver().decide(board), style, flags_to_win=flags_to_win)
    return [(click.action, click.at) for click in planned]


@pytest.mark.parametrize("style", Style)
def test_a_guess_is_one_click(style: Style) -> None:
    """Where nothing is certain one cell is opened, in any style."""
    assert [action for action, _ in clicks(CORNER, 4, style)] == [Action.OPEN]


ONE_SAFE = "1#1\n1#1\n111"
SAFE, MINE = Cell(0, 1), Cell(1, 1)


@pytest.mark.parametrize(
    ("text", "mines", "style", "expected"),
    [
        pytest.param(ONE_SAFE, 1, Style.NOFLAG, [(Action.OPEN, SAFE)], id="no mine is flagged"),
        pytest.param(
            ONE_SAFE, 1, Style.FLAG, [(Action.OPEN, SAFE), (Action.MARK, MINE)], id="certain mines are flagged"
        ),
        pytest.param("1?1\n1#1\n111", 1, Style.NOFLAG, [(Action.MARK, SAFE)], id="a mark on a safe cell goes first"),
        pytest.param("1F##\n11##", 2, Style.CHORD, [(Action.CHORD, Cell(1, 1))], id="a chord opens two cells"),
        pytest.param(ONE_SAFE, 1, Style.CHORD, [(Action.OPEN, SAFE)], id="no chord for a single cell"),
    ],
)
def test_each_style_saves_clicks(text: str, mines: int, style: Style, expected: list[tuple[Action, Cell]]) -> None:
    """Safe cells are opened, certain mines flagged and numbers chorded as the style says and clicks are saved."""
    assert clicks(text, mines, style) == expected


def test_a_client_that_wants_flags_gets_them() -> None:
    """Where a win takes flags, certain mines are flagged in every style."""
    assert clicks(ONE_SAFE, 1, Style.NOFLAG, flags_to_win=True) == [(Action.OPEN, SAFE), (Action.MARK, MINE)]


def test_a_flag_is_set_where_that_pays() -> None:
    """One flag and one chord open three cells in two clicks."""
    assert clicks("1###\n11##\n12##\n1###", 4, Style.CHORD)[:2] == [
        (Action.MARK, Cell(0, 1)),
        (Action.CHORD, Cell(1, 1)),
    ]


def test_every_chord_has_its_flags() -> None:
    """Before a chord each mine around the number has been flagged, and no other cell."""
    board = Board.parse("0001#\n0001#\n1101#\n#1122\n#####", mines=4)
    decision = Solver().decide(board)
    assert decision.safe
    flags = set()
    opened = set()
    for click in clicks_for(board, decision, Style.CHORD, flags_to_win=False):
        if click.action is Action.MARK:
            flags.add(click.at)
        if click.action is Action.CHORD:
            around = set(board.neighbours(click.at))
            assert len(flags & around) == board[click.at]
            assert set(click.opens) <= around
        opened |= set(click.opens)
    assert flags <= set(decision.mines)
    assert opened == set(decision.safe)


def test_a_guess_on_a_no_guess_board_says_so() -> None:
    """Cell and chance stay; the reason adds that the client's boards are not no-guess."""
    board = Board.parse(CORNER, mines=4)
    decision = Solver().decide(board)
    behaviour = replace(find_calibration("demo").behaviour, no_guess=True)
    told = as_promised(decision, board, Phase.PLAYING, behaviour)
    assert told.guess is not None
    assert decision.guess is not None
    assert (told.guess.cell, told.guess.mine_probability) == (decision.guess.cell, decision.guess.mine_probability)
    assert "boards that need none" in told.guess.reason
