"""Draws the client: where its parts are, in pixels from the top left corner, and what they look like.

Images are uint8 arrays in BGR order.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np

from sweepbot.board import Board, State
from sweepbot.demo import glyphs
from sweepbot.demo.glyphs import BLACK, COLOURS, FACE, NUMBER_COLOURS, RED, SHADE, WHITE, Colour, Glyph
from sweepbot.geometry import Cell, Image, Point, Region

CELL_PX = 16
"""The side of a cell."""

_LEFT_PX, _TOP_PX, _RIGHT_PX, _BOTTOM_PX = 12, 55, 8, 8
"""Margins around the board: frame, panel and bevels. These sizes are those of the Windows client."""
_PANEL_TOP_PX, _PANEL_HEIGHT_PX = 9, 37
_FACE_PX = 24
_COUNTER_WIDTH_PX, _COUNTER_HEIGHT_PX = 39, 23


@dataclass(frozen=True, slots=True)
class Layout:
    """The geometry of a window with `columns` x `rows` cells, the same as in the Windows XP client."""

    columns: int
    rows: int

    @property
    def window(self) -> Region:
        """All of the window's inside."""
        return Region(0, 0, _LEFT_PX + CELL_PX * self.columns + _RIGHT_PX, _TOP_PX + CELL_PX * self.rows + _BOTTOM_PX)

    @property
    def board(self) -> Region:
        """The cells, without the bevel around them."""
        return Region(_LEFT_PX, _TOP_PX, CELL_PX * self.columns, CELL_PX * self.rows)

    @property
    def panel(self) -> Region:
        """The sunken field with counters and face, its bevel included."""
        board = self.board.grown(3)
        return Region(board.x, _PANEL_TOP_PX, board.width, _PANEL_HEIGHT_PX)

    @property
    def face(self) -> Region:
        """The button with the face, without the line around it."""
        return Region(self.board.centre.x - _FACE_PX // 2, 16, _FACE_PX, _FACE_PX)

    @property
    def mine_counter(self) -> Region:
        """The left counter."""
        return Region(17, 16, _COUNTER_WIDTH_PX, _COUNTER_HEIGHT_PX)

    @property
    def clock(self) -> Region:
        """The right counter."""
        return Region(self.window.right - 15 - _COUNTER_WIDTH_PX, 16, _COUNTER_WIDTH_PX, _COUNTER_HEIGHT_PX)

    def cell_at(self, point: Point) -> Cell | None:
        """Return the cell under `point`; None if it is not on the board."""
        if point not in self.board:
            return None
        inside = point - self.board.origin
        return Cell(inside.y // CELL_PX, inside.x // CELL_PX)

    def region_of(self, cell: Cell) -> Region:
        """Return the region of `cell`."""
        return Region(self.board.x + CELL_PX * cell.column, self.board.y + CELL_PX * cell.row, CELL_PX, CELL_PX)


_DIM: Colour = (0, 0, 128)
"""The colour of every second pixel of a segment that is not lit."""


class Smiley(Enum):
    """What the button above the board shows."""

    SMILE = "smile"
    PRESSED = "pressed"
    """The smile while the button is held down."""
    OH = "oh"
    """A cell is held down."""
    DEAD = "dead"
    COOL = "cool"
    """Sunglasses: the game is won."""


_FEATURES: dict[Smiley, Glyph] = {
    Smiley.SMILE: glyphs.HAPPY,
    Smiley.PRESSED: glyphs.HAPPY,
    Smiley.OH: glyphs.AMAZED,
    Smiley.DEAD: glyphs.DEAD,
    Smiley.COOL: glyphs.COOL,
}


def draw(board: Board, mines_left: int, seconds: int, face: Smiley, pressed: Collection[Cell] = ()) -> Image:
    """Draw the inside of the window.

    Args:
        board: What the cells show; every state has a picture except `UNKNOWN`.
        mines_left: For the left counter, which shows -99 to 999.
        seconds: For the right counter, likewise.
        face: For the button.
        pressed: Cells held down by the mouse; hidden and questioned ones among them look sunken.

    Returns:
        A new array, as large as `Layout(board.columns, board.rows).window`.
    """
    layout = Layout(board.columns, board.rows)
    image = _empty_window(layout).copy()
    looks = board.cells
    if pressed:
        looks = looks.copy()
        for cell in pressed:
            looks[cell] = _SUNK.get(board[cell], board[cell])
    cells = _cell_pictures()[looks]
    image[layout.board.slices][:] = cells.transpose(0, 2, 1, 3, 4).reshape(layout.board.height, layout.board.width, 3)
    image[layout.mine_counter.slices][:] = _counter(mines_left)
    image[layout.clock.slices][:] = _counter(seconds)
    image[layout.face.slices][:] = _button(face)
    return image


_SUNK_QUESTION = 15
"""The place in `_cell_pictures` of a sunken question mark, which is no state; it is that of `UNKNOWN`."""

_SUNK: dict[int, int] = {State.HIDDEN: 0, State.QUESTION: _SUNK_QUESTION}


@lru_cache(maxsize=1)
def _cell_pictures() -> Image:
    """Return the pictures of all cells, by state: shape (16, 16, 16, 3)."""
    raised = _blank(CELL_PX, CELL_PX)
    _bevel(raised, 2, WHITE, SHADE)
    sunk = _blank(CELL_PX, CELL_PX)
    sunk[0, :] = sunk[:, 0] = SHADE
    exploded = sunk.copy()
    exploded[1:, 1:] = RED

    number_at, mine_at = Point(3, 3), Point(2, 2)
    pictures = np.empty((16, CELL_PX, CELL_PX, 3), dtype=np.uint8)
    pictures[0] = sunk
    for number, glyph in glyphs.NUMBERS.items():
        pictures[number] = _stamped(sunk, glyph, number_at, {"#": NUMBER_COLOURS[number]})
    pictures[State.HIDDEN] = raised
    pictures[State.FLAG] = _stamped(raised, glyphs.FLAG, number_at)
    pictures[State.QUESTION] = _stamped(raised, glyphs.QUESTION, number_at)
    pictures[State.MINE] = _stamped(sunk, glyphs.MINE, mine_at)
    pictures[State.EXPLODED] = _stamped(exploded, glyphs.MINE, mine_at)
    pictures[State.WRONG_FLAG] = _stamped(pictures[State.MINE], glyphs.CROSS, mine_at - Point(1, 0))
    pictures[_SUNK_QUESTION] = _stamped(sunk, glyphs.QUESTION, number_at + Point(1, 1))
    return pictures


@lru_cache(maxsize=16)
def _empty_window(layout: Layout) -> Image:
    """Draw what never changes: frame, panel, and the lines around counters and face."""
    image = _blank(layout.window.height, layout.window.width)
    image[:3] = image[:, :3] = WHITE
    _bevel(image[layout.board.grown(3).slices], 3, SHADE, WHITE)
    _bevel(image[layout.panel.slices], 2, SHADE, WHITE)
    _bevel(image[layout.mine_counter.grown(1).slices], 1, SHADE, WHITE)
    _bevel(image[layout.clock.grown(1).slices], 1, SHADE, WHITE)
    _bevel(image[layout.face.grown(1).slices], 1, SHADE, SHADE)
    return image


@lru_cache(maxsize=64)
def _counter(value: int) -> Image:
    """Draw a counter of three characters, limited to -99 to 999."""
    text = f"{min(max(value, -99), 999):03d}"
    return np.hstack([_digit(character) for character in text])


def _digit(character: str) -> Image:
    segments = glyphs.SEGMENTS
    glowing = np.isin(segments, list(glyphs.LIT[character]))
    checker = np.indices(segments.shape).sum(axis=0) % 2 == 1
    image = np.empty((*segments.shape, 3), dtype=np.uint8)
    image[:] = BLACK
    image[(segments != ".") & checker] = _DIM
    image[glowing] = RED
    return image


@lru_cache(maxsize=len(Smiley))
def _button(face: Smiley) -> Image:
    side = Layout(1, 1).face.width
    image = _blank(side, side)
    at = Point(3, 3)
    if face is Smiley.PRESSED:
        image[0, :] = image[:, 0] = SHADE
        at += Point(1, 1)
    else:
        _bevel(image, 2, WHITE, SHADE)
    return _stamped(_stamped(image, glyphs.SMILEY, at), _FEATURES[face], at + Point(2, 4))


def _blank(height: int, width: int) -> Image:
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[:] = FACE
    return image


def _bevel(image: Image, width: int, top_left: Colour, bottom_right: Colour) -> None:
    """Frame `image` in two colours, leaving the corners where they meet as they are, like a diagonal."""
    height, length = image.shape[:2]
    for inset in range(width):
        bottom, right = height - 1 - inset, length - 1 - inset
        image[inset, inset:right] = image[inset:bottom, inset] = top_left
        image[bottom, inset + 1 : right + 1] = image[inset + 1 : bottom + 1, right] = bottom_right


def _stamped(image: Image, glyph: Glyph, at: Point, colours: Mapping[str, Colour] = COLOURS) -> Image:
    """Return a copy of `image` with `glyph` on it, its top left pixel at `at`."""
    result = image.copy()
    target = result[at.y : at.y + glyph.shape[0], at.x : at.x + glyph.shape[1]]
    for character, colour in colours.items():
        target[glyph == character] = colour
    return result
