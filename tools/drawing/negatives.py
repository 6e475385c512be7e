"""Pictures without a board that resemble one: lattices, tables, buttons, digits. Drawn from seeds.

From `lights_out` on they were written after vision's thresholds had been set on the others, to test these thresholds.
"""

import calendar
import random
from collections.abc import Callable, Iterator
from string import ascii_uppercase

import cv2
import numpy as np

from sweepbot.geometry import Image

Colour = tuple[int, int, int]

WHITE, BLACK, GREY, SHADE = (255, 255, 255), (0, 0, 0), (192, 192, 192), (128, 128, 128)
SIZE = 640, 480
STRONG = ((255, 0, 0), (0, 128, 0), (0, 0, 255), (128, 0, 0), (0, 0, 128), (128, 128, 0), (0, 200, 255), (200, 0, 200))


def _canvas(colour: Colour = WHITE) -> Image:
    image = np.empty((SIZE[1], SIZE[0], 3), dtype=np.uint8)
    image[:] = colour
    return image


def _write(image: Image, text: str, at: tuple[int, int], size: float = 0.4, colour: Colour = BLACK) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _ruled(image: Image, at: tuple[int, int], step: tuple[int, int], count: tuple[int, int], colour: Colour) -> None:
    """Draw lines around `count` fields of size `step`, both as (across, down)."""
    right, bottom = at[0] + step[0] * count[0], at[1] + step[1] * count[1]
    for x in range(at[0], right + 1, step[0]):
        cv2.line(image, (x, at[1]), (x, bottom), colour)
    for y in range(at[1], bottom + 1, step[1]):
        cv2.line(image, (at[0], y), (right, y), colour)


def spreadsheet(rng: random.Random) -> Image:
    image, step = _canvas(), (rng.choice((64, 80, 20)), 20)
    _ruled(image, (30, 20), step, (600 // step[0], 22), (212, 212, 212))
    for row in range(22):
        for column in range(600 // step[0]):
            if rng.random() < 0.6:
                digits = rng.randrange(10 if step[0] == 20 else 10_000)
                _write(image, str(digits), (34 + column * step[0], 35 + row * step[1]))
    return image


def month(rng: random.Random) -> Image:
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
    """Rows of keys with letters, each row shifted."""
    image, side = _canvas(GREY), rng.choice((28, 36))
    for row, keys in enumerate(("1234567890", "QWERTYUIOP", "ASDFGHJKL;", "ZXCVBNM,./")):
        for column, key in enumerate(keys):
            x, y = 20 + column * (side + 4) + row * side // 3, 60 + row * (side + 4)
            _button(image, (x, y), (side, side), 2)
            _write(image, key, (x + side // 3, y + 2 * side // 3), 0.5)
    return image


def calculator(rng: random.Random) -> Image:
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
    image = _canvas()
    for row in range(18):
        if row % 2:
            cv2.rectangle(image, (40, 40 + row * 22), (600, 62 + row * 22), (242, 242, 242), -1)
        for column in range(5):
            word = "".join(rng.choice("abcdefgh 123") for _ in range(9))
            _write(image, word, (46 + column * 110, 56 + row * 22))
    return image


def gradient(rng: random.Random) -> Image:
    small = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (4, 5, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(small, SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def tiled(rng: random.Random) -> Image:
    side = rng.choice((16, 24, 32))
    tile = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (side // 4, side // 4, 3)).astype(np.uint8)
    tile = np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    return np.tile(tile, (SIZE[1] // side, SIZE[0] // side, 1))


def empty_desktop(rng: random.Random) -> Image:
    image = _canvas(rng.choice(((128, 128, 0), (160, 110, 60), (40, 40, 40))))
    cv2.rectangle(image, (0, 450), (640, 480), GREY, -1)
    _button(image, (4, 453), (60, 24), 2)
    _write(image, "Start", (16, 470))
    return image


def text(rng: random.Random) -> Image:
    """A page of text, some of it in columns."""
    image = _canvas(rng.choice((WHITE, (30, 30, 30))))
    colour = BLACK if image[0, 0, 0] > 128 else (220, 220, 220)
    for row in range(30):
        for column in range(70):
            letter = rng.choice("abcdefghijklmnopqrstuvwxyz0123456789  ")
            _write(image, letter, (5 + column * 9, 15 + row * 16), 0.35, colour)
    return image


def icons(rng: random.Random) -> Image:
    image, side = _canvas(), rng.choice((64, 96))
    for y in range(10, SIZE[1] - side, side):
        for x in range(10, SIZE[0] - side, side):
            cv2.rectangle(image, (x + 16, y + 6), (x + 48, y + 36), (80, 200, 250), -1)
            _write(image, f"file{rng.randrange(100)}", (x + 10, y + 52), 0.35)
    return image


def checkerboard(rng: random.Random) -> Image:
    """Two alternating colours, as behind a transparent picture."""
    side = rng.choice((8, 16, 20))
    squares = (np.indices((SIZE[1], SIZE[0])) // side).sum(axis=0)
    image = np.where((squares % 2 == 0)[..., None], np.uint8(255), np.uint8(rng.choice((204, 192, 128))))
    return np.ascontiguousarray(np.broadcast_to(image, (SIZE[1], SIZE[0], 3)), dtype=np.uint8)


def squared_paper(rng: random.Random) -> Image:
    """Lines only, in the greys of an open board."""
    paper, line = rng.choice(((GREY, SHADE), (WHITE, (200, 200, 200)), ((222, 222, 222), (160, 160, 160))))
    image, side = _canvas(paper), rng.choice((16, 20, 32))
    _ruled(image, (0, 0), (side, side), (SIZE[0] // side, SIZE[1] // side), line)
    return image


def noise(rng: random.Random) -> Image:
    return np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (SIZE[1], SIZE[0], 3)).astype(np.uint8)


def _centred(image: Image, text: str, at: tuple[int, int], side: int, colour: Colour = BLACK) -> None:
    """Text in the middle of the square with its corner at `at`."""
    size = side / 40
    width, height = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)[0]
    place = at[0] + (side - width) // 2, at[1] + (side + height) // 2
    cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _squares(rng: random.Random, sides: tuple[int, ...]) -> tuple[int, list[tuple[int, int]]]:
    """The side and the corners of a table of squares somewhere in a picture."""
    side = rng.choice(sides)
    left, top = rng.randrange(5, 60), rng.randrange(5, 60)
    columns, rows = min(20, (SIZE[0] - left) // side), min(14, (SIZE[1] - top) // side)
    return side, [(left + side * column, top + side * row) for row in range(rows) for column in range(columns)]


def _fill(image: Image, at: tuple[int, int], side: int, colour: Colour, gap: int = 0) -> None:
    corner, opposite = (at[0] + gap, at[1] + gap), (at[0] + side - 1 - gap, at[1] + side - 1 - gap)
    cv2.rectangle(image, corner, opposite, colour, -1)


def lights_out(rng: random.Random) -> Image:
    image = _canvas(GREY)
    side, corners = _squares(rng, (24, 32, 40))
    for x, y in corners:
        lit = rng.random() < 0.4
        _fill(image, (x, y), side, (0, 220, 255) if lit else GREY, 3)
        cv2.rectangle(image, (x + 2, y + 2), (x + side - 3, y + side - 3), SHADE if lit else BLACK)
    return image


def tetris(rng: random.Random) -> Image:
    image = _canvas(BLACK)
    side, corners = _squares(rng, (16, 20, 24))
    for x, y in corners:
        if y > SIZE[1] // 3 and rng.random() < 0.8:
            _fill(image, (x, y), side, WHITE)
            _fill(image, (x + 2, y + 2), side - 2, SHADE)
            _fill(image, (x, y), side, rng.choice(STRONG), 2)
    return image


def sokoban(rng: random.Random) -> Image:
    image = _canvas((60, 60, 60))
    side, corners = _squares(rng, (20, 24, 32))
    for x, y in corners:
        match rng.randrange(3):
            case 0:
                _fill(image, (x, y), side, (40, 80, 160))
                for line in range(0, side, side // 4):
                    cv2.line(image, (x, y + line), (x + side, y + line), GREY)
            case 1:
                _fill(image, (x, y), side, (90, 160, 200), 1)
                cv2.line(image, (x, y), (x + side, y + side), (40, 90, 120), 2)
    return image


def battleship(rng: random.Random) -> Image:
    image = _canvas((200, 130, 60))
    side, corners = _squares(rng, (24, 30, 36))
    for x, y in corners:
        cv2.rectangle(image, (x, y), (x + side, y + side), (230, 190, 140))
        if rng.random() < 0.4:
            colour = (0, 0, 255) if rng.random() < 0.5 else WHITE
            cv2.circle(image, (x + side // 2, y + side // 2), side // 4, colour, -1, cv2.LINE_AA)
    return image


def letters(rng: random.Random) -> Image:
    image = _canvas(rng.choice((WHITE, (19, 18, 18))))
    side, corners = _squares(rng, (28, 36, 46))
    for corner in corners:
        _fill(image, corner, side, rng.choice(((100, 170, 106), (88, 180, 201), (126, 124, 120))), 2)
        _centred(image, rng.choice(ascii_uppercase), corner, side, WHITE)
    return image


def numbered_tiles(rng: random.Random) -> Image:
    image = _canvas((160, 173, 187))
    side, corners = _squares(rng, (40, 48, 56))
    for corner in corners:
        power = rng.randrange(8)
        _fill(image, corner, side, (218 - 20 * power, 228 - 10 * power, 238), 3)
        if power:
            _centred(image, str(2**power), corner, side, (101, 110, 119))
    return image


def go(rng: random.Random) -> Image:
    image = _canvas((110, 180, 220))
    side, corners = _squares(rng, (20, 24, 30))
    for x, y in corners:
        cv2.rectangle(image, (x, y), (x + side, y + side), (40, 60, 80))
    for x, y in corners:
        if rng.random() < 0.45:
            cv2.circle(image, (x, y), side // 2 - 1, rng.choice((BLACK, WHITE)), -1, cv2.LINE_AA)
    return image


def palette(rng: random.Random) -> Image:
    image = _canvas(GREY)
    side, corners = _squares(rng, (16, 18, 20))
    for x, y in corners:
        _fill(image, (x, y), side, WHITE)
        _fill(image, (x, y), side - 1, SHADE)
        _fill(image, (x, y), side, tuple(rng.randrange(256) for _ in range(3)), 2)  # type: ignore[arg-type]
    return image


def character_map(rng: random.Random) -> Image:
    image = _canvas()
    side, corners = _squares(rng, (18, 22, 28))
    for number, (x, y) in enumerate(corners):
        cv2.rectangle(image, (x, y), (x + side, y + side), rng.choice((BLACK, SHADE)))
        _centred(image, chr(33 + number % 94), (x, y), side)
    return image


def hex_dump(rng: random.Random) -> Image:
    image, step = _canvas(rng.choice((WHITE, (40, 40, 40)))), rng.choice((20, 24))
    colour = BLACK if image[0, 0, 0] == WHITE[0] else (200, 200, 200)
    for y in range(10, SIZE[1] - step, step):
        for x in range(20, 440, step):
            _centred(image, f"{rng.randrange(256):02x}", (x, y), step, colour)
    return image


def heat_map(rng: random.Random) -> Image:
    image = _canvas()
    side, corners = _squares(rng, (24, 32, 40))
    for corner in corners:
        value = rng.randrange(9)
        _fill(image, corner, side, (255 - 25 * value, 255 - 25 * value, 255))
        _centred(image, str(value), corner, side)
    return image


def nonogram(rng: random.Random) -> Image:
    image = _canvas()
    side, corners = _squares(rng, (16, 20, 24))
    for x, y in corners:
        cv2.rectangle(image, (x, y), (x + side, y + side), SHADE)
        if rng.random() < 0.5:
            _fill(image, (x, y), side, BLACK, 2)
        elif rng.random() < 0.3:
            _centred(image, "x", (x, y), side, SHADE)
    return image


def defragmenting(rng: random.Random) -> Image:
    image = _canvas()
    side, corners = _squares(rng, (12, 14, 16))
    for corner in corners:
        _fill(image, corner, side, rng.choice(((255, 0, 0), (255, 255, 0), (0, 0, 255), WHITE)), 1)
    return image


def square_code(rng: random.Random) -> Image:
    """Random black and white modules, as in a QR code."""
    side = rng.choice((10, 12, 16))
    modules = np.random.default_rng(rng.randrange(2**32)).integers(0, 2, (25, 25)).astype(np.uint8) * 255
    image = _canvas()
    code = cv2.resize(modules, None, fx=side, fy=side, interpolation=cv2.INTER_NEAREST)
    image[40 : 40 + min(code.shape[0], 420), 40 : 40 + code.shape[1]] = code[:420, :, None]
    return image


def brick_wall(rng: random.Random) -> Image:
    image, side = _canvas((150, 160, 170)), rng.choice((16, 24, 32))
    for row in range(SIZE[1] // side + 1):
        for column in range(-1, SIZE[0] // (2 * side) + 1):
            x, y = column * 2 * side + (row % 2) * side, row * side
            cv2.rectangle(
                image, (x + 1, y + 1), (x + 2 * side - 2, y + side - 2), (50, 70 + rng.randrange(20), 150), -1
            )
    return image


def seats(rng: random.Random) -> Image:
    image = _canvas((250, 250, 250))
    side, corners = _squares(rng, (30, 36, 44))
    for x, y in corners:
        taken = rng.random() < 0.4
        centre = x + side // 2, y + side // 2
        cv2.circle(image, centre, side // 2 - 3, (200, 200, 200) if taken else (120, 190, 90), -1, cv2.LINE_AA)
        if not taken:
            _centred(image, str(rng.randrange(1, 9)), (x, y), side, WHITE)
    return image


KINDS: list[Callable[[random.Random], Image]] = [
    kind
    for name, kind in list(globals().items())
    if getattr(kind, "__module__", "") == __name__ and not name.startswith("_")
]
"""Every function above that is no helper, in their order."""


def negatives() -> Iterator[tuple[str, Image]]:
    """All pictures by name, three of each kind."""
    for kind in KINDS:
        for seed in range(3):
            yield f"{kind.__name__} {seed}", kind(random.Random(seed))
