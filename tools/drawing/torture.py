"""Damaged pictures of boards with known truth: what screens, browsers and people do to them.

Everything follows from a seed.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.demo.drawing import CELL_PX, Layout, Smiley, draw
from sweepbot.game import Game
from sweepbot.geometry import Image
from sweepbot.level import FirstClick, Level
from sweepbot.vision.reading import Reading

LEVELS = tuple(Level.parse(text) for text in ("9x9/10", "16x16/40", "30x16/99", "12x10/55", "8x8/10", "24x20/99"))
WHOLE_SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5)
INTERPOLATIONS = {
    "nearest": cv2.INTER_NEAREST,
    "bilinear": cv2.INTER_LINEAR,
    "bicubic": cv2.INTER_CUBIC,
    "Lanczos": cv2.INTER_LANCZOS4,
    "area": cv2.INTER_AREA,
}


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A damaged picture and the truth about it.

    Attributes:
        image: uint8 (height, width, 3).
        origin: The board's top left corner, (x, y), and `pitch` its pixels per cell.
        covered: Which cells are drawn over: they may be unread, but not misread.
        whole: Whether the whole board is in the picture. If not, no size may be trusted.
        beside: Another board in the same picture.
    """

    image: Image
    board: Board
    origin: tuple[float, float]
    pitch: float
    covered: NDArray[np.bool_]
    whole: bool = True
    beside: "Picture | None" = None

    @property
    def region(self) -> tuple[int, int, int, int]:
        """The board's left, top, right and bottom edges, rounded."""
        (left, top), (rows, columns) = self.origin, self.board.cells.shape
        return round(left), round(top), round(left + columns * self.pitch), round(top + rows * self.pitch)


Frame = Callable[[Image, tuple[int, int, int, int], float], None]
"""Draws a frame around a rectangle, given its edges and the pixels per cell."""

MIN_CELL_PX, MAX_CELL_PX = 12.0, 96.0
HALF = 0.5

Damage = Callable[[Picture, random.Random], Picture]


def position(rng: random.Random) -> Board:
    """A position from anywhere in a game: fresh, in play, flagged, lost or won."""
    level = rng.choice(LEVELS)
    game = Game(level, rng.choice((FirstClick.SAFE, FirstClick.OPEN)), random.Random(rng.random()))
    cells = list(game.board)
    if rng.random() < 0.1:
        return game.board
    game.open(rng.choice(cells))
    safe = [cell for cell in cells if cell not in game.mines]
    for cell in rng.sample(safe, rng.randrange(len(safe)) if rng.random() < 0.8 else len(safe)):
        if not game.over and rng.random() < 0.7:
            game.open(cell)
    for cell in rng.sample(sorted(game.mines), rng.randrange(level.mines)):
        for _ in range(rng.choice((1, 1, 1, 2))):
            game.mark(cell)
    hidden = game.board.where(State.HIDDEN)
    if not game.over and hidden and rng.random() < 0.4:
        game.mark(rng.choice(hidden))  # perhaps wrongly
        lost = [cell for cell in sorted(game.mines) if game.board[cell] == State.HIDDEN]
        if lost:
            game.open(rng.choice(lost))
    return game.board


def drawn(rng: random.Random) -> Picture:
    """The demo's window in the middle of a desktop."""
    board = position(rng)
    window = draw(board, rng.randrange(100), rng.randrange(1000), rng.choice(list(Smiley)))
    layout = Layout(board.columns, board.rows)
    height, width = window.shape[0] + 120, window.shape[1] + 120
    desktop = _desktop(rng, height, width)
    x, y = rng.randrange(8, 112), rng.randrange(30, 112)
    desktop[y - 26 : y, x : x + window.shape[1]] = (160, 90, 20)
    cv2.putText(desktop, "Minesweeper", (x + 4, y - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
    desktop[y : y + window.shape[0], x : x + window.shape[1]] = window
    origin = float(x + layout.board.x), float(y + layout.board.y)
    return Picture(desktop, board, origin, CELL_PX, np.zeros(board.cells.shape, dtype=np.bool_))


def _desktop(rng: random.Random, height: int, width: int) -> Image:
    """A gradient with some text."""
    ends = [np.array([rng.randrange(256) for _ in range(3)], dtype=np.float64) for _ in range(2)]
    along = np.linspace(0, 1, height)[:, None, None]
    image = np.broadcast_to(ends[0] * along + ends[1] * (1 - along), (height, width, 3)).astype(np.uint8)
    image = np.ascontiguousarray(image)
    for y in range(12, height, 15):
        text = "".join(rng.choice("abcdefghij klmnop qrst") for _ in range(width // 9))
        cv2.putText(image, text, (3, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1)
    return image


def scaled(picture: Picture, scale: float, interpolation: int, offset: tuple[float, float] = (0, 0)) -> Picture:
    """The picture scaled by `scale` and moved by a fraction of a pixel."""
    height, width = picture.image.shape[:2]
    size = round(width * scale), round(height * scale)
    if interpolation == cv2.INTER_AREA:
        factor = size[0] / width
        image = cv2.resize(picture.image, None, fx=factor, fy=factor, interpolation=interpolation)
        offset = 0, 0
    else:
        factor = scale
        # Pixels are areas; an affine map moves their centres.
        move = [(factor - 1) / 2 + side for side in offset]
        matrix = np.array([[factor, 0, move[0]], [0, factor, move[1]]])
        image = cv2.warpAffine(picture.image, matrix, size, flags=interpolation, borderMode=cv2.BORDER_REPLICATE)
    origin = picture.origin[0] * factor + offset[0], picture.origin[1] * factor + offset[1]
    return Picture(np.asarray(image, np.uint8), picture.board, origin, picture.pitch * factor, picture.covered)


def interpolated(kind: str) -> Damage:
    """Any scale and offset; nothing is shrunk without a filter, which would lose whole lines."""

    def damage(picture: Picture, rng: random.Random) -> Picture:
        smallest = 1.0 if kind == "nearest" else 0.8
        return scaled(picture, rng.uniform(smallest, 3.0), INTERPOLATIONS[kind], (rng.random(), rng.random()))

    return damage


def at_some_scale(picture: Picture, rng: random.Random) -> Picture:
    """A scale that desktops and browsers use."""
    return scaled(picture, rng.choice(WHOLE_SCALES), cv2.INTER_LINEAR)


def _recoloured(picture: Picture, values: NDArray[np.floating]) -> Picture:
    image = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return Picture(image, picture.board, picture.origin, picture.pitch, picture.covered)


def night_light(picture: Picture, rng: random.Random) -> Picture:
    """Less blue and a little less green."""
    gains = np.array([rng.uniform(0.5, 0.85), rng.uniform(0.75, 0.95), 1.0])
    return _recoloured(picture, picture.image * gains)


def dimmed(picture: Picture, rng: random.Random) -> Picture:
    """As little as a third of the light."""
    return _recoloured(picture, picture.image * rng.uniform(0.35, 0.8))


def washed_out(picture: Picture, rng: random.Random) -> Picture:
    """HDR gone wrong: less contrast, more brightness."""
    return _recoloured(picture, picture.image * rng.uniform(0.7, 0.85) + rng.uniform(10, 35))


def noisy(picture: Picture, rng: random.Random) -> Picture:
    chance = np.random.default_rng(rng.randrange(2**32))
    return _recoloured(picture, picture.image + chance.normal(0, rng.uniform(3, 10), picture.image.shape))


def jpeg(picture: Picture, rng: random.Random) -> Picture:
    """JPEG of quality 60 to 95, with halved chroma as most programs write it."""
    data = cv2.imencode(".jpg", picture.image, [cv2.IMWRITE_JPEG_QUALITY, rng.randrange(60, 96)])[1]
    return _recoloured(picture, np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.float64))


def dithered(picture: Picture, rng: random.Random) -> Picture:
    """The 216 colours of old GIFs, mixed by an ordered pattern."""
    bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 0.5
    height, width = picture.image.shape[:2]
    pattern = np.tile(bayer, (height // 4 + 1, width // 4 + 1))[:height, :width, None]
    step = rng.choice((51.0, 36.4))
    return _recoloured(picture, np.rint((picture.image / step) + pattern) * step)


def quantised(picture: Picture, rng: random.Random) -> Picture:
    """Few bits a channel, no dithering."""
    step = rng.choice((8.0, 16.0, 32.0))
    return _recoloured(picture, np.rint(picture.image / step) * step)


def _covering(picture: Picture, draw_over: Callable[[Image], None]) -> Picture:
    """Draw over the board, and note which cells are touched."""
    image = picture.image.copy()
    draw_over(image)
    touched = (image != picture.image).any(axis=2).astype(np.uint8)
    rows, columns = picture.board.cells.shape
    covered = picture.covered.copy()
    for row in range(rows):
        for column in range(columns):
            left, top = (round(at + n * picture.pitch) for at, n in zip(picture.origin, (column, row), strict=True))
            side = round(picture.pitch)
            covered[row, column] |= bool(touched[max(top, 0) : top + side, max(left, 0) : left + side].any())
    return Picture(image, picture.board, picture.origin, picture.pitch, covered)


def _somewhere(picture: Picture, rng: random.Random) -> tuple[int, int]:
    rows, columns = picture.board.cells.shape
    extent = columns * picture.pitch, rows * picture.pitch
    x, y = (round(at + rng.random() * side) for at, side in zip(picture.origin, extent, strict=True))
    return x, y


def pointer(picture: Picture, rng: random.Random) -> Picture:
    """A pointer over the cells: an arrow, white with a black outline."""
    x, y = _somewhere(picture, rng)
    arrow = np.array([(0, 0), (0, 16), (4, 12), (7, 18), (9, 17), (6, 11), (11, 11)]) + np.array((x, y))

    def draw_over(image: Image) -> None:
        cv2.fillPoly(image, [arrow], (255, 255, 255))
        cv2.polylines(image, [arrow], True, (0, 0, 0))  # noqa: FBT003

    return _covering(picture, draw_over)


def marked(picture: Picture, rng: random.Random) -> Picture:
    """Boxes, circles and lines in a strong colour, as people draw on screenshots."""
    strong = [(0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 255, 255), (255, 0, 255)]

    def draw_over(image: Image) -> None:
        for _ in range(rng.randrange(1, 4)):
            colour, width = rng.choice(strong), rng.choice((1, 2, 3))
            (x, y), (u, v) = _somewhere(picture, rng), _somewhere(picture, rng)
            match rng.randrange(3):
                case 0:
                    cv2.rectangle(image, (x, y), (x + rng.randrange(10, 90), y + rng.randrange(10, 90)), colour, width)
                case 1:
                    cv2.circle(image, (x, y), rng.randrange(8, 50), colour, width)
                case _:
                    cv2.line(image, (x, y), (u, v), colour, width)

    return _covering(picture, draw_over)


def covered_by_window(picture: Picture, rng: random.Random) -> Picture:
    """A dialog over part of the board."""
    x, y = _somewhere(picture, rng)
    rows, columns = picture.board.cells.shape
    width, height = (round(rng.uniform(0.15, 0.45) * side * picture.pitch) for side in (columns, rows))

    def draw_over(image: Image) -> None:
        x0, y0 = x - width // 2, y - height // 2
        cv2.rectangle(image, (x0, y0), (x0 + width, y0 + height), (240, 240, 240), -1)
        cv2.rectangle(image, (x0, y0), (x0 + width, y0 + height), (150, 80, 20), 2)
        cv2.rectangle(image, (x0, y0), (x0 + width, y0 + 18), (150, 80, 20), -1)
        cv2.putText(image, "Are you sure?", (x0 + 6, y0 + 38), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1)

    return _covering(picture, draw_over)


def at_any_size(picture: Picture, rng: random.Random) -> Picture:
    """Cells of 12 to 96 pixels, small and large ones equally often, fractions included."""
    pitch = MIN_CELL_PX * (MAX_CELL_PX / MIN_CELL_PX) ** rng.random()
    interpolation = cv2.INTER_AREA if pitch < picture.pitch else rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))
    return scaled(picture, pitch / picture.pitch, interpolation)


def cut_off(picture: Picture, rng: random.Random) -> Picture:
    """A picture that ends in the middle of a row or column."""
    left, top, right, bottom = picture.region
    piece = round(rng.uniform(0.3, 0.7) * picture.pitch)
    cells = [slice(None), slice(None)]
    axis, at_start = rng.randrange(2), rng.random() < HALF
    lines = (top, bottom) if axis == 0 else (left, right)
    cells[axis] = slice(lines[0] + piece, None) if at_start else slice(None, lines[1] - piece)
    image = np.ascontiguousarray(picture.image[cells[0], cells[1]])
    return replace(picture, image=image, whole=False)


def _rim(*widths_and_greys: tuple[float, int]) -> Frame:
    """A frame of rectangles, from inside out: a width in cells, at least one pixel, and a grey."""

    def frame(image: Image, region: tuple[int, int, int, int], pitch: float) -> None:
        left, top, right, bottom = region
        for width, grey in widths_and_greys:
            for _ in range(max(1, round(width * pitch))):
                left, top, right, bottom = left - 1, top - 1, right + 1, bottom + 1
                cv2.rectangle(image, (left, top), (right - 1, bottom - 1), (grey, grey, grey), 1)

    return frame


def _ruled(image: Image, region: tuple[int, int, int, int], pitch: float) -> None:
    """Ticks beside the board, one per cell, as on a ruler."""
    _rim((1, 200))(image, region, pitch)
    left, top, right, bottom = region
    side = round(pitch)
    for x in range(left, right + 1, side):
        cv2.line(image, (x, top - side), (x, top - 1), (90, 90, 90), 1)
    for y in range(top, bottom + 1, side):
        cv2.line(image, (left - side, y), (left - 1, y), (90, 90, 90), 1)


FRAMES: dict[str, Frame] = {
    "thin": _rim((0, 0)),
    "thick": _rim((0.3, 60)),
    "as wide as a cell": _rim((1, 128)),
    "as wide and grey as an open cell": _rim((1, 192)),
    "bevelled": _rim((0.15, 255), (0.15, 128)),
    "sunken": _rim((0.15, 128), (0.15, 255)),
    "half a cell, white": _rim((0.5, 255)),
    "rings of cells": _rim((0.1, 255), (0.8, 192), (0.1, 128)),
    "double": _rim((0, 0), (0.4, 230), (0, 0)),
    "ruled": _ruled,
}


def framed(picture: Picture, rng: random.Random) -> Picture:
    """One of several kinds of frame in place of the board's own."""
    image = picture.image.copy()
    rng.choice(list(FRAMES.values()))(image, picture.region, picture.pitch)
    return replace(picture, image=image)


def paired(picture: Picture, rng: random.Random) -> Picture:
    """Another board with cells of any size to the right."""
    other = at_any_size(drawn(rng), rng)
    left = picture.image.shape[1]
    height = max(of.image.shape[0] for of in (picture, other))
    image = np.hstack([np.pad(of.image, ((0, height - of.image.shape[0]), (0, 0), (0, 0))) for of in (picture, other)])
    moved = replace(other, image=image, origin=(other.origin[0] + left, other.origin[1]))
    return replace(picture, image=image, beside=moved)


def all_of(*damages: Damage) -> Damage:
    """Several kinds of damage in turn."""

    def damage(picture: Picture, rng: random.Random) -> Picture:
        for one in damages:
            picture = one(picture, rng)
        return picture

    return damage


def unharmed(picture: Picture, _: random.Random) -> Picture:
    return picture


KINDS: dict[str, Damage] = {
    "none": unharmed,
    **{f"scaled, {kind}": interpolated(kind) for kind in INTERPOLATIONS},
    "common scale": at_some_scale,
    "night light": all_of(at_some_scale, night_light),
    "dimmed": all_of(at_some_scale, dimmed),
    "washed out": all_of(at_some_scale, washed_out),
    "noise": all_of(at_some_scale, noisy),
    "JPEG": all_of(at_some_scale, jpeg),
    "dithered GIF": all_of(at_some_scale, dithered),
    "few colours": all_of(at_some_scale, quantised),
    "pointer": all_of(at_some_scale, pointer),
    "marks": all_of(at_some_scale, marked),
    "covering window": all_of(at_some_scale, covered_by_window),
    "scaled, night light, JPEG": all_of(interpolated("bilinear"), night_light, jpeg),
    "scaled, marks, JPEG": all_of(interpolated("area"), marked, jpeg),
    "any size": at_any_size,
    "any size, JPEG": all_of(at_any_size, jpeg),
    "cut off": all_of(at_any_size, cut_off),
    "framed": all_of(at_any_size, framed),
    "paired": all_of(at_any_size, paired),
}


def picture(kind: str, seed: int) -> Picture:
    """The picture of that kind and seed; the position is the same for all kinds of damage."""
    rng = random.Random(seed)
    return KINDS[kind](drawn(rng), rng)


@dataclass(slots=True)
class Tally:
    """Counts of cells by how they were read.

    Attributes:
        missed: Cells of boards that were not found, or were found in another size and not trusted.
        wrong_size: Boards that were trusted in another size.
        worst_origin: The largest error of a board's place, in cells.
    """

    pictures: int = 0
    wrong_size: int = 0
    cells: int = 0
    wrong: int = 0
    refused: int = 0
    refused_covered: int = 0
    missed: int = 0
    worst_origin: float = 0.0

    def count(self, truth: Picture, reading: Reading | None) -> None:
        """Add the reading of a picture, None where no board was found."""
        self.pictures += 1
        if reading is not None and truth.beside is not None and reading.grid.xs[0] > truth.beside.origin[0] - 1:
            truth = truth.beside
        size = truth.board.cells.size
        self.cells += size
        if not truth.whole:
            self.wrong_size += reading is not None and not reading.problems
            return
        if reading is None or reading.board.cells.shape != truth.board.cells.shape:
            self.wrong_size += reading is not None and not reading.problems
            self.missed += size
            return
        read, origin = reading.board, reading.grid.origin
        different = read.cells != truth.board.cells
        refused = different & (read.cells == State.UNKNOWN)
        self.wrong += int((different & ~refused).sum())
        self.refused += int((refused & ~truth.covered).sum())
        self.refused_covered += int((refused & truth.covered).sum())
        off = max(abs(a - b) for a, b in zip(origin, truth.origin, strict=True)) / truth.pitch
        self.worst_origin = max(self.worst_origin, off)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.pictures + other.pictures,
            self.wrong_size + other.wrong_size,
            self.cells + other.cells,
            self.wrong + other.wrong,
            self.refused + other.refused,
            self.refused_covered + other.refused_covered,
            self.missed + other.missed,
            max(self.worst_origin, other.worst_origin),
        )
