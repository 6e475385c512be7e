"""Records fixtures: plays a real client and keeps pictures of it, each with its true board.

    python -m tests.recording.fixtures winemine --desktop lost --out fixtures/winemine
    python -m tests.recording.fixtures kmines --level expert --size 1200 800 --out fixtures/kmines

The boards do not come from sweepbot's reader. At the end of a game the client shows where the mines were, if they were
not given to it; the clicks are then replayed by the rules of Minesweeper, which give the truth of each picture. Where
cells are follows from the client's layout. To play on, each cell is compared with the calibration's templates, scaled
to its size: their agreement with the rules in every scene confirms both.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CLOSED, Board, State, neighbours
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration
from tests.live.clients import CLIENTS, gnome_mines, kmines, sgt_mines
from tests.live.display import Display, Window, virtual_display
from tests.waiting import wait_until

SCENES = ("fresh", "early", "middle", "flags", "lost", "won")

_UNLIKE = 24.0  # the most mean grey levels between a cell and its template
_REST_S = 0.15  # without a change until a picture rests: GNOME Mines repaints in 0.08 s
_SURROUNDINGS_PX = 40  # around the window in a picture
_THEMES = ("bgcolors", "default", "classic")

FIXED = {"winemine": (Point(5, 52), 16), "xdemineur": (Point(15, 80), 21)}
"""Clients with cells of one size: the first cell's corner in the window, and the side of a cell, in pixels."""

Lines = tuple[Sequence[int], Sequence[int]]
"""Left edges of the columns and upper edges of the rows, with the last ones' ends, in pixels of the window."""


@dataclass(frozen=True, slots=True)
class Traits:
    """How a client lays out its cells, and what it shows.

    Attributes:
        lines: The lines between cells, from a picture of the window with a fresh board.
        inset: Pixels between a cell's line and its drawing, at any size.
        opened_at_start: Whether a fresh board has an open region.
        shows_mines: Whether a lost board shows its mines; if not, they must be given to it.
        question_marks: Whether a second right click makes a question mark.
    """

    lines: Callable[[Image, Level], Lines]
    inset: int = 0
    opened_at_start: bool = False
    shows_mines: bool = True
    question_marks: bool = True


def _fixed_lines(client: str) -> Callable[[Image, Level], Lines]:
    first, pitch = FIXED[client]
    return lambda _, level: (_even(first.x, pitch, level.columns), _even(first.y, pitch, level.rows))


def _gnome_lines(window: Image, level: Level) -> Lines:
    """Hidden tiles have their own colour, with 4 pixels between them."""
    tiles = (window == (182, 189, 186)).all(axis=2)
    both = []
    for axis, count in ((0, level.columns), (1, level.rows)):
        share = tiles.mean(axis=axis)
        edges = np.flatnonzero(np.diff((share > share.max() / 2).astype(np.int8))) + 1
        assert len(edges) == 2 * count, f"{len(edges)} edges of {count} tiles"
        both.append([int(edge) - 2 for edge in edges[::2]] + [int(edges[-1]) + 2])
    return both[0], both[1]


def _kmines_lines(window: Image, level: Level) -> Lines:
    """The board and a border of one cell fill the space between the bars, centred."""
    height, width = window.shape[:2]
    bars_above, bars = 57, 90
    room = min(width / (level.columns + 2), (height - bars) / (level.rows + 2))
    pitch = int(room)
    left = round((width - pitch * level.columns) / 2)
    top = round(bars_above + (height - bars - pitch * level.rows) / 2)
    return _even(left, pitch, level.columns), _even(top, pitch, level.rows)


def _sgt_lines(window: Image, level: Level) -> Lines:
    """There are three half cells on either side, and the bars above."""
    tile = window.shape[1] // (level.columns + 3)
    margin = 3 * tile // 2
    return _even(margin, tile, level.columns), _even(25 + margin, tile, level.rows)


def _even(first: int, pitch: int, count: int) -> list[int]:
    return [first + pitch * number for number in range(count + 1)]


TRAITS = {
    "winemine": Traits(_fixed_lines("winemine")),
    "xdemineur": Traits(_fixed_lines("xdemineur"), opened_at_start=True),
    "gnome-mines": Traits(_gnome_lines, inset=2),
    "kmines": Traits(_kmines_lines),
    "sgt-mines": Traits(_sgt_lines, shows_mines=False, question_marks=False),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of the whole display, what its pixels showed, and the number of actions before it."""

    name: str
    picture: Image
    seen: Board
    actions: int


@dataclass(slots=True)
class Record:
    """A recorded game: what was done, and the scenes kept."""

    actions: list[tuple[Callable[[Game, Cell], None], Cell]] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=list)


class Recorder:
    """Plays and records the untouched game in a window of a client.

    `client` is a name from `TRAITS` and of a calibration; `mines` are the game's, if they were given to the client.
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
        self._display, self._window, self._mouse = display, window, mouse
        self._level = level
        self._mines = mines
        self.traits = TRAITS[client]
        self._of_size: dict[tuple[int, int], list[tuple[int, NDArray[np.float32]]]] = {}
        self._known: dict[bytes, int | None] = {}
        calibration = find_calibration(client)
        self._calibrated = {calibration.cell[0]: calibration.templates} | calibration.native
        self._park()
        xs, ys = self.traits.lines(_at_rest(display, window.region), level)
        self._xs = [window.region.x + x for x in xs]
        self._ys = [window.region.y + y for y in ys]
        self._board = Region(self._xs[0], self._ys[0], self._xs[-1] - self._xs[0], self._ys[-1] - self._ys[0])
        self._record = Record()
        if self.traits.opened_at_start:
            self._record.actions.append((Game.open, self.look().where(0)[0]))

    def look(self) -> Board:
        """The board's state without the pointer on it: GNOME Mines highlights the tile below."""
        self._park()
        return wait_until(self._read, "a board that is made of the templates")

    def open(self, cell: Cell) -> None:
        """Click a cell and wait for its new state."""
        self._act("left", Game.open, cell)

    def mark(self, cell: Cell) -> None:
        """Advance a cell's mark: hidden, flag, question mark, hidden."""
        self._act("right", Game.mark, cell)

    def keep(self, name: str) -> None:
        """Keep a picture of the current state."""
        seen = self.look()
        self._record.scenes.append(Scene(name, self._display.picture(), seen, len(self._record.actions)))

    def proved(self) -> list[tuple[Scene, Board]]:
        """Each scene with its true board; call it when the game is over.

        Raises:
            AssertionError: The pixels show something else than the rules say.
        """
        mines = self._shown_mines() if self._mines is None else self._mines
        proved = []
        for scene in self._record.scenes:
            game = Game.with_mines(self._level.columns, self._level.rows, mines)
            cells = game.board.cells
            for action, cell in self._record.actions[: scene.actions]:
                before = cells.copy()
                action(game, cell)
                cells = game.board.cells
                if not self.traits.shows_mines and game.board.count(State.EXPLODED):
                    cells = before
                    cells[cell] = State.EXPLODED
            truth = Board(cells)
            assert scene.seen == truth, f"{scene.name}: the pixels show\n{scene.seen}\nbut the rules say\n{truth}"
            proved.append((scene, truth))
        return proved

    def _shown_mines(self) -> list[Cell]:
        end = self.look()
        is_lost = end.count(State.EXPLODED)
        return end.where(State.MINE, State.EXPLODED, State.FLAG) if is_lost else end.where(State.FLAG, State.HIDDEN)

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
        self._record.actions.append((action, cell))

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
        return Region(left, top, right - left, bottom - top).grown(-self.traits.inset)

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

    def _state(self, cell: Image) -> int | None:
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
        inset = self.traits.inset
        whole = size[0] + 2 * inset, size[1] + 2 * inset
        width = min(self._calibrated, key=lambda width: abs(width - whole[0]))
        method = cv2.INTER_AREA if width > whole[0] else cv2.INTER_LINEAR
        brought = []
        for template in self._calibrated[width]:
            look = np.asarray(cv2.resize(template.image, whole, interpolation=method), np.float32)
            brought.append((template.state, look[inset : whole[1] - inset, inset : whole[0] - inset]))
        return brought

    def _park(self) -> None:
        window = self._window.region
        self._mouse.move(Point(window.x + window.width // 2, window.bottom + _SURROUNDINGS_PX))


def _at_rest(display: Display, region: Region) -> Image:
    """A picture of a region once it has stopped changing: hover effects and animations fade."""
    picture, since = display.picture(region), time.monotonic()

    def rested() -> Image | None:
        nonlocal picture, since
        now = display.picture(region)
        if not np.array_equal(now, picture):
            picture, since = now, time.monotonic()
        return now if time.monotonic() - since >= _REST_S else None

    return wait_until(rested, "a picture at rest")


def play(recorder: Recorder, level: Level, *, lose: bool) -> None:
    """Play one game and keep its scenes; with `lose`, end it with a wrong flag and on a mine."""
    solver = Solver()
    recorder.keep("fresh")
    if not recorder.traits.opened_at_start:
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


def play_crowded(recorder: Recorder, rng: random.Random) -> None:
    """Open random cells of a crowded board until it is lost, and keep the last scene before that."""
    recorder.keep("fresh")
    recorder.open(rng.choice(recorder.look().where(State.HIDDEN)))
    while not recorder.look().count(State.EXPLODED):
        recorder.keep("crowded")
        recorder.open(rng.choice(recorder.look().where(State.HIDDEN)))
    recorder.keep("lost")


def _open_all(recorder: Recorder, cells: Sequence[Cell]) -> None:
    for cell in cells:
        if recorder.look()[cell] == State.HIDDEN:  # an opening may have opened it already
            recorder.open(cell)


def _mark_some(recorder: Recorder, board: Board, mines: tuple[Cell, ...]) -> None:
    """Flag every other mine, question two more cells for a picture, and remove those marks."""
    for cell in mines[::2]:
        recorder.mark(cell)
    unmarked = [cell for cell in board.where(State.HIDDEN) if cell not in mines[::2]]
    questioned = unmarked[:2] if recorder.traits.question_marks else []
    for cell in questioned * 2:
        recorder.mark(cell)
    recorder.keep("flags")
    for cell in questioned:
        recorder.mark(cell)


def _unopened_safe(board: Board, level: Level) -> int:
    return board.count(*CLOSED) - level.mines


def _starting(
    client: str, level: Level, size: Sequence[int] | None, *, theme: str, mines: frozenset[Cell]
) -> Callable[[Display], AbstractContextManager[Window]]:
    """A context manager that starts a client so; `size` None is its own choice."""
    if client in FIXED:
        return lambda display: CLIENTS[client].start(display, level)
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


def _save(scene: Scene, truth: Board, stem: Path, crop: Region | None) -> None:
    picture = scene.picture
    if crop is not None:
        picture = picture[crop.slices]
    cv2.imwrite(f"{stem}.png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    Path(f"{stem}.txt").write_text(f"{truth}\n", encoding="ascii")


def main() -> int:
    """Play until every scene has been recorded, each game in a client that was started for it."""
    parser = argparse.ArgumentParser(prog="python -m tests.recording.fixtures", description=main.__doc__)
    parser.add_argument("client", choices=TRAITS)
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
                known = None if TRAITS[options.client].shows_mines else mines
                recorder = Recorder(display, window, desktop.mouse, level, options.client, mines=known)
                if "crowded" in missing:
                    play_crowded(recorder, rng)
                else:
                    play(recorder, level, lose="lost" in missing)
                for scene, truth in recorder.proved():
                    telling = scene.name != "crowded" or truth.count(7, 8)
                    if scene.name in missing and telling:
                        crop = None if scene.name in options.desktop else window.region.grown(_SURROUNDINGS_PX)
                        _save(scene, truth, options.out / f"{name}_{scene.name}", crop)
                        missing.remove(scene.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
