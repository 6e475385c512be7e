"""Positions and boards survive the way to other programs and back."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Board
from sweepbot.errors import SweepbotError, UsageError
from sweepbot.formats.links import ANALYSIS, from_link, is_link, to_link
from sweepbot.formats.mbf import from_mbf, to_mbf
from sweepbot.game import Game
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.simulate import ListedDeals

WRITTEN_BY_JSMINESWEEPER = {
    "##F##\n#1221\n#1000\n#1000": "afaeaaadT2UbnSldSld",
    "F1000\n22100\nF1000\n11000": "afaeaaad2glc2j",
    "1####\n#####\n#####\n#####": "afaeaaadlS0",
    "#F3F#\n13#31\n01F10\n01110": "afaeaaadS2b2SblOld9dnb",
}
"""Positions with 3 mines, and what JSMinesweeper's `Board.getSimpleCompressedData` makes of them."""


def positions() -> Iterator[Board]:
    """Positions in play with some mines flagged."""
    for seed in range(30):
        rng = random.Random(seed)
        level = rng.choice([Level(9, 9, 10), Level(30, 16, 99), Level(100, 70, 1300), Level(5, 4, 3)])
        game = Game(level, FirstClick.OPEN, rng)
        game.open(first_cell(level, FirstClick.OPEN))
        for mine in sorted(game.mines)[::3]:
            game.mark(mine)
        yield game.board


def test_a_position_comes_back_from_its_link() -> None:
    """The address holds what is hidden, flagged and open, and the total of mines."""
    for board in positions():
        link = to_link(board)
        assert is_link(link)
        assert from_link(link) == board


@pytest.mark.parametrize("text", WRITTEN_BY_JSMINESWEEPER)
def test_links_of_jsminesweeper_are_read(text: str) -> None:
    """A link made by JSMinesweeper gives the same position."""
    assert from_link(ANALYSIS + WRITTEN_BY_JSMINESWEEPER[text]) == Board.parse(text, mines=3)


def test_a_flag_that_contradicts_a_number_is_left_out() -> None:
    """A flag on a cell that cannot be a mine has no place in a link."""
    assert from_link(to_link(Board.parse("F1\nF1", mines=1))) == Board.parse("F1\n#1", mines=1)


def test_shown_mines_become_flags_and_question_marks_hidden_cells() -> None:
    """States that a link lacks become the nearest it has."""
    assert from_link(to_link(Board.parse("1*?\n12#", mines=2))) == Board.parse("1F#\n12#", mines=2)


@pytest.mark.parametrize("text", ["1.", "1W"])
def test_what_a_link_cannot_hold_is_an_error(text: str) -> None:
    """An unread cell and a wrong flag are errors that name the cell."""
    with pytest.raises(UsageError, match="a link cannot show"):
        to_link(Board.parse(text, mines=0))


@pytest.mark.parametrize("data", ["", "aeadaaac", "aeadaaac!", "aeadaaacZZZZZZZZZZZZ", "zzzz"])
def test_a_broken_link_is_an_error(data: str) -> None:
    """A truncated address, or one with other characters, is refused."""
    with pytest.raises(UsageError, match="copy the whole address"):
        from_link(ANALYSIS + data)


def test_a_board_comes_back_from_mbf(tmp_path: Path) -> None:
    """Mines keep their places, and `simulate --boards` takes the file or a folder of them."""
    boards = [np.random.default_rng(seed).random((4 + seed, 7)) < 0.4 for seed in range(4)]
    boards[0][0, :2] = True
    for number, mine in enumerate(boards):
        assert np.array_equal(from_mbf(to_mbf(mine), "it"), mine)
        (tmp_path / f"{number}.mbf").write_bytes(to_mbf(mine))
    deals = ListedDeals.read(tmp_path)
    assert len(deals) == len(boards)
    for number, mine in enumerate(boards):
        deal = deals.deal(number)
        assert deal.game.mines == {cell for cell in deal.game.board if mine[cell]}
        assert not mine[deal.first]
    assert ListedDeals.read(tmp_path / "2.mbf").deal(0).game.mines == deals.deal(2).game.mines


def test_the_header_of_mbf_is_as_arbiter_writes_it() -> None:
    """Columns, rows, two bytes of mines, then a column and a row for each mine."""
    mine = np.zeros((2, 3), np.bool_)
    mine[1, 2] = True
    assert to_mbf(mine) == bytes([3, 2, 0, 1, 2, 1])


@pytest.mark.parametrize(
    "content", [b"", bytes([3, 2, 0, 1]), bytes([3, 2, 0, 1, 3, 0]), bytes([3, 2, 0, 2, 1, 1, 1, 1])]
)
def test_a_broken_mbf_file_is_an_error(content: bytes) -> None:
    """A truncated file, or one with mines off the board or twice, is refused by name."""
    with pytest.raises(SweepbotError, match="it"):
        from_mbf(content, "it")


def test_too_large_a_board_is_no_mbf_board() -> None:
    """The format has one byte each for columns and rows."""
    with pytest.raises(UsageError, match="256x1"):
        to_mbf(np.zeros((1, 256), np.bool_))
