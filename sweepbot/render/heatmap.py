"""A position as a picture, with its unopened cells coloured by their chance of a mine.

The colours run from bright yellow (safe) over grey to dark blue (mine) in even steps of lightness, so that their order
survives colour blindness and grey prints. Nothing is shown by colour alone.
"""

import math
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
_SMALL_FONT = cv2.FONT_HERSHEY_PLAIN  # legible from five pixels on
_DIGIT_PX = 10  # width and height of its digits at scale 1
_RIM_PX = 5  # of a cell around its chance


def heatmap(board: Board, mine_probability: NDArray[np.float64], best: Cell | None = None) -> Image:
    """Draw the chances on the board.

    Each unopened cell shows its chance as `draw_chance` does, if known, and the player's flag or question mark.

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
        draw_frame(image[_region(best).slices])
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


def draw_chance(picture: Image, chance: float) -> None:
    """Fill a picture with the colour of a chance, and draw that: a percentage, a tick if it is 0, a dot if it is 1."""
    picture[:] = colour_of(chance)
    (height, width), ink = picture.shape[:2], _ink_on(chance)
    side = min(width, height)
    if chance == 0:
        corners = np.array([(0.2, 0.55), (0.42, 0.75), (0.8, 0.25)]) * (width, height)
        thick = max(1, side // 8)
        cv2.polylines(picture, [corners.astype(np.int32)], False, ink, thick, cv2.LINE_AA)  # noqa: FBT003  (its signature)
    elif chance == 1:
        cv2.circle(picture, (width // 2, height // 2), side // 4, ink, cv2.FILLED, cv2.LINE_AA)
    else:
        text = percent(chance)
        scale = side / _DIGIT_PX / max(2, len(text))
        (across, down), _ = cv2.getTextSize(text, _SMALL_FONT, scale, 1)
        at = ((width - across) // 2, (height + down) // 2)
        cv2.putText(picture, text, at, _SMALL_FONT, scale, ink, 1, cv2.LINE_AA)


def draw_frame(picture: Image) -> None:
    """Frame the picture of the cell to open next."""
    height, width = picture.shape[:2]
    cv2.rectangle(picture, (0, 0), (width - 1, height - 1), BEST, max(1, min(width, height) // 8))


def _ink_on(chance: float) -> _Colour:
    """Return the colour in which to write on that of a chance, which may be NaN."""
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
    is_known, inner = not math.isnan(chance), region.grown(-_RIM_PX)
    _fill(image, region, colour_of(chance) if is_known else _UNKNOWN)
    if state in (State.FLAG, State.QUESTION):  # the chance above, and what the player has put there below
        inner = Region(inner.x, inner.y, inner.width, inner.height // 2)
        at, ink = inner.centre + Point(0, inner.height), _ink_on(chance)
        if state == State.FLAG:
            _flag(image, at, ink)
        else:
            _write(image, "?", at, 0.45, ink)
    if is_known:
        draw_chance(image[inner.slices], chance)


def _draw_legend(image: Image, at: Point) -> None:
    bar = Region(at.x, at.y + 18, 256, 14)
    _write(image, "chance of a mine", Point(bar.centre.x, at.y + 6), 0.4, INK)
    image[bar.slices] = _palette()
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = bar.x + round(share * (bar.width - 1))
        _write(image, f"{percent(share)}%", Point(x, bar.bottom + 11), 0.36, _PALE_INK)
    y = bar.bottom + 32
    for right, chance, text, middle in ((0, 0, "certainly safe", 68), (124, 1, "certainly a mine", 198)):
        draw_chance(image[y - 7 : y + 7, at.x + right : at.x + right + 14], chance)
        _write(image, text, Point(at.x + middle, y), 0.4, INK)
    draw_frame(image[y - 7 : y + 7, at.x + 274 : at.x + 288])
    _write(image, "best", Point(at.x + 312, y), 0.4, INK)


def _fill(image: Image, region: Region, colour: _Colour) -> None:
    image[region.y : region.bottom + 1, region.x : region.right + 1] = _LINE
    image[region.slices] = colour


def _write(image: Image, text: str, centre: Point, scale: float, colour: _Colour) -> None:
    """Write `text` centred at `centre`."""
    (width, height), _ = cv2.getTextSize(text, _FONT, scale, 1)
    origin = (centre.x - width // 2, centre.y + height // 2)
    cv2.putText(image, text, origin, _FONT, scale, colour, 1, cv2.LINE_AA)


def _flag(image: Image, centre: Point, colour: _Colour) -> None:
    pennant = [(centre.x - 4, centre.y - 3), (centre.x + 2, centre.y - 6), (centre.x + 2, centre.y)]
    cv2.fillPoly(image, [np.array(pennant, np.int32)], colour, cv2.LINE_AA)
    cv2.line(image, (centre.x + 2, centre.y - 6), (centre.x + 2, centre.y + 6), colour, 1, cv2.LINE_AA)
