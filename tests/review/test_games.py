"""Reviews of a person's games: every planted blunder is found, none is invented, and open questions stay open."""

from collections import Counter
from itertools import pairwise

import pytest

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.review import GameReview, Grade, Moment, review_games
from sweepbot.review.openings import changes, is_same_game
from sweepbot.review.sources import positions_in_trace
from sweepbot.trace.events import Ended
from sweepbot.trace.trace import open_trace
from tests.brute_force import layouts_of, wins, wins_by
from tools.places import TRACES
from tools.recording.reviewed import Played, played

LEVELS = ("beginner", "intermediate")
GAMES = range(100, 130)
FEW = 12  # layouts that brute force can play out in a moment


def board(text: str, mines: int | None = None) -> Board:
    """A position from rows in one line."""
    return Board.parse("\n".join(text.split()), mines)


def only(story: Played) -> GameReview:
    """The review of a single game."""
    (review,) = review_games(map(Moment, story.positions))
    return review


def mistakes(review: GameReview) -> dict[Cell | None, Grade]:
    """The mistakes found."""
    return {graded.cell: graded.grade for graded in review.mistakes}


def test_every_planted_blunder_is_found_and_none_is_invented() -> None:
    """With every click seen, the mistakes of 30 games are the planted ones, each with its kind."""
    kinds: Counter[Grade] = Counter()
    for seed in GAMES:
        story = played(LEVELS[seed % 2], seed, share=0.04)
        review = only(story)
        assert mistakes(review) == story.blunders, seed
        assert len(review.openings) == story.clicks
        for graded in review.openings:
            assert graded.exploded == (graded.cell in story.game.mines)
        kinds.update(story.blunders.values())
    assert min(kinds[grade] for grade in (Grade.MISSED, Grade.WORSE, Grade.MINE)) > 0


def test_clicks_that_were_not_seen_one_by_one_invent_nothing() -> None:
    """If a look may miss two clicks, no mistake is invented, and most blunders are still found."""
    found = planted = 0
    for seed in GAMES:
        story = played(LEVELS[seed % 2], seed, share=0.04, most_between_looks=3)
        review = only(story)
        assert set(mistakes(review)) <= set(story.blunders), seed
        found += len(review.mistakes)
        planted += len(story.blunders)
    assert found >= 0.8 * planted


def test_what_was_missed_is_safe_and_proved() -> None:
    """A missed cell holds no mine, and no layout of the named numbers puts one there."""
    proved = 0
    for seed in GAMES[:12]:
        story = played("beginner", seed, share=0.3)
        for graded in only(story).mistakes:
            if graded.grade is Grade.MISSED:
                assert graded.better not in story.game.mines
                assert graded.proof is not None
                assert not graded.proof.is_mine
                assert graded.proof.cell == graded.better
                proved += 1
            elif graded.grade is Grade.MINE:
                assert graded.cell in story.game.mines
    assert proved


def test_luck_is_what_came_of_the_chances_taken() -> None:
    """In a fifty-fifty either choice is a forced guess, and luck is half a game more or less."""
    before = board("1# 1#", 1)
    (won,) = review_games(map(Moment, (before, board("11 1#", 1))))
    (lost,) = review_games(map(Moment, (before, board("1X 1#", 1))))
    for review, luck in ((won, 0.5), (lost, -0.5)):
        (graded,) = review.openings
        assert graded.grade is Grade.FORCED
        assert graded.mine_probability == pytest.approx(0.5)
        assert review.luck == pytest.approx(luck)
        assert review.survival == review.best_survival == pytest.approx(0.5)


def test_what_a_guess_gives_away_is_what_brute_force_says() -> None:
    """The chance to win that a guess gives away is that of all layouts, by brute force."""
    compared = 0
    for seed in range(60):
        for graded in only(played("4x4/5", seed, share=0.0)).openings:
            if graded.cell is None or graded.loss is None or graded.loss.of != "win":
                continue
            layouts = layouts_of(graded.before)
            if len(layouts) > FEW:
                continue
            lost = wins(graded.before, layouts) - wins_by(graded.before, layouts, graded.cell)
            assert graded.loss.points == pytest.approx(lost / len(layouts))
            compared += 1
    assert compared


def test_a_flood_may_have_begun_anywhere() -> None:
    """Any zero of a flood may be the cell that was opened; its numbers are not."""
    seen = changes(board("#### ####", 1), board("001# 001#", 1))
    (flood,) = seen.openings
    assert flood.starts == (Cell(0, 0), Cell(0, 1), Cell(1, 0), Cell(1, 1))
    assert len(flood.opened) == 6
    assert review_games(map(Moment, (board("#### ####", 2), board("002# 002#", 2))))[0].openings[0].grade is Grade.FIRST


def test_a_chord_is_one_click() -> None:
    """Cells that open together around a flagged number cost one click; so does a flag, and a single cell."""
    hidden, flagged, opened = (board(text) for text in ("#1# ###", "F1# ###", "F12 122"))
    assert changes(hidden, flagged).marks == 1
    seen = changes(flagged, opened)
    assert (len(seen.openings), seen.chords, seen.marks) == (4, 3, 0)
    assert changes(board("#1# ###"), board("#12 12#")).chords == 0


def test_another_game_is_told_from_the_same() -> None:
    """A number that is hidden or changed begins a new game; a mark or an unread cell does not."""
    here = board("01# 01#", 1)
    assert is_same_game(here, board("01F 01#", 1))
    assert is_same_game(here, board("0.# 01#", 1))
    assert not is_same_game(here, board("### ###", 1))
    assert not is_same_game(here, board("02# 01#", 1))
    assert not is_same_game(here, board("01#", 1))
    games = [played("beginner", seed, share=0.0) for seed in (1, 2, 3)]
    reviews = review_games(Moment(board) for story in games for board in story.positions)
    assert [review.last for review in reviews] == [story.game.board for story in games]


def test_a_mine_that_is_not_shown_is_left_open() -> None:
    """Where a client shows all mines alike, which one was hit stays open."""
    (review,) = review_games(map(Moment, (board("1# 1#", 1), board("1* 1#", 1))))
    (graded,) = review.openings
    assert graded.grade is Grade.UNCLEAR
    assert graded.cell is None
    assert graded.exploded
    assert review.result == "lost"


def test_an_impossible_position_is_left_open() -> None:
    """Where numbers contradict each other nothing is called a mistake."""
    (review,) = review_games(map(Moment, (board("3# ##", 1), board("3# #1", 1))))
    assert [graded.grade for graded in review.openings] == [Grade.UNCLEAR]


def test_a_game_that_is_won_has_solved_its_3bv() -> None:
    """Each click is counted, and only a won game has solved all of its 3BV."""
    results: Counter[str] = Counter()
    for seed in range(12):
        story = played("beginner", seed, share=0.0)
        review = only(story)
        results[review.result] += 1
        assert mistakes(review) == story.blunders  # of guesses alone
        assert review.efficiency is not None
        assert review.efficiency.clicks == story.clicks
        assert (review.efficiency.solved == review.efficiency.of_board.three_bv) == (review.result == "won")
    assert results["won"]
    assert results["lost"]


def test_positions_are_given_in_the_order_of_the_openings() -> None:
    """Each opening's position has all earlier cells open, and its own hidden."""
    review = only(played("beginner", 5, share=0.0, most_between_looks=3))
    for one, other in pairwise(review.openings):
        assert (other.before.cells < State.HIDDEN).sum() >= (one.before.cells < State.HIDDEN).sum()
        assert all(other.before[cell] >= State.HIDDEN for cell in other.opening.starts)


@pytest.mark.parametrize("name", ["demo-won", "sgt-mines-won", "winemine-won"])
def test_a_recorded_runs_own_clicks_count(name: str) -> None:
    """The clicks of a recorded run are those it made."""
    trace = open_trace(TRACES / name)
    made = [entry.clicks for entry in trace.entries() if isinstance(entry, Ended) and entry.result == "won"]
    told = [game.efficiency.clicks for game in review_games(positions_in_trace(trace)) if game.efficiency is not None]
    assert made
    assert told == made
