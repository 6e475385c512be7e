import itertools
import math
import random
from unittest.mock import Mock

import numpy as np
import pytest

from sweepbot import Board, Solver
from sweepbot.board import State
from sweepbot.errors import UsageError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.solver import METHODS
from sweepbot.solver.chances import exact_layouts
from sweepbot.solver.known_total import decide_known
from tests.solver.boards import best_move
from tools.boards import opened, opened_at_random


def test_certain_cells_are_named_with_the_cheapest_rule() -> None:
    """A cell that one number decides is a single point; one that takes two, two numbers."""
    decision = Solver().decide(Board.parse("01#\n011\n000", mines=1))
    assert decision.mines == (Cell(0, 2),)
    assert decision.rules == {Cell(0, 2): "single point"}
    decision = Solver().decide(Board.parse("####\n1221\n0000", mines=2))
    assert decision.mines == (Cell(0, 1), Cell(0, 2))
    assert decision.safe == (Cell(0, 0), Cell(0, 3))
    assert set(decision.rules.values()) <= {"single point", "two numbers"}


def test_what_only_counting_finds_names_the_count() -> None:
    """A cell that no rule decides is explained by how many layouts have a mine there."""
    # Each 2 has two of its three cells; one mine is left, so the far corner is safe by the total alone.
    board = Board.parse("##1\n##1\n11#", mines=1)
    decision = Solver().decide(board)
    assert decision.layouts == 1
    assert decision.best is not None
    assert decision.best.reason == "exact count: 0 of 1 layouts"


def test_the_best_move_is_a_certain_one_where_there_is_one() -> None:
    """With a safe cell on the board the move is a safe one."""
    decision = Solver().decide(Board.parse("####\n1221\n0000", mines=2))
    assert decision.best is not None
    assert decision.best.cell in decision.safe
    assert decision.best.mine_probability == 0.0


def test_marks_of_a_player_are_no_facts() -> None:
    """Flags and question marks count as hidden, so a wrong flag misleads nobody."""
    decision = Solver().decide(Board.parse("F?#F\n1221\n0000", mines=2))
    assert decision.mines == (Cell(0, 1), Cell(0, 2))
    assert decision.safe == (Cell(0, 0), Cell(0, 3))


def test_an_unread_cell_is_never_proposed() -> None:
    """An unread cell may be certain, but is neither listed as safe nor proposed."""
    decision = Solver().decide(Board.parse("*1.", mines=1))
    assert decision.mine_probability[0, 2] == 0.0
    assert decision.safe == ()
    assert decision.best is None


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_left_to_open_on_a_solved_board(method: str) -> None:
    """On a board with every safe cell open there is no best move."""
    assert Solver(method).decide(Board.parse("1#\n11", mines=1)).best is None


def test_each_method_has_rules_of_its_own() -> None:
    """Every method name decides; an unknown one is an error."""
    board = Board.parse("1#\n##", mines=1)
    assert all(Solver(method).decide(board).best is not None for method in METHODS)
    with pytest.raises(KeyError, match="no-such-method"):
        decide_known("no-such-method", board)


@pytest.mark.parametrize("seed", [94, 100, 119, 153, 159])
def test_a_frontier_that_winds_over_the_whole_board_is_counted(seed: int) -> None:
    """With 170 scattered open cells on an expert board of 130 mines the chances are exact."""
    board, mines = opened_at_random(16, 30, 130, 170, random.Random(seed))
    decision = Solver().decide(board)
    assert decision.exact
    hidden = board.cells == State.HIDDEN
    assert decision.mine_probability[hidden].sum() == pytest.approx(130)
    assert all(cell not in mines for cell in decision.safe)
    assert mines.issuperset(decision.mines)


def test_what_is_too_large_to_count_is_sampled() -> None:
    """A large board opened at random is sampled, and the answer says so with its errors."""
    board, mines = opened_at_random(40, 40, 320, 400, random.Random(1))
    decision = Solver().decide(board)
    assert not decision.exact
    assert decision.layouts is None
    assert decision.standard_error is not None
    hidden = board.cells == State.HIDDEN
    assert decision.mine_probability[hidden].sum() == pytest.approx(320, abs=3)
    np.testing.assert_array_equal(Solver().probabilities(board), decision.mine_probability)
    assert all(cell not in mines for cell in decision.safe)
    assert mines.issuperset(decision.mines)


def test_what_is_too_large_to_sample_gives_what_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A valid board that is too large even for that still gives what is certain, all of it true."""
    monkeypatch.setattr("sweepbot.solver.sampling.sampler.MAX_STEPS", 1)  # as little as for hundreds of rows
    hidden = Board.hidden(40, 60, 480)
    mines = set(random.Random(1).sample(list(hidden), 480))
    decision = Solver().decide(opened(hidden, mines, [cell for cell in hidden if cell.row % 2 and cell not in mines]))
    assert decision.cut_short
    assert decision.standard_error is None
    assert decision.safe
    assert decision.mines
    assert mines.issuperset(decision.mines)
    assert mines.isdisjoint(decision.safe)


def test_a_guess_says_how_well_the_game_goes_on() -> None:
    """Near the end the move carries its chance to win, here that of two coin tosses."""
    best = best_move(Board.parse("1##1\n1##1", mines=2))
    assert best.mine_probability == 0.5
    assert best.win_probability == 0.25
    assert best.reason == "played out: best play wins 1 of 4 layouts"


def test_reasons_are_worked_out_once_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision counts layouts exactly only when asked, and then once."""
    counting = Mock(wraps=exact_layouts)
    monkeypatch.setattr("sweepbot.solver.decision.exact_layouts", counting)
    decision = Solver().decide(Board.parse("1###\n####\n####\n###1", mines=4))
    assert decision.best is not None
    counting.assert_not_called()
    assert decision.log_layouts == pytest.approx(math.log(9 * math.comb(8, 2)))
    counting.assert_not_called()
    assert decision.layouts == decision.layouts == 9 * math.comb(8, 2)
    counting.assert_called_once()


def test_the_reason_for_one_cell_is_that_among_all() -> None:
    """The reason for the first cell is the same whether it is asked for alone or with those of all others."""
    rng = random.Random(5)
    for _ in range(20):
        game = Game(Level.parse("9x9/10"), FirstClick.OPEN, rng)
        game.open(Cell(4, 4))
        while not game.over and (best := (decision := Solver().decide(game.board)).best) is not None:
            assert not decision.safe or best.reason == decision.rules[best.cell]
            game.open(best.cell)


@pytest.mark.parametrize("asked", [1, 2, 3, 4])
def test_a_search_that_takes_too_long_is_given_up(asked: int) -> None:
    """When time is up the decision says so; before the search it gives the safest cell."""
    board = Board.parse("1#######1\n#########\n####2####\n#########\n1#######2", mines=10)
    unhurried, strokes = Solver().decide(board), itertools.count(1)
    decision = Solver().decide(board, lambda: next(strokes) >= asked)
    assert decision.cut_short
    assert not unhurried.cut_short
    assert decision.best is not None
    assert decision.best.reason == ("lowest chance of a mine" if asked <= 2 else "best guess as far as time allowed")
    np.testing.assert_array_equal(decision.mine_probability, unhurried.mine_probability)
    if asked <= 2:
        assert decision.best.mine_probability == np.nanmin(decision.mine_probability)


def test_the_clock_changes_nothing_that_is_certain() -> None:
    """Even without time, safe cells are found, and a guess is the safest cell."""
    board = Board.parse("####\n1221\n0000", mines=2)
    assert Solver().decide(board, lambda: True).safe == Solver().decide(board).safe != ()
    guess = Solver().decide(Board.parse("1###\n####", mines=2), lambda: True)
    assert guess.best is not None
    assert guess.best.mine_probability == np.nanmin(guess.mine_probability)


def test_an_isolated_cell_is_a_guess_without_a_total() -> None:
    """With an unknown total, a cell walled in by mines is a guess."""
    best = best_move(Board.parse("##200\n##200\n22100\n00000\n00000\n00000"))
    assert 0 < best.mine_probability < 1


def test_play_is_the_same_every_time() -> None:
    """The same position gives the same move, whatever was decided before."""
    board = Board.parse("1###\n####\n##2#\n####", mines=4)
    moves = [Solver().decide(board).best for _ in range(2)]
    Solver().decide(Board.hidden(9, 9, 10))
    assert moves == [Solver().decide(board).best] * 2


def test_an_unknown_method_is_named_with_those_there_are() -> None:
    """An unknown method is an error that lists the known ones."""
    with pytest.raises(UsageError, match="'clever'") as raised:
        Solver("clever")
    assert "best" in raised.value.hint
