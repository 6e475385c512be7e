"""The verdict on a game, case by case: what was known, what was clicked, what is seen."""

from typing import Any

import numpy as np
import pytest

from sweepbot.board import Board
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked, SeenAfter, Verdict, outcome

TWO_LEFT = """
##1
221
000
000
"""  # 2 cells are closed, one of which may be a mine for what the verdict is concerned

SAFE = Cell(0, 0)


def seen(text: str, mines: int | None = 1, **named: Any) -> SeenAfter:  # noqa: ANN401  (those of SeenAfter)
    board = Board.parse(text, mines)
    return SeenAfter(board, board.phase(), **named)


def doubted(text: str, **named: Any) -> SeenAfter:  # noqa: ANN401  (those of SeenAfter)
    """A reading that is not trusted."""
    return seen(text, is_trusted=False, **named)


def beside_a_dialog(text: str) -> SeenAfter:
    """What a dialog has left in sight of a board whose number of mines is unknown."""
    return doubted(text, mines=None, had_dialog=True)


def clicked(*cells: Cell, certain: bool = True, are_last: bool = False) -> Clicked:
    return Clicked(cells, certain=certain, are_last=are_last)


def marking(*marked: Cell) -> Clicked:
    return Clicked((SAFE,), marked, certain=True)


GUESS, LAST_GUESS = clicked(SAFE, certain=False), clicked(SAFE, certain=False, are_last=True)
CERTAIN, LAST = clicked(SAFE), clicked(SAFE, are_last=True)
NOT_ENDING, SURVIVED = (Clicked((SAFE,), certain=certain, may_end=False) for certain in (True, False))

OPEN_ALL = "1#1\n111\n000\n000"
HIT = "X*1\n221\n000\n000"
HIT_BESIDE_A_BOX = "X.1\n..1\n000\n000"
ALL_SHOWN = "1*1\n111\n000\n000"
GOES_ON = "##1\n221\n000\n000"
FRESH = "###\n###\n###\n###"
OTHER_GAME = "11#\n##1\n000\n000"
LOST_ANEW = "X##\n###\n11#\n#*#"
ALL_COVERED = "...\n...\n...\n..."
MINES_BESIDE_A_BOX = ".*1\n..1\n000\n000"
NEVER_MET_AND_MINES = ".*1\n111\n000\n000"
NOTHING_HIDDEN_BESIDE_A_BOX = "1F1\n.11\n0.0\n000"
FLAGGED_BESIDE_A_BOX = ".F1\n.11\n0.0\n000"
FLAG_BESIDE_A_BOX = ".F1\n..1\n000\n000"
BOX_OVER_OPEN_CELLS = "2#1\n..1\n0.0\n000"
UNREADABLE_WHERE_CLICKED = ".#1\n221\n000\n000"
UNREADABLE_BESIDE_AN_OPEN_CELL = "1#.\n2.1\n000\n000"
HIDDEN_BESIDE_A_BOX = "#.1\n2.1\n000\n000"

ALL_RELIT = np.ones((4, 3), dtype=np.bool_)
RELIT = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=np.bool_)  # of four numbers
FEW_RELIT = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=np.bool_)

CASES = [
    ("the board shows a won game", LAST, seen(OPEN_ALL), Verdict.WON),
    ("a guess that was the last one has won", LAST_GUESS, seen(OPEN_ALL), Verdict.WON),
    ("the clicked cell exploded", GUESS, seen(HIT), Verdict.LOST),
    ("flags come up by themselves, also on the guessed cell", GUESS, seen("FF1\n221\n000\n000"), Verdict.LOST),
    ("a cell called certain exploded", CERTAIN, seen(HIT), Verdict.LOST),
    ("the clicked cell exploded beside a box", GUESS, doubted(HIT_BESIDE_A_BOX), Verdict.LOST),
    ("mines are shown after certain clicks that are open", LAST, seen(ALL_SHOWN), Verdict.WON),
    ("what was clicked may be a mine", CERTAIN, doubted(NEVER_MET_AND_MINES, likely_mines=[SAFE]), Verdict.LOST),
    ("cells are left", CERTAIN, seen(GOES_ON), Verdict.PLAYING),
    ("numbers are gone, no dialog was there", CERTAIN, seen(FRESH), Verdict.BEGUN_ANEW),
    ("numbers are gone though the game goes on", CERTAIN, seen(OTHER_GAME), Verdict.BEGUN_ANEW),
    ("another game is over that a person began", CERTAIN, seen(LOST_ANEW), Verdict.BEGUN_ANEW),
    ("the same after a guess, half of it covered", GUESS, doubted(LOST_ANEW), Verdict.BEGUN_ANEW),
    ("a person hit a mine", Clicked(), seen(HIT), Verdict.ENDED_BY_HAND),
    ("a dialog led to the next game after certain cells", CERTAIN, seen(FRESH, had_dialog=True), Verdict.WON),
    ("a dialog led to the next game after a guess", GUESS, seen(FRESH, had_dialog=True), Verdict.LOST),
    ("the same after a guess at the last cell", LAST_GUESS, seen(FRESH, had_dialog=True), Verdict.UNCLEAR),
    ("a dialog of a person's led to it", NOT_ENDING, seen(FRESH, had_dialog=True), Verdict.BEGUN_ANEW),
    ("the same after a guess that was survived", SURVIVED, seen(FRESH, had_dialog=True), Verdict.BEGUN_ANEW),
    ("nothing can be read, as where the client was killed", LAST, doubted(ALL_COVERED), Verdict.UNCLEAR),
    ("all is in another light after the last certain cells", LAST, doubted(ALL_COVERED, relit=RELIT), Verdict.WON),
    ("the same, but the click has not changed its cell", LAST, doubted(ALL_COVERED, relit=ALL_RELIT), Verdict.UNCLEAR),
    ("the same, but few numbers are seen", LAST, doubted(ALL_COVERED, relit=FEW_RELIT), Verdict.UNCLEAR),
    ("the same after a guess", GUESS, doubted(ALL_COVERED, relit=RELIT), Verdict.UNCLEAR),
    ("a client that is paused shows one colour and a word", LAST, doubted("000\n000\n0.0\n000"), Verdict.UNCLEAR),
    ("most is covered after the last certain cells", LAST, doubted("...\n...\n.0.\n..."), Verdict.WON),
    ("most is covered after certain cells, and one is flagged", CERTAIN, doubted(".F.\n...\n...\n..."), Verdict.WON),
    ("the same after a guess", GUESS, doubted(".F.\n...\n.0.\n..."), Verdict.UNCLEAR),
    ("the same in the middle of a game", CERTAIN, doubted("...\n...\n.0.\n..."), Verdict.UNCLEAR),
    ("the same after a guess", LAST_GUESS, doubted("...\n...\n.0.\n..."), Verdict.UNCLEAR),
    ("nothing can be read after a guess", GUESS, doubted(ALL_COVERED), Verdict.UNCLEAR),
    ("a dialog covers all after the last certain cells", LAST, doubted(ALL_COVERED, had_dialog=True), Verdict.WON),
    ("a dialog covers all in the middle of a game", CERTAIN, doubted(ALL_COVERED, had_dialog=True), Verdict.UNCLEAR),
    ("a dialog covers all after a last guess", LAST_GUESS, doubted(ALL_COVERED, had_dialog=True), Verdict.UNCLEAR),
    ("a dialog is beside a last guess that is open", LAST_GUESS, beside_a_dialog("1#1\n..1\n000\n000"), Verdict.WON),
    ("the same in the middle of a game", GUESS, beside_a_dialog("1#1\n..1\n000\n000"), Verdict.PLAYING),
    ("mines show beside a box over the last cell", LAST, doubted(MINES_BESIDE_A_BOX), Verdict.WON),
    ("mines show beside a box after a guess", GUESS, doubted(MINES_BESIDE_A_BOX), Verdict.LOST),
    ("the same, and the guess is open", GUESS, doubted("1*1\n#.1\n000\n000"), Verdict.UNCLEAR),
    ("nothing was clicked, and mines show beside a box", Clicked(), doubted(HIT_BESIDE_A_BOX), Verdict.ENDED_BY_HAND),
    ("mines show beside a box after a certain cell", CERTAIN, doubted(MINES_BESIDE_A_BOX), Verdict.UNCLEAR),
    ("the same after the last one, which is open", LAST, doubted("1X1\n..1\n000\n000"), Verdict.WON),
    ("nothing is hidden beside a box", LAST, doubted(NOTHING_HIDDEN_BESIDE_A_BOX), Verdict.WON),
    ("mines show as in a lost game, a number never met as well", LAST, seen(NEVER_MET_AND_MINES), Verdict.WON),
    ("the same after a guess, and no mine is missing", LAST_GUESS, seen(NEVER_MET_AND_MINES), Verdict.WON),
    ("the same, and the mine that was hit is missing", LAST_GUESS, seen(NEVER_MET_AND_MINES, mines=2), Verdict.LOST),
    ("the same, and nobody knows the total", LAST_GUESS, seen(NEVER_MET_AND_MINES, mines=None), Verdict.UNCLEAR),
    ("and the total is assumed", LAST_GUESS, seen(NEVER_MET_AND_MINES, is_total_known=False), Verdict.UNCLEAR),
    (
        "nothing is hidden, the guess cannot be read",
        LAST_GUESS,
        doubted(FLAG_BESIDE_A_BOX, mines=None),
        Verdict.UNCLEAR,
    ),
    ("flags came up beside a box", CERTAIN, doubted(NOTHING_HIDDEN_BESIDE_A_BOX), Verdict.WON),
    ("flags came up, and a guess is open", GUESS, doubted("1F1\n.11\n0.0\n000"), Verdict.WON),
    ("flags came up, and the guess is behind it", GUESS, doubted(FLAGGED_BESIDE_A_BOX), Verdict.WON),
    ("the same, and a mine is not seen", GUESS, doubted(FLAGGED_BESIDE_A_BOX, mines=2), Verdict.UNCLEAR),
    ("and the total is assumed", GUESS, doubted(FLAGGED_BESIDE_A_BOX, is_total_known=False), Verdict.UNCLEAR),
    ("the flags beside a box are our own", marking(Cell(0, 1)), doubted(FLAG_BESIDE_A_BOX), Verdict.UNCLEAR),
    ("cells are hidden beside a box", GUESS, doubted(HIDDEN_BESIDE_A_BOX), Verdict.UNCLEAR),
    (
        "a look never met, where clicked alone",
        GUESS,
        doubted(UNREADABLE_WHERE_CLICKED, is_loss_known=False),
        Verdict.UNCLEAR,
    ),
    ("a box covers cells that were open before", CERTAIN, doubted(BOX_OVER_OPEN_CELLS), Verdict.WON),
    ("the same, but flags are asked for", CERTAIN, doubted(BOX_OVER_OPEN_CELLS, flags_to_win=True), Verdict.PLAYING),
    ("a look never met, no loss ever seen", GUESS, doubted(HIDDEN_BESIDE_A_BOX, is_loss_known=False), Verdict.LOST),
    (
        "looks never met, the guess is open",
        GUESS,
        doubted(UNREADABLE_BESIDE_AN_OPEN_CELL, mines=None, is_loss_known=False),
        Verdict.PLAYING,
    ),
    (
        "a look never met after a last guess",
        LAST_GUESS,
        doubted(HIDDEN_BESIDE_A_BOX, is_loss_known=False),
        Verdict.UNCLEAR,
    ),
]


@pytest.mark.parametrize(("case", "clicks", "now", "verdict"), CASES, ids=[case for case, *_ in CASES])
def test_a_verdict_follows_from_what_is_seen(case: str, clicks: Clicked, now: SeenAfter, verdict: Verdict) -> None:
    """Nothing is won or lost that was not seen to be."""
    judged = outcome(Board.parse(TWO_LEFT, mines=1), clicks, now)
    assert judged.verdict is verdict, f"{case}: {judged.why}"
    assert judged.why


@pytest.mark.parametrize(
    "now",
    [
        seen(FRESH, had_dialog=True, is_loss_known=False),
        doubted(ALL_COVERED, had_dialog=True, is_loss_known=False),
    ],
    ids=["next game", "covered"],
)
def test_a_possible_mine_is_not_a_win(now: SeenAfter) -> None:
    """An unread open cell may be an exploded mine, so the game is not called won."""
    before = Board.parse("##1\n2.1\n000\n000", mines=1)
    assert outcome(before, LAST, now).verdict is Verdict.UNCLEAR
    assert outcome(Board.parse(TWO_LEFT, mines=1), LAST, now).verdict is Verdict.WON


def test_what_could_not_be_read_before_is_no_new_look() -> None:
    """A cell that was unread already does not speak for a mine; the clicked one may be a number never met."""
    before, now = (Board.parse(text, mines=1) for text in ("##1\n2.1\n000\n000", ".#1\n2.1\n000\n000"))
    judged = outcome(before, GUESS, SeenAfter(now, now.phase(), is_trusted=False, is_loss_known=False))
    assert judged.verdict is Verdict.UNCLEAR


ONE_WENT_OFF = "1####\n#*###\n#####\n*####\n####X"
NONE_WENT_OFF = ONE_WENT_OFF.replace("X", "*")


@pytest.mark.parametrize(
    ("clicks", "now", "verdict"),
    [
        (CERTAIN, seen(ONE_WENT_OFF), Verdict.ENDED_BY_HAND),
        (GUESS, seen(ONE_WENT_OFF), Verdict.ENDED_BY_HAND),
        (GUESS, doubted(ONE_WENT_OFF.replace("1", ".")), Verdict.ENDED_BY_HAND),
        (CERTAIN, seen(NONE_WENT_OFF), Verdict.ENDED_BY_HAND),
        (GUESS, seen(NONE_WENT_OFF), Verdict.ENDED_BY_HAND),
        (clicked(SAFE, Cell(4, 4)), seen(ONE_WENT_OFF), Verdict.LOST),
        (marking(Cell(4, 4)), seen(ONE_WENT_OFF), Verdict.LOST),
    ],
    ids=["certain", "guess", "guess unread", "certain, all mines alike", "guess, all mines alike", "clicked", "marked"],
)
def test_a_mine_that_no_click_hit_was_hit_by_hand(clicks: Clicked, now: SeenAfter, verdict: Verdict) -> None:
    """While clicks open cells a person may hit a mine: neither a win nor the bot's loss; a mark may open by mistake."""
    before = Board.parse("\n".join(["#####"] * 5), mines=3)
    assert outcome(before, clicks, now).verdict is verdict


@pytest.mark.parametrize("drawn", ["0F0", "0.0", "*00", ".F."])
def test_a_message_over_open_cells_is_no_other_game(drawn: str) -> None:
    """A few open cells that are read as something else, or not at all, do not hide that the game is won."""
    rest = ["11100", *["00000"] * 5]
    before, now = (
        Board.parse("\n".join(rows), 1) for rows in (["##100", *rest, "00000"], ["1#100", *rest, f"{drawn}00"])
    )
    judged = outcome(before, Clicked([Cell(0, 0)], certain=True), SeenAfter(now, now.phase()))
    assert judged.verdict is Verdict.WON, judged.why


def test_zeros_that_look_hidden_among_the_same_numbers_are_no_other_game() -> None:
    """A client that has dimmed its won board behind a message still shows the same game."""
    before, now = Board.parse("##100\n11100\n00000\n00000", 1), Board.parse("1#1##\n111##\n#####\n#####", 1)
    judged = outcome(before, Clicked([Cell(0, 0)], certain=True, are_last=True), SeenAfter(now, now.phase()))
    assert judged.verdict is Verdict.WON, judged.why


def scattered(text: str, *changed: Cell) -> SeenAfter:
    """What is seen of a board that was hidden but for a corner, with the cells whose pictures have changed."""
    now = Board.parse(text, mines=5)
    looks = np.zeros(now.cells.shape, dtype=np.bool_)
    for cell in changed:
        looks[cell] = True
    return SeenAfter(now, now.phase(), is_trusted=False, changed=looks)


FAR = Cell(0, 4), Cell(2, 2), Cell(4, 0)


@pytest.mark.parametrize(
    ("clicks", "now", "verdict"),
    [
        (GUESS, scattered(".###.\n#####\n##.##\n#####\n.###1", SAFE, *FAR), Verdict.LOST),
        (GUESS, scattered(".###.\n#####\n##.##\n#####\n.###1", SAFE), Verdict.UNCLEAR),
        (GUESS, scattered(".....\n.....\n..###\n#####\n####1", *map(Cell, [0, 0, 0, 0, 0], range(5))), Verdict.UNCLEAR),
        (GUESS, scattered("1###.\n#####\n##.##\n#####\n.###1", SAFE, *FAR), Verdict.PLAYING),
        (GUESS, scattered(".###F\n#####\n##F##\n#####\nF###1", SAFE, *FAR), Verdict.LOST),
        (GUESS, scattered("1###1\n#####\n##1##\n#####\n1###1", SAFE, *FAR), Verdict.LOST),
        (GUESS, scattered(".###0\n#####\n##0##\n#####\n0###1", SAFE, *FAR), Verdict.LOST),
        (GUESS, scattered("0###0\n#####\n##0##\n#####\n0###1", SAFE, *FAR), Verdict.LOST),
        (GUESS, scattered("2###1\n#####\n##1##\n#####\n1###1", SAFE, *FAR), Verdict.PLAYING),
        (GUESS, scattered(".1.1F\n12...\n..F..\n.....\nF...1", SAFE, *FAR), Verdict.UNCLEAR),
        (CERTAIN, scattered(".###.\n#####\n##.##\n#####\n.###1", SAFE, *FAR), Verdict.UNCLEAR),
    ],
    ids=[
        "a loss",
        "misread, but unchanged",
        "a region",
        "open",
        "mines like flags",
        "like a number",
        "some like zeros",
        "like zeros",
        "numbers",
        "by a win",
        "certain",
    ],
)
def test_cells_that_no_click_opens_tell_a_loss(clicks: Clicked, now: SeenAfter, verdict: Verdict) -> None:
    """After a guess, cells apart from each other change only as mines are shown, even if nobody can read them."""
    before = Board.parse("#####\n#####\n#####\n#####\n####1", mines=5)
    assert outcome(before, clicks, now).verdict is verdict
