"""Minesweepers in skins drawn from seeds, on a desktop in memory."""

import random
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sweepbot.board import State, shows
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import FirstClick, Level

Colour = tuple[int, int, int]

_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)
_FIGURES = [(flag, mine) for flag in ("flag", "banner", "pennant") for mine in ("disc", "spiked")]


@dataclass(frozen=True, slots=True)
class Skin:
    """How a client looks: everything follows from the seed."""

    seed: int
    pitch: int
    gap: int
    chequered: bool
    gradient: int
    """Grey levels by which open cells darken from the board's top to its bottom."""
    bevel: int
    hidden: tuple[Colour, Colour]
    opened: tuple[Colour, Colour]
    digits: tuple[Colour, ...]
    font: int
    thickness: int
    icons: tuple[str, str]
    """How flags and mines are drawn."""
    ground: Colour
    face: bool
    shows_mines: bool
    question_marks: bool
    flags_on_win: bool
    first_click: FirstClick

    @classmethod
    def of(cls, seed: int) -> "Skin":
        rng = random.Random(seed)
        dark = rng.random() < 0.35
        base = rng.randint(20, 90) if dark else rng.randint(150, 235)
        hidden = _tinted(rng, base)
        step = rng.choice((-1, 1)) * rng.randint(14, 45)
        opened = _tinted(rng, min(245, max(8, base + step)))
        chequered = rng.random() < 0.25
        pitch = rng.randint(12, 60)
        digits: list[Colour] = []
        while len(digits) < 8:
            colour = (rng.randint(0, 255), rng.randint(0, 255), rng.randint(0, 255))
            if max(abs(a - b) for a, b in zip(colour, opened, strict=True)) > 70:
                digits.append(colour)
        if rng.random() < 0.2:
            digits = digits[:1] * 8  # so that only shapes tell them apart
        return cls(
            seed,
            pitch,
            rng.choice((0, 0, 1, 2, max(1, pitch // 12))),
            chequered,
            rng.choice((0, 0, 0, rng.randint(6, 30))),
            0 if chequered else rng.choice((1, 1, 2, max(1, pitch // 10))),
            (hidden, _shifted(hidden, rng.choice((-9, 9)) if chequered else 0)),
            (opened, _shifted(opened, rng.choice((-8, 8)) if chequered else 0)),
            tuple(digits),
            rng.choice(_FONTS),
            1 if pitch < 24 else rng.choice((1, 2, 2, 3)),
            rng.sample(_FIGURES, 4)[0],
            _tinted(rng, rng.randint(30, 225)),
            rng.random() < 0.6,
            rng.random() < 0.85,
            rng.random() < 0.5,
            rng.random() < 0.6,
            rng.choice((FirstClick.SAFE, FirstClick.OPEN)),
        )

    def cell(self, state: int, cell: Cell, rows: int) -> Image:
        """A cell's picture, with its part of the gap."""
        side = self.pitch - self.gap
        odd = (cell.row + cell.column) % 2 if self.chequered else 0
        closed = state in (State.HIDDEN, State.FLAG, State.QUESTION, State.WRONG_FLAG)
        colour = (self.hidden if closed else self.opened)[odd]
        picture = np.full((side, side, 3), colour, dtype=np.int16)
        if not closed and self.gradient:
            slope = np.arange(side) / (self.pitch * rows) + cell.row / rows
            picture -= (self.gradient * slope).astype(np.int16)[:, None, None]
        if self.bevel and closed:
            light, shade = self.bevel, -self.bevel
            picture[:light], picture[:, :light] = picture[:light] + 30, picture[:, :light] + 30
            picture[shade:], picture[:, shade:] = picture[shade:] - 40, picture[:, shade:] - 40
        elif self.bevel:
            picture[:1], picture[:, :1] = picture[:1] - 30, picture[:, :1] - 30
        image = np.clip(picture, 0, 255).astype(np.uint8)
        if 1 <= state <= 8:
            self._write(image, str(state), self.digits[state - 1])
        elif state == State.QUESTION:
            self._write(image, "?", self.digits[0])
        elif state == State.FLAG:
            self._draw(image, self.icons[0], self.digits[2])
        elif state == State.WRONG_FLAG:
            self._draw(image, self.icons[0], self.digits[2])
            cv2.line(image, (2, 2), (side - 3, side - 3), self.digits[0], 1)
        elif state == State.MINE:
            self._draw(image, self.icons[1], self.digits[6])
        elif state == State.EXPLODED:
            image[1:-1, 1:-1] = (40, 40, 230)
            self._draw(image, self.icons[1], self.digits[6])
        whole = np.full((self.pitch, self.pitch, 3), self.ground, dtype=np.uint8)
        offset = self.gap // 2
        whole[offset : offset + side, offset : offset + side] = image
        return whole

    def _write(self, image: Image, text: str, colour: Colour) -> None:
        side = image.shape[0]
        scale = cv2.getFontScaleFromHeight(self.font, max(6, round(side * 0.55)), self.thickness)
        (width, height), _ = cv2.getTextSize(text, self.font, scale, self.thickness)
        at = ((side - width) // 2, (side + height) // 2)
        cv2.putText(image, text, at, self.font, scale, colour, self.thickness, cv2.LINE_AA)

    def _draw(self, image: Image, icon: str, colour: Colour) -> None:
        side = image.shape[0]
        middle, reach = side // 2, max(3, side // 4)
        corners: dict[str, list[tuple[float, float]]] = {
            "flag": [(-0.6, -1), (1, -0.4), (-0.3, 0.1), (-0.3, 1), (-0.6, 1)],
            "pennant": [(0.6, -1), (-1, -0.4), (0.3, 0.1), (0.3, 1), (0.6, 1)],
            "banner": [(-0.7, -1), (0.9, -1), (0.9, 0), (-0.4, 0), (-0.4, 1), (-0.7, 1)],
        }
        if icon in corners:
            points = np.array([(middle + x * reach, middle + y * reach) for x, y in corners[icon]], dtype=np.int32)
            cv2.fillPoly(image, [points], colour, cv2.LINE_AA)
            return
        cv2.circle(image, (middle, middle), max(2, round(0.75 * reach)), colour, -1, cv2.LINE_AA)
        for turn in range(8 if icon == "spiked" else 0):
            x, y = np.cos(turn * np.pi / 4), np.sin(turn * np.pi / 4)
            end = round(middle + 1.2 * reach * x), round(middle + 1.2 * reach * y)
            cv2.line(image, (middle, middle), end, colour, max(1, side // 16), cv2.LINE_AA)


class SkinDesktop:
    """A desktop in memory with one client in a skin; it is its own screen and mouse.

    Args:
        skin: The look and behaviour.
        level: Size and mines of the board.
        cell: Width and height of its cells, if they are not square.

    Attributes:
        area: The board's region.
        clicks: Where it was clicked, in order.
        pressed: The keys, in order, if the client records them.
        dead: Whether it ignores clicks.
    """

    drawn_by: ClassVar[tuple[str, ...] | None] = ()
    """The attributes by which `draw_over` draws: until one changes, or a cell, nothing is drawn anew.

    None, unless a class with a `draw_over` of its own names them: it is called at each look.
    """

    def __init_subclass__(cls) -> None:
        if "draw_over" in vars(cls) and "drawn_by" not in vars(cls):
            cls.drawn_by = None

    def __init__(self, skin: Skin, level: Level, cell: tuple[int, int] | None = None) -> None:
        self.skin = skin
        self._level = level
        self._size = cell or (skin.pitch, skin.pitch)
        self._rng = random.Random(1000 + skin.seed)
        self._board = Point(70 + skin.seed % 13, 150 + skin.seed % 7)
        self.area = Region(*_xy(self._board), level.columns * self._size[0], level.rows * self._size[1])
        self.face = Region(self.area.centre.x - 14, self._board.y - 52, 28, 28)
        self.region = self.window = Region(0, 0, self.area.right + 90, self.area.bottom + 80)
        self._position = self.region.centre
        self.dead = False
        self.clicks: list[Point] = []
        self.pressed: list[str] = []
        self._image = np.full((self.region.height, self.region.width, 3), (120, 90, 60), dtype=np.uint8)
        window = Region(self.area.x - 20, self.area.y - 80, self.area.width + 40, self.area.height + 100)
        fill(self._image, window, skin.ground)
        if skin.face:
            fill(self._image, self.face, _shifted(skin.ground, 60 if skin.ground[0] < 128 else -60))
            cv2.circle(self._image, (self.face.centre.x, self.face.centre.y), 9, (60, 210, 230), -1)
        self._whole = self._image
        self._by: list[object] | None = None
        self._frames: dict[Region, Frame] = {}
        self._cells: dict[tuple[int, Cell], Image] = {}
        self._shown = np.full((level.rows, level.columns), State.UNKNOWN, dtype=np.uint8)
        self._deal()

    @property
    def game(self) -> Game:
        return self._game

    def shown(self) -> NDArray[np.uint8]:
        """The state that each cell shows, as far as this skin shows it."""
        cells = self._game.board.cells.copy()
        if self._game.over and not self.skin.shows_mines:
            cells[shows(cells, State.MINE, State.WRONG_FLAG)] = State.HIDDEN
        if self._game.over and not self.skin.flags_on_win and not (cells == State.EXPLODED).any():
            cells[(cells == State.FLAG) & ~self._flagged] = State.HIDDEN
        return cells

    def cell_at(self, at: Point) -> Cell | None:
        """The cell at a pixel; None beside the board."""
        inside, (width, height) = at - self._board, self._size
        return Cell(inside.y // height, inside.x // width) if at in self.area else None

    def pixels(self, cell: Cell, rim: int = 0) -> Region:
        """A cell's region without `rim` pixels at its edges."""
        width, height = self._size
        left, top = self._board.x + cell.column * width, self._board.y + cell.row * height
        return Region(left, top, width, height).grown(-rim)

    def draw_over(self, whole: Image) -> None:
        """Draw what else this client shows into a picture of all that can be seen."""

    def grab(self, region: Region | None = None) -> Frame:
        region, shown = region or self.region, self.shown()
        by = None if self.drawn_by is None else [attrgetter(name)(self) for name in self.drawn_by]
        if by is None or by != self._by or not np.array_equal(shown, self._shown):
            self._draw_cells(shown)
            self._whole, self._by = self._image.copy(), by
            self.draw_over(self._whole)
            self._frames.clear()
        if region not in self._frames:
            self._frames[region] = Frame(part(self._whole, region).copy(), region)
            self._frames[region].image.setflags(write=False)
        return self._frames[region]

    def _draw_cells(self, shown: NDArray[np.uint8]) -> None:
        for row, column in np.argwhere(shown != self._shown):
            cell = Cell(int(row), int(column))
            state = int(shown[cell])
            picture = self._cells.get((state, cell))
            if picture is None:
                picture = self.skin.cell(state, cell, self._level.rows)
                if picture.shape[1::-1] != self._size:
                    picture = np.asarray(cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA), np.uint8)
                self._cells[state, cell] = picture
            fill(self._image, self.pixels(cell), picture)
        self._shown = shown

    def position(self) -> Point:
        return self._position

    def move(self, to: Point) -> None:
        self._position = to

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002
        self._position = at
        self.clicks.append(at)
        if self.dead:
            return
        if self.skin.face and at in self.face:
            self._deal()
        if (cell := self.cell_at(at)) is not None:
            if not self._game.over:
                self._flagged = self._game.board.cells == State.FLAG
            {"left": self._game.open, "right": self._game.mark, "middle": self._game.chord}[button](cell)

    def press(self, key: str) -> None:
        if key == "f2" or (key == "n" and self.skin.seed % 2):
            self._deal()

    def _deal(self) -> None:
        self._game = Game(self._level, self.skin.first_click, self._rng, question_marks=self.skin.question_marks)
        self._flagged = self._game.board.cells == State.FLAG


class HoveringDesktop(SkinDesktop):
    """A client that lights up the hidden cell under the pointer."""

    drawn_by: ClassVar[tuple[str, ...] | None] = ("_position",)

    def draw_over(self, whole: Image) -> None:
        cell = self.cell_at(self._position)
        if cell is not None and self.shown()[cell] == State.HIDDEN:
            lit = part(whole, self.pixels(cell, rim=2))
            lit[:] = np.minimum(lit.astype(np.int16) + 40, 255)


class OpenDesktop(SkinDesktop):
    """A client whose boards start with an open region, at first with more zeros than hidden cells."""

    dealt = 0
    """How many games have begun."""

    def _deal(self) -> None:
        self.dealt += 1
        while True:
            super()._deal()
            cells = self._game.board.cells
            self._game.open(Cell(self._rng.randrange(cells.shape[0]), self._rng.randrange(cells.shape[1])))
            cells = self._game.board.cells
            zeros, hidden = ((cells == state).sum() for state in (0, State.HIDDEN))
            if not self._game.over and zeros > (0 if self.clicks else hidden):
                break


def part(image: Image, region: Region) -> Image:
    """The pixels of a region, as a view of the image."""
    return image[region.slices]


def fill(image: Image, region: Region, colour: Colour | int | Image) -> None:
    """Paint a region in a colour or a grey, or paste a picture."""
    part(image, region)[:] = colour


def draw_button(image: Image, button: Region, words: str = "") -> None:
    """Draw a button with a rim, and words on it, or a few strokes."""
    fill(image, button, 0)
    fill(image, button.grown(-1), 200)
    if words:
        say(image, button.grown(-1), words, (20, 20, 20))
        return
    image[button.centre.y - 4 : button.centre.y + 4, button.x + 16 : button.right - 16 : 5] = 20


def say(image: Image, place: Region, words: str, ink: Colour) -> None:
    """Write words that can be read into a region."""
    ground = part(image, place)
    ground[:] = np.frombuffer(_said(words, ink, ground.tobytes(), place.width), np.uint8).reshape(ground.shape)


@lru_cache  # the same buttons are drawn at each look
def _said(words: str, ink: Colour, ground: bytes, width: int) -> bytes:
    """The pixels of words on a ground."""
    before = np.frombuffer(ground, np.uint8).reshape(-1, width, 3)
    drawn = Picture.fromarray(before[..., ::-1])
    font = ImageFont.load_default(13)
    ImageDraw.Draw(drawn).text((width / 2, len(before) / 2), words, fill=ink[::-1], font=font, anchor="mm")
    return np.asarray(drawn)[..., ::-1].tobytes()


def _xy(point: Point) -> tuple[int, int]:
    return point.x, point.y


def _tinted(rng: random.Random, base: int) -> Colour:
    blue, green, red = (min(250, max(5, base + rng.randint(-28, 28))) for _ in range(3))
    return blue, green, red


def _shifted(colour: Colour, by: int) -> Colour:
    blue, green, red = (min(255, max(0, channel + by)) for channel in colour)
    return blue, green, red
