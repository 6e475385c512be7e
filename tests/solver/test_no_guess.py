"""No-guess boards, against a search through all layouts."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError, UsageError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import LEVELS, FirstClick, Level
from sweepbot.simulate import SeededDeals, simulate, summarise
from sweepbot.solver import Solver
from sweepbot.solver.flat_board import FlatBoard
from sweepbot.solver.no_guess import among_deducible, count_deducible, is_deducible
from tests.brute_force import layouts_of
from tests.commands import Answer, Command

SMALL = Level(4, 3, 3)


def goes_through(mines: Iterable[Cell], board: Board) -> bool:
    """Whether opening only what is safe in every layout wins the board."""
    game = Game.with_mines(board.columns, board.rows, mines)
    for row, column in np.argwhere(board.cells < State.HIDDEN).tolist():
        game.open(Cell(row, column))
    while not game.over:
        anywhere = frozenset[Cell]().union(*layouts_of(game.board))
        safe = [cell for cell in game.board.where(State.HIDDEN) if cell not in anywhere]
        if not safe:
            return False
        for cell in safe:
            game.open(cell)
    return True


def mask(mines: Iterable[Cell]) -> NDArray[np.bool_]:
    placed = np.zeros((SMALL.rows, SMALL.columns), np.bool_)
    for cell in mines:
        placed[cell] = True
    return placed


def small_positions() -> Iterator[tuple[Board, frozenset[Cell]]]:
    """Small boards after their first click, which may show any number, with their mines."""
    for number in range(25):
        deal = SeededDeals(SMALL, FirstClick.SAFE, 1, start=number).deal(0)
        deal.game.open(deal.first)
        yield deal.game.board, deal.game.mines


def test_deduction_goes_as_far_as_a_search_through_all_layouts() -> None:
    """A board needs no guess exactly where opening what is safe in every layout wins it."""
    told = [(is_deducible(mask(mines), Cell(0, 0)), goes_through(mines, board)) for board, mines in small_positions()]
    assert all(ours == theirs for ours, theirs in told)
    assert {ours for ours, _ in told} == {True, False}


@pytest.mark.nightly
def test_chances_are_those_among_the_layouts_that_need_no_guess() -> None:
    """Chances are shares of the layouts that deduction solves, and 0 or 1 where these agree."""
    for board, _ in small_positions():
        if board.phase().value == "won":
            continue
        plain = Solver().decide(board)
        kept = [mask(mines) for mines in layouts_of(board) if goes_through(mines, board)]
        if not kept:
            with pytest.raises(ImpossibleBoardError, match="without a guess"):
                among_deducible(board, plain)
            continue
        decision = among_deducible(board, plain)
        hidden = board.cells == State.HIDDEN
        np.testing.assert_allclose(decision.mine_probability[hidden], np.mean(kept, axis=0)[hidden])
        assert set(plain.safe) <= set(decision.safe)
        assert decision.layouts == len(kept)


def test_sampled_chances_agree_with_exact_ones() -> None:
    """Chances from sampled layouts are within five standard errors of the exact ones."""
    board = Board.parse("0000\n1211\n####\n####", mines=4)
    position, rng = FlatBoard.of(board), np.random.default_rng(5)
    layouts = Solver().decide(board).layouts
    assert layouts is not None
    (mines, kept), (sampled, of) = (
        count_deducible(position, number, is_drawn, rng) for number, is_drawn in ((layouts, False), (200, True))
    )
    assert 0 < kept < layouts
    assert abs(of / 200 - kept / layouts) < 5 * np.sqrt(0.25 / 200)
    assert np.abs(sampled / of - mines / kept).max() < 5 * np.sqrt(0.25 / of)


@pytest.mark.parametrize("level", ["beginner", "intermediate"])
def test_dealt_boards_are_won_without_a_guess(level: str) -> None:
    """Opening only certain cells wins each dealt board from its first cell."""
    summary = summarise(simulate(SeededDeals(LEVELS[level], FirstClick.OPEN, 20, no_guess=True)))
    assert summary.no_guess_rate == 1.0


def test_the_same_boards_are_dealt_again() -> None:
    """A board depends only on seed and number, in any part of a series."""
    deals = SeededDeals(LEVELS["beginner"], FirstClick.OPEN, 10, seed=3, no_guess=True)
    assert deals.part(range(4, 6)).deal(1).game.mines == deals.deal(5).game.mines
    assert deals.deal(4).game.mines != deals.deal(5).game.mines
    assert deals.identity()["rule"] == "no-guess"


def test_a_level_without_such_boards_is_an_error() -> None:
    """Where hardly any board needs no guess, dealing is an error instead of an endless search."""
    with pytest.raises(UsageError, match="without a guess"):
        SeededDeals(Level(6, 2, 5), FirstClick.OPEN, 1, no_guess=True).deal(0)


def test_solve_uses_the_no_guess_promise(tmp_path: Path, sweepbot: Command) -> None:
    """`--no-guess` finds safe cells that counting alone does not, and refuses a position that needs a guess."""

    def solve(text: str, mines: int, *more: str) -> Answer:
        file = tmp_path / "board.txt"
        file.write_text(text, encoding="utf-8")
        return sweepbot("solve", file, "--mines", mines, *more)

    position = "#####\n#212#\n1101#\n0001#"  # three layouts, two of which end in a guess
    answers = [solve(position, 4, "--json", *more).json for more in ((), ("--no-guess",))]
    assert [answer["layouts"] for answer in answers] == ["3", "1"]
    assert [len(answer["safe"]) for answer in answers] == [1, 5]
    refused = solve("1#\n##", 1, "--no-guess")
    assert refused.exit_code == 1
    assert "without a guess" in refused.err
