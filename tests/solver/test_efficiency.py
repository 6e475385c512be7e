"""Playing with the fewest clicks: what is saved, and that nothing else changes."""

import pytest

from sweepbot.board import Board, Phase, State
from sweepbot.level import LEVELS, FirstClick
from sweepbot.plan import Action, Style, clicks_for
from sweepbot.simulate import SeededDeals, Summary, simulate, summarise
from sweepbot.solver import Solver
from sweepbot.solver.efficiency import most_efficient

GAMES = 30


@pytest.fixture(scope="module")
def in_style() -> dict[Style, Summary]:
    """The same beginner games in every style."""
    deals = SeededDeals(LEVELS["beginner"], FirstClick.SAFE, GAMES, seed=4)
    return {style: summarise(simulate(deals, style=style)) for style in Style}


def test_a_flood_is_waited_for() -> None:
    """Of four safe cells in a row one 0 is opened, and the flood opens the rest."""
    board = Board.parse("01#1####", mines=1)
    decision = Solver().decide(board)
    assert len(decision.safe) == 4
    assert len(clicks_for(board, decision, Style.NOFLAG, flags_to_win=False)) == 4
    assert len(clicks_for(board, decision, Style.EFFICIENT, flags_to_win=False)) == 1


def test_each_round_is_one_certain_click() -> None:
    """Each round opens a safe cell, or chords with certain flags and opens only safe cells."""
    chords = 0
    deals = SeededDeals(LEVELS["beginner"], FirstClick.OPEN, 5, no_guess=True)
    for number in range(5):
        deal = deals.deal(number)
        deal.game.open(deal.first)
        while not deal.game.over:
            board = deal.game.board
            decision = Solver().decide(board)
            *marks, last = clicks_for(board, decision, Style.EFFICIENT, flags_to_win=False)
            assert all(click.action is Action.MARK and click.at in decision.mines for click in marks)
            assert set(last.opens) <= set(decision.safe)
            for click in marks:
                deal.game.mark(click.at)
            if last.action is Action.CHORD:
                chords += 1
                flags = sum(deal.game.board[cell] == State.FLAG for cell in board.neighbours(last.at))
                assert flags == board[last.at]
                deal.game.chord(last.at)
            else:
                deal.game.open(last.at)
        assert deal.game.phase is Phase.WON
    assert chords


def test_without_layouts_to_weigh_chords_are_made_as_they_save() -> None:
    """Without a total of mines the style chords where that saves clicks now."""
    board = Board.parse("01#1####")
    decision = Solver().decide(board)
    assert most_efficient(board, decision) is None
    clicks = [clicks_for(board, decision, style, flags_to_win=False) for style in (Style.EFFICIENT, Style.CHORD)]
    assert clicks[0] == clicks[1]


def test_every_style_wins_the_same_games(in_style: dict[Style, Summary]) -> None:
    """Guesses, and so outcomes, do not depend on the style."""
    assert len({summary.outcomes for summary in in_style.values()}) == 1
    assert all(summary.lost_on_certain == 0 for summary in in_style.values())


def test_the_efficient_style_takes_the_fewest_clicks(in_style: dict[Style, Summary]) -> None:
    """On the same won boards it clicks least, and less than once for each 3BV."""
    clicks = {style: summary.clicks_per_3bv for style, summary in in_style.items()}
    efficient = clicks.pop(Style.EFFICIENT)
    assert efficient is not None
    assert all(other is not None and other.mean > efficient.mean for other in clicks.values())
    assert efficient.mean < 1


def test_no_clicks_are_counted_without_a_style() -> None:
    """Plain simulations, which are about winning, count no clicks."""
    assert summarise(simulate(SeededDeals(LEVELS["beginner"], FirstClick.SAFE, 2))).clicks_per_3bv is None
