"""Pictures without a board that share something with one: lattices, tables, buttons, digits. Drawn here, from seeds."""

import calendar
import random
from collections.abc import Callable, Iterator

import cv2
import numpy as np

from sweepbot.geometry import Image

Colour = tuple[int, int, int]

WHITE, BLACK, GREY, SHADE = (255, 255, 255), (0, 0, 0), (192, 192, 192), (128, 128, 128)
SIZE = 640, 480


def _canvas(colour: Colour = WHITE, size: tuple[int, int] = SIZE) -> Image:
    image = np.empty((size[1], size[0], 3), dtype=np.uint8)
    image[:] = colour
    return image


def _write(image: Image, text: str, at: tuple[int, int], size: float = 0.4, colour: Colour = BLACK) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _ruled(image: Image, at: tuple[int, int], step: tuple[int, int], count: tuple[int, int], colour: Colour) -> None:
    """Lines around `count` fields of size `step`, all as (across, down)."""
    right, bottom = at[0] + step[0] * count[0], at[1] + step[1] * count[1]
    for x in range(at[0], right + 1, step[0]):
        cv2.line(image, (x, at[1]), (x, bottom), colour)
    for y in range(at[1], bottom + 1, step[1]):
        cv2.line(image, (at[0], y), (right, y), colour)


def spreadsheet(rng: random.Random) -> Image:
    """Numbers in ruled rows and columns."""
    image, step = _canvas(), (rng.choice((64, 80, 20)), 20)
    _ruled(image, (30, 20), step, (600 // step[0], 22), (212, 212, 212))
    for row in range(22):
        for column in range(600 // step[0]):
            if rng.random() < 0.6:
                digits = rng.randrange(10 if step[0] == 20 else 10_000)
                _write(image, str(digits), (34 + column * step[0], 35 + row * step[1]))
    return image


def month(rng: random.Random) -> Image:
    """A calendar."""
    side = rng.choice((32, 48, 64))
    image = _canvas((245, 245, 245))
    for row, week in enumerate(calendar.monthcalendar(2024, rng.randrange(1, 13))):
        for column, day in enumerate(week):
            if day:
                _write(image, str(day), (40 + column * side, 60 + row * side), side / 80)
    if rng.random() < 0.5:
        _ruled(image, (30, 60 - side // 2), (side, side), (7, 6), (180, 180, 180))
    return image


def chess(rng: random.Random) -> Image:
    """A chess board with some pieces."""
    side = rng.choice((24, 40, 56))
    light, dark = rng.choice((((181, 217, 240), (99, 136, 181)), (WHITE, GREY), ((220, 220, 220), SHADE)))
    image = _canvas((60, 60, 60))
    for row in range(8):
        for column in range(8):
            x, y = 20 + column * side, 12 + row * side
            colour = light if (row + column) % 2 == 0 else dark
            cv2.rectangle(image, (x, y), (x + side - 1, y + side - 1), colour, -1)
            if row in (0, 1, 6, 7):
                cv2.circle(image, (x + side // 2, y + side // 2), side // 3, BLACK if row < 4 else WHITE, -1)
    return image


def crossword(rng: random.Random) -> Image:
    """Black and white squares with small numbers."""
    image, side = _canvas(), rng.choice((18, 24, 32))
    for row in range(13):
        for column in range(13):
            x, y = 20 + column * side, 20 + row * side
            if rng.random() < 0.25:
                cv2.rectangle(image, (x, y), (x + side, y + side), BLACK, -1)
            elif rng.random() < 0.3:
                _write(image, str(rng.randrange(1, 60)), (x + 2, y + 9), 0.28)
    _ruled(image, (20, 20), (side, side), (13, 13), BLACK)
    return image


def sudoku(rng: random.Random) -> Image:
    """Digits 1 to 9 in a ruled square."""
    image, side = _canvas(rng.choice((WHITE, (230, 230, 230), GREY))), rng.choice((20, 32, 44))
    _ruled(image, (24, 24), (side, side), (9, 9), SHADE)
    _ruled(image, (24, 24), (side * 3, side * 3), (3, 3), BLACK)
    for row in range(9):
        for column in range(9):
            if rng.random() < 0.5:
                at = 24 + column * side + side // 3, 24 + row * side + 2 * side // 3
                _write(image, str(rng.randrange(1, 10)), at, side / 40, rng.choice((BLACK, (255, 0, 0))))
    return image


def _button(image: Image, at: tuple[int, int], size: tuple[int, int], bevel: int) -> None:
    (x, y), (width, height) = at, size
    cv2.rectangle(image, (x, y), (x + width - 1, y + height - 1), SHADE, -1)
    cv2.rectangle(image, (x, y), (x + width - 1 - bevel, y + height - 1 - bevel), WHITE, -1)
    cv2.rectangle(image, (x + bevel, y + bevel), (x + width - 1 - bevel, y + height - 1 - bevel), GREY, -1)


def keyboard(rng: random.Random) -> Image:
    """Rows of keys with letters, each row shifted against the one above."""
    image, side = _canvas(GREY), rng.choice((28, 36))
    for row, keys in enumerate(("1234567890", "QWERTYUIOP", "ASDFGHJKL;", "ZXCVBNM,./")):
        for column, key in enumerate(keys):
            x, y = 20 + column * (side + 4) + row * side // 3, 60 + row * (side + 4)
            _button(image, (x, y), (side, side), 2)
            _write(image, key, (x + side // 3, y + 2 * side // 3), 0.5)
    return image


def calculator(rng: random.Random) -> Image:
    """Bevelled keys in the colours of Windows, with labels."""
    image = _canvas(GREY)
    width, height = rng.choice(((36, 29), (32, 32)))
    for row, keys in enumerate((("MC", "7", "8", "9", "/", "sqrt"), ("MR", "4", "5", "6", "*", "%"))):
        for column, key in enumerate(keys):
            for half in range(2):
                x, y = 20 + column * (width + 3), 80 + (2 * row + half) * (height + 3)
                _button(image, (x, y), (width, height), 2)
                _write(image, key, (x + 8, y + 18), 0.4, (255, 0, 0))
    return image


def toolbar(rng: random.Random) -> Image:
    """A program of the nineties: rows of bevelled buttons with icons."""
    image, side = _canvas(GREY), rng.choice((16, 22, 24))
    for row in range(rng.randrange(1, 4)):
        for column in range(20):
            x, y = 10 + column * side, 20 + row * (side + 2)
            _button(image, (x, y), (side, side), 1)
            colour = rng.choice(((0, 0, 255), (0, 128, 0), (128, 0, 0), BLACK))
            cv2.circle(image, (x + side // 2, y + side // 2), side // 4, colour, -1)
    cv2.rectangle(image, (10, 110), (620, 460), WHITE, -1)
    return image


def web_table(rng: random.Random) -> Image:
    """A page with a striped table."""
    image = _canvas()
    for row in range(18):
        if row % 2:
            cv2.rectangle(image, (40, 40 + row * 22), (600, 62 + row * 22), (242, 242, 242), -1)
        for column in range(5):
            word = "".join(rng.choice("abcdefgh 123") for _ in range(9))
            _write(image, word, (46 + column * 110, 56 + row * 22))
    return image


def gradient(rng: random.Random) -> Image:
    """A soft picture without edges."""
    small = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (4, 5, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(small, SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def tiled(rng: random.Random) -> Image:
    """A wallpaper of one small tile."""
    side = rng.choice((16, 24, 32))
    tile = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (side // 4, side // 4, 3)).astype(np.uint8)
    tile = np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    return np.tile(tile, (SIZE[1] // side, SIZE[0] // side, 1))


def empty_desktop(rng: random.Random) -> Image:
    """One colour, a taskbar, an icon."""
    image = _canvas(rng.choice(((128, 128, 0), (160, 110, 60), (40, 40, 40))))
    cv2.rectangle(image, (0, 450), (640, 480), GREY, -1)
    _button(image, (4, 453), (60, 24), 2)
    _write(image, "Start", (16, 470))
    return image


def text(rng: random.Random) -> Image:
    """A page of text, some of it set in columns of equal width."""
    image = _canvas(rng.choice((WHITE, (30, 30, 30))))
    colour = BLACK if image[0, 0, 0] > 128 else (220, 220, 220)
    for row in range(30):
        for column in range(70):
            letter = rng.choice("abcdefghijklmnopqrstuvwxyz0123456789  ")
            _write(image, letter, (5 + column * 9, 15 + row * 16), 0.35, colour)
    return image


def icons(rng: random.Random) -> Image:
    """A folder's icons in rows, with names."""
    image, side = _canvas(), rng.choice((64, 96))
    for y in range(10, SIZE[1] - side, side):
        for x in range(10, SIZE[0] - side, side):
            cv2.rectangle(image, (x + 16, y + 6), (x + 48, y + 36), (80, 200, 250), -1)
            _write(image, f"file{rng.randrange(100)}", (x + 10, y + 52), 0.35)
    return image


def checkerboard(rng: random.Random) -> Image:
    """Two colours in turn, as behind a transparent picture."""
    side = rng.choice((8, 16, 20))
    squares = (np.indices((SIZE[1], SIZE[0])) // side).sum(axis=0)
    image = np.where((squares % 2 == 0)[..., None], np.uint8(255), np.uint8(rng.choice((204, 192, 128))))
    return np.ascontiguousarray(np.broadcast_to(image, (SIZE[1], SIZE[0], 3)), dtype=np.uint8)


def squared_paper(rng: random.Random) -> Image:
    """Lines only, in the greys of an opened board."""
    paper, line = rng.choice(((GREY, SHADE), (WHITE, (200, 200, 200)), ((222, 222, 222), (160, 160, 160))))
    image, side = _canvas(paper), rng.choice((16, 20, 32))
    _ruled(image, (0, 0), (side, side), (SIZE[0] // side, SIZE[1] // side), line)
    return image


def noise(rng: random.Random) -> Image:
    """Every pixel by chance."""
    return np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (SIZE[1], SIZE[0], 3)).astype(np.uint8)


KINDS: tuple[Callable[[random.Random], Image], ...] = (
    spreadsheet,
    month,
    chess,
    crossword,
    sudoku,
    keyboard,
    calculator,
    toolbar,
    web_table,
    gradient,
    tiled,
    empty_desktop,
    text,
    icons,
    checkerboard,
    squared_paper,
    noise,
)


def negatives() -> Iterator[tuple[str, Image]]:
    """All of them by name: three of each kind."""
    for kind in KINDS:
        for seed in range(3):
            yield f"{kind.__name__} {seed}", kind(random.Random(seed))
