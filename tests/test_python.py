"""sweepbot as a library: the names that the package offers, and that nothing is loaded early."""

import subprocess
import sys

import numpy as np
import pytest

import sweepbot
from sweepbot.errors import NoBoardFoundError
from sweepbot.testing import assert_reads
from sweepbot.vision.pictures.image import load_image
from tools.places import FIXTURES

SHOT = FIXTURES / "demo" / "beginner_middle.png"
TEXT = SHOT.with_suffix(".txt").read_text(encoding="utf-8")


def test_everything_offered_is_there() -> None:
    """Each name of `__all__` exists and is in `dir`; another is the usual error."""
    assert all(getattr(sweepbot, name) is not None for name in sweepbot.__all__)
    assert set(sweepbot.__all__) <= set(dir(sweepbot))
    with pytest.raises(AttributeError, match="nonsense"):
        sweepbot.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing() -> None:
    """`import sweepbot` loads neither numpy nor OpenCV nor numba."""
    code = "import sys, sweepbot; print([m for m in ('numpy', 'cv2', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_pictures_are_read_from_files_and_arrays() -> None:
    """A path, its text and the pixels give the same board, with or without a client's name."""
    readings = [sweepbot.read(SHOT), sweepbot.read(str(SHOT)), sweepbot.read(load_image(SHOT), client="demo")]
    assert all(str(reading.board) == TEXT.strip() for reading in readings)
    assert readings[0].client in ("demo", "winxp")
    with pytest.raises(NoBoardFoundError):
        sweepbot.read(np.zeros((200, 200, 3), dtype=np.uint8))


def test_comparing_a_screenshot_reports_what_differs() -> None:
    """A screenshot that reads as expected passes; one different cell fails, with its place and both boards."""
    assert_reads(SHOT, TEXT, client="demo")
    assert_reads(SHOT, sweepbot.Board.parse(TEXT, 10), client="demo")
    other = TEXT.replace("#", "F", 1)
    with pytest.raises(AssertionError, match=r"differs at row \d+, column \d+\nread:"):
        assert_reads(SHOT, other, client="demo")
    with pytest.raises(AssertionError, match="10 mines, not 11"):
        assert_reads(SHOT, sweepbot.Board.parse(TEXT, 11), client="demo")


def test_a_board_is_a_table_in_a_notebook() -> None:
    """A board's HTML has a row per row, a cell per cell, and its mines."""
    html = sweepbot.Board.parse("1#\nF0\nX*", 3)._repr_html_()
    assert (html.count("<tr>"), html.count("<td")) == (3, 6)
    assert "3 mines" in html
    assert ">1<" in html


def test_board_text_may_have_spaces_between_cells() -> None:
    """Cells separated by blanks are the same board."""
    assert sweepbot.Board.parse("1 # 2\n# # #\n") == sweepbot.Board.parse("1#2\n###")
