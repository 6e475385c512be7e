"""Records fixtures: plays a real client and keeps pictures of it, each with its true board.

    python -m tests.recording.fixtures winemine --level beginner --desktop lost --out fixtures/winemine

The boards do not come from sweepbot's reader. At the end of a game the client shows where the mines were; the clicks
are then replayed by the rules of Minesweeper, which give the truth of each picture. Pixels are only compared one by one
with the calibration's templates: their agreement with the rules confirms both.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import Level
from sweepbot.solver import Solver
from tests.live.clients import CLIENTS
from tests.live.display import Display, Window, virtual_display
from tests.waiting import wait_until

SCENES = ("fresh", "early", "middle", "flags", "lost", "won")

_STATES = {str(number): number for number in range(9)} | {
    state.name.lower(): int(state) for state in State if state is not State.UNKNOWN
}
_ENDED = (State.MINE, State.EXPLODED, State.FLAG)
"""States that a fresh board cannot show."""

_SURROUNDINGS = 40
"""Pixels around the window in a picture."""


@dataclass(frozen=True, slots=True)
class Skin:
    """Where a client draws its board: the first cell, the pitch, and the face's distance from the top."""

    origin: Point
    pitch: int
    face: int
    opened_at_start: bool = False
    question_marks: bool = True


SKINS = {"winemine": Skin(Point(5, 52), 16, 36), "xdemineur": Skin(Point(15, 80), 21, 40, opened_at_start=True)}


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of the whole display, what its pixels showed, and the number of actions before it."""

    name: str
    picture: NDArray[np.uint8]
    seen: Board
    actions: int


@dataclass(slots=True)
class Record:
    """A recorded game: what was done, and the scenes kept."""

    actions: list[tuple[Callable[[Game, Cell], None], Cell]] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=list)


class Recorder:
    """Plays and records one window of a client, whose name is in `SKINS` and in `calibrations/`."""

    def __init__(self, display: Display, window: Window, mouse: Mouse, level: Level, client: str) -> None:
        self._display = display
        self._mouse = mouse
        self._level = level
        self.skin = SKINS[client]
        self.window = window.region
        self.record = Record()
        folder = Path("calibrations", client)
        self._templates = {_pixels(folder / f"{name}.png").tobytes(): code for name, code in _STATES.items()}
        first = window.region.origin + self.skin.origin
        self._board = Region(first.x, first.y, self.skin.pitch * level.columns, self.skin.pitch * level.rows)

    def begin(self) -> None:
        """Start recording the untouched game on the screen."""
        self.record = Record()
        if self.skin.opened_at_start:
            self.record.actions.append((Game.open, self.look().where(0)[0]))

    def restart(self) -> None:
        """Start a different game: WineMine repeats its mines within the same second."""
        last = int(time.time())
        wait_until(lambda: int(time.time()) > last or None, "the next second")
        self._mouse.click(Point(self.window.x + self.window.width // 2, self.window.y + self.skin.face))
        # xdemineur reads the pointer late: if it left the face too soon, the click would miss.
        wait_until(lambda: not self.look().count(*_ENDED) or None, "the client to begin anew")
        self._park()

    def look(self) -> Board:
        """The board's state by its templates' exact pixels, once it has settled."""
        return wait_until(self._read, "a board at rest that is made of the templates")

    def open(self, cell: Cell) -> None:
        """Click a cell and wait for its new state."""
        self._act("left", Game.open, cell)

    def mark(self, cell: Cell) -> None:
        """Advance a cell's mark: hidden, flag, question mark, hidden."""
        self._act("right", Game.mark, cell)

    def keep(self, name: str) -> None:
        """Keep a picture of the current state."""
        self._park()
        seen = self.look()
        self.record.scenes.append(Scene(name, self._display.picture(), seen, len(self.record.actions)))

    def proved(self) -> list[tuple[Scene, Board]]:
        """Each scene with its true board; call it when the game is over.

        Raises:
            AssertionError: The pixels show something else than the rules say.
        """
        end = self.look()
        lost = end.count(State.EXPLODED)
        mines = end.where(State.MINE, State.EXPLODED, State.FLAG) if lost else end.where(State.FLAG, State.HIDDEN)
        proved = []
        for scene in self.record.scenes:
            game = Game.with_mines(self._level.columns, self._level.rows, mines)
            for action, cell in self.record.actions[: scene.actions]:
                action(game, cell)
            truth = Board(game.board.cells)
            assert scene.seen == truth, f"{scene.name}: the pixels show\n{scene.seen}\nbut the rules say\n{truth}"
            proved.append((scene, truth))
        return proved

    def _act(self, button: Button, action: Callable[[Game, Cell], None], cell: Cell) -> None:
        pixels = self._cell(cell)
        before = self._display.picture(pixels)

        def changed() -> bool | None:
            return not np.array_equal(before, self._display.picture(pixels)) or None

        def clicked() -> bool | None:
            self._mouse.click(pixels.centre, button)
            try:
                return wait_until(changed, "a click to be honoured", limit_s=1)
            except TimeoutError:
                return None  # clients lose a click now and then

        wait_until(clicked, f"{cell} to change")
        self.record.actions.append((action, cell))

    def _cell(self, cell: Cell) -> Region:
        pitch = self.skin.pitch
        return Region(self._board.x + pitch * cell.column, self._board.y + pitch * cell.row, pitch, pitch)

    def _read(self) -> Board | None:
        picture = self._display.picture(self._board)
        cells = np.zeros((self._level.rows, self._level.columns), dtype=np.uint8)
        pitch = self.skin.pitch
        for cell in Board(cells):
            top, left = pitch * cell.row, pitch * cell.column
            code = self._templates.get(picture[top : top + pitch, left : left + pitch].tobytes())
            if code is None:
                return None
            cells[cell] = code
        return Board(cells) if np.array_equal(picture, self._display.picture(self._board)) else None

    def _park(self) -> None:
        self._mouse.move(Point(self.window.x + self.window.width // 2, self.window.bottom + _SURROUNDINGS))


def play(recorder: Recorder, level: Level, *, lose: bool) -> None:
    """Play one game and keep its scenes; with `lose`, end it with a wrong flag and on a mine."""
    solver = Solver()
    recorder.keep("fresh")
    if not recorder.skin.opened_at_start:
        recorder.open(Cell(level.rows // 2, level.columns // 2))
    recorder.keep("early")
    marked = False
    while True:
        board = Board(recorder.look().cells, level.mines)
        if board.count(State.EXPLODED) or not _unopened_safe(board, level):
            break
        decision = solver.decide(board)
        if not marked and _unopened_safe(board, level) < board.cells.size // 2 and len(decision.mines) > 3:
            recorder.keep("middle")
            _mark_some(recorder, board, decision.mines)
            marked = True
        elif lose and marked and decision.safe:
            recorder.mark(decision.safe[-1])
            recorder.open(next(cell for cell in decision.mines if recorder.look()[cell] == State.HIDDEN))
        elif decision.best is not None:
            _open_all(recorder, decision.safe or [decision.best.cell])
    if recorder.look().count(State.EXPLODED):
        recorder.keep("lost")
        return
    for cell in recorder.look().where(State.HIDDEN):  # those that the client has not flagged itself
        recorder.mark(cell)
    recorder.keep("won")


def _open_all(recorder: Recorder, cells: Sequence[Cell]) -> None:
    for cell in cells:
        if recorder.look()[cell] == State.HIDDEN:  # an opening may have opened it already
            recorder.open(cell)


def _mark_some(recorder: Recorder, board: Board, mines: tuple[Cell, ...]) -> None:
    """Flag every other mine, question two more cells for a picture, and remove those marks."""
    for cell in mines[::2]:
        recorder.mark(cell)
    questioned = [cell for cell in board.where(State.HIDDEN) if cell not in mines[::2]][
        : 2 * recorder.skin.question_marks
    ]
    for cell in questioned * 2:
        recorder.mark(cell)
    recorder.keep("flags")
    for cell in questioned:
        recorder.mark(cell)


def _unopened_safe(board: Board, level: Level) -> int:
    return board.count(State.HIDDEN, State.FLAG, State.QUESTION) - level.mines


def _pixels(path: Path) -> NDArray[np.uint8]:
    image = cv2.imread(str(path))
    if image is None:
        raise FileNotFoundError(path)
    return np.asarray(image, dtype=np.uint8)


def _save(scene: Scene, truth: Board, stem: Path, crop: Region | None) -> None:
    picture = scene.picture
    if crop is not None:
        picture = picture[crop.y : crop.bottom, crop.x : crop.right]
    cv2.imwrite(f"{stem}.png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    Path(f"{stem}.txt").write_text(f"{truth}\n", encoding="ascii")


def main() -> int:
    """Play until every scene has been recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.recording.fixtures", description=main.__doc__)
    parser.add_argument("client", choices=SKINS)
    parser.add_argument("--level", default="beginner", help="a name or COLUMNSxROWS/MINES")
    parser.add_argument("--desktop", nargs="*", choices=SCENES, default=[], help="scenes kept with the whole desktop")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    options = parser.parse_args()
    level = Level.parse(options.level)
    options.out.mkdir(parents=True, exist_ok=True)
    missing = set(SCENES)
    with (
        virtual_display() as display,
        CLIENTS[options.client].start(display, level) as window,
        display.adopted() as desktop,
    ):
        recorder = Recorder(display, window, desktop.mouse, level, options.client)
        crop = window.region.grown(_SURROUNDINGS)
        while missing:
            recorder.begin()
            play(recorder, level, lose="lost" in missing)
            for scene, truth in recorder.proved():
                if scene.name in missing:
                    stem = options.out / f"{options.level.replace('/', '-')}_{scene.name}"
                    _save(scene, truth, stem, None if scene.name in options.desktop else crop)
                    missing.remove(scene.name)
            recorder.restart()
    return 0


if __name__ == "__main__":
    sys.exit(main())
