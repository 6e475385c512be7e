"""What stands on cells: numbers, flags, mines, question marks and crosses.

A figure is a float array (height, width, 4) of the size of a cell: blue, green, red and opacity, 0 to 255. Pillow draws
them; as it does not care for the order of colours, blue comes first here, too.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from sweepbot.training.colours import Colour, any_colour, grey, near, seen_on, shaded
from sweepbot.training.fonts import emoji_font, font, fonts
from sweepbot.training.kinds import kind
from sweepbot.training.tiles import Floats

_LARGER = 4  # times, at which figures are drawn before they are made smaller
_EMOJI_PX = 109  # the only size of coloured pictures in their font
_HINTED_PX = 7, 8, 9, 10, 12  # heights of bitmap digits that are enlarged
_BOLD = ("Bold", "Black", "Heavy")
_MIN_FIGURE_PX = 7  # lower digits cannot be told by anybody
_Cloth = Callable[[float, float, float, float, float], list[tuple[float, float]]]  # pole, top, width, height, tip


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a cell in pixels, and whether shapes in it have hard edges."""

    width: int
    height: int
    hard: bool

    @property
    def side(self) -> int:
        """The shorter side."""
        return min(self.width, self.height)


def nothing(size: Size) -> Floats:
    """Return an empty figure."""
    return np.zeros((size.height, size.width, 4))


def opaque(colour: Colour) -> tuple[int, int, int, int]:
    """Return a colour as Pillow takes it."""
    blue, green, red = (int(channel) for channel in np.clip(colour, 0, 255))
    return blue, green, red, 255


def laid(ground: Floats, figure: Floats) -> Floats:
    """Return a ground with a figure on it."""
    share = figure[..., 3:] / 255
    return ground * (1 - share) + figure[..., :3] * share


class _Sheet:
    """A cell drawn at four times its size, in places from -0.5 to 0.5 of a figure's own size."""

    def __init__(self, size: Size, share: float) -> None:
        self._size = size
        self.unit = size.side * share * _LARGER
        self._image = Image.new("RGBA", (size.width * _LARGER, size.height * _LARGER), (0, 0, 0, 0))
        self.pen = ImageDraw.Draw(self._image)

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self._image.width / 2 + x * self.unit, self._image.height / 2 + y * self.unit

    def box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        (left, top), (right, bottom) = self.at(min(x0, x1), y0), self.at(max(x0, x1), y1)
        return left, top, right, bottom

    def ball(self, radius: float, fill: Colour, x: float = 0.0, y: float = 0.0) -> None:
        self.pen.ellipse(self.box(x - radius, y - radius, x + radius, y + radius), fill=opaque(fill))

    def figure(self) -> Floats:
        size = self._size
        if self._size.hard:
            return np.asarray(self._image.resize((size.width, size.height), Image.Resampling.NEAREST), dtype=np.float64)
        large = np.asarray(self._image, dtype=np.float64)
        parts = large.reshape(size.height, _LARGER, size.width, _LARGER, 4)
        opacity = parts[..., 3:].mean((1, 3))
        colours = (parts[..., :3] * parts[..., 3:]).mean((1, 3)) / np.maximum(opacity, 1e-6)
        return np.concatenate([colours, opacity], axis=2)


@dataclass(frozen=True, slots=True)
class Lettering:
    """How text is set in cells.

    Attributes:
        path: The font's file.
        share: The height of a capital, as a share of the cell's.
        pixels: "smooth", "hard" without smoothing, or "enlarged" from a bitmap.
        bitmap_px: The height of that bitmap.
        offset: From the middle, as shares of the cell (right, down).
        squeeze: The width of a letter over its usual one.
        outline: The colour around letters, None for none.
        outline_width: Over that of a thin line.
        shadow: The colour below and at the right of them, None for none.
        aligned: Whether letters start on whole pixels.
    """

    path: str
    share: float
    pixels: str
    bitmap_px: int
    offset: tuple[float, float]
    squeeze: float
    outline: Colour | None
    outline_width: float
    shadow: Colour | None
    aligned: bool


def lettering(rng: random.Random, size: Size, ground: Colour) -> Lettering:
    """Draw a font and how it is set."""
    every = fonts()
    bold = [path for path in every if any(word in path for word in _BOLD)]
    family = rng.choice(sorted({path.rsplit("/", 2)[-2] for path in every}))
    of_family = [path for path in every if path.rsplit("/", 2)[-2] == family]
    path = rng.choice(rng.choices((every, bold, of_family), (30, 30, 40))[0])
    return Lettering(
        path,
        max(min(0.92, max(0.34, rng.gauss(0.58, 0.12))), _MIN_FIGURE_PX / size.side),
        rng.choices(("smooth", "hard", "enlarged"), (72, 16, 12))[0],
        rng.choice(_HINTED_PX),
        (rng.gauss(0, 0.02), rng.gauss(0, 0.025)),
        1.0 if rng.random() < 0.85 else rng.uniform(0.7, 1.3),
        None if rng.random() < 0.93 else any_colour(rng),
        rng.choice((1.0, 1.0, 1.5, 2.5)),
        None if rng.random() < 0.9 else shaded(ground, rng.choice((-1, 1)) * rng.uniform(30, 90)),
        rng.random() < 0.5,
    )


@kind("places of numbers", 89)
def in_the_middle(rng: random.Random, size: Size, style: Lettering) -> Lettering:
    """In the middle of its cell."""
    return style


@kind("places of numbers", 7)
def astray(rng: random.Random, size: Size, style: Lettering) -> Lettering:
    """Off the middle."""
    return replace(style, offset=(rng.uniform(-0.12, 0.12), rng.uniform(-0.1, 0.1)))


@kind("places of numbers", 4)
def small(rng: random.Random, size: Size, style: Lettering) -> Lettering:
    """Small, in the middle or in a corner, as text that nobody has set."""
    share = max(rng.uniform(0.2, 0.36), _MIN_FIGURE_PX / size.side)
    corner = rng.uniform(-0.28, -0.2), rng.choice((-1, 0, 1)) * rng.uniform(0.15, 0.25)
    return replace(style, share=share, offset=corner if rng.random() < 0.5 else style.offset)


def text(size: Size, words: str, style: Lettering, colour: Colour) -> Floats:
    """Return a few letters in the middle of a cell."""
    tall = max(5.0, style.share * size.height)
    times = max(1, round(tall / style.bitmap_px)) if style.pixels == "enlarged" else 1
    base = font(style.path, 100).getbbox("8")
    face = font(style.path, max(5, round(100 * tall / times / max(1, base[3] - base[1]))))
    left, top, right, bottom = face.getbbox(words)
    width, height = math.ceil(size.width / times), math.ceil(size.height / times)
    image = Image.new("RGBA", (width, height), (*opaque(colour)[:3], 0))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "L" if style.pixels == "smooth" else "1"
    x = (width - left - right) / 2 + style.offset[0] * width
    y = (height - top - bottom) / 2 + style.offset[1] * height
    if style.aligned or style.pixels != "smooth":
        x, y = round(x), round(y)
    thin = max(1, round(tall / times * 0.06))
    thick = round(thin * style.outline_width)
    if style.shadow is not None:
        pen.text((x + thin, y + thin), words, font=face, fill=opaque(style.shadow))
    outline = None if style.outline is None else opaque(style.outline)
    pen.text((x, y), words, font=face, fill=opaque(colour), stroke_width=thick if outline else 0, stroke_fill=outline)
    if times > 1:
        image = image.resize((width * times, height * times), Image.Resampling.NEAREST)
        image = image.crop((0, 0, size.width, size.height))
    if style.squeeze != 1:
        shift = size.width / 2 * (1 - 1 / style.squeeze)
        matrix = (1 / style.squeeze, 0, shift, 0, 1, 0)
        image = image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
    return np.asarray(image, dtype=np.float64)


@lru_cache(maxsize=64)
def _picture(character: str) -> Image.Image:
    image = Image.new("RGBA", (136, 128), (0, 0, 0, 0))
    face = font(emoji_font(), _EMOJI_PX)
    ImageDraw.Draw(image).text((0, 0), character, font=face, embedded_color=True)
    return image.crop(image.getbbox())


def emoji(size: Size, character: str, share: float) -> Floats:
    """Return a coloured picture in the middle of a cell."""
    image = _picture(character)
    factor = share * size.side / max(image.size)
    sides = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    sheet = Image.new("RGBA", (size.width, size.height), (0, 0, 0, 0))
    sheet.paste(
        image.resize(sides, Image.Resampling.BOX), ((size.width - sides[0]) // 2, (size.height - sides[1]) // 2)
    )
    return np.asarray(sheet, dtype=np.float64)[..., [2, 1, 0, 3]]


def _cloth_colour(rng: random.Random, ground: Colour) -> Colour:
    strong, dark, red = any_colour(rng, 0.5, 1, (0.6, 1)), grey(rng.uniform(0, 70)), near(rng, (20, 20, 225), 40)
    return seen_on(rng.choices((red, strong, dark), (56, 34, 10))[0], ground)


@kind("flags", 52)
def pennant(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A triangle at a pole, with or without a foot."""
    return _flag(rng, size, ground, lambda x, y, w, h, tip: [(x, y), (x + w, y + h * tip), (x, y + h)])


@kind("flags", 13)
def banner(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A rectangle at a pole."""
    return _flag(
        rng, size, ground, lambda x, y, w, h, _: [(x, y), (x + w, y + 0.05), (x + w, y + h + 0.05), (x, y + h)]
    )


@kind("flags", 4)
def swallowtail(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A rectangle with a notch."""
    return _flag(
        rng, size, ground,
        lambda x, y, w, h, _: [(x, y), (x + w, y), (x + w * 0.7, y + h / 2), (x + w, y + h), (x, y + h)],
    )  # fmt: skip


@kind("flags", 5)
def wave(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A cloth in the wind."""

    def cloth(x: float, y: float, w: float, h: float, _: float) -> list[tuple[float, float]]:
        upper = [(x + w * step / 8, y + 0.05 * math.sin(step * 0.9)) for step in range(9)]
        return [*upper, *((px, py + h) for px, py in reversed(upper))]

    return _flag(rng, size, ground, cloth)


def _flag(rng: random.Random, size: Size, ground: Colour, cloth: _Cloth) -> Floats:
    sheet = _Sheet(size, rng.uniform(0.45, 0.95))
    colour = _cloth_colour(rng, ground)
    wood = rng.choice((grey(0), grey(40), colour, grey(235), near(rng, (30, 70, 110), 30)))
    pole = opaque(seen_on(wood, ground, 35))
    x, width = rng.uniform(-0.3, 0.15), rng.uniform(0.025, 0.07)
    side = rng.choice((-1, 1))
    if rng.random() < 0.93:
        sheet.pen.rectangle(sheet.box(side * x - width, -0.5, side * x + width, 0.5), fill=pole)
    for low, half in rng.choice(((), ((0.38, 0.25),), ((0.3, 0.15), (0.4, 0.3)), ((0.36, 0.2),))):
        sheet.pen.rectangle(sheet.box(side * x - half, low, side * x + half, low + 0.11), fill=pole)
    high, wide = rng.uniform(0.3, 0.65), rng.uniform(0.4, 0.75) * rng.choice((1, 1, -1))
    places = cloth(x, -0.5 + rng.uniform(0, 0.1), wide, high, rng.uniform(0.2, 0.6))
    points = [sheet.at(side * px, py) for px, py in places]
    sheet.pen.polygon(points, fill=opaque(colour))
    if rng.random() < 0.15:
        sheet.pen.line([*points, points[0]], fill=pole, width=max(_LARGER, int(sheet.unit * 0.04)))
    return sheet.figure()


@kind("flags", 16)
def flag_emoji(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A coloured picture of a flag."""
    return emoji(size, rng.choice("🚩🚩🚩🚩⛳🏁🏴🏳"), rng.uniform(0.45, 0.95))


@kind("flags", 3)
def sign_emoji(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A coloured picture of another sign that says: not here."""
    return emoji(size, rng.choice("📍⛔🛑🚫🔺🚧"), rng.uniform(0.45, 0.95))


@kind("flags", 7)
def flag_letter(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A letter or sign in place of a flag."""
    return text(size, rng.choice("FFFFP!MX"), lettering(rng, size, ground), _cloth_colour(rng, ground))


@kind("flags", 1)
def flag_word(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A word in place of a flag."""
    return _word(rng, size, rng.choice(("FLAG", "Flag", "BOMB", "MINE", "flg")), ground)


def _word(rng: random.Random, size: Size, word: str, ground: Colour) -> Floats:
    share = max(rng.uniform(0.2, 0.3), _MIN_FIGURE_PX / size.side)
    return text(size, word, replace(lettering(rng, size, ground), share=share), _cloth_colour(rng, ground))


def _spiked(rng: random.Random, size: Size, ground: Colour) -> tuple[_Sheet, Colour, float]:
    sheet = _Sheet(size, rng.uniform(0.5, 0.95))
    dark = grey(rng.uniform(0, 40))
    colour = seen_on(dark if rng.random() < 0.7 else any_colour(rng), ground, 45)
    spikes, turn, short = rng.choice((0, 4, 8, 8, 8, 8, 12)), rng.choice((0, 0, 0.5)), rng.uniform(0.6, 1)
    width = max(_LARGER // 2, int(sheet.unit / 2 * rng.uniform(0.08, 0.22)))
    for spike in range(spikes):
        angle = 2 * math.pi * (spike + turn) / spikes
        reach = 0.5 * (1 if spike % 2 == 0 or spikes < 8 else short)
        end = sheet.at(reach * math.cos(angle), reach * math.sin(angle))
        sheet.pen.line((*sheet.at(0, 0), *end), fill=opaque(colour), width=width)
    return sheet, colour, 0.5 * rng.uniform(0.5, 0.85)


def _glint(rng: random.Random, sheet: _Sheet, radius: float) -> None:
    if rng.random() < 0.6:
        light = grey(255) if rng.random() < 0.6 else any_colour(rng)
        sheet.ball(radius * rng.uniform(0.2, 0.35), light, -0.3 * radius, -0.3 * radius)


@kind("mines", 60)
def spiked_ball(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A ball with or without spikes, often with a glint."""
    sheet, colour, radius = _spiked(rng, size, ground)
    sheet.ball(radius, colour)
    _glint(rng, sheet, radius)
    return sheet.figure()


@kind("mines", 9)
def bomb(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A round bomb with a burning fuse."""
    sheet, colour, radius = _spiked(rng, size, ground)
    sheet.ball(radius, colour, 0, 0.08)
    start, end = sheet.at(radius / 2, -radius / 2), sheet.at(0.4, -0.48)
    sheet.pen.line((*start, *end), fill=opaque(colour), width=max(2, int(sheet.unit * 0.07)))
    sheet.ball(radius * 0.2, np.array((30.0, 160.0, 255.0)), 0.4, -0.45)
    _glint(rng, sheet, radius)
    return sheet.figure()


@kind("mines", 4)
def skull(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A skull."""
    sheet, colour, radius = _Sheet(size, rng.uniform(0.5, 0.95)), seen_on(any_colour(rng), ground), 0.35
    sheet.ball(radius, colour)
    for x in (-0.14, 0.14):
        sheet.ball(0.09, 255 - colour, x, -0.05)
    sheet.pen.rectangle(sheet.box(-0.14, 0.2, 0.14, 0.45), fill=opaque(colour))
    return sheet.figure()


@kind("mines", 4)
def ring(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A ring, with or without spikes."""
    sheet, colour, radius = _spiked(rng, size, ground)
    sheet.ball(radius, colour)
    sheet.ball(0.55 * radius, any_colour(rng))
    return sheet.figure()


@kind("mines", 4)
def star(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A star, as of a blast."""
    sheet, colour, _ = _spiked(rng, size, ground)
    angles = [math.pi * point / 8 for point in range(16)]
    points = [sheet.at(r * math.cos(a), r * math.sin(a)) for a, r in zip(angles, [0.5, 0.25] * 8, strict=True)]
    sheet.pen.polygon(points, fill=opaque(colour))
    return sheet.figure()


@kind("mines", 18)
def mine_emoji(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A coloured picture of a bomb, a blast or a skull."""
    return emoji(size, rng.choice("💣💣💣💣💥☠🧨💀✴👾🐛🔥☢"), rng.uniform(0.5, 0.95))


@kind("mines", 1)
def mine_word(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A word in place of a mine."""
    return _word(rng, size, rng.choice(("BOMB", "Bomb", "MINE", "BOOM")), ground)


@kind("mines", 5)
def mine_letter(rng: random.Random, size: Size, ground: Colour) -> Floats:
    """A letter or sign in place of a mine."""
    colour = seen_on(any_colour(rng), ground)
    return text(size, rng.choice("***MBX@"), lettering(rng, size, ground), colour)


def cross(rng: random.Random, size: Size, colour: Colour, share: float) -> Floats:
    """Return two lines across a cell."""
    sheet = _Sheet(size, share)
    width = max(3, int(sheet.unit * rng.uniform(0.06, 0.14)))
    for x in (-0.5, 0.5):
        sheet.pen.line((*sheet.at(x, -0.5), *sheet.at(-x, 0.5)), fill=opaque(colour), width=width)
    return sheet.figure()


def flames(rng: random.Random, size: Size) -> Floats:
    """Return a blast: stars within each other, red or orange outside, yellow or white inside."""
    sheet, points = _Sheet(size, rng.uniform(0.6, 1.0)), rng.choice((6, 7, 8, 10, 12))
    outer, inner = near(rng, (20, 60, 235), 45), near(rng, (120, 240, 255), 50)
    layers = rng.choice((1, 2, 2, 3))
    turn, depth = rng.uniform(0, 1), rng.uniform(0.45, 0.8)
    for layer in range(layers):
        share = layer / max(1, layers - 1)
        reach = 0.5 * (1 - 0.55 * share)
        angles = [math.pi * (point + turn) / points for point in range(2 * points)]
        reaches = [reach, reach * depth] * points
        star = [sheet.at(r * math.cos(a), r * math.sin(a)) for a, r in zip(angles, reaches, strict=True)]
        sheet.pen.polygon(star, fill=opaque(outer * (1 - share) + inner * share))
    return sheet.figure()


@kind("numbers", 94)
def digits(rng: random.Random, size: Size, number: int, style: Lettering, colour: Colour) -> Floats:
    """Digits in one of hundreds of fonts."""
    return text(size, str(number), style, colour)


_PIPS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568", 7: "0234568", 8: "01235678"}


@kind("numbers", 4)
def pips(rng: random.Random, size: Size, number: int, style: Lettering, colour: Colour) -> Floats:
    """Dots, as on dice."""
    sheet = _Sheet(size, min(0.85, max(0.5, style.share)))
    for place in _PIPS[number]:
        row, column = divmod(int(place), 3)
        sheet.ball(0.13, colour, (column - 1) * 0.35, (row - 1) * 0.35)
    return sheet.figure()


@kind("numbers", 2)
def tally(rng: random.Random, size: Size, number: int, style: Lettering, colour: Colour) -> Floats:
    """Tally sticks, the fifth across the four."""
    sheet = _Sheet(size, min(0.85, max(0.55, style.share)))
    width = max(2, int(sheet.unit * 0.07))
    for stick in range(number):
        group, place = divmod(stick, 5)
        low, high = (-0.5, -0.05) if group == 0 and number > 5 else (0.05, 0.5) if group else (-0.35, 0.35)
        start, end = (-0.45 + 0.2 * place, low), (-0.45 + 0.2 * place, high)
        if place == 4:
            start, end = (-0.5, high), (0.3, low)
        sheet.pen.line((*sheet.at(*start), *sheet.at(*end)), fill=opaque(colour), width=width)
    return sheet.figure()
