"""A position as a picture, with its unopened cells coloured by their chance of a mine.

The colours run from bright yellow (safe) over grey to dark blue (mine) in even steps of lightness, so that their order
survives colour blindness and grey prints. Nothing is shown by colour alone.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.render.text import percent

CELL_PX = 40
"""The side of a cell in pixels, including the line to its right and below."""

_MARGIN_PX = 30
"""Pixels left of and above the board, for the numbers of rows and columns; also the empty margin on the right."""
_LEGEND = Region(_MARGIN_PX, 14, 340, 84)
"""The legend's size, and its place relative to the left edge of the picture and the lower edge of the board."""

_Colour = tuple[int, int, int]

PAPER: _Colour = (255, 255, 255)
INK: _Colour = (48, 40, 36)
_PALE_INK: _Colour = (140, 132, 128)
_OPEN: _Colour = (240, 238, 236)
_LINE: _Colour = (160, 154, 152)
_UNKNOWN: _Colour = (206, 202, 200)

BEST: _Colour = (0, 0, 214)
"""The colour, blue, green and red, of the frame around the cell to open next."""

_FONT = cv2.FONT_HERSHEY_DUPLEX


def heatmap(board: Board, mine_probability: NDArray[np.float64], best: Cell | None = None) -> Image:
    """Draw the chances on the board.

    Each unopened cell shows its chance of a mine in percent, if known; a tick if it is certainly safe, a mine if it
    certainly is one; and the player's flag or question mark.

    Args:
        board: The position.
        mine_probability: Shape (rows, columns), 0 to 1, NaN where not known.
        best: The cell to open next, which gets a frame.

    Returns:
        uint8 array of shape (height, width, 3): `CELL_PX` pixels a cell, and margins with row and column numbers and a
        legend.
    """
    width, height = CELL_PX * board.columns, CELL_PX * board.rows
    down, across = height + _LEGEND.y + _LEGEND.height, max(width, _LEGEND.width) + _MARGIN_PX
    image = np.full((_MARGIN_PX + down, _MARGIN_PX + across, 3), PAPER, np.uint8)
    for cell in board:
        _draw_cell(image, _region(cell), board[cell], float(mine_probability[cell]))
    for column in range(board.columns):
        centre = _region(Cell(0, column)).centre
        _write(image, str(column), Point(centre.x, _MARGIN_PX // 2), 0.4, _PALE_INK)
    for row in range(board.rows):
        centre = _region(Cell(row, 0)).centre
        _write(image, str(row), Point(_MARGIN_PX // 2, centre.y), 0.4, _PALE_INK)
    if best is not None:
        _frame(image, _region(best))
    _draw_legend(image, Point(_LEGEND.x, _MARGIN_PX + height + _LEGEND.y))
    return image


def region_of_board(board: Board) -> Region:
    """Return the region of a board in its heatmap."""
    return Region(_MARGIN_PX, _MARGIN_PX, CELL_PX * board.columns, CELL_PX * board.rows)


def shrunk(picture: Image, width: int, height: int) -> Image:
    """Shrink a heatmap by averaging: uint8 of shape (height, width, 3)."""
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def colour_of(chance: float) -> tuple[int, int, int]:
    """Return the colour (blue, green, red) of a chance from 0 to 1."""
    blue, green, red = _palette()[round(255 * chance)]
    return int(blue), int(green), int(red)


def ink_on(chance: float) -> tuple[int, int, int]:
    """Return the colour (blue, green, red) in which to write on the colour of a chance."""
    return PAPER if chance > 0.5 else INK  # noqa: PLR2004  (the middle of the palette)


@lru_cache(maxsize=1)
def _palette() -> NDArray[np.uint8]:
    """Return the colours, shape (256, 3): a straight line through CIE Lab, whose L is perceived lightness."""
    steps = np.linspace(0.0, 1.0, 256, dtype=np.float32)[:, np.newaxis]
    bright, dark = np.array([92, -4, 62], np.float32), np.array([18, 8, -38], np.float32)
    lab = (bright + (dark - bright) * steps)[np.newaxis]
    bgr = np.asarray(cv2.cvtColor(lab, cv2.COLOR_Lab2BGR))[0]
    colours: NDArray[np.uint8] = np.rint(np.clip(bgr, 0, 1) * 255).astype(np.uint8)
    return colours


def _region(cell: Cell) -> Region:
    return Region(_MARGIN_PX + CELL_PX * cell.column, _MARGIN_PX + CELL_PX * cell.row, CELL_PX - 1, CELL_PX - 1)


def _draw_cell(image: Image, region: Region, state: int, chance: float) -> None:
    if state < State.HIDDEN:
        _fill(image, region, _OPEN)
        if state:
            _write(image, str(state), region.centre, 0.7, INK)
        return
    number = "" if math.isnan(chance) else percent(chance)
    _fill(image, region, colour_of(chance) if number else _UNKNOWN)
    ink = ink_on(chance)
    symbols = [symbol for symbol in (_PLAYERS_MARKS.get(state), _CERTAINTIES.get(chance)) if symbol]
    down = 8 if number and symbols else 0
    _write(image, number, region.centre - Point(0, down), 0.45, ink)
    for place, symbol in enumerate(symbols):
        symbol(image, region.centre + Point(18 * place - 9 * (len(symbols) - 1), down), ink)


def _draw_legend(image: Image, at: Point) -> None:
    bar = Region(at.x, at.y + 18, 256, 14)
    _write(image, "chance of a mine", Point(bar.centre.x, at.y + 6), 0.4, INK)
    image[bar.slices] = _palette()
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = bar.x + round(share * (bar.width - 1))
        _write(image, f"{percent(share)}%", Point(x, bar.bottom + 11), 0.36, _PALE_INK)
    y = bar.bottom + 32
    _tick(image, Point(at.x + 8, y), INK)
    _write(image, "certainly safe", Point(at.x + 68, y), 0.4, INK)
    _mine(image, Point(at.x + 138, y), INK)
    _write(image, "certainly a mine", Point(at.x + 206, y), 0.4, INK)
    _frame(image, Region(at.x + 274, y - 7, 14, 14))
    _write(image, "best", Point(at.x + 312, y), 0.4, INK)


def _fill(image: Image, region: Region, colour: _Colour) -> None:
    image[region.y : region.bottom + 1, region.x : region.right + 1] = _LINE
    image[region.slices] = colour


def _frame(image: Image, region: Region) -> None:
    """Draw a frame of 3 pixels inside `region`, with a pale line that sets it off from any colour."""
    target = image[region.slices]
    inside = target[4:-4, 4:-4].copy()
    target[:] = BEST
    target[3:-3, 3:-3] = PAPER
    target[4:-4, 4:-4] = inside


def _write(image: Image, text: str, centre: Point, scale: float, colour: _Colour) -> None:
    """Write `text` centred at `centre`."""
    (width, height), _ = cv2.getTextSize(text, _FONT, scale, 1)
    origin = (centre.x - width // 2, centre.y + height // 2)
    cv2.putText(image, text, origin, _FONT, scale, colour, 1, cv2.LINE_AA)


def _tick(image: Image, centre: Point, colour: _Colour) -> None:
    corners = [(centre.x - 6, centre.y), (centre.x - 2, centre.y + 4), (centre.x + 6, centre.y - 5)]
    cv2.polylines(image, [np.array(corners, np.int32)], isClosed=False, color=colour, thickness=2, lineType=cv2.LINE_AA)


def _mine(image: Image, centre: Point, colour: _Colour) -> None:
    cv2.circle(image, (centre.x, centre.y), 5, colour, cv2.FILLED, cv2.LINE_AA)
    for x, y in ((8, 0), (0, 8), (5, 5), (5, -5)):
        cv2.line(image, (centre.x - x, centre.y - y), (centre.x + x, centre.y + y), colour, 1, cv2.LINE_AA)


def _flag(image: Image, centre: Point, colour: _Colour) -> None:
    pennant = [(centre.x - 4, centre.y - 3), (centre.x + 2, centre.y - 6), (centre.x + 2, centre.y)]
    cv2.fillPoly(image, [np.array(pennant, np.int32)], colour, cv2.LINE_AA)
    cv2.line(image, (centre.x + 2, centre.y - 6), (centre.x + 2, centre.y + 6), colour, 1, cv2.LINE_AA)


def _question(image: Image, centre: Point, colour: _Colour) -> None:
    _write(image, "?", centre, 0.45, colour)


_Symbol = Callable[[Image, Point, _Colour], None]

_CERTAINTIES: dict[float, _Symbol] = {0.0: _tick, 1.0: _mine}
"""The symbols of certain cells."""

_PLAYERS_MARKS: dict[int, _Symbol] = {State.FLAG: _flag, State.QUESTION: _question}
