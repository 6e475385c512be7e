"""What a person sees: the demo on a pseudo-terminal, from the first line to the summary."""

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from sweepbot.board import Board, State
from sweepbot.cli.board_view import board_view
from sweepbot.cli.live import LiveView
from sweepbot.explaining import explanation_in_words, move_in_words
from sweepbot.geometry import Cell
from sweepbot.history import PastGame, keep
from sweepbot.player.as_events import decided_event
from sweepbot.render.text import counted
from sweepbot.solver import Solver
from sweepbot.solver.explain import explain
from sweepbot.trace.events import Ended, FollowUp, Found, Read, Restarting
from tests.commands import PLAIN
from tests.nightly import at_night
from tests.user_folders import user_folders

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on Windows")

UNPACED = ("--cps", "1000")
"""For games that are shown as to a person, but that nobody watches."""

EXPERT = Board.parse("\n".join(["1" * 30] + ["#" * 30] * 15), mines=99)


def on_terminal(*words: str, columns: int, folder: Path, exit_code: int | None = 0) -> str:
    """The output of a command on a pseudo-terminal, which must end with this exit code, if one is given."""
    primary, secondary = pty.openpty()
    shape = {"COLUMNS": str(columns), "LINES": "40", "TERM": "xterm", "PAGER": "cat"}
    environment = os.environ | user_folders(folder) | PLAIN | shape
    environment.pop("DISPLAY", None)
    command = [sys.executable, "-m", "sweepbot", *words]
    with subprocess.Popen(command, stdin=secondary, stdout=secondary, stderr=secondary, env=environment) as running:
        os.close(secondary)
        written = b""
        while piece := read(primary):
            written += piece
    os.close(primary)
    assert exit_code in (None, running.returncode), written
    return written.decode()


def read(terminal: int) -> bytes:
    """The next piece of output; empty once the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def screen(written: str) -> list[str]:
    """What remains on a terminal: carriage returns, cursor up and line erasing are applied."""
    lines, at = [""], 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        if piece == "\n":
            at += 1
            lines += [""] * (at + 1 - len(lines))
        elif piece.endswith("A") and piece.startswith("\x1b"):
            at = max(0, at - int(piece[2:-1] or 1))
        elif piece == "\x1b[2K":
            lines[at] = ""
        elif not piece.startswith("\x1b") and piece != "\r":
            lines[at] += piece
    return lines


@pytest.mark.parametrize("columns", [80, *at_night(60, 120)])
def test_the_summary_is_the_last_that_is_left_on_a_terminal(columns: int, tmp_path: Path) -> None:
    """The last game's final board is left above the summary, and neither is overdrawn."""
    written = on_terminal(
        *("demo", "--headless", "--games", "2", "--level", "intermediate", *UNPACED), columns=columns, folder=tmp_path
    )
    *above, won, _, clicks, following = [line for line in screen(written) if line.strip()]
    if not won.startswith(("0 of 2", "1 of 2", "2 of 2")):  # without a win there is no median
        above, won = [*above, won], _
    assert re.fullmatch(r"[012] of 2 won; \d\.\d expected from the chances taken", won)
    assert following.endswith("run: sweepbot play")
    assert re.fullmatch(r"[\d,]+ clicks?, \d+ guess(es)?, 0 misreads", clicks)
    board = [line for line in above if re.fullmatch(r"[ ·1-8#F*XW]+", line)][-16:]
    assert len(board) == 16
    assert all(len(line) <= columns for line in board)
    assert "%" not in "".join(board)


def test_json_is_whole_on_a_terminal(tmp_path: Path) -> None:
    """`demo --json` prints valid JSON though the live view uses the same terminal."""
    words = ("demo", "--headless", "--games", "2", "--level", "beginner", "--json", *UNPACED)
    written = on_terminal(*words, columns=100, folder=tmp_path)
    left = "\n".join(screen(written))
    assert len(json.loads(left[left.index("{\n") :])["games"]) == 2


def test_documents_are_typeset_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal a document shows no marks of its source, and fits the width."""
    written = on_terminal("help", "glossary", columns=80, folder=tmp_path)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip("\r") for line in written.split("\n")]
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line.startswith(("#", "|"))]


@pytest.mark.parametrize("command", ["help", "clients"])
def test_a_list_has_a_line_for_each(command: str, tmp_path: Path) -> None:
    """Names stand beside what they are, in two columns, and no line is wider than the terminal."""
    written = on_terminal(command, columns=80, folder=tmp_path)
    lines = [line for line in written.split("\r\n") if line and not line.startswith("sweepbot clients")]
    assert max(map(len, lines)) <= 80
    assert len({len(re.match(r"[\w-]+ +", line)[0]) for line in lines}) == 1  # type: ignore[index]  # no match fails


@pytest.mark.parametrize("words", ["doctor", "stats", "help nothing", "assist --client nobody", "play --level nothing"])
def test_lines_break_between_words(words: str, tmp_path: Path) -> None:
    """What has no room in a line goes on in the next one; only what has no spaces, as a path, is wider."""
    written = on_terminal(*words.split(), columns=50, folder=tmp_path, exit_code=None)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", written).split("\r\n")
    assert len(lines) > 2
    assert [line for line in lines if len(line) > 50 and len(line.split()) > 1] == []


def test_the_last_column_goes_on_below_where_it_begins(tmp_path: Path) -> None:
    """What `doctor` found has a column of its own, however many lines it takes."""
    written = on_terminal("doctor", columns=50, folder=tmp_path, exit_code=None)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", written).split("\r\n")
    packages = next(number for number, line in enumerate(lines) if line.startswith("ok   packages      click"))
    assert re.match(r" {19}\S", lines[packages + 1])


def test_a_path_that_has_no_room_begins_in_its_column(tmp_path: Path) -> None:
    """A path alone in its column follows the name of the row, which has no line of its own."""
    written = on_terminal("clients", "kmines", columns=50, folder=tmp_path, exit_code=None)
    assert re.search(r"^file +\S.*calibration\.yaml\r$", written, re.MULTILINE)


def test_a_wide_position_is_shown_in_parts(tmp_path: Path) -> None:
    """A table of chances that a terminal has no room for has all columns, some below the others, and all rows each."""
    position = tmp_path / "expert.txt"
    position.write_text(str(EXPERT))
    written = on_terminal("solve", str(position), columns=80, folder=tmp_path)
    lines = written.split("\r\n")
    heads = [line.split() for line in lines if re.fullmatch(r"[ \d]+", line) and len(set(line.split())) > 10]
    assert [int(number) for head in heads for number in head] == list(range(30))
    assert all(sum(line.split()[:1] == [str(row)] for line in lines) >= 2 for row in range(1, 16))
    assert max(map(len, lines)) <= 80


def test_stats_are_no_wider_than_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client and level has one line at 80 columns, and all its figures where there is room."""
    for name, value in user_folders(tmp_path).items():
        monkeypatch.setenv(name, value)
    keep(
        PastGame(
            client="minesweeper-online", columns=30, rows=16, mines=99, result="won", seconds=101.5, clicks=300,
            guesses=3, misreads=0, risk=0.5, three_bv=180,
        )
    )  # fmt: skip
    shown = {}
    for columns in (80, 200):
        written = on_terminal("stats", columns=columns, folder=tmp_path)
        shown[columns] = [line for line in screen(written) if line.strip()]
        assert len(shown[columns]) == 3
        assert max(map(len, shown[columns])) <= columns
    assert "IOE" in shown[200][1]


@pytest.mark.parametrize("covered", ["....", "..3.", "12##"])
def test_the_board_that_is_left_has_all_that_was_seen(covered: str) -> None:
    """An end behind the client's own box, which was not seen, takes nothing away from the board before it."""
    written = StringIO()
    view = LiveView(Console(file=written, force_terminal=True, width=80), 1)
    view.observe(Found(client="demo", rows=["####"], xs=(0, 9, 18, 27, 36), ys=(0, 9)))
    view.observe(FollowUp(rows=["123."], safe=[Cell(0, 3)]))
    view.observe(Read(rows=[covered], phase="playing", confidence=0.0, doubt="a window is in front of the board"))
    view.observe(Ended(number=1, client="demo", board=["12##"], result="won"))
    view.close()
    assert [line.split() for line in screen(written.getvalue()) if line.strip()][-1][:3] == ["1", "2", "3"]


def test_a_new_game_shows_no_number_of_the_last_one() -> None:
    """A board that is covered as a game begins shows nothing of the game before."""
    written = StringIO()
    view = LiveView(Console(file=written, force_terminal=True, width=80), 2)
    view.observe(Found(client="demo", rows=["1122"], xs=(0, 9, 18, 27, 36), ys=(0, 9)))
    view.observe(Restarting(key="f2"))
    view.observe(Read(rows=["##.."], phase="playing", confidence=0.5, doubt="a window is in front of the board"))
    view.close()
    assert [line.split() for line in screen(written.getvalue()) if line.strip()][-1] == ["#", "#", ".", "."]


def test_chances_stay_on_the_board_while_cells_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """While clicks take effect each hidden cell keeps its chance, and those found safe meanwhile are shown as safe."""
    monkeypatch.setattr("sweepbot.cli.live._REFRESH_S", 0)
    written = StringIO()
    view = LiveView(Console(file=written, force_terminal=True, width=80), 1)
    board = Board.parse("1###\n####\n####", mines=2)
    view.observe(Found(client="demo", rows=board.lines(), mines=2, xs=(0, 9, 18, 27, 36), ys=(0, 9, 18, 27)))
    view.observe(decided_event(Solver("exact").decide(board), 2))
    view.observe(FollowUp(rows=["11##", "####", "####"], safe=[Cell(0, 2)]))
    shown = [line.split() for line in screen(written.getvalue()) if line.strip()][-4:]
    assert shown[:3] == [["1", "1", "0", "12"], ["33", "33", "12", "12"], ["12"] * 4]
    assert shown[3] == ["also", "open", "(0,2)"]


def test_what_is_left_to_find_is_known_though_a_cell_is_not() -> None:
    """A cell that cannot be read, as one under the pointer, leaves the number of mines as it is."""
    board = Board.parse("1#.#\n1121\n0000", mines=2)
    event = decided_event(Solver("exact").decide(board), None)  # it might be a flag
    assert move_in_words(event, board)[1] == "0 mines to find, 1 layout"


def test_a_certain_mine_is_found_though_it_has_no_flag() -> None:
    """What is left to find at the end of a game without flags is not all of its mines."""
    left = []
    for text in ("1#2#\n1121\n0000", "1F2#\n1121\n0000"):
        board = Board.parse(text, mines=2)
        left.append(move_in_words(decided_event(Solver("exact").decide(board), 2 - board.count(State.FLAG)), board)[1])
    assert left == ["0 mines to find, 1 layout"] * 2


@pytest.mark.parametrize(("width", "cell"), [(120, 3), (90, 3), (80, 2), (60, 2), (40, 1), (30, 1)])
def test_a_narrow_terminal_gets_narrow_cells(width: int, cell: int) -> None:
    """An expert board is shown whole in three, two or one characters per cell."""
    lines = drawn(board_view(EXPERT, decided_event(Solver("exact").decide(EXPERT), 99), width, 40), width)
    assert len(lines) == 16
    assert all(len(line) <= width for line in lines)
    assert lines[0].split() == (["1" * 30] if cell == 1 else ["1"] * 30)


def test_chances_do_not_run_together() -> None:
    """With two characters per cell a chance is a shade, and a space separates cells."""
    decision = decided_event(Solver("exact").decide(EXPERT), 99)
    lines = drawn(board_view(EXPERT, decision, 2 * EXPERT.columns, 40), 2 * EXPERT.columns)
    assert not any(character.isdigit() for line in lines[2:] for character in line)
    assert {line[::2] for line in lines} == {" " * EXPERT.columns}


def test_a_board_beyond_the_terminal_is_shown_around_the_next_move() -> None:
    """A board larger than the terminal is shown around the next move, with the range named."""
    large = Board(np.full((100, 100), 9, np.uint8), 1500)
    decision = decided_event(Solver("exact").decide(large), None)
    lines = drawn(board_view(large, decision, 50, 20), 50)
    assert len(lines) == 20
    assert lines[-1] == "rows 0 to 18, columns 0 to 48 of 100x100"


def test_long_numbers_of_layouts_are_powers_of_ten() -> None:
    """What is said of a cell that is not certain has no number of more digits than a person reads."""
    said = " ".join(explanation_in_words(EXPERT, explain(EXPERT, Cell(15, 29))))
    assert re.search(r"a mine in 2\d% of about 10\^\d+ layouts", said)
    small = Board.parse("112#\n####\n####", mines=4)
    assert "row 1, column 0 is not certain: a mine in 25% of 16 layouts" in " ".join(
        explanation_in_words(small, explain(small, Cell(1, 0)))
    )


def test_one_guess_is_no_guesses() -> None:
    """Nouns agree with their numbers."""
    assert [counted(count, "guess", "guesses") for count in (0, 1, 2)] == ["0 guesses", "1 guess", "2 guesses"]
    assert counted(1234, "click") == "1,234 clicks"


def drawn(text: Text, width: int) -> list[str]:
    """A text as lines without colours."""
    console = Console(file=StringIO(), width=width)
    console.print(text, end="")
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().rstrip("\n").split("\n")
