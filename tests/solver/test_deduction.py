import random

import pytest
from hypothesis import assume, given, settings

from sweepbot.board import MAY_BE_CLOSED, Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.solver.deduction import LADDERS, Rule, deduce
from sweepbot.solver.deduction.ladder import (
    CONTRADICTION,
    LINEAR,
    MINES_LEFT,
    SET_BOUNDS,
    SINGLE_POINT,
    TWO_NUMBERS,
)
from sweepbot.solver.frontier import Frontier
from tests.brute_force import layouts_of
from tests.solver.boards import positions

RULES = [SINGLE_POINT, TWO_NUMBERS, MINES_LEFT, SET_BOUNDS, CONTRADICTION, LINEAR]

EIGHTS = "\n".join(["-----------", "-8-8-8-8-8-", "-----------"] * 3)
MINED = "++4-2\n--++-\n+6--3\n++22+"


def found(text: str, mines: int, *rules: Rule) -> tuple[set[Cell], set[Cell]]:
    board = Board.parse(text, mines)
    deduction = deduce(board, Frontier.of(board), rules)
    assert set(deduction.rules) == {*deduction.safe, *deduction.mines}
    return set(deduction.safe), set(deduction.mines)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@given(board=positions())
@settings(max_examples=150)
def test_every_rule_is_sound(rule: Rule, board: Board) -> None:
    """What a rule calls safe or a mine is so in every layout."""
    assume(layouts := layouts_of(board))
    deduction = deduce(board, Frontier.of(board), [rule])
    for layout in layouts:
        assert layout.isdisjoint(deduction.safe)
        assert layout.issuperset(deduction.mines)


@given(board=positions())
@settings(max_examples=150)
def test_linear_equations_are_complete(board: Board) -> None:
    """On small boards the linear rule finds every certain cell."""
    assume(every := layouts_of(board))
    deduction = deduce(board, Frontier.of(board), [LINEAR])
    unopened = frozenset(board.where(*MAY_BE_CLOSED))
    assert set(deduction.mines) == unopened.intersection(*every)
    assert set(deduction.safe) == unopened.difference(*every, board.where(State.UNKNOWN))


def possible(text: str) -> list[int]:
    """The totals of mines that some placement explains."""
    size = Board.parse(text).cells.size
    return [mines for mines in range(Board.parse(text).count(State.MINE), size) if layouts_of(Board.parse(text, mines))]


def row(number: int, *columns: int) -> set[Cell]:
    return {Cell(number, column) for column in columns}


@pytest.mark.parametrize("rule", [SINGLE_POINT, SET_BOUNDS, CONTRADICTION, LINEAR], ids=lambda rule: rule.name)
def test_one_number(rule: Rule) -> None:
    """A number that needs all its cells marks them; one that needs no more clears them."""
    assert found("#1\n11", 1, rule) == (set(), row(0, 0))
    assert found("*1#", 1, rule) == (row(0, 2), set())


@pytest.mark.parametrize("rule", [TWO_NUMBERS, SET_BOUNDS, CONTRADICTION, LINEAR], ids=lambda rule: rule.name)
def test_one_two_one(rule: Rule) -> None:
    """Over 1 2 1 the outer cells are mines and the middle one is safe, which no single number proves."""
    assert found("###\n121", 2, SINGLE_POINT) == (set(), set())
    assert found("###\n121", 2, SINGLE_POINT, rule) == (row(0, 1), row(0, 0, 2))


def test_all_or_no_mines_left() -> None:
    """With no mines left all cells are safe; with as many as cells all are mines; otherwise nothing follows."""
    every = row(0, 0, 1) | row(1, 0, 1)
    assert found("##\n##", 0, MINES_LEFT) == (every, set())
    assert found("##\n##", 4, MINES_LEFT) == (set(), every)
    assert found("##\n##", 2, MINES_LEFT) == (set(), set())
    assert found("*#\n*?", 2, MINES_LEFT) == (row(0, 1) | row(1, 1), set())


@pytest.mark.parametrize("rule", [SINGLE_POINT, SET_BOUNDS, CONTRADICTION, LINEAR], ids=lambda rule: rule.name)
def test_eighty_four_mines(rule: Rule) -> None:
    """Fifteen 8s whose neighbourhoods cover the board make all 84 hidden cells mines at once."""
    board = Board.parse(EIGHTS)
    assert found(EIGHTS, 84, rule) == (set(), set(board.where(State.HIDDEN)))


@pytest.mark.parametrize("method", ["contradiction", "linear"])
def test_more_than_pairs_of_sets(method: str) -> None:
    """Where comparing sets does not settle a cell, assuming and solving prove that it is a mine."""
    for mines in possible(MINED):
        assert Cell(1, 1) in found(MINED, mines, *LADDERS[method])[1]
        assert Cell(1, 1) not in found(MINED, mines, *LADDERS["set-bounds"])[1]


def test_linear_clears_below_the_two() -> None:
    """Of 1 1 2 along the border the third cell below is safe."""
    for mines in possible("112#\n####\n####"):
        assert Cell(1, 2) in found("112#\n####\n####", mines, LINEAR)[0]


def test_linear_decides_all_but_two() -> None:
    """Around six numbers everything is decided except two cells, one of which is a mine."""
    text = "#####\n#312#\n#102#"
    for mines in possible(text):
        safe, certain = found(text, mines, LINEAR)
        assert safe == row(0, 2, 3, 4)
        assert certain == row(0, 0, 1) | row(1, 4) | row(2, 4)


def test_cheapest_rule_gives_the_name() -> None:
    """A cell that several rules find is named after the cheapest, and so is what follows from it."""
    board = Board.parse("###\n121", 2)
    assert deduce(board, Frontier.of(board), LADDERS["exact"]).rules == {
        Cell(0, 0): "two numbers",
        Cell(0, 2): "two numbers",
        Cell(0, 1): "single point",
    }


@pytest.mark.parametrize("method", LADDERS)
def test_contradiction_is_an_error(method: str) -> None:
    """Contradictory numbers are refused, and the cell is named where a single number shows it."""
    with pytest.raises(ImpossibleBoardError, match="row 0, column"):
        found("1#3", 1, *LADDERS[method])


@pytest.mark.parametrize("method", ["set-bounds", "contradiction", "linear"])
def test_hidden_contradiction_is_an_error(method: str) -> None:
    """Numbers that only contradict each other together are refused too."""
    with pytest.raises(ImpossibleBoardError):
        found("###\n131", 2, *LADDERS[method])


@pytest.mark.parametrize("method", LADDERS)
@pytest.mark.parametrize("first_click", [FirstClick.SAFE, FirstClick.OPEN])
def test_certain_cells_never_explode(method: str, first_click: FirstClick) -> None:
    """Games played on certain cells alone never open a mine."""
    for seed in range(3):
        game = Game(Level(30, 16, 99), first_click, random.Random(seed))
        game.open(Cell(3, 3))
        while True:
            board = game.board
            safe = deduce(board, Frontier.of(board), LADDERS[method]).safe
            if game.over or not safe:
                break
            for cell in safe:
                game.open(cell)
        assert not game.board.count(State.EXPLODED)
