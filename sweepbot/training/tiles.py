"""What plain cells look like: hidden ones, and the grounds of open ones.

A tile is a face, painted over by a few kinds in turn. Each kind draws its parameters once a skin and returns a painter,
which changes a face of shape (height, width, 3) in place; all of a skin's tiles are painted alike.
"""

import random
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.training.colours import Colour, any_colour, shaded
from sweepbot.training.kinds import kind

Floats = NDArray[np.floating]
Painter = Callable[[Floats], None]
Light = Callable[[Floats, Floats], NDArray[Any]]


def places(face: Floats) -> tuple[Floats, Floats]:
    """Return where each pixel of a face is, across and down, from 0 to 1."""
    height, width = face.shape[:2]
    across, down = np.arange(0.5, width)[None] / width, np.arange(0.5, height)[:, None] / height
    return np.asarray(across), np.asarray(down)


def to_edge(face: Floats) -> tuple[Floats, Floats]:
    """Return how many pixels are left of or above each pixel, and right of or below it, whichever are fewer."""
    height, width = face.shape[:2]
    x, y = np.arange(0.0, width)[None], np.arange(0.0, height)[:, None]
    return np.minimum(x, y), np.minimum(width - 1 - x, height - 1 - y)


def lit(levels: float, light: Light, by: Callable[[Floats], tuple[Floats, Floats]]) -> Painter:
    """Return a painter that adds so many grey levels times the light that falls on a pixel, `by` where that is."""

    def paint(face: Floats) -> None:
        face += levels * np.asarray(light(*by(face)))[..., None]

    return paint


def noise(rng: random.Random, shape: tuple[int, ...]) -> Floats:
    """Return normal noise of deviation 1."""
    return np.random.default_rng(rng.getrandbits(32)).normal(0, 1, shape)


def blotch(rng: random.Random, face: Floats, coarse: int) -> Floats:
    """Return smooth noise for a picture, of shape (height, width, 1), with `coarse` swells along each side."""
    height, width = face.shape[:2]
    small = noise(rng, (coarse, coarse)).astype(np.float32)
    swells: Floats = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)
    return swells[..., None]


@kind("hidden tiles", 30)
@kind("open tiles", 46)
def flat(rng: random.Random, side: int, ground: Colour) -> Painter:
    """One colour."""
    return lambda face: None


@kind("raised rims", 65)
@kind("hidden tiles", 60)
@kind("open tiles", 2)
def bevel(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A rim lit from the upper left, as in Windows' Minesweeper; seldom from below."""
    width = max(1, round(side * rng.choice((0.05, 0.08, 0.1, 0.125, 0.14, 0.18))))
    light, dark = rng.uniform(15, 90), rng.uniform(20, 110)
    if rng.random() < 0.06:
        light, dark = -light, -dark

    def paint(face: Floats) -> None:
        near, far = to_edge(face)
        face[(near < width) & (near < far)] += light
        face[(far < width) & (far <= near)] -= dark

    return paint


@kind("raised rims", 5)
@kind("hidden tiles", 4)
def coloured_rim(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A rim of two colours, as of a desktop whose colours somebody chose."""
    width = max(1, round(side * rng.choice((0.05, 0.08, 0.125))))
    upper, lower = any_colour(rng, 0.5, 1), any_colour(rng, 0, 0.6)

    def paint(face: Floats) -> None:
        near, far = to_edge(face)
        face[(near < width) & (near < far)] = upper
        face[(far < width) & (far <= near)] = lower

    return paint


@kind("open tiles", 24)
def sunk(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A thin line above and at the left, or around, darker than the ground."""
    width, levels = max(1, round(side * rng.choice((0.02, 0.04, 0.07)))), rng.uniform(10, 80)
    around = rng.random() < 0.3

    return lit(-levels, lambda near, far: (near < width) | (around & (far < width)), to_edge)


@kind("hidden tiles", 8)
@kind("open tiles", 12)
def outline(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A line around each cell, in a shade of the ground or in another colour."""
    width = max(1, int(side * rng.uniform(0.02, 0.07)))
    shade = shaded(ground, rng.choice((-1, -1, 1)) * rng.uniform(20, 110))
    colour = any_colour(rng) if rng.random() < 0.3 else shade

    def paint(face: Floats) -> None:
        near, far = to_edge(face)
        face[np.minimum(near, far) < width] = colour

    return paint


@kind("hidden tiles", 18)
@kind("open tiles", 5)
def gradient(rng: random.Random, side: int, ground: Colour) -> Painter:
    """Light that falls down, across, aslant or from the middle."""
    way, levels = rng.choice("vvhdr"), rng.uniform(-70, 70)

    def along(u: Floats, v: Floats) -> Floats:
        ways = {"v": v + 0 * u, "h": u + 0 * v, "d": (u + v) / 2, "r": np.hypot(u - 0.5, v - 0.5) * 1.4}
        return np.asarray(ways[way] - 0.5)

    return lit(levels, along, places)


@kind("hidden tiles", 7)
def gloss(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A lighter upper half, as of glass."""
    levels, share = rng.uniform(8, 45), rng.uniform(0.35, 0.55)

    def paint(face: Floats) -> None:
        face[: int(len(face) * share)] += levels

    return paint


@kind("raised rims", 11)
@kind("hidden tiles", 9)
@kind("open tiles", 2)
def pillow(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A soft rim, lighter on two sides and darker on the others."""
    share, levels = rng.uniform(0.12, 0.5), rng.choice((1, 1, 1, -1)) * rng.uniform(12, 60)

    def slope(t: Floats) -> Floats:
        return np.asarray(np.clip(1 - t / share, 0, 1) - np.clip(1 - (1 - t) / share, 0, 1))

    return lit(levels, lambda u, v: slope(u) + slope(v), places)


@kind("raised rims", 8)
@kind("hidden tiles", 7)
def dome(rng: random.Random, side: int, ground: Colour) -> Painter:
    """Lighter, or darker, towards its middle."""
    levels = rng.choice((1, 1, -1)) * rng.uniform(10, 45)
    return lit(levels, lambda u, v: 1 - (2 * u - 1) ** 2 - (2 * v - 1) ** 2, places)


@kind("raised rims", 8)
@kind("hidden tiles", 9)
def diagonal(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A lighter corner, cut off aslant: a reflection, as in Windows 7."""
    slope, reach, levels = rng.uniform(0.6, 1.5), rng.uniform(0.4, 1.2), rng.uniform(8, 45)
    return lit(levels, lambda u, v: u * slope + v < reach, places)


@kind("hidden tiles", 8)
def inner_line(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A second, thinner rim inside."""
    inside = max(1, int(side * rng.uniform(0.05, 0.2)))
    return lit(rng.choice((-1, 1)) * rng.uniform(8, 45), lambda near, far: np.minimum(near, far) == inside, to_edge)


@kind("raised rims", 8)
@kind("hidden tiles", 8)
def lip(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A darker strip below, so that it looks like a key."""
    height, levels = max(1, int(side * rng.uniform(0.05, 0.16))), rng.uniform(20, 90)

    def paint(face: Floats) -> None:
        face[-height:] -= levels

    return paint


@kind("hidden tiles", 7)
def stud(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A disc, ring, square or diamond in its middle, in a shade of it."""
    form, radius = rng.choice(("disc", "ring", "square", "diamond")), rng.uniform(0.08, 0.35)

    def drawn(u: Floats, v: Floats) -> NDArray[np.bool_]:
        off = {"square": np.maximum(abs(u - 0.5), abs(v - 0.5)), "diamond": abs(u - 0.5) + abs(v - 0.5)}
        far = off.get(form, np.hypot(u - 0.5, v - 0.5))
        return np.asarray((far < radius) & (far > (0.6 * radius if form == "ring" else -1)))

    return lit(rng.choice((-1, 1)) * rng.uniform(8, 70), drawn, places)


@kind("hidden tiles", 5)
@kind("open tiles", 2)
def rough(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A texture, fine or in blotches, the same in every cell."""
    levels, coarse, seed = rng.uniform(3, 14), rng.choice((0, rng.randint(3, 9))), rng.getrandbits(32)

    def paint(face: Floats) -> None:
        again = random.Random(seed)
        face += levels * (blotch(again, face, coarse) if coarse else noise(again, (*face.shape[:2], 1)))

    return paint


@kind("hidden tiles", 6)
def leafy(rng: random.Random, side: int, ground: Colour) -> Painter:
    """A picture: strong blotches of several colours, as of grass, stone or leaves, the same in every cell."""
    levels, coarse, seed = rng.uniform(12, 45), rng.randint(3, 12), rng.getrandbits(32)

    def paint(face: Floats) -> None:
        again = random.Random(seed)
        for channel in range(3):
            face[..., channel] += levels * blotch(again, face, coarse)[..., 0]

    return paint


def rounded(face: Floats, back: Colour, radius: float) -> None:
    """Round the corners of a face in place, with the colour behind it; the radius is a share of its shorter side."""
    height, width = face.shape[:2]
    pixels = radius * min(height, width)
    x, y = np.arange(width)[None] + 0.5, np.arange(height)[:, None] + 0.5
    off_x = np.maximum(np.abs(x - width / 2) - (width / 2 - pixels), 0)
    off_y = np.maximum(np.abs(y - height / 2) - (height / 2 - pixels), 0)
    share = np.clip(pixels - np.hypot(off_x, off_y) + 0.5, 0, 1)[..., None]
    face[:] = face * share + back * (1 - share)
