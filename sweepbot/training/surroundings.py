"""What is around a board, and pictures that repeat themselves without being one."""

import random

import cv2
import numpy as np
from PIL import Image, ImageDraw

from sweepbot.training.boards import window, words
from sweepbot.training.colours import any_colour, grey, seen_on, shaded
from sweepbot.training.figures import lettering, opaque
from sweepbot.training.fonts import font
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.skins import Skin
from sweepbot.training.tiles import Floats, bevel, blotch, noise

Box = tuple[int, int, int, int]  # left, top, right, bottom of a board in its picture, in pixels


def place(rng: random.Random, kinds: Kinds, skin: Skin, board: Floats, around_px: tuple[int, int, int, int]) -> Floats:
    """Put a board into a page.

    Args:
        rng: Draws the page.
        kinds: The table.
        skin: The board's own.
        board: Its picture.
        around_px: How much of the page there is at its left, above it, at its right, and below it.
    """
    left, top, right, bottom = around_px
    height, width = board.shape[:2]
    page = np.empty((top + height + bottom, left + width + right, 3))
    page[:] = _page_colour(rng, skin)
    box = left, top, left + width, top + height
    for around in kinds.some(rng, "around the board"):
        around(rng, page, box, skin)
    page[top : top + height, left : left + width] = board
    return np.clip(page, 0, 255)


def _page_colour(rng: random.Random, skin: Skin) -> Floats:
    """Return a page's colour: any, a grey, or one of the board's own."""
    own = rng.choice((skin.back, skin.tiles["open"].colour, skin.tiles["hidden"].colour))
    near_own = shaded(own, rng.choice((0, 0, rng.uniform(-40, 40))))
    return rng.choices((any_colour(rng), grey(rng.uniform(0, 255)), near_own), (30, 30, 40))[0]


@kind("around the board", 12)
def shining(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """Light that falls over the page."""
    down, across = (rng.uniform(-60, 60) for _ in range(2))
    height, width = page.shape[:2]
    page += np.add.outer(np.linspace(-down, down, height), np.linspace(-across, across, width))[..., None]


@kind("around the board", 10)
def photograph(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """A picture behind the board, smooth or rough."""
    coarse = rng.randint(4, 30)
    for channel in range(3):
        page[..., channel] += rng.uniform(5, 70) * blotch(rng, page, coarse)[..., 0]
    page += rng.uniform(0, 12) * noise(rng, (*page.shape[:2], 1))


@kind("around the board", 30)
def text_beside(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """Words beside the board."""
    words(rng, page, rng.randint(1, 14))


@kind("around the board", 25)
def other_windows(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """Edges of other windows, panels and buttons."""
    height, width = page.shape[:2]
    for _ in range(rng.randint(1, 6)):
        x, y = rng.randint(-width // 2, width - 4), rng.randint(-height // 2, height - 4)
        right, bottom = x + rng.randint(10, width), y + rng.randint(8, height)
        part = page[max(0, y) : bottom, max(0, x) : right]
        if min(part.shape[:2]) > 8:
            window(rng, part, rng.randint(4, 30))


@kind("around the board", 30)
def header(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """A panel above the board, with counters, a face or words."""
    left, top, right, _ = box
    high = round(skin.size.height * rng.uniform(0.8, 3))
    part = page[max(0, top - high) : top, left:right]
    if min(part.shape[:2]) < 8:
        return
    ground = any_colour(rng) if rng.random() < 0.5 else skin.tiles[rng.choice(("open", "hidden"))].colour
    part[:] = ground
    for at in (0.05, 0.45, 0.8):
        if rng.random() < 0.7:
            x, y, size = int(at * part.shape[1]), int(0.2 * len(part)), int(0.65 * len(part))
            part[y : y + size, x : x + size] = any_colour(rng)
    words(rng, part, rng.randint(0, 4))
    if rng.random() < 0.5:
        bevel(rng, len(part), ground)(part)


@kind("around the board", 40)
def frame(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """A frame of a few lines, flat or lit from one side."""
    left, top, right, bottom = box
    for _ in range(rng.randint(1, 4)):
        thick = rng.randint(1, max(2, skin.size.side // 4))
        one = any_colour(rng) if rng.random() < 0.4 else shaded(skin.back, rng.uniform(-100, 100))
        other = one if rng.random() < 0.5 else shaded(one, rng.choice((-1, 1)) * rng.uniform(30, 128))
        page[max(0, top - thick) : bottom + thick, max(0, left - thick) : right + thick] = other
        page[max(0, top - thick) : bottom, max(0, left - thick) : right] = one
        left, top, right, bottom = left - thick, top - thick, right + thick, bottom + thick


@kind("around the board", 7)
def coordinates(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """Rows and columns counted at the edges, at the board's own pitch."""
    left, top, right, bottom = box
    image = Image.fromarray(np.clip(page, 0, 255).astype(np.uint8))
    pen, face = ImageDraw.Draw(image), font(lettering(rng, skin.size, grey(0)).path, max(8, skin.size.side // 2))
    ink = opaque(seen_on(any_colour(rng), page.reshape(-1, 3).mean(0)))[:3]
    first = rng.choice((0, 1))
    for number, x in enumerate(range(left + skin.size.width // 3, right, skin.size.width)):
        pen.text((x, top - 0.8 * skin.size.height), str(number + first), font=face, fill=ink)
    for number, y in enumerate(range(top + skin.size.height // 4, bottom, skin.size.height)):
        pen.text((left - 0.8 * skin.size.width, y), str(number + first), font=face, fill=ink)
    page[:] = np.asarray(image)


@kind("around the board", 12)
def cast_shadow(rng: random.Random, page: Floats, box: Box, skin: Skin) -> None:
    """A soft shadow of the board on its page."""
    left, top, right, bottom = box
    shade = np.zeros(page.shape[:2], np.float32)
    by = skin.size.side // 4
    shade[max(0, top - by // 2) : bottom + by, max(0, left - by // 2) : right + by] = rng.uniform(20, 110)
    page -= cv2.GaussianBlur(shade, (0, 0), max(1.0, skin.size.side * rng.uniform(0.05, 0.3)))[..., None]


_SIGNS = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "♔♕♖♗♘♙", "+-*/=%.", "1234")


def lookalike(rng: random.Random, kinds: Kinds, skin: Skin, rows: int, columns: int) -> Floats:
    """Draw something of equal cells that is no board: (rows * height, columns * width, 3)."""
    picture = np.empty((rows * skin.size.height, columns * skin.size.width, 3))
    picture[:] = any_colour(rng)
    kinds.one(rng, "lookalikes")(rng, picture, skin, rows, columns)
    return np.clip(picture, 0, 255)


def _labelled(rng: random.Random, picture: Floats, skin: Skin, labels: list[list[str]]) -> None:
    """Write a label into each cell in place, all in one font."""
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    pen, face = ImageDraw.Draw(image), font(lettering(rng, skin.size, grey(0)).path, max(7, int(skin.size.side * 0.5)))
    inks = [any_colour(rng) for _ in range(rng.choice((1, 1, 1, 4)))]
    off = rng.uniform(0.05, 0.4), rng.uniform(0.05, 0.4)
    for row, line in enumerate(labels):
        for column, label in enumerate(line):
            at = (column + off[0]) * skin.size.width, (row + off[1]) * skin.size.height
            under = picture[row * skin.size.height + 2, column * skin.size.width + 2]
            pen.text(at, label, font=face, fill=opaque(seen_on(rng.choice(inks), under))[:3])
    picture[:] = np.asarray(image)


def _tiled(rng: random.Random, picture: Floats, skin: Skin, colours: list[Floats], *, random_order: bool) -> None:
    """Paint cells in place, each in one of some colours: in turn, or in any order, with a line between them."""
    height, width = skin.size.height, skin.size.width
    line = rng.choice((0, 1, 1, 2))
    for top in range(0, len(picture), height):
        for left in range(0, picture.shape[1], width):
            turn = rng.randrange(len(colours)) if random_order else (top // height + left // width) % len(colours)
            picture[top : top + height - line, left : left + width - line] = colours[turn]


@kind("lookalikes", 25)
def table(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """A spreadsheet, a calendar, a sudoku: cells with lines around them, some with signs, letters or numbers."""
    _tiled(rng, picture, skin, [any_colour(rng, 0.7)], random_order=False)
    signs, share, counts = rng.choice(_SIGNS), rng.uniform(0.25, 1), rng.random() < 0.4
    numbers = iter(range(1, rows * columns + 1))
    labels = [
        [(str(next(numbers)) if counts else rng.choice(signs)) if rng.random() < share else "" for _ in range(columns)]
        for _ in range(rows)
    ]
    _labelled(rng, picture, skin, labels)


@kind("lookalikes", 20)
def keys(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """A keyboard, or buttons: raised tiles, each with a letter."""
    tile = skin.cell(9, 0)
    picture[:] = np.tile(tile, (rows, columns, 1))
    signs = rng.choice(_SIGNS)
    _labelled(rng, picture, skin, [[rng.choice(signs) for _ in range(columns)] for _ in range(rows)])


@kind("lookalikes", 20)
def mosaic(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """Pixel art, a crossword, a palette: cells in any of a few colours."""
    _tiled(rng, picture, skin, [any_colour(rng) for _ in range(rng.choice((2, 2, 3, 5, 12)))], random_order=True)


@kind("lookalikes", 8)
def chessboard(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """Two colours in turn, with pieces on some of them."""
    _tiled(rng, picture, skin, [any_colour(rng), any_colour(rng)], random_order=False)
    pieces = "♔♕♖♗♘♙♟OX"
    _labelled(rng, picture, skin, [[rng.choice(("", *pieces)) for _ in range(columns)] for _ in range(rows)])


@kind("lookalikes", 12)
def typed(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """A page of text in a fixed pitch."""
    signs = rng.choice(("abcdefghijklmnopqrstuvwxyz  ", "0123456789ABCDEF ", "0110 ", "....,,:;#@  "))
    _labelled(rng, picture, skin, [[rng.choice(signs) for _ in range(columns)] for _ in range(rows)])


@kind("lookalikes", 15)
def page(rng: random.Random, picture: Floats, skin: Skin, rows: int, columns: int) -> None:
    """No cells at all: a page, a photograph, windows."""
    whole: Box = (0, 0, 0, 0)
    for around in (photograph, text_beside, other_windows):
        if rng.random() < 0.6:
            around(rng, picture, whole, skin)
