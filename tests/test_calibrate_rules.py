"""What the rules say about looks: labels are settled where they must be, and only there."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepbot.board import State
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, LabelConstraints, Record
from sweepbot.calibrate.labels.endings import Ending, judge, total_of
from sweepbot.calibrate.labels.log import Began, Ended, Opened
from sweepbot.calibrate.labels.looks import Looks, PatchStore
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.errors import ImpossibleBoardError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level


def seen(text: str) -> Record:
    """A game in letters: each letter is a look, `#` is hidden."""
    rows = text.split()
    record = Record.fresh(len(rows), len(rows[0]))
    for row, line in enumerate(rows):
        for column, letter in enumerate(line):
            if letter != "#":
                record.open(Cell(row, column), ord(letter))
    return record


def played(seed: int) -> tuple[Record, Game, dict[int, int]]:
    """A game with some cells opened, its numbers replaced by anonymous looks."""
    rng = random.Random(seed)
    game = Game(Level(8, 7, rng.randint(5, 14)), FirstClick.SAFE, rng)
    game.open(Cell(3, 4))
    hidden = [cell for cell in game.board if cell not in game.mines]
    for cell in rng.sample(hidden, rng.randint(0, len(hidden) // 2)):
        game.open(cell)
    looks = rng.sample(range(100), 9)
    record = Record.fresh(7, 8)
    for cell in game.board:
        if game.board[cell] < State.HIDDEN:
            record.open(cell, looks[game.board[cell]])
    return record, game, {look: number for number, look in enumerate(looks)}


def test_a_look_with_no_hidden_cell_beside_it_is_0() -> None:
    """A look without a hidden neighbour can only be a 0."""
    knowledge = LabelConstraints([seen("aab# aab# bbb# ####")])
    assert knowledge.number_of(ord("a")) == 0


def test_a_look_with_one_hidden_neighbour_is_1() -> None:
    """A look that is not 0 and has one hidden neighbour is a 1, and that neighbour is a mine."""
    knowledge = LabelConstraints([seen("aaa abb ab#")])
    assert knowledge.number_of(ord("b")) == 1
    assert knowledge.mines()[2, 2] == MINE


def test_an_ambiguous_look_stays_open() -> None:
    """A look beside three hidden cells may be a 1, a 2 or a 3."""
    knowledge = LabelConstraints([seen("a# ##")])
    knowledge.probe_looks([ord("a")])
    assert knowledge.number_of(ord("a")) is None
    assert knowledge.meanings[ord("a")] == 0b1110


def test_games_decide_together() -> None:
    """A look that one game leaves open is settled by another."""
    knowledge = LabelConstraints([seen("b# ##"), seen("aaa abb ab#")])
    assert knowledge.number_of(ord("b")) == 1


def test_one_look_for_two_numbers_is_noticed() -> None:
    """Two different numbers with the same look contradict the rules."""
    with pytest.raises(ImpossibleBoardError):
        LabelConstraints([seen("aaa abb ab#"), seen("aaa aab aa#")])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=3))
def test_the_truth_is_never_ruled_out(seeds: list[int]) -> None:
    """Every conclusion agrees with the game that was really played."""
    for seed in seeds:
        record, game, meaning = played(seed)
        knowledge = LabelConstraints([record])
        knowledge.probe_looks(meaning)
        knowledge.probe_cells()
        for look in {int(look) for look in record.looks.ravel()} - {-1}:
            assert knowledge.meanings[look] >> meaning[look] & 1
        mines = knowledge.mines()
        assert all(mines[cell] != SAFE for cell in game.mines)
        assert all(mines[cell] != MINE for cell in game.board if cell not in game.mines)


def test_the_end_of_a_game_settles_every_number() -> None:
    """Where all mines are known, every look is the number of mines around it."""
    record, game, meaning = played(3)
    for cell in game.board:
        record.mines[cell] = MINE if cell in game.mines else SAFE
    knowledge = LabelConstraints([record])
    assert all(
        knowledge.number_of(int(look)) == meaning[int(look)] for look in np.unique(record.looks) if int(look) != -1
    )


def test_a_gradient_is_one_look() -> None:
    """Pictures connected by small steps are one look; others are not."""
    patches = PatchStore()
    numbers = [patches.number(np.full((12, 12, 3), grey, dtype=np.uint8)) for grey in (100, 106, 112, 118, 180)]
    looks = Looks(patches)
    looks.add([numbers[0], numbers[3], numbers[4]])
    assert looks.of(numbers[0]) != looks.of(numbers[3])
    looks.add(numbers)
    assert looks.of(numbers[0]) == looks.of(numbers[3]) != looks.of(numbers[4])


def test_the_rim_of_a_cell_is_ignored() -> None:
    """Pictures that differ only in their outermost pixels, where neighbours may show, are the same."""
    patches = PatchStore()
    one = np.full((16, 16, 3), 90, dtype=np.uint8)
    other = one.copy()
    other[0] = 200
    assert patches.number(one) == patches.number(other)


def test_a_win_gives_the_total_of_mines() -> None:
    """The hidden cells left after the last click are the mines, unless numbers contradict that."""
    text = ["1110", "1*10", "1221", "01*1"]
    patches = PatchStore()
    hidden = patches.number(np.full((8, 8, 3), 250, dtype=np.uint8))
    numbers = Numbers(patches)
    numbers.games.append(Record.fresh(4, 4))
    cells = [(Cell(row, column), text[row][column]) for row in range(4) for column in range(4)]
    pictures = [
        (cell, patches.number(np.full((8, 8, 3), 20 * int(n), dtype=np.uint8))) for cell, n in cells if n != "*"
    ]
    last = Cell(3, 3)
    numbers.open((cell, picture) for cell, picture in pictures if cell != last)
    numbers.meanings = {numbers.looks.of(picture): 1 << int(text[cell.row][cell.column]) for cell, picture in pictures}
    shown = np.full((4, 4), hidden, dtype=np.intp)
    unknown = np.full((4, 4), UNDECIDED, dtype=np.int8)
    for clicked, mines in ((last, 2), (Cell(0, 0), None)):
        end = Ended(shown, np.ones((4, 4), dtype=np.bool_), clicked)
        assert judge(numbers, end, unknown, ()).mines_if_won == mines


@pytest.mark.parametrize(("counted", "total"), [([10] * 3, None), ([10] * 4, 10), ([10] * 4 + [9], None)])
def test_a_total_from_assumed_wins_needs_four_games(counted: list[int], total: int | None) -> None:
    """Where totals vary, three games may agree by chance; four are believed."""
    shown = np.zeros((4, 4), dtype=np.intp)
    last = Ended(shown, shown > 0, Cell(0, 0))
    endings = [Ending(last, None, Record.fresh(4, 4), mines_if_won=mines) for mines in counted]
    assert total_of(endings) == total


def test_a_game_that_contradicts_the_others_is_left_out() -> None:
    """A game that contradicts the others is dropped whole, and the next one counts again."""
    patches = PatchStore()
    letters = {
        letter: patches.number(np.full((8, 8, 3), shade, dtype=np.uint8))
        for letter, shade in (("a", 40), ("b", 120), ("#", 200))
    }
    belief = Belief(patches)
    for text in ("aaa abb ab#", "aab abb b##", "aaa abb ab#"):
        rows = text.split()
        pictures = np.array([[letters[letter] for letter in line] for line in rows], dtype=np.intp)
        belief.add(Began((3, 3)))
        cells = [(Cell(row, column), int(pictures[row, column])) for row in range(3) for column in range(3)]
        belief.add(Opened(tuple((cell, picture) for cell, picture in cells if picture != letters["#"])))
        belief.add(Ended(pictures, pictures == letters["#"], Cell(0, 0)))
    assert belief.contradictions == 1
    assert [int((~game.unopened).sum()) for game in belief.numbers.games] == [8, 8]
    assert belief.numbers.number_of(letters["b"]) == 1


def test_no_board_is_without_mines() -> None:
    """A board with every cell open contradicts the rules."""
    with pytest.raises(ImpossibleBoardError, match="a board has at least one mine"):
        LabelConstraints([seen("aaaa aaaa abba")])


def test_unsettled_numbers_confirm_no_end() -> None:
    """After a first game without a settled number, no look is taken for a mine."""
    patches = PatchStore()
    hidden, one, other, hit = (
        patches.number(np.full((12, 12, 3), shade, dtype=np.uint8)) for shade in (90, 180, 40, 220)
    )
    numbers = Numbers(patches)
    numbers.games.append(Record.fresh(4, 7))
    numbers.open((Cell(0, column), one) for column in range(1, 6))
    pictures = np.full((4, 7), hidden, dtype=np.intp)
    pictures[0, 1:6], pictures[1], pictures[3, 3] = one, other, hit
    last = Ended(pictures, pictures == hidden, Cell(3, 3))
    assert "mine" not in judge(numbers, last, numbers.game.mines, ()).shown.values()
