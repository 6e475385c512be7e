"""Skins of clients that cannot run here, drawn from measured colours, shapes and sizes.

    python -m tools.drawing.client_skins    draws the templates of calibrations/google, windows7 and microsoft again

With other fonts, sizes and lights the same code draws boards for tests that no calibration was made with.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from sweepbot.board import State
from tools.places import CALIBRATIONS

Picture = NDArray[np.uint8]
Rgb = tuple[int, int, int]

_FINER = 4  # cells are drawn so many times larger, then reduced, which smooths their edges
_FONTS = Path("/usr/share/fonts/truetype"), Path("/usr/share/fonts/opentype")


@dataclass(frozen=True)
class Tile:
    """A tile with rounded corners.

    Attributes:
        middle: The colour in the middle; `side` and `corner` are those at its sides and corners.
        edge: The colour at the outer edge of a tile with a shaded rim, such as a recess, or None.
        lip: The colours of a line along the lower edge and of what is below it, or None if the tile is flat.
    """

    middle: Rgb
    side: Rgb
    corner: Rgb
    edge: Rgb | None = None
    lip: tuple[Rgb, Rgb] | None = None


@dataclass(frozen=True)
class DrawnSkin:
    """How a client paints its cells. Sizes are shares of a cell.

    Attributes:
        hidden: The ground of a hidden cell by its row and column; `opened` is that of an open one.
        inks: The colours of 1 to 8, and of a question mark if it is written like them.
        flag: The colours of a flag's cloth and its pole.
        line: The colour of the lines between cells, if there are any, and `width` theirs.
        bevel: By how many grey levels a hidden cell's upper left is lighter than its ground; its rim twice as much.
        shadow: The shadow of hidden cells on open ones below and to the right, and its width in each direction.
        outline: The colour of a line from hidden cells into open ones, and its width.
        height: The height of a number, and `beside` how far right of the middle it is.
        mines: The grounds of mines, if they have their own.
        after_win: The grounds of open cells after a win, if they change.
        ball: The colours of a mine drawn as a ball with spikes, from its lit side to its shaded one.
        ball_on_hidden: Whether that ball is on the ground of a hidden cell.
        exploded: The ground of an exploded mine.
        tiles: Tiles with rounded corners on a dark outline by state, if cells are such: hidden, open (0), and others.
        first_row: The share of light on the first row.
        known: The numbers whose colours are known; no template of others is drawn.
        fonts: The fonts of the templates.
    """

    hidden: Callable[[float, float, int, int], Rgb]
    opened: Callable[[float, float, int, int], Rgb]
    inks: Mapping[int, Rgb]
    flag: tuple[Rgb, Rgb]
    line: Rgb | None = None
    width: float = 0.0
    bevel: int = 0
    shadow: tuple[Rgb, float, float] | None = None
    outline: tuple[Rgb, float] | None = None
    height: float = 0.6
    beside: float = 0.0
    mines: tuple[Rgb, ...] = ()
    after_win: tuple[Rgb, ...] = ()
    ball: tuple[Rgb, ...] = ()
    ball_on_hidden: bool = False
    exploded: Rgb | None = None
    tiles: Mapping[int, Tile] | None = None
    first_row: float = 1.0
    fonts: tuple[str, ...] = ()
    known: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)


def _rgb(text: str) -> Rgb:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _inks(*colours: str) -> dict[int, Rgb]:
    return {number: _rgb(colour) for number, colour in enumerate(colours, 1)}


def _chequered(light: str, dark: str) -> Callable[[float, float, int, int], Rgb]:
    shades = _rgb(light), _rgb(dark)
    return lambda _down, _across, row, column: shades[(row + column) % 2]


def _fading(*stops: Rgb) -> Callable[[float, float, int, int], Rgb]:
    """Colours from a board's upper left to its lower right."""

    def at(down: float, across: float, _row: int, _column: int) -> Rgb:
        place = np.clip(0.62 * across + 0.55 * down, 0, 1) * (len(stops) - 1)
        red, green, blue = (
            int(np.interp(place, range(len(stops)), [stop[channel] for stop in stops])) for channel in range(3)
        )
        return red, green, blue

    return at


GOOGLE = DrawnSkin(
    hidden=_chequered("#aad751", "#a2d149"),
    opened=_chequered("#e5c29f", "#d7b899"),
    inks=_inks("#1976d2", "#388e3c", "#d32f2f", "#7b1fa2", "#ff8f00", "#0097a7", "#424242", "#9e9e9e"),
    flag=(_rgb("#f23607"), _rgb("#e63307")),
    outline=(_rgb("#87af3a"), 0.07),
    mines=tuple(map(_rgb, ("#b648f2", "#48e6f1", "#ed44b5", "#f4840d", "#f4c20d", "#4885ed", "#db3236", "#008744"))),
    after_win=((143, 202, 247), (128, 195, 243)),
    fonts=("NimbusSans-Bold", "DejaVuSans-Bold", "NimbusRoman-Bold"),
)

WINDOWS7 = DrawnSkin(
    hidden=_fading((188, 232, 254), (118, 168, 238), (84, 116, 218), (54, 68, 186)),
    opened=_fading((228, 240, 248), (200, 212, 232), (176, 184, 214)),
    inks=_inks("#414fbc", "#1e6905", "#a50505", "#00008c", "#7d0005", "#0a7882", "#a50505", "#a50505"),
    flag=((226, 6, 6), (235, 240, 245)),
    line=(4, 4, 8),
    width=0.05,
    bevel=14,
    shadow=((146, 147, 150), 0.12, 0.08),
    height=0.68,
    beside=0.03,
    ball=((214, 212, 216), (150, 149, 152), (58, 58, 61)),
    ball_on_hidden=True,
    exploded=(205, 40, 40),
    fonts=("DejaVuSans-Bold",) * 4,
)

MICROSOFT = DrawnSkin(
    hidden=lambda *_place: (128, 214, 255),
    opened=lambda *_place: (255, 255, 255),
    inks={
        1: (25, 160, 190),
        2: (98, 126, 25),
        3: (176, 26, 86),
        4: (26, 84, 191),
        5: (167, 25, 25),
        6: (25, 132, 52),
        7: (60, 60, 60),
        8: (140, 140, 140),
        State.QUESTION: (76, 121, 32),
    },
    flag=((199, 0, 0), (199, 0, 0)),
    line=(48, 53, 59),
    width=0.07,
    height=0.41,
    tiles={
        State.HIDDEN: Tile((127, 215, 255), (100, 179, 255), (89, 162, 255), lip=((129, 197, 255), (56, 142, 222))),
        0: Tile((255, 255, 255), (232, 232, 232), (226, 226, 226), edge=(140, 145, 147)),
        State.FLAG: Tile((246, 211, 67), (220, 184, 83), (212, 174, 86), lip=((225, 204, 140), (218, 167, 16))),
        State.QUESTION: Tile((170, 241, 63), (167, 214, 75), (167, 203, 80), lip=((188, 247, 69), (128, 178, 27))),
    },
    first_row=0.82,
    ball=((0, 20, 60),),
    exploded=(200, 0, 0),
    fonts=("NimbusSans-Bold", "DejaVuSans-Bold", "NimbusSans-Regular"),
    known=(1, 2, 3, 4, 5, 6),
)


@lru_cache
def font_file(name: str) -> Path:
    """The path of a font on this machine.

    Raises:
        FileNotFoundError: It is not installed.
    """
    for folder in _FONTS:
        for path in sorted(folder.glob(f"**/{name}.*")):
            return path
    raise FileNotFoundError(f"the font {name} is not installed")


def draw_board(skin: DrawnSkin, states: NDArray[np.uint8], pitch: float, font: str) -> Picture:
    """A board in a skin: uint8 (height, width, 3), BGR.

    `states` is uint8 (rows, columns), `font` the file name of the numbers' font.
    """
    rows, columns = states.shape
    large = pitch * _FINER
    size = round(columns * large), round(rows * large)
    picture = Pictures.new("RGB", size, skin.line or (0, 0, 0))
    pen = ImageDraw.Draw(picture)
    for row in range(rows):
        for column in range(columns):
            box = column * large, row * large, (column + 1) * large, (row + 1) * large
            _draw_cell(skin, picture, states, (row, column), box)
            state = int(states[row, column])
            if state in skin.inks:
                _draw_text(pen, state, box, skin, font)
    if skin.outline is not None:
        _draw_outline(skin.outline, pen, states, large)
    reduced = picture.resize((round(columns * pitch), round(rows * pitch)), Pictures.Resampling.BOX)
    return np.ascontiguousarray(np.asarray(reduced, dtype=np.uint8)[:, :, ::-1])


def _draw_cell(
    skin: DrawnSkin,
    picture: Pictures.Image,
    states: NDArray[np.uint8],
    cell: tuple[int, int],
    box: tuple[float, float, float, float],
) -> None:
    """Draw a cell's ground and everything on it but a number."""
    pen = ImageDraw.Draw(picture)
    (row, column), state = cell, int(states[cell])
    left, top, right, bottom = box
    side = right - left
    down, across = (at / max(1, count - 1) for at, count in zip(cell, states.shape, strict=True))
    opened = state <= 8 or state == State.EXPLODED or (state == State.MINE and not skin.ball_on_hidden)
    ground = (skin.opened if opened else skin.hidden)(down, across, row, column)
    if state == State.MINE and skin.mines:
        ground = skin.mines[(row + 3 * column) % len(skin.mines)]
    if state == State.EXPLODED and skin.exploded is not None:
        ground = skin.exploded
    rim = skin.width * side / 2
    pen.rectangle((left + rim, top + rim, right - rim - 1, bottom - rim - 1), fill=ground)
    if skin.tiles is not None and state != State.EXPLODED:
        face = skin.tiles.get(state, skin.tiles[0 if opened else State.HIDDEN])
        tile = _tile(round(right) - round(left), round(bottom) - round(top), skin.line or (0, 0, 0), face)
        dimmed = Pictures.eval(tile, lambda level: level * (skin.first_row if row == 0 else 1.0))
        picture.paste(dimmed, (round(left), round(top)))
    elif not opened and skin.bevel:
        _draw_bevelled(skin, pen, box, ground)
    elif state <= 8:
        _draw_shadows(skin, pen, states, cell, box)
    if state in (State.MINE, State.EXPLODED) and skin.ball:
        _draw_ball(skin.ball, pen, box)
    elif state == State.MINE and skin.mines:
        darker = tuple(round(0.7 * level) for level in ground)
        pen.ellipse((left + 0.27 * side, top + 0.27 * side, right - 0.27 * side, bottom - 0.27 * side), fill=darker)
    elif state == State.FLAG and skin.tiles is not None:
        _draw_pennant(skin.flag[0], pen, box)
    elif state == State.FLAG:
        _draw_flag(skin, pen, box)


def _draw_shadows(
    skin: DrawnSkin,
    pen: ImageDraw.ImageDraw,
    states: NDArray[np.uint8],
    cell: tuple[int, int],
    box: tuple[float, float, float, float],
) -> None:
    """Draw the shadows of hidden cells above and left of an open one."""
    if skin.shadow is None:
        return
    (row, column), (left, top, right, bottom) = cell, box
    shade, below, beside = skin.shadow
    side = right - left
    rim = skin.width * side / 2
    if row and states[row - 1, column] >= State.HIDDEN:
        pen.rectangle((left + rim, top + rim, right - rim - 1, top + rim + below * side), fill=shade)
    if column and states[row, column - 1] >= State.HIDDEN:
        pen.rectangle((left + rim, top + rim, left + rim + beside * side, bottom - rim - 1), fill=shade)


def _draw_flag(skin: DrawnSkin, pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float]) -> None:
    """Draw a flag; its cloth is left of the pole where cells cast shadows to the right."""
    left, top, right, bottom = box
    side = right - left
    (cloth, pole), turned = skin.flag, skin.shadow is not None

    def x(share: float) -> float:
        return right - share * side if turned else left + share * side

    y = top + 0.1 * side
    near, far, foot, end = x(0.36), x(0.45), x(0.18), x(0.66)
    pen.rectangle((min(near, far), y, max(near, far), bottom - 0.16 * side), fill=pole)
    pen.ellipse((min(foot, end), bottom - 0.2 * side, max(foot, end), bottom - 0.1 * side), fill=pole)
    pen.polygon([(x(0.45), y), (x(0.45), y + 0.4 * side), (x(0.88), y + 0.2 * side)], fill=cloth)


def _draw_pennant(colour: Rgb, pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float]) -> None:
    """Draw a small flag of one colour with a triangular cloth right of a thin pole."""
    left, top, right, bottom = box
    across, down = right - left, bottom - top

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * across, top + y * down

    pen.rectangle((*at(0.37, 0.28), *at(0.41, 0.66)), fill=colour)
    pen.polygon([at(0.38, 0.29), at(0.71, 0.38), at(0.38, 0.52)], fill=colour)


def _draw_bevelled(
    skin: DrawnSkin, pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float], ground: Rgb
) -> None:
    """Draw a hidden cell lit from the upper left, in a lighter rim with round corners."""
    left, top, right, bottom = box
    side = right - left
    rim = skin.width * side / 2
    (lightest, lighter, darker) = (
        tuple(int(np.clip(level + by * skin.bevel, 0, 255)) for level in ground) for by in (2, 1, -1)
    )
    band = 0.05 * side
    pen.rectangle(box, fill=skin.line)
    pen.rounded_rectangle((left + rim, top + rim, right - rim - 1, bottom - rim - 1), 2 * band, fill=lightest)
    inner = left + rim + band, top + rim + band, right - rim - band - 1, bottom - rim - band - 1
    pen.rounded_rectangle(inner, band, fill=darker)
    pen.rounded_rectangle((*inner[:2], inner[2] - 2 * band, inner[3] - 2 * band), band, fill=ground)
    pen.polygon([inner[:2], (left + 0.75 * side, inner[1]), (inner[0], top + 0.75 * side)], fill=lighter)


@lru_cache
def _tile(width: int, height: int, ground: Rgb, face: Tile) -> Pictures.Image:
    """A tile of Microsoft Minesweeper, by shares and colours measured on pictures of it, 31 to 76 px a cell."""
    down, across = np.mgrid[0:height, 0:width] + 0.5
    # A tile with a shaded rim is a recess, slightly smaller and lower than a raised one.
    reach, middle = ((0.445, 0.46), 0.48) if face.edge is None else ((0.435, 0.432), 0.495)
    right, below = (across - width / 2) / (reach[0] * width), (down - middle * height) / (reach[1] * height)
    within = _rounded(right, below, 1.0)
    away = np.hypot(right, below)
    shades = zip(face.middle, face.side, face.corner, strict=True)
    lit = np.stack([np.interp(away, (0, 1, 1.4), levels) for levels in shades], axis=2)
    if face.edge is not None:
        near_edge = np.interp(np.maximum(np.abs(right), np.abs(below)), (0.7, 0.86, 1), (0, 0.2, 1))[..., None]
        lit = lit * (1 - near_edge) + np.array(face.edge) * near_edge
    picture = np.empty((height, width, 3))
    picture[:] = ground
    picture[_rounded(right, below, 1.06, top=1.0 if face.edge is None else 1.06)] = 0
    picture[within] = lit[within]
    if face.lip is not None:
        picture[within & (below > 0.77)], picture[within & (below > 0.83)] = face.lip
    return Pictures.fromarray(picture.round().astype(np.uint8))


def _rounded(
    right: NDArray[np.float64], below: NDArray[np.float64], reach: float, *, top: float = 1.0
) -> NDArray[np.bool_]:
    """The pixels of a rounded square that reaches so far from a tile's middle, and `top` above it."""
    radius = 0.13
    off = [np.maximum(np.abs(at) - (reach - radius), 0) for at in (right, below)]
    in_square: NDArray[np.bool_] = (np.hypot(*off) <= radius) & (below >= -top)
    return in_square


def _draw_ball(colours: tuple[Rgb, ...], pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float]) -> None:
    """Draw a ball with spikes in the middle of a box, lit from the upper left if it has several colours."""
    side = box[2] - box[0]
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    def lit(towards_light: float) -> Rgb:
        place = np.clip(0.5 - 0.5 * towards_light, 0, 1) * (len(colours) - 1)
        red, green, blue = (
            int(np.interp(place, range(len(colours)), [colour[channel] for colour in colours])) for channel in range(3)
        )
        return red, green, blue

    for turn in range(8):
        down, across = np.sin(np.pi * turn / 4), np.cos(np.pi * turn / 4)
        end = middle[0] + 0.42 * side * across, middle[1] + 0.42 * side * down
        pen.line((*middle, *end), fill=lit(-(down + across) / np.sqrt(2)), width=max(1, round(0.05 * side)))
    discs = 24 if len(colours) > 1 else 1  # each smaller and nearer to the light than the one before
    for disc in range(discs):
        share = disc / discs
        radius = 0.31 * side * (1 - share)
        x, y = (at - 0.16 * side * share for at in middle)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=lit(2 * share - 1))


def _draw_text(
    pen: ImageDraw.ImageDraw, state: int, box: tuple[float, float, float, float], skin: DrawnSkin, font: str
) -> None:
    """Draw a number, or a question mark, in the middle of a box."""
    text = "?" if state == State.QUESTION else str(state)
    height = skin.height * (box[2] - box[0])
    face = ImageFont.truetype(str(font_file(font)), size=100)
    tall = face.getbbox("8")[3] - face.getbbox("8")[1]
    face = ImageFont.truetype(str(font_file(font)), size=round(100 * height / tall))
    left, top, right, bottom = face.getbbox(text)
    x = (box[0] + box[2]) / 2 - (left + right) / 2 + skin.beside * (box[2] - box[0])
    y = (box[1] + box[3]) / 2 - (top + bottom) / 2
    pen.text((x, y), text, fill=skin.inks[state], font=face)


def _draw_outline(
    outline: tuple[Rgb, float], pen: ImageDraw.ImageDraw, states: NDArray[np.uint8], large: float
) -> None:
    """Draw lines on the open side of every edge between hidden and open cells."""
    colour, share = outline
    hidden = states >= State.HIDDEN
    band = share * large
    for row, column in np.argwhere(~hidden).tolist():
        x, y = column * large, row * large
        for down, across, strip in (
            (-1, 0, (x, y, x + large, y + band)),
            (1, 0, (x, y + large - band, x + large, y + large)),
            (0, -1, (x, y, x + band, y + large)),
            (0, 1, (x + large - band, y, x + large, y + large)),
        ):
            beside = row + down, column + across
            if 0 <= beside[0] < states.shape[0] and 0 <= beside[1] < states.shape[1] and hidden[beside]:
                pen.rectangle(strip, fill=colour)


SKINS = {"google": GOOGLE, "windows7": WINDOWS7, "microsoft": MICROSOFT}
"""The skins of the shipped calibrations, by name."""

_SIDE = 32  # pixels of a template
_PLACES = (0, 0), (0, 1), (4, 4), (5, 5), (8, 8)  # cells of a board of 9x9 on which grounds differ


def _shaded(skin: DrawnSkin, board: NDArray[np.uint8], cell: tuple[int, int], number: int) -> NDArray[np.uint8]:
    """The board with hidden cells above and left of a cell in all combinations, if these cast shadows."""
    (row, column), board = cell, board.copy()
    if skin.shadow is not None and row and number & 1:
        board[row - 1, column] = State.HIDDEN
    if skin.shadow is not None and column and number & 2:
        board[row, column - 1] = State.HIDDEN
    return board


def draw_templates(skin: DrawnSkin) -> dict[str, Picture]:
    """Templates by file name: numbers in several fonts, and figureless states on all grounds."""
    templates: dict[str, Picture] = {}

    def add(name: str, board: NDArray[np.uint8], cell: tuple[int, int], font: str) -> None:
        top, left = (_SIDE * at for at in cell)
        template = draw_board(skin, board, _SIDE, font)[top : top + _SIDE, left : left + _SIDE]
        if not any(np.array_equal(template, known) for known in templates.values()):
            templates[name] = template

    for state, name, places in (
        (State.HIDDEN, "hidden", _PLACES),
        (0, "0", _PLACES),
        (State.FLAG, "flag", _PLACES[1:4:2]),
        *([(State.QUESTION, "question", _PLACES[1:4:2])] if skin.tiles and State.QUESTION in skin.tiles else []),
    ):
        for index, cell in enumerate(places, 1):
            board = _shaded(skin, np.full((9, 9), state, dtype=np.uint8), cell, index if state == 0 else 0)
            add(f"{name}-{index}.png", board, cell, skin.fonts[0])
    for column in range(len(skin.mines)):
        add(f"mine-{column + 1}.png", np.full((9, 9), State.MINE, dtype=np.uint8), (0, column), skin.fonts[0])
    for state, name in ((State.MINE, "mine"), (State.EXPLODED, "exploded")) if skin.ball else ():
        for index, cell in enumerate(((0, 0), (5, 5)), 1):
            add(f"{name}-{index}.png", np.full((9, 9), state, dtype=np.uint8), cell, skin.fonts[0])
    shown = [((4, 4), font) for font in skin.fonts] + ([((0, 4), skin.fonts[1])] if skin.first_row < 1 else [])
    for number in skin.known:
        for index, (cell, font) in enumerate(shown, 1):
            board = np.zeros((9, 9), dtype=np.uint8)
            board[cell] = number
            add(f"{number}-{index}.png", _shaded(skin, board, cell, index), cell, font)
    return templates


def write_templates(folder: Path) -> None:
    """Draw every skin's templates into its folder, replacing those that are there."""
    for name, skin in SKINS.items():
        (folder / name).mkdir(exist_ok=True)
        for path in (folder / name).glob("*.png"):
            path.unlink()
        for file, template in draw_templates(skin).items():
            cv2.imwrite(str(folder / name / file), template)
        for index, ground in enumerate(skin.after_win, 1):
            plain = np.full((_SIDE, _SIDE, 3), ground[::-1], dtype=np.uint8)
            cv2.imwrite(str(folder / name / f"open-after-win-{index}.png"), plain)


if __name__ == "__main__":
    write_templates(Path(sys.argv[1]) if sys.argv[1:] else CALIBRATIONS)
