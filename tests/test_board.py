import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sweepbot.board import CHARACTERS, Board, Phase, State, unread
from sweepbot.errors import BoardTextError, UsageError
from sweepbot.geometry import Cell

boards = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, len(CHARACTERS) - 1)).map(Board)
)


@given(boards)
def test_board_text_round_trips(board: Board) -> None:
    """Any board, printed and parsed again, is the same board."""
    assert Board.parse(str(board)) == board


@given(boards)
def test_a_board_cannot_be_changed(board: Board) -> None:
    """The cells of a board are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        board.cells[0, 0] = 0


def test_other_spellings_are_read() -> None:
    """A minus is a hidden cell, a plus a known mine, and blank lines are skipped."""
    board = Board.parse("\n-+1\n\n  012  \n")
    assert str(board) == "#*1\n012"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "no rows", (None, None, "")),
        ("11\n1z", "row 1, column 1: 'z'", (1, 1, "z")),
        ("119", "row 0, column 2: '9'", (0, 2, "9")),
        ("111\n11", "row 1 has 2 cells, the first row has 3", (1, None, "")),
    ],
)
def test_broken_board_text_is_an_error(text: str, message: str, place: tuple[object, ...]) -> None:
    """The error for broken board text names row, column and character, and is a ValueError."""
    with pytest.raises(BoardTextError, match=message) as caught:
        Board.parse(text)
    assert (caught.value.row, caught.value.column, caught.value.character) == place
    assert isinstance(caught.value, ValueError)


def test_mines_must_fit_on_the_board() -> None:
    """More mines than cells are refused."""
    with pytest.raises(UsageError, match="10 mines do not fit on a board of 3x3 cells"):
        Board.hidden(3, 3, mines=10)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("1#\n##", []),
        ("4#\n##", ["row 0, column 0: shows 4, but only 3 neighbours can hold a mine"]),
        ("1*\n*#", ["row 0, column 0: shows 1, but 2 mines are around it"]),
        ("01\n1#", ["row 0, column 0: shows 0 beside a hidden cell"]),
        ("1.\n11", []),
        ("FF\n11", ["2 flags, but the board has 1 mines"]),
        ("11\n1F", []),
        (
            "10\n00",
            [
                "row 0, column 0: shows 1, but only 0 neighbours can hold a mine",
                "1 mines, but only 0 cells are left for them",
            ],
        ),
    ],
)
def test_problems_say_what_is_wrong(text: str, problems: list[str]) -> None:
    """Each way of breaking the rules has its own message."""
    assert [problem.text for problem in Board.parse(text, mines=1).problems()] == problems


def test_a_problem_names_its_cell() -> None:
    """A problem names the cell and the numbers involved."""
    (problem,) = Board.parse("00\n05").problems()
    assert problem.cell == Cell(1, 1)
    assert problem.text == "row 1, column 1: shows 5, but only 0 neighbours can hold a mine"


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("##\n#F", Phase.FRESH),
        ("1#\n##", Phase.PLAYING),
        ("11\n1F", Phase.WON),
        ("11\n1#", Phase.WON),
        ("*1\n11", Phase.WON),
        ("1#\n#*", Phase.LOST),
        ("1X\n##", Phase.LOST),
        ("1X\n11", Phase.LOST),
        ("1W\n##", Phase.LOST),
    ],
)
def test_the_phase_follows_from_the_cells(text: str, phase: Phase) -> None:
    """A board knows whether its game is fresh, in play, won or lost; a won board may show its mines."""
    assert Board.parse(text, mines=1).phase() is phase


def test_a_number_with_too_many_mines_around_it_is_no_win() -> None:
    """As many closed cells as mines are no win while a number says that one of them is safe."""
    assert Board.parse("1#\n1#", mines=2).phase() is Phase.PLAYING
    assert Board.parse("2#\n2#", mines=2).phase() is Phase.WON


def test_a_game_that_needs_flags_is_not_won_without_them() -> None:
    """Where every mine must be flagged, a board with only mines hidden is still in play."""
    assert Board.parse("11\n1#", mines=1).phase(flags_to_win=True) is Phase.PLAYING


def test_neighbours_are_the_cells_around() -> None:
    """A corner has three neighbours, an edge five, an inner cell eight, and never itself."""
    board = Board.hidden(3, 4)
    assert board.neighbours(Cell(0, 0)) == ((0, 1), (1, 0), (1, 1))
    assert [len(board.neighbours(cell)) for cell in board] == [3, 5, 5, 3, 5, 8, 8, 5, 3, 5, 5, 3]


def test_states_match_their_characters() -> None:
    """Board text is indexed by state."""
    assert {state.name: CHARACTERS[state] for state in State} == {
        "HIDDEN": "#",
        "FLAG": "F",
        "QUESTION": "?",
        "MINE": "*",
        "EXPLODED": "X",
        "WRONG_FLAG": "W",
        "UNKNOWN": ".",
    }


def test_unread_cells_are_summed_up() -> None:
    """Up to three unread cells are named; more are counted, with the rows or columns that hold most of them."""
    few = Board.parse("\n".join(["..######"] + ["########"] * 7))
    assert unread(few) == "row 0, column 0: not readable; row 0, column 1: not readable"
    rows = Board.parse("\n".join(["########"] * 2 + ["........"] * 2 + [".#######"] + ["########"] * 3))
    assert unread(rows) == "17 of 64 cells cannot be read, most in rows 2 to 3"
    column = Board.parse("\n".join(["####.###"] * 8))
    assert unread(column) == "8 of 64 cells cannot be read, most in column 4"
    everywhere = Board.parse("\n".join([".#.#.#.#", "#.#.#.#."] * 4))
    assert unread(everywhere) == "32 of 64 cells cannot be read"


def test_unread_cells_break_no_rule() -> None:
    """A `.` breaks no rule, and hides no broken one."""
    board = Board.parse("....\n####\n####\n05##")
    assert unread(board) == "4 of 16 cells cannot be read, most in row 0"
    assert all(problem.cell is not None and problem.cell.row == 3 for problem in board.problems())
    assert any("shows 0 beside a hidden cell" in problem.text for problem in board.problems())
