"""Records fixtures of clients with cells of any size: GNOME Mines, KMines, sgt-mines.

    python -m tests.recording.scalable kmines --level expert --size 1200x800 --out fixtures/kmines

The truth comes, as in `record`, from the mines that the client shows at the end, or was given, and from the rules. The
places of cells follow from the client's layout. To play on, each cell is compared with the scaled templates of the
calibration: their agreement with the rules in every scene confirms both.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State, neighbours
from sweepbot.desktop.mouse import Mouse
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import Level
from sweepbot.vision.calibration import find_calibration
from tests.live.clients import gnome_mines, kmines, sgt_mines
from tests.live.display import Display, Window, virtual_display
from tests.recording.fixtures import _SURROUNDINGS, SCENES, Recorder, Scene, Skin, _save, play
from tests.waiting import wait_until

_UNLIKE = 24.0  # the most mean grey levels between a cell and its template
_REST = 0.15  # seconds without a change until a picture rests: GNOME Mines repaints in 0.08 s
_THEMES = ("bgcolors", "default", "classic")

Lines = tuple[Sequence[int], Sequence[int]]
"""Left edges of the columns and upper edges of the rows, with the last ones' ends, in pixels of the window."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a client lays out its cells, and what it shows.

    Attributes:
        lines: The lines between cells, from a picture of the window with a fresh board.
        inset: Pixels between a cell's line and its drawing, at any size.
        shows_mines: Whether a lost board shows its mines.
    """

    lines: Callable[[NDArray[np.uint8], Level], Lines]
    inset: int
    shows_mines: bool = True
    question_marks: bool = True


def _gnome_lines(window: NDArray[np.uint8], level: Level) -> Lines:
    """Hidden tiles have their own colour, with 4 pixels between them."""
    tiles = (window == (182, 189, 186)).all(axis=2)
    both = []
    for axis, count in ((0, level.columns), (1, level.rows)):
        share = tiles.mean(axis=axis)
        edges = np.flatnonzero(np.diff((share > share.max() / 2).astype(np.int8))) + 1
        assert len(edges) == 2 * count, f"{len(edges)} edges of {count} tiles"
        both.append([int(edge) - 2 for edge in edges[::2]] + [int(edges[-1]) + 2])
    return both[0], both[1]


def _kmines_lines(window: NDArray[np.uint8], level: Level) -> Lines:
    """The board and a border of one cell fill the space between the bars, centred."""
    height, width = window.shape[:2]
    bars_above, bars = 57, 90
    room = min(width / (level.columns + 2), (height - bars) / (level.rows + 2))
    pitch = int(room)
    left = round((width - pitch * level.columns) / 2)
    top = round(bars_above + (height - bars - pitch * level.rows) / 2)
    return _even(left, pitch, level.columns), _even(top, pitch, level.rows)


def _sgt_lines(window: NDArray[np.uint8], level: Level) -> Lines:
    """There are three half cells on either side, and the bars above."""
    tile = window.shape[1] // (level.columns + 3)
    margin = 3 * tile // 2
    return _even(margin, tile, level.columns), _even(25 + margin, tile, level.rows)


def _even(first: int, pitch: int, count: int) -> list[int]:
    return [first + pitch * number for number in range(count + 1)]


LOOKS = {
    "gnome-mines": Look(_gnome_lines, 2),
    "kmines": Look(_kmines_lines, 0),
    "sgt-mines": Look(_sgt_lines, 0, shows_mines=False, question_marks=False),
}


class ScalableRecorder(Recorder):
    """Plays and records one window of a client with cells of any size.

    `client` is a name from `LOOKS` and of a calibration; `mines` are its mines, if they were given to it.
    """

    def __init__(
        self,
        display: Display,
        window: Window,
        mouse: Mouse,
        level: Level,
        client: str,
        *,
        mines: frozenset[Cell] | None = None,
    ) -> None:
        self._display = display
        self._mouse = mouse
        self._level = level
        self._look = LOOKS[client]
        self._mines = mines
        self.window = window.region
        self._window = window
        self.skin = Skin(Point(0, 0), 0, 0, question_marks=self._look.question_marks)
        self._of_size: dict[tuple[int, int], list[tuple[int, NDArray[np.float32]]]] = {}
        self._known: dict[bytes, int | None] = {}
        calibration = find_calibration(client)
        self._calibrated = {calibration.cell[0]: calibration.templates} | calibration.native
        self._park()
        xs, ys = self._look.lines(_at_rest(display, window.region), level)
        self._xs = [window.region.x + x for x in xs]
        self._ys = [window.region.y + y for y in ys]
        self._board = Region(self._xs[0], self._ys[0], self._xs[-1] - self._xs[0], self._ys[-1] - self._ys[0])
        self.begin()

    def look(self) -> Board:
        """The board's state without the pointer on it: GNOME Mines highlights the tile below."""
        self._park()
        return super().look()

    def proved(self) -> list[tuple[Scene, Board]]:
        """Each scene with its true board; call it when the game is over."""
        if self._look.shows_mines:
            return super().proved()
        assert self._mines is not None
        proved = []
        for scene in self.record.scenes:
            game = Game.with_mines(self._level.columns, self._level.rows, self._mines)
            cells = game.board.cells
            for action, cell in self.record.actions[: scene.actions]:
                before = cells.copy()
                action(game, cell)
                cells = game.board.cells
                if game.board.count(State.EXPLODED):
                    cells = before  # it shows no other mines
                    cells[cell] = State.EXPLODED
            truth = Board(cells)
            assert scene.seen == truth, f"{scene.name}: the pixels show\n{scene.seen}\nbut the rules say\n{truth}"
            proved.append((scene, truth))
        return proved

    def _dismiss(self) -> None:
        """Close a dialog in front of the board that asks for a name, or whether to play on."""

        def closed() -> bool | None:
            others = (window for window in self._display.windows() if window.number != self._window.number)
            return not any(window.region.intersection(self._board) for window in others) or None

        if not closed():
            self._mouse.press("esc")
            wait_until(closed, "a dialog to close")

    def _cell(self, cell: Cell) -> Region:
        left, right = self._xs[cell.column : cell.column + 2]
        top, bottom = self._ys[cell.row : cell.row + 2]
        return Region(left, top, right - left, bottom - top).grown(-self._look.inset)

    def _read(self) -> Board | None:
        picture = _at_rest(self._display, self._board)
        cells = np.zeros((self._level.rows, self._level.columns), dtype=np.uint8)
        for cell in Board(cells):
            region = self._cell(cell)
            left, top = region.x - self._board.x, region.y - self._board.y
            state = self._state(picture[top : top + region.height, left : left + region.width])
            if state is None:
                self._dismiss()
                return None
            cells[cell] = state
        return Board(cells)

    def _state(self, cell: NDArray[np.uint8]) -> int | None:
        """The state whose template fits a cell best, None if none does."""
        size, pixels = (cell.shape[1], cell.shape[0]), cell.tobytes()
        if pixels in self._known:
            return self._known[pixels]
        if size not in self._of_size:
            self._of_size[size] = self._brought_to(size)
        seen = cell.astype(np.float32)
        unlike, state = min((float(np.abs(seen - image).mean()), state) for state, image in self._of_size[size])
        self._known[pixels] = state if unlike <= _UNLIKE else None
        return self._known[pixels]

    def _brought_to(self, size: tuple[int, int]) -> list[tuple[int, NDArray[np.float32]]]:
        """The states and looks of the templates, scaled to a cell without its inset."""
        inset = self._look.inset
        whole = size[0] + 2 * inset, size[1] + 2 * inset
        width = min(self._calibrated, key=lambda width: abs(width - whole[0]))
        method = cv2.INTER_AREA if width > whole[0] else cv2.INTER_LINEAR
        brought = []
        for template in self._calibrated[width]:
            look = np.asarray(cv2.resize(template.image, whole, interpolation=method), np.float32)
            brought.append((template.state, look[inset : whole[1] - inset, inset : whole[0] - inset]))
        return brought


def _at_rest(display: Display, region: Region) -> NDArray[np.uint8]:
    """A picture of a region once it has stopped changing: hover effects and animations fade."""
    picture, since = display.picture(region), time.monotonic()

    def rested() -> NDArray[np.uint8] | None:
        nonlocal picture, since
        now = display.picture(region)
        if not np.array_equal(now, picture):
            picture, since = now, time.monotonic()
        return now if time.monotonic() - since >= _REST else None

    return wait_until(rested, "a picture at rest")


def play_crowded(recorder: ScalableRecorder, rng: random.Random) -> None:
    """Open random cells of a crowded board until it is lost, and keep the last scene before that."""
    recorder.keep("fresh")
    recorder.open(rng.choice(recorder.look().where(State.HIDDEN)))
    while not recorder.look().count(State.EXPLODED):
        recorder.keep("crowded")
        recorder.open(rng.choice(recorder.look().where(State.HIDDEN)))
    recorder.keep("lost")


def _starting(
    client: str, level: Level, size: Sequence[int] | None, *, theme: str, mines: frozenset[Cell]
) -> Callable[[Display], AbstractContextManager[Window]]:
    """A context manager that starts a client so; `size` None is its own choice."""
    if client == "sgt-mines":
        return partial(sgt_mines, level=level, tile=20 if size is None else size[0], mines=mines)
    sized = None if size is None else (size[0], size[1])
    if client == "gnome-mines":
        return partial(gnome_mines, level=level, theme=theme, size=sized)
    return partial(kmines, level=level, size=sized)


def _laid(level: Level, rng: random.Random) -> frozenset[Cell]:
    """Random mines, none of them around the middle, where a game starts."""
    around = neighbours(level.rows, level.columns)
    middle = Cell(level.rows // 2, level.columns // 2)
    return frozenset(rng.sample([cell for cell in around if cell not in {middle, *around[middle]}], level.mines))


def main() -> int:
    """Play until every scene has been recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.recording.scalable", description=main.__doc__)
    parser.add_argument("client", choices=LOOKS)
    parser.add_argument("--level", default="beginner", help="a name or COLUMNSxROWS/MINES")
    parser.add_argument("--size", type=int, nargs="+", help="of the window, across and down, or of sgt-mines' cells")
    parser.add_argument("--screen", type=int, nargs=2, default=(1600, 1200), help="across and down")
    parser.add_argument("--theme", choices=_THEMES, default=_THEMES[0], help="of GNOME Mines")
    parser.add_argument("--scenes", nargs="+", choices=(*SCENES, "crowded"), default=SCENES)
    parser.add_argument("--desktop", nargs="*", default=[], help="scenes kept with the whole desktop")
    parser.add_argument("--name", help="of the files; by default that of the level")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    options = parser.parse_args()
    level, rng = Level.parse(options.level), random.Random(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    name, missing = options.name or options.level.replace("/", "-"), set(options.scenes)
    with virtual_display(*options.screen) as display, display.adopted() as desktop:
        while missing:
            mines = _laid(level, rng)
            start = _starting(options.client, level, options.size, theme=options.theme, mines=mines)
            with start(display) as window:
                known = None if LOOKS[options.client].shows_mines else mines
                recorder = ScalableRecorder(display, window, desktop.mouse, level, options.client, mines=known)
                if "crowded" in missing:
                    play_crowded(recorder, rng)
                else:
                    play(recorder, level, lose="lost" in missing)
                for scene, truth in recorder.proved():
                    telling = scene.name != "crowded" or truth.count(7, 8)
                    if scene.name in missing and telling:
                        crop = None if scene.name in options.desktop else window.region.grown(_SURROUNDINGS)
                        _save(scene, truth, options.out / f"{name}_{scene.name}", crop)
                        missing.remove(scene.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
