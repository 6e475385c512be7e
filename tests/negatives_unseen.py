"""More pictures without a board: other games and tools made of squares.

Written after the thresholds of the eyes had been settled on those of `negatives`, to see whether they hold.
"""

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


def _centred(image: Image, text: str, at: tuple[int, int], side: int, colour: Colour = BLACK) -> None:
    """Text in the middle of the square whose corner is `at`."""
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
    """Grey push buttons with a single bevel; some are lit."""
    image = _canvas(GREY)
    side, corners = _squares(rng, (24, 32, 40))
    for x, y in corners:
        lit = rng.random() < 0.4
        _fill(image, (x, y), side, (0, 220, 255) if lit else GREY, 3)
        cv2.rectangle(image, (x + 2, y + 2), (x + side - 3, y + side - 3), SHADE if lit else BLACK)
    return image


def tetris(rng: random.Random) -> Image:
    """Bevelled blocks of strong colours on black."""
    image = _canvas(BLACK)
    side, corners = _squares(rng, (16, 20, 24))
    for x, y in corners:
        if y > SIZE[1] // 3 and rng.random() < 0.8:
            _fill(image, (x, y), side, WHITE)
            _fill(image, (x + 2, y + 2), side - 2, SHADE)
            _fill(image, (x, y), side, rng.choice(STRONG), 2)
    return image


def sokoban(rng: random.Random) -> Image:
    """Brick walls, crates and floor."""
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
    """Blue squares with lines, hits and misses."""
    image = _canvas((200, 130, 60))
    side, corners = _squares(rng, (24, 30, 36))
    for x, y in corners:
        cv2.rectangle(image, (x, y), (x + side, y + side), (230, 190, 140))
        if rng.random() < 0.4:
            colour = (0, 0, 255) if rng.random() < 0.5 else WHITE
            cv2.circle(image, (x + side // 2, y + side // 2), side // 4, colour, -1, cv2.LINE_AA)
    return image


def letters(rng: random.Random) -> Image:
    """A word puzzle: coloured tiles with a letter each."""
    image = _canvas(rng.choice((WHITE, (19, 18, 18))))
    side, corners = _squares(rng, (28, 36, 46))
    for corner in corners:
        _fill(image, corner, side, rng.choice(((100, 170, 106), (88, 180, 201), (126, 124, 120))), 2)
        _centred(image, rng.choice(ascii_uppercase), corner, side, WHITE)
    return image


def numbered_tiles(rng: random.Random) -> Image:
    """Powers of two on tiles in shades of brown."""
    image = _canvas((160, 173, 187))
    side, corners = _squares(rng, (40, 48, 56))
    for corner in corners:
        power = rng.randrange(8)
        _fill(image, corner, side, (218 - 20 * power, 228 - 10 * power, 238), 3)
        if power:
            _centred(image, str(2**power), corner, side, (101, 110, 119))
    return image


def go(rng: random.Random) -> Image:
    """Black and white stones on ruled wood."""
    image = _canvas((110, 180, 220))
    side, corners = _squares(rng, (20, 24, 30))
    for x, y in corners:
        cv2.rectangle(image, (x, y), (x + side, y + side), (40, 60, 80))
    for x, y in corners:
        if rng.random() < 0.45:
            cv2.circle(image, (x, y), side // 2 - 1, rng.choice((BLACK, WHITE)), -1, cv2.LINE_AA)
    return image


def palette(rng: random.Random) -> Image:
    """Sunken swatches of colour, as in an old painting program."""
    image = _canvas(GREY)
    side, corners = _squares(rng, (16, 18, 20))
    for x, y in corners:
        _fill(image, (x, y), side, WHITE)
        _fill(image, (x, y), side - 1, SHADE)
        _fill(image, (x, y), side, tuple(rng.randrange(256) for _ in range(3)), 2)  # type: ignore[arg-type]
    return image


def character_map(rng: random.Random) -> Image:
    """Every character in a square of its own."""
    image = _canvas()
    side, corners = _squares(rng, (18, 22, 28))
    for number, (x, y) in enumerate(corners):
        cv2.rectangle(image, (x, y), (x + side, y + side), rng.choice((BLACK, SHADE)))
        _centred(image, chr(33 + number % 94), (x, y), side)
    return image


def hex_dump(rng: random.Random) -> Image:
    """Pairs of digits in columns."""
    image, step = _canvas(rng.choice((WHITE, (40, 40, 40)))), rng.choice((20, 24))
    colour = BLACK if image[0, 0, 0] == WHITE[0] else (200, 200, 200)
    for y in range(10, SIZE[1] - step, step):
        for x in range(20, 440, step):
            _centred(image, f"{rng.randrange(256):02x}", (x, y), step, colour)
    return image


def heat_map(rng: random.Random) -> Image:
    """A table coloured by its digits."""
    image = _canvas()
    side, corners = _squares(rng, (24, 32, 40))
    for corner in corners:
        value = rng.randrange(9)
        _fill(image, corner, side, (255 - 25 * value, 255 - 25 * value, 255))
        _centred(image, str(value), corner, side)
    return image


def nonogram(rng: random.Random) -> Image:
    """Black squares and crosses in ruled white ones."""
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
    """Small blocks of four colours with gaps."""
    image = _canvas()
    side, corners = _squares(rng, (12, 14, 16))
    for corner in corners:
        _fill(image, corner, side, rng.choice(((255, 0, 0), (255, 255, 0), (0, 0, 255), WHITE)), 1)
    return image


def square_code(rng: random.Random) -> Image:
    """Black and white modules by chance, as in a code for cameras."""
    side = rng.choice((10, 12, 16))
    modules = np.random.default_rng(rng.randrange(2**32)).integers(0, 2, (25, 25)).astype(np.uint8) * 255
    image = _canvas()
    code = cv2.resize(modules, None, fx=side, fy=side, interpolation=cv2.INTER_NEAREST)
    image[40 : 40 + min(code.shape[0], 420), 40 : 40 + code.shape[1]] = code[:420, :, None]
    return image


def brick_wall(rng: random.Random) -> Image:
    """Bricks, every second row moved by half."""
    image, side = _canvas((150, 160, 170)), rng.choice((16, 24, 32))
    for row in range(SIZE[1] // side + 1):
        for column in range(-1, SIZE[0] // (2 * side) + 1):
            x, y = column * 2 * side + (row % 2) * side, row * side
            cv2.rectangle(
                image, (x + 1, y + 1), (x + 2 * side - 2, y + side - 2), (50, 70 + rng.randrange(20), 150), -1
            )
    return image


def seats(rng: random.Random) -> Image:
    """Rounded seats with numbers, some taken."""
    image = _canvas((250, 250, 250))
    side, corners = _squares(rng, (30, 36, 44))
    for x, y in corners:
        taken = rng.random() < 0.4
        centre = x + side // 2, y + side // 2
        cv2.circle(image, centre, side // 2 - 3, (200, 200, 200) if taken else (120, 190, 90), -1, cv2.LINE_AA)
        if not taken:
            _centred(image, str(rng.randrange(1, 9)), (x, y), side, WHITE)
    return image


KINDS: tuple[Callable[[random.Random], Image], ...] = (
    lights_out,
    tetris,
    sokoban,
    battleship,
    letters,
    numbered_tiles,
    go,
    palette,
    character_map,
    hex_dump,
    heat_map,
    nonogram,
    defragmenting,
    square_code,
    brick_wall,
    seats,
)


def unseen_negatives() -> Iterator[tuple[str, Image]]:
    """All of them by name: three of each kind."""
    for kind in KINDS:
        for seed in range(3):
            yield f"{kind.__name__} {seed}", kind(random.Random(seed))
