"""Real clients of which nobody has told anything: learned by `calibrate` or in play, and known from then on."""

import json
import os
import signal
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from sweepbot.level import Level
from sweepbot.vision.calibration import STATE_NAMES, load_calibration
from tests.commands import PLAIN
from tests.live.conftest import need
from tests.live.runs import expect_games, sweepbot
from tests.nightly import by_turns
from tests.user_folders import user_folders
from tools.live.clients import CLIENTS, other
from tools.live.display import Display, Window
from tools.places import FIXTURES
from tools.waiting import wait_until

pytestmark = pytest.mark.live

NEVER_MET = 4
"""The exit code of a game with a number that was not seen while learning."""

NO_BOARD, NOT_TRUSTED, STUCK = 3, 4, 6
"""The exit codes of learning without a result."""

NAMES = {state: name for name, state in STATE_NAMES.items()}


def demo(display: Display) -> AbstractContextManager[Window]:
    return other(display, [sys.executable, "-m", "sweepbot.demo"], ".*[mM]inesweeper.*|.*sweepbot.*")


def xdemineur(display: Display) -> AbstractContextManager[Window]:
    """Xdemineur, whose boards start with an open region."""
    need("xdemineur")
    return CLIENTS["xdemineur"].start(display, Level.parse("12x10/15"))


def sgt_mines(display: Display) -> AbstractContextManager[Window]:
    need("sgt-mines")
    return CLIENTS["sgt-mines"].start(display, Level.parse("beginner"))


def run(display: Display, home: Path, *words: str, codes: tuple[int, ...] = (0,)) -> tuple[str, str]:
    """Run a command on a display, which must exit with one of these codes; return what it printed, and what it said."""
    done = sweepbot(display.environment | user_folders(home), *words)
    assert done.returncode in codes, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("client", by_turns([xdemineur, demo]))
def test_a_client_is_learned_and_played(display: Display, tmp_path: Path, client: Any) -> None:  # noqa: ANN401  (either)
    """A client is learned without any label, and a game is played with the result without a misread."""
    unseen, trace = (str(tmp_path / name) for name in ("unseen", "trace"))
    with client(display):
        words = ("--live", "--yes", "--output", str(tmp_path), "--json", "--trace", trace)
        assert json.loads(run(display, tmp_path, "calibrate", "unseen", *words)[0])["trace"] == trace
        learned = {NAMES[template.state] for template in load_calibration(tmp_path / "unseen").templates}
        assert learned >= {"hidden", "0", "1", "2", "flag"}
        run(display, tmp_path, "calibrate", unseen, "--check")
        options = ("--games", "1", "--no-countdown", "--json")
        report = json.loads(run(display, tmp_path, "play", "--client", unseen, *options, codes=(0, NEVER_MET))[0])
    assert [game["misreads"] for game in report["games"]] == [0]


@pytest.mark.parametrize("client", by_turns([sgt_mines, demo]))
def test_a_new_client_is_played_remembered_and_played_again(display: Display, tmp_path: Path, client: Any) -> None:  # noqa: ANN401  (either)
    """Under a new name a client is played without its calibration, and with the one that is written then."""
    words = ("play", "--client", "new", "--games", "2", "--no-countdown", "--json")
    with client(display):
        first, again = (run(display, tmp_path, *words) for _ in range(2))
    for report, _ in (first, again):
        expect_games(json.loads(report), 2)
    assert "a Minesweeper that I do not know" in first[1]
    assert "remembered of new" in first[1].replace("\n", " ")
    assert "that I do not know" not in again[1]


GRID = """
import pathlib, re, sys, tty
folder = pathlib.Path(sys.argv[1])
tty.setraw(0)
sys.stdout.write("\\x1b[?1000h\\x1b[2J\\x1b[H\\x1b[?25l" + "\\r\\n".join(["# " * 20] * 16))
sys.stdout.flush()
(folder / "ready").touch()
while said := sys.stdin.buffer.read1(64):
    for button, x, y in re.findall(b"\\x1b\\\\[M(.)(.)(.)", said, re.DOTALL):
        if button == b" ":
            sys.stdout.write(f"\\x1b[{ord(y) - 32};{(ord(x) - 33) // 2 * 2 + 1}H1")
            sys.stdout.flush()
    if typed := re.sub(b"\\x1b\\\\[M...", b"", said, flags=re.DOTALL):
        with (folder / "typed").open("ab") as log:
            log.write(typed)
"""
"""A program that fills a terminal with characters, turns clicked ones into 1, and logs all keys."""


@pytest.mark.nightly  # by day a story in `calibrate/test_harm.py`
def test_no_key_goes_into_a_terminal(display: Display, tmp_path: Path) -> None:
    """A grid of characters that reacts to clicks is no game, and nothing is typed into its terminal."""
    need("xterm")
    (tmp_path / "grid.py").write_text(GRID, encoding="utf-8")
    with display.program(["xterm", "-e", sys.executable, str(tmp_path / "grid.py"), str(tmp_path)]):
        wait_until(lambda: (tmp_path / "ready").exists() or None, "the grid")
        words = ("--live", "--yes", "--output", str(tmp_path))
        run(display, tmp_path, "calibrate", "grid", *words, codes=(NO_BOARD, NOT_TRUSTED, STUCK))
    assert not (tmp_path / "typed").exists()


def test_ctrl_c_ends_the_window_with_questions(display: Display, tmp_path: Path) -> None:
    """A question that is asked in a window is said in the terminal, too, where Ctrl-C ends it."""
    shot, output = FIXTURES / "kmines" / "beginner_middle.png", tmp_path / "said.txt"
    asks = f"{sys.executable} -m sweepbot calibrate mine --image {shot} --grid 9x9+200+100+28 --output {tmp_path}"
    with display.program(["sh", "-c", f"exec {asks} 2> {output}"], PLAIN | user_folders(tmp_path)) as asked:
        display.wait_for_window("sweepbot calibrate", asked)
        assert "What does it show? Answer in the window." in " ".join(output.read_text(encoding="utf-8").split())
        os.kill(asked.pid, signal.SIGINT)
        with pytest.raises(RuntimeError, match="ended with 5"):
            wait_until(asked.running, "the end of calibrate")
