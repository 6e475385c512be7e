"""Assist beside a real client: its window comes up beside it, in front, and is never taken for it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from sweepbot.assist.desk import open_view
from sweepbot.assist.side_window import SideWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.picture_window import TITLE
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point
from sweepbot.level import Level
from sweepbot.render.heatmap import CELL_PX, colour_of
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.cli.test_terminal import screen
from tests.commands import PLAIN
from tests.live.conftest import need
from tests.live.runs import sweepbot
from tools.live.clients import sgt_mines
from tools.live.display import Display, Program, Window
from tools.places import FIXTURES
from tools.waiting import wait_until

pytestmark = pytest.mark.live

LEVEL = Level.parse("9x9/10")
LARGER = FIXTURES / "sgt-mines" / "expert_middle.png"
MINES = [Cell(row, column) for row in (0, 3) for column in (0, 2, 4, 6, 8)]
FIRST, BLUNDER = Cell(8, 8), Cell(1, 1)
"""A cell that opens the lower half, and one of the upper half that is a guess while others are certain."""
READER = Reader(find_calibration("sgt-mines"))


def told(display: Display, name: str, window: str | None = None) -> str:
    """A property of a window, or of the desktop, as xprop prints it."""
    where = ["-root"] if window is None else ["-id", window]
    asked = ["xprop", *where, name]
    return subprocess.run(asked, env=display.environment, capture_output=True, text=True, check=True, timeout=20).stdout


class Table:
    """A client, and an assist that watches it."""

    def __init__(self, display: Display, desk: Desk, client: Window, assist: Program, output: Path) -> None:
        self.display = display
        self.desk = desk
        self.client = client
        self.assist = assist
        self._output = output

    def open(self, cell: Cell) -> None:
        before = self.display.picture(self.client.region)
        self.desk.mouse.click(READER.read(before).grid.centre(cell) + self.client.region.origin)
        self.desk.mouse.move(Point(2, 2))
        wait_until(
            lambda: not np.array_equal(self.display.picture(self.client.region), before) or None,
            f"the client to open {cell}",
        )

    def help(self) -> Window | None:
        self.assist.running()
        return next(iter(self.display.windows(TITLE)), None)

    def said(self) -> str:
        self.assist.running()
        return self._output.read_text(encoding="utf-8")


@contextmanager
def opened(display: Display, desktop: Desk, output: Path, *options: str) -> Iterator[Table]:
    """Start Simon Tatham's Mines, and `sweepbot assist`."""
    need("sgt-mines", "sh")
    with ExitStack() as running:
        client = running.enter_context(sgt_mines(display, LEVEL, mines=MINES))
        command = " ".join([sys.executable, "-m", "sweepbot", "assist", "--client", "sgt-mines", *options])
        assist = running.enter_context(display.program(["sh", "-c", f"exec {command} > {output}"], PLAIN))
        yield Table(display, desktop, client, assist, output)


@pytest.fixture
def table(display: Display, desktop: Desk, tmp_path: Path) -> Iterator[Table]:
    """The client, and `assist` with its window."""
    with opened(display, desktop, tmp_path / "assist.txt") as table:
        yield table


@pytest.fixture
def marked(display: Display, desktop: Desk, tmp_path: Path) -> Iterator[Table]:
    """The client, and `assist` with marks on its board."""
    with opened(display, desktop, tmp_path / "assist.jsonl", "--overlay", "--json") as table:
        yield table


def test_help_is_shown_beside_the_client(table: Table) -> None:
    """Its window comes up in front, covers nothing, follows the game, takes no focus, and is gone after a signal."""
    display = table.display
    focus = told(display, "_NET_ACTIVE_WINDOW")
    shown = display.wait_for_window(TITLE, table.assist)
    assert shown.region.intersection(table.client.region) is None
    assert shown.region.intersection(display.region) == shown.region
    assert "_NET_WM_STATE_ABOVE" in told(display, "_NET_WM_STATE", shown.number)

    before = display.picture(shown.region)
    table.open(Cell(8, 8))
    wait_until(lambda: not np.array_equal(display.picture(shown.region), before) or None, "help to follow the game")
    wait_until(lambda: table.said().count("layouts") == 2 or None, "the terminal to follow the game")  # two positions
    assert told(display, "_NET_ACTIVE_WINDOW") == focus
    os.kill(table.assist.pid, signal.SIGTERM)
    with pytest.raises(RuntimeError, match="ended with 5"):
        wait_until(table.assist.running, "the end of assist")
    assert not display.windows(TITLE)


def test_closing_the_window_ends_nothing_else(table: Table) -> None:
    """When the window is closed the terminal follows the game on, and no window comes back."""
    shown = wait_until(table.help, "the window with help")
    assert table.desk.windows is not None
    table.desk.windows.dismiss(int(shown.number, 16))
    wait_until(lambda: table.help() is None or None, "the window to go")
    table.open(Cell(8, 8))
    wait_until(lambda: table.said().count("layouts") == 2 or None, "the terminal to follow the game")
    assert table.help() is None


def test_the_terminal_shows_the_next_cells_whole_proof(display: Display, desktop: Desk, tmp_path: Path) -> None:
    """On 80 columns it says what was found, how to end it, and the proof of one safe cell, with nothing overdrawn."""
    need("sgt-mines", "script")
    written = tmp_path / "typescript"
    command = f"stty cols 80 rows 24; exec {sys.executable} -m sweepbot assist --client sgt-mines --no-window"
    with (
        sgt_mines(display, LEVEL, mines=MINES) as client,
        display.program(["script", "-qfec", command, str(written)], PLAIN | {"TERM": "xterm"}) as assist,
    ):

        def left(words: str) -> list[str] | None:
            """What is left on the terminal, once it says this."""
            assist.running()
            text = written.read_bytes().decode() if written.exists() else ""
            lines = [line.rstrip() for line in screen(re.sub(r"\x1b\[[0-9;]*m", "", text)) if line.strip()]
            return lines if words in " ".join(lines) else None

        wait_until(lambda: left("layouts"), "the first position")
        desktop.mouse.click(READER.read(display.picture(client.region)).grid.centre(FIRST) + client.region.origin)
        desktop.mouse.move(Point(2, 2))
        start, found, ending, *board_and_words = wait_until(lambda: left("is safe"), "the second position")
    assert start.startswith("Script started")  # by `script`
    assert found.startswith("found sgt-mines, 9x9 cells of 20 px")
    assert ending == "to end this: close the client, or press Ctrl-C here"
    board, words = board_and_words[:9], " ".join(board_and_words[9:])
    assert all(re.fullmatch(r"[ ·1-8*\d]+", row) for row in board)
    assert re.match(r"row 3, column 1 is safe \(two numbers\): the 1 at .* column 3 prove it 5 mines to find", words)
    assert words.count("safe") == 1 + words.count("any safe cell will do")  # said where the solver is compiled


def test_a_persons_game_is_recorded_and_reviewed(display: Display, tmp_path: Path) -> None:
    """A person opens one cell too early, then plays well: only that is graded as missed, and a win counts."""
    need("sgt-mines", "sh", "xdotool")
    kept, output = tmp_path / "game", tmp_path / "assist.jsonl"
    output.touch()
    assists = f"{sys.executable} -m sweepbot assist --client sgt-mines --json --record {kept} > {output}"
    with (
        sgt_mines(display, LEVEL, mines=MINES) as client,
        display.program(["sh", "-c", f"XDG_DATA_HOME={tmp_path} exec {assists}"], PLAIN) as assist,
    ):

        def seen(opened: Cell | None) -> dict[str, Any] | None:
            """The last position seen, once a cell is open in it."""
            assist.running()
            *lines, _ = output.read_text(encoding="utf-8").split("\n")
            last: dict[str, Any] | None = json.loads(lines[-1]) if lines else None
            return last if last and (opened is None or last["rows"][opened.row][opened.column] in "012345678") else None

        def click(cell: Cell) -> None:
            """Click on it as a person does, then move off the board."""
            at = grid.centre(cell) + client.region.origin
            hand = ["xdotool", "mousemove", at.x, at.y, "click", 1, "mousemove", 2, 2]
            subprocess.run([str(word) for word in hand], env=display.environment, check=True, timeout=20)

        grid = READER.read(display.picture(client.region)).grid
        wait_until(lambda: seen(None), "the first advice")
        clicks = [FIRST, BLUNDER]
        for cell in clicks:
            click(cell)
            position = wait_until(lambda cell=cell: seen(cell), f"{cell} to be seen open")  # type: ignore[misc]
        while position["decision"] is not None and position["decision"]["best"] is not None:
            best = position["decision"]["best"]
            clicks.append(Cell(best["row"], best["col"]))
            if clicks[-1] in MINES:
                break  # a guess that would lose
            click(clicks[-1])
            position = wait_until(lambda: seen(clicks[-1]), f"{clicks[-1]} to be seen open")
        os.kill(assist.pid, signal.SIGTERM)
        with pytest.raises(RuntimeError, match="ended with 5"):
            wait_until(assist.running, "the end of assist")
    (game,) = json.loads(sweepbot(os.environ, "review", str(kept), "--json").stdout)["games"]
    assert [(of["row"], of["col"], of["grade"]) for of in game["openings"] if of["better"]] == [(*BLUNDER, "missed")]
    assert len(clicks) - len(game["openings"]) in {0, 1}  # the last one is left out if it would lose
    assert json.loads((kept / "run.json").read_text(encoding="utf-8"))["shows"] == "client"
    answer = json.loads(sweepbot(os.environ | {"XDG_DATA_HOME": str(tmp_path)}, "stats", "--json").stdout)
    assert (answer["yours"] or {"won": 0})["won"] == (game["result"] == "won")
    assert answer["all"] is None


def positions(table: Table) -> list[dict[str, Any]]:
    """The positions that assist has seen so far."""
    return [json.loads(line) for line in table.said().splitlines(keepends=True) if line.endswith("\n")]


def safe_cells(position: dict[str, Any]) -> set[Cell]:
    return {Cell(hint["row"], hint["col"]) for hint in position["hints"] if hint["certain"] == "safe"}


def wait_for_marks(table: Table, grid: Grid, cells: set[Cell]) -> None:
    """Wait until exactly these cells of a board have the colour of safe ones on the screen."""

    def marked() -> bool | None:
        screen = table.display.picture()
        board = [cell for row in range(grid.rows) for cell in (Cell(row, column) for column in range(grid.columns))]
        has_mark = ((screen[grid.region_of(cell).slices] == colour_of(0.0)).all(axis=2).any() for cell in board)
        return {cell for cell, has in zip(board, has_mark, strict=True) if has} == cells or None

    wait_until(marked, f"marks on {sorted(cells)}")


def test_a_person_plays_on_through_the_marks(marked: Table) -> None:
    """Safe cells are marked on the client, clicks go through the marks, and every position is read as it is."""
    grid = READER.read(marked.display.picture(marked.client.region)).grid.moved(marked.client.region.origin)
    wait_until(lambda: positions(marked) or None, "the first advice")
    game, cell = Game.with_mines(9, 9, MINES), FIRST
    while True:
        game.open(cell)
        marked.desk.mouse.click(grid.centre(cell))
        marked.desk.mouse.move(Point(2, 2))
        if game.over:
            break
        rows = game.board.lines()
        wait_until(lambda rows=rows: positions(marked)[-1]["rows"] == rows or None, f"{rows} to be read")  # type: ignore[misc]
        position = positions(marked)[-1]
        wait_for_marks(marked, grid, safe_cells(position))
        cell = Cell(position["decision"]["best"]["row"], position["decision"]["best"]["col"])
    wait_for_marks(marked, grid, set())
    assert not [position for position in positions(marked) if "." in "".join(position["rows"])]


def test_marks_belong_to_the_clients_window(marked: Table) -> None:
    """They are behind what is in front of the window, move with it, and go when assist ends."""
    need("xterm")
    grid = READER.read(marked.display.picture(marked.client.region)).grid.moved(marked.client.region.origin)
    wait_until(lambda: positions(marked) or None, "the first advice")
    marked.desk.mouse.click(grid.centre(FIRST))
    marked.desk.mouse.move(Point(2, 2))
    cells = wait_until(lambda: safe_cells(positions(marked)[-1]) or None, "safe cells")
    wait_for_marks(marked, grid, cells)
    at = marked.client.region
    with marked.display.program(["xterm", "-geometry", f"60x24+{at.x}+{at.y}", "-e", "sleep", "60"]):
        wait_for_marks(marked, grid, set())
    wait_for_marks(marked, grid, cells)
    assert marked.desk.windows is not None
    marked.desk.windows.place(int(marked.client.number, 16), at.moved(Point(57, 31)))
    wait_for_marks(marked, grid.moved(Point(57, 31)), cells)
    os.kill(marked.assist.pid, signal.SIGTERM)
    wait_for_marks(marked, grid.moved(Point(57, 31)), set())


def test_the_window_is_never_taken_for_the_client(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window with the picture of a larger board is invisible to the onlooker."""
    need("sgt-mines")
    for name, value in display.environment.items():
        monkeypatch.setenv(name, value)
    with sgt_mines(display, LEVEL) as client, open_view(pytest.fail, with_window=True) as (desk, window):
        assert isinstance(window, SideWindow)
        assert window.show(_as_shown(load_image(LARGER)), "", client.region, display.region)
        wait_until(lambda: READER.read(display.picture()).board.cells.size > 81 or None, "the larger board")
        reading = READER.read(desk.screen.grab().image)
    assert reading.board.cells.shape == (9, 9)
    assert reading.grid.region.intersection(client.region) == reading.grid.region


def _as_shown(board: Image) -> Image:
    """A picture shown at the size of `board`, as much larger as a window shrinks heatmaps."""
    height, width = board.shape[:2]
    size = (width * CELL_PX // 28, height * CELL_PX // 28)
    return np.asarray(cv2.resize(board, size, interpolation=cv2.INTER_NEAREST), np.uint8)
