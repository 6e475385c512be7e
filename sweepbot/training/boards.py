"""A board drawn in a skin, and what lies over it: light, lines, and things that are not the game's."""

import random

import cv2
import numpy as np
from PIL import Image, ImageDraw

from sweepbot.board import State, shows
from sweepbot.training.colours import any_colour, grey, seen_on, shaded
from sweepbot.training.figures import cross, laid, opaque
from sweepbot.training.fonts import font, fonts
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.positions import Mask, States
from sweepbot.training.skins import Skin
from sweepbot.training.tiles import Floats, blotch

_MAX_COVERED_SHARE = 0.3  # of a cell, for which it may still be told


def draw(rng: random.Random, kinds: Kinds, skin: Skin, states: States) -> tuple[Floats, States]:
    """Draw a position.

    Returns:
        The picture (height, width, 3) in grey levels, and what each cell shows; `UNKNOWN` where it is covered.
    """
    rows, columns = states.shape
    cells = {(state, odd): skin.cell(state, odd) for state in np.unique(states).tolist() for odd in (0, 1)}
    lines = [np.hstack([cells[states[r, c], (r + c) % 2] for c in range(columns)]) for r in range(rows)]
    picture = np.vstack(lines)
    for over in kinds.some(rng, "over the board"):
        over(rng, picture, states, skin)
    picture = np.clip(picture, 0, 255)
    cover = np.zeros(picture.shape[:2], np.float32)
    for lies in kinds.some(rng, "on the board"):
        lies(rng, picture, states, skin, cover)
    share = cover.reshape(rows, skin.size.height, columns, skin.size.width).mean((1, 3))
    return picture, np.where(share > _MAX_COVERED_SHARE, np.uint8(State.UNKNOWN), states)


def _by_pixel(skin: Skin, cells: Floats) -> Floats:
    """Enlarge values of cells to all their pixels: (height, width, 1)."""
    return cells.repeat(skin.size.height, 0).repeat(skin.size.width, 1)[..., None]


def _shut(states: States) -> Mask:
    return shows(states, State.HIDDEN, State.FLAG, State.QUESTION)


@kind("over the board", 14)
def hue(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """A hue that changes from corner to corner, more on hidden cells, as in Windows 7."""
    rows, columns = states.shape
    along = np.add.outer(np.arange(rows), np.arange(columns)) / (rows + columns - 2) - 0.5
    strength = _by_pixel(skin, along * np.where(_shut(states), 1, 0.4))
    picture += strength * np.array([rng.uniform(-80, 80) for _ in range(3)])


@kind("over the board", 15)
def light(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """Light that falls over the whole board, as on KMines' open cells."""
    down, across = (rng.uniform(-45, 45) for _ in range(2))
    height, width = picture.shape[:2]
    picture += np.add.outer(np.linspace(-down, down, height), np.linspace(-across, across, width))[..., None]


@kind("over the board", 6)
def clouds(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """A texture that goes over cells and their borders."""
    picture += rng.uniform(5, 25) * blotch(rng, picture, rng.randint(4, 20))


@kind("over the board", 5)
def uneven(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """Each cell a little lighter or darker than others of its kind."""
    levels = rng.uniform(3, 20)
    picture += _by_pixel(skin, np.random.default_rng(rng.getrandbits(32)).uniform(-levels, levels, states.shape))


@kind("over the board", 14)
def shadows(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """Open cells are in the shadow of hidden ones above and at their left."""
    levels, share = rng.uniform(20, 90), rng.uniform(0.04, 0.15)
    _beside_hidden(picture, states, skin, share, -levels, sides=2)


@kind("over the board", 14)
def shores(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """A line where open cells meet hidden ones, as in Google's."""
    _beside_hidden(picture, states, skin, rng.uniform(0.03, 0.1), -rng.uniform(20, 90), sides=4)


def _beside_hidden(picture: Floats, states: States, skin: Skin, share: float, levels: float, sides: int) -> None:
    """Darken the edges of open cells in place that are next to hidden ones: above, left, below, right."""
    shut = np.pad(_shut(states), 1)
    thick = max(1, round(share * skin.size.side))
    beside = (shut[:-2, 1:-1], shut[1:-1, :-2], shut[2:, 1:-1], shut[1:-1, 2:])
    edge, whole = (slice(thick), slice(-thick, None)), slice(None)
    parts = ((edge[0], whole), (whole, edge[0]), (edge[1], whole), (whole, edge[1]))
    for hidden, part in list(zip(beside, parts, strict=True))[:sides]:
        for cell in np.argwhere(hidden & ~_shut(states)).tolist():
            skin.part(picture, *cell)[part] += levels


@kind("over the board", 32)
def lines(rng: random.Random, picture: Floats, states: States, skin: Skin) -> None:
    """Lines of one colour between all cells."""
    ground = skin.tiles["open"].colour
    colour = shaded(ground, rng.choice((-1, -1, 1)) * rng.uniform(10, 130)) if rng.random() < 0.85 else any_colour(rng)
    thick = rng.choice((1, 1, 2, max(1, skin.size.side // 16)))
    for row in range(states.shape[0] + 1):
        at = row * skin.size.height
        picture[max(0, at - thick // 2) : at + (thick + 1) // 2] = colour
    for column in range(states.shape[1] + 1):
        at = column * skin.size.width
        picture[:, max(0, at - thick // 2) : at + (thick + 1) // 2] = colour


_ARROW = np.array([(0, 0), (0, 16), (4, 12), (7, 18), (9, 17), (6, 11), (11, 11)], float)
_HAND = np.array([(4, 0), (6, 0), (7, 7), (14, 9), (14, 14), (12, 20), (5, 20), (0, 12), (2, 11), (4, 13)], float)


@kind("on the board", 8)
def hovered(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """A cell lighter or darker under the pointer."""
    cell = skin.part(picture, *(rng.randrange(count) for count in states.shape))
    cell[:] = np.clip(cell + rng.choice((-1, 1)) * rng.randint(10, 45), 0, 255)


@kind("on the board", 4)
def focused(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """A ring around a cell, where the keyboard is."""
    height, width = skin.size.height, skin.size.width
    row, column = (rng.randrange(count) for count in states.shape)
    corner, end = (column * width, row * height), ((column + 1) * width - 1, (row + 1) * height - 1)
    colour = any_colour(rng, 0.3, 1) if rng.random() < 0.6 else grey(0)
    cv2.rectangle(picture, corner, end, tuple(colour.tolist()), rng.choice((1, 2, max(1, skin.size.side // 12))))


@kind("on the board", 4)
def start_cross(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """A cross on a hidden cell that says where to begin."""
    hidden = np.argwhere(states == State.HIDDEN).tolist()
    if not hidden:
        return
    cell = skin.part(picture, *rng.choice(hidden))
    green = any_colour(rng, 0.4, 1, (0.5, 1)) * np.array((0.4, 1, 0.4))
    cell[:] = laid(cell, cross(rng, skin.size, green, rng.uniform(0.3, 0.7)))


@kind("on the board", 12)
def pointer(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """An arrow or a hand."""
    size = rng.uniform(0.8, 1.5)
    at = rng.uniform(0, picture.shape[1]), rng.uniform(0, picture.shape[0])
    points = ((_ARROW if rng.random() < 0.7 else _HAND) * size + at).astype(np.int32)
    inside, edge = ((255,) * 3, (0,) * 3) if rng.random() < 0.7 else ((0,) * 3, (255,) * 3)
    cv2.fillPoly(picture, [points], inside)
    cv2.polylines(picture, [points], isClosed=True, color=edge, lineType=cv2.LINE_AA)
    cv2.fillPoly(cover, [points], (0.8,))


@kind("on the board", 4)
def strokes(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """Lines and boxes that somebody drew on a screenshot."""
    for _ in range(rng.randint(1, 4)):
        one, other = ((rng.randrange(picture.shape[1]), rng.randrange(picture.shape[0])) for _ in range(2))
        colour = tuple(any_colour(rng, 0.5, 1, (0.6, 1)).tolist())
        rng.choice((cv2.line, cv2.rectangle))(picture, one, other, colour, rng.randint(1, 3))


@kind("on the board", 8)
def dialog(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """A box with a title and some words over a part of the board."""
    height, width = picture.shape[:2]
    left, top = (max(0, int(rng.uniform(-0.2, 0.7) * side)) for side in (width, height))
    right, bottom = left + int(rng.uniform(0.25, 0.8) * width), top + int(rng.uniform(0.2, 0.7) * height)
    box = picture[top:bottom, left:right]
    window(rng, box, skin.size.height)
    cover[top:bottom, left:right] = 1


_WORDS = (
    "You win! 123",
    "Game over",
    "OK",
    "Cancel",
    "Time 45 s",
    "Play again?",
    "Best 8 7 6",
    "File  Game  Help",
    "010",
)


def window(rng: random.Random, box: Floats, title_px: int) -> None:
    """Draw a box with a title, a frame and some words in place."""
    ground = any_colour(rng)
    box[:] = ground
    if rng.random() < 0.6:
        box[:title_px] = any_colour(rng)
    words(rng, box, rng.randint(0, 6))
    edge = rng.randint(1, 3)
    box[:edge] = box[-edge:] = box[:, :edge] = box[:, -edge:] = any_colour(rng)


def words(rng: random.Random, box: Floats, count: int) -> None:
    """Write words anywhere into a part of a picture in place."""
    if not count or min(box.shape[:2]) < 2:
        return
    image = Image.fromarray(np.clip(box, 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    ground = box.reshape(-1, 3).mean(0)
    for _ in range(count):
        at = rng.uniform(-10, box.shape[1]), rng.uniform(-5, box.shape[0])
        face = font(rng.choice(fonts()), rng.randint(9, 22))
        pen.text(at, rng.choice(_WORDS), font=face, fill=opaque(seen_on(any_colour(rng), ground))[:3])
    box[:] = np.asarray(image)


@kind("on the board", 5)
def tinted(rng: random.Random, picture: Floats, states: States, skin: Skin, cover: Floats) -> None:
    """A tint over the whole board, as after a win or behind a message."""
    share = rng.uniform(0.15, 0.5)
    picture[:] = picture * (1 - share) + (any_colour(rng) if rng.random() < 0.5 else grey(0)) * share
