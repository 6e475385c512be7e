import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepbot.board import Phase, State
from sweepbot.errors import UsageError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import LEVELS, FirstClick, Level

seeds = st.integers(0, 10_000)


@given(seeds, st.sampled_from(FirstClick))
def test_the_first_click_rule_is_kept(seed: int, rule: FirstClick) -> None:
    """The first cell is never a mine unless the rule is `none`, and always a 0 under `open`."""
    game = Game(LEVELS["beginner"], rule, random.Random(seed))
    first = Cell(seed % 9, seed // 9 % 9)
    game.open(first)
    assert rule is FirstClick.NONE or game.phase is not Phase.LOST
    if rule is FirstClick.OPEN:
        assert game.board[first] == 0


def test_a_crowded_board_keeps_the_first_cell_safe() -> None:
    """On a crowded board the first cell is still safe when its neighbours cannot be."""
    game = Game(Level(3, 3, 8), FirstClick.OPEN, random.Random(1))
    game.open(Cell(1, 1))
    assert game.phase is Phase.WON
    assert game.board[1, 1] == 8


@given(seeds)
def test_every_number_counts_the_mines_around_it(seed: int) -> None:
    """On a fully opened board each number is the sum over shifted copies of the mines."""
    game = Game(LEVELS["beginner"], FirstClick.SAFE, random.Random(seed))
    game.open(Cell(4, 4))
    for cell in game.board:
        if cell not in game.mines:
            game.open(cell)
    assert game.phase is Phase.WON
    mines = np.zeros((11, 11), dtype=int)
    for row, column in game.mines:
        mines[row + 1, column + 1] = 1
    steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
    around = np.sum([mines[1 + r : 10 + r, 1 + c : 10 + c] for r, c in steps], axis=0)
    board = game.board
    for cell in board:
        assert board[cell] == (State.FLAG if cell in game.mines else around[cell])


def test_an_opening_stops_at_flags() -> None:
    """A flood leaves flagged cells closed."""
    game = Game.with_mines(4, 1, [Cell(0, 3)])
    game.mark(Cell(0, 1))
    game.open(Cell(0, 0))
    assert str(game.board) == "0F##"


def test_a_lost_game_shows_everything() -> None:
    """A loss shows the mine hit, the other mines and the wrong flags, and keeps right flags."""
    game = Game.with_mines(5, 1, [Cell(0, 0), Cell(0, 2), Cell(0, 4)])
    game.mark(Cell(0, 0))
    game.mark(Cell(0, 1))
    game.open(Cell(0, 4))
    assert str(game.board) == "FW*#X"
    assert game.mines_left == 1
    assert game.phase is Phase.LOST


def test_a_chord_opens_around_a_number_with_its_flags() -> None:
    """A chord opens the other neighbours if the number's flags are set, otherwise nothing."""
    game = Game.with_mines(3, 2, [Cell(0, 0), Cell(1, 2)])
    game.open(Cell(0, 1))
    game.chord(Cell(0, 1))
    assert str(game.board) == "#2#\n###"
    game.mark(Cell(0, 0))
    game.mark(Cell(1, 2))
    game.chord(Cell(0, 1))
    assert str(game.board) == "F21\n12F"
    assert game.phase is Phase.WON


def test_a_chord_over_a_wrong_flag_loses() -> None:
    """A chord with a wrong flag hits the mine."""
    game = Game.with_mines(3, 1, [Cell(0, 2)])
    game.open(Cell(0, 1))
    game.mark(Cell(0, 0))
    game.chord(Cell(0, 1))
    assert str(game.board) == "W1X"


def test_marks_go_round() -> None:
    """A mark cycles flag, question mark, nothing; without question marks, flag and nothing."""
    for question_marks, cycle in ((True, "F?#F"), (False, "F#F#")):
        game = Game(Level(2, 1, 1), FirstClick.SAFE, random.Random(0), question_marks=question_marks)
        seen = ""
        for _ in cycle:
            game.mark(Cell(0, 0))
            seen += str(game.board)[0]
        assert seen == cycle


def test_the_mine_counter_goes_below_zero() -> None:
    """Each flag takes one off the counter, even with more flags than mines."""
    game = Game(Level(3, 1, 1), FirstClick.SAFE, random.Random(0))
    game.mark(Cell(0, 0))
    game.mark(Cell(0, 1))
    assert game.mines_left == -1


@pytest.mark.parametrize("text", ["middling", "9x9", "9/10", "axb/c"])
def test_an_unknown_level_is_refused(text: str) -> None:
    """Text that is neither a level's name nor a size is refused with an example."""
    with pytest.raises(UsageError, match="is not a level") as caught:
        Level.parse(text)
    assert "24x20/99" in caught.value.hint


def test_a_level_keeps_a_free_cell() -> None:
    """A board must have room for all its mines and one free cell."""
    with pytest.raises(UsageError, match="9 mines"):
        Level.parse("3x3/9")
