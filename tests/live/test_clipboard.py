"""Reading a screenshot from the clipboard."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from sweepbot.board import Board
from tests.live.conftest import need
from tests.live.runs import sweepbot
from tools.live.display import Display, virtual_display
from tools.places import FIXTURES
from tools.waiting import wait_until

pytestmark = pytest.mark.live

PICTURE = FIXTURES / "winemine" / "beginner_middle.png"


@pytest.fixture
def display() -> Iterator[Display]:
    """A display on which nothing has been copied."""
    need("Xvfb")
    need("xclip")
    with virtual_display(managed=False) as started:
        yield started


def test_the_picture_on_the_clipboard_is_read_and_solved(display: Display) -> None:
    """`read` and `solve` take a copied screenshot like a file, and call it the clipboard."""
    board = Board.parse(PICTURE.with_suffix(".txt").read_text())
    copying = ["xclip", "-selection", "clipboard", "-target", "image/png", "-quiet", str(PICTURE)]
    asking = ["xclip", "-selection", "clipboard", "-target", "TARGETS", "-out"]

    def is_copied() -> bool:
        targets = subprocess.run(asking, env=display.environment, capture_output=True, text=True, check=False)
        return "image/png" in targets.stdout

    with display.program(copying):
        wait_until(is_copied, "a picture on the clipboard")
        read = sweepbot(display.environment, "read", "--clipboard", "--json")
        solved = sweepbot(display.environment, "solve", "--clipboard", "--json")
    (answer,) = json.loads(read.stdout)
    assert (read.returncode, answer["file"], answer["rows"]) == (0, "clipboard", board.lines())
    assert solved.returncode == 0
    assert json.loads(solved.stdout)["best"]["mine_probability"] == 0


def test_an_empty_clipboard_is_an_error(display: Display) -> None:
    """With nothing copied, or no desktop at all, `read` exits with 1 and advice that fits."""
    read = sweepbot(display.environment, "read", "--clipboard")
    assert read.returncode == 1
    assert "clipboard: there is no picture on it" in read.stderr
    assert "copy a screenshot first" in read.stderr
    assert "DISPLAY is not set" in sweepbot(display.environment | {"DISPLAY": ""}, "read", "--clipboard").stderr
