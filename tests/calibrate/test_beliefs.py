"""What follows from the log of a client's games: a state is believed only if the end of a game proves it."""

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.calibrate.beliefs.inference import Beliefs, infer
from sweepbot.calibrate.beliefs.log import PlayedGame, Shown
from sweepbot.calibrate.beliefs.patches import PatchStore
from sweepbot.calibrate.confusion import without_doubtful
from sweepbot.calibrate.learned import Label
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick
from tools.drawing.skins import Skin

LOST = "X*1\n*31\n110"


def game(rows: str, result: str, *shown: Shown, opened_first: int | None = 6, misreads: int = 0) -> PlayedGame:
    """A game with a last board, in which its open cells showed their numbers as pictures of the same number."""
    board = Board.parse(rows)
    numbers = [Shown(cell, board[cell], board[cell], at_end=False) for cell in board if board[cell] < State.HIDDEN]
    return PlayedGame(frozenset([*numbers, *shown]), board, result, opened_first, misreads)


def pictures(beliefs: Beliefs, state: str) -> dict[int, int]:
    """How many cells have confirmed each picture of a state."""
    return dict(beliefs.states.get(state, {}))


def test_numbers_are_proven_by_the_mines_around_them() -> None:
    """In a won game all closed cells are mines, so that each number that says as much is confirmed."""
    two_mines = "1#211\n112#1\n00111\n00000"
    beliefs = infer([game(two_mines, "won")])
    assert pictures(beliefs, "1") == {1: 9}
    assert pictures(beliefs, "0") == {0: 7}
    assert beliefs.totals == (2,)
    assert beliefs.why("2").startswith("2 cells, seen so at first sight, with as many mines around each")


@pytest.mark.parametrize(
    ("rows", "result", "misreads"),
    [("1#2#2\n12221\n00000", "won", 0), (LOST, "lost", 1), (LOST, "aborted", 0), ("X#1\n##1\n###", "lost", 0)],
    ids=["a number contradicts the mines", "a cell was misread", "it was broken off", "no mines are shown"],
)
def test_an_end_that_proves_nothing_teaches_nothing(rows: str, result: str, misreads: int) -> None:
    """Where any number disagrees, or the end was not seen, no look is learned, whatever the cells seemed to show."""
    assert infer([game(rows, result, misreads=misreads)]).states == {}


def test_numbers_beside_covered_cells_prove_nothing() -> None:
    """A box over a part of the last board leaves the numbers that are away from it, and no total."""
    beliefs = infer([game("..211\n.12#1\n00111", "won")])
    assert pictures(beliefs, "1") == {1: 6}
    assert pictures(beliefs, "2") == {}
    assert beliefs.totals == ()


def test_marks_and_mines_are_believed_where_they_belong() -> None:
    """A flag is one in play on a cell with a mine, a mine is one at the end of a lost game, hidden cells open later."""
    flag, late = Shown(Cell(0, 1), State.FLAG, 20, at_end=False), Shown(Cell(0, 1), State.FLAG, 21, at_end=True)
    on_safe = Shown(Cell(0, 2), State.FLAG, 22, at_end=False)
    mine, early = Shown(Cell(0, 1), State.MINE, 30, at_end=True), Shown(Cell(0, 1), State.MINE, 31, at_end=False)
    hidden, stays = Shown(Cell(1, 1), State.HIDDEN, 40, at_end=False), Shown(Cell(0, 1), State.HIDDEN, 41, at_end=False)
    beliefs = infer([game(LOST, "lost", flag, late, on_safe, mine, early, hidden, stays)])
    assert (pictures(beliefs, "flag"), pictures(beliefs, "mine")) == ({20: 1}, {30: 1})
    assert pictures(beliefs, "hidden") == {40: 1}
    won = infer([game("1#211\n112#1\n00111", "won", mine)])
    assert pictures(won, "mine") == {}


@pytest.mark.parametrize(
    ("games", "promise"),
    [
        ([("1#211\n112#1\n00111", 9)] * 6, FirstClick.OPEN),
        ([("1#211\n112#1\n00111", 1)] * 6, None),
        ([("1#211\n112#1\n00111", 1)] * 40, FirstClick.SAFE),
        ([("1#211\n112#1\n00111", 1)] * 40 + [("X####\n####*\n#####", None)], FirstClick.NONE),
    ],
)
def test_the_first_click_rule_needs_evidence(games: list[tuple[str, int | None]], promise: FirstClick | None) -> None:
    """A mine at a first click disproves any promise; a few safe first clicks prove none."""
    log = [game(rows, "lost" if "X" in rows else "won", opened_first=opened) for rows, opened in games]
    assert infer(log).first_click is promise


def test_a_client_that_contradicts_the_rules_is_counted() -> None:
    """Won boards whose numbers do not fit their mines are told from games whose end was not seen whole."""
    beliefs = infer([game("1#2#2\n12221\n00000", "won"), game("..2#2\n..221\n00000", "won")])
    assert beliefs.contradicting == 1


def test_a_picture_belongs_to_one_state() -> None:
    """A second picture that two states share is dropped; where it is the first of both, both states are."""
    skin = Skin.of(3)
    one, two, hidden = (skin.cell(state, Cell(0, 0), 9) for state in (1, 2, State.HIDDEN))
    faded = np.clip(hidden.astype(np.int16) + 2, 0, 255).astype(np.uint8)
    labels = [Label("1", [one, faded], ""), Label("2", [two], ""), Label("hidden", [hidden], "")]
    kept = without_doubtful(labels)
    assert [len(label.pictures) for label in kept] == [1, 1, 1]
    assert [label.state for label in without_doubtful([*labels, Label("mine", [two], "")])] == ["1", "hidden"]


def test_specks_are_ignored() -> None:
    """A few slightly different pixels are the same picture; a faint stroke is another."""
    patches, cell = PatchStore(), np.full((36, 36, 3), 120, dtype=np.uint8)
    number = patches.number(cell)
    specks, stroke = cell.copy(), cell.copy()
    specks[10, 10:14] = 125
    stroke[10, 5:30] = 125
    assert patches.number(specks) == number
    assert patches.number(stroke) != number


def test_what_neighbours_show_at_one_corner_is_ignored() -> None:
    """Cells cut out a pixel or two beside their lines look alike, whatever shows there, but not with edges pressed."""
    patches, cell = PatchStore(), np.full((24, 24, 3), 120, dtype=np.uint8)
    beside, pressed = cell.copy(), cell.copy()
    beside[-3:] = beside[:, -3:] = 250
    pressed[2] = pressed[-3] = 80
    number = patches.number(cell)
    assert patches.are_alike(number, patches.number(beside))
    assert not patches.are_alike(number, patches.number(pressed))


def test_a_thin_edge_tells_a_large_cell() -> None:
    """A large cell that is raised by an edge of three pixels is another picture than an even one."""
    patches, even = PatchStore(), np.full((48, 48, 3), 190, dtype=np.uint8)
    raised = even.copy()
    raised[:3] = raised[:, :3] = 240
    raised[-3:] = raised[:, -3:] = 130
    assert patches.number(even) != patches.number(raised)


def test_the_commonest_rim_comes_first() -> None:
    """Of cells that differ only in their rims the commonest picture is kept first, then those at the sides."""
    cells = np.full((4, 4, 40, 40, 3), 255, dtype=np.uint8)
    cells[:, 1:, :, :1] = cells[1:, :, :1] = 170
    patches = PatchStore()
    assert patches.numbers(cells).tolist() == [[0] * 4] * 4
    kept = [patches[0], *patches.variants(0)]
    assert [picture.tobytes() for picture in kept] == [cells[at].tobytes() for at in ((1, 1), (0, 1), (1, 0))]
