"""Colours, as float arrays (blue, green, red) in grey levels, and the palettes of numbers."""

import colorsys
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.training.kinds import kind

Colour = NDArray[np.float64]

_GREY = np.array((0.11, 0.59, 0.3))  # what each channel adds to brightness


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """Make a colour of a hue (any number, 1 being a full turn), saturation and value in [0, 1]."""
    return np.array(colorsys.hsv_to_rgb(hue % 1, saturation, value)[::-1]) * 255


def brightness(colour: Colour) -> float:
    """Return how bright a colour is, in grey levels."""
    return float(colour @ _GREY)


def any_colour(
    rng: random.Random, low: float = 0.0, high: float = 1.0, saturation: tuple[float, float] | None = None
) -> Colour:
    """Draw a colour with a value between `low` and `high`; pale ones are frequent unless a saturation is given."""
    strength = rng.random() ** 2 if saturation is None else rng.uniform(*saturation)
    return hsv(rng.random(), strength, rng.uniform(low, high))


def near(rng: random.Random, colour: Sequence[float], levels: float) -> Colour:
    """Draw a colour at most so many grey levels from another."""
    return np.clip([channel + rng.uniform(-levels, levels) for channel in colour], 0, 255)


def shaded(colour: Colour, levels: float) -> Colour:
    """Return a colour made lighter, or darker by negative levels."""
    return np.clip(colour + levels, 0, 255)


def seen_on(colour: Colour, ground: Colour, least_levels: float = 55) -> Colour:
    """Move a colour away from its ground until it can be seen on it."""
    for _ in range(8):
        differs = np.abs(colour - ground).max() >= least_levels
        if differs and abs(brightness(colour) - brightness(ground)) >= 0.35 * least_levels:
            break
        colour = 0.75 * colour + 0.25 * (0 if brightness(ground) > 128 else 255)
    return colour


def grey(level: float) -> Colour:
    """Return a grey."""
    return np.full(3, float(level))


_CLASSIC = ("0000ff", "008000", "ff0000", "000080", "800000", "008080", "000000", "808080")
_MODERN = ("1976d2", "388e3c", "d32f2f", "7b1fa2", "ff8f00", "0097a7", "424242", "9e9e9e")


def _palette(hexes: Sequence[str], rng: random.Random, *, dark: bool) -> list[Colour]:
    colours = [near(rng, tuple(bytes.fromhex(one))[::-1], 18) for one in hexes]
    return [shaded(colour, rng.uniform(30, 110)) for colour in colours] if dark else colours


@kind("palettes of numbers", 42)
def classic(rng: random.Random, *, dark: bool) -> list[Colour]:
    """Blue, green, red and so on, as in Windows' Minesweeper, lighter on dark boards."""
    return _palette(_CLASSIC, rng, dark=dark)


@kind("palettes of numbers", 18)
def modern(rng: random.Random, *, dark: bool) -> list[Colour]:
    """The same hues in the softer colours of phones and pages."""
    return _palette(_MODERN, rng, dark=dark)


@kind("palettes of numbers", 12)
def one_ink(rng: random.Random, *, dark: bool) -> list[Colour]:
    """All numbers in one colour."""
    return [any_colour(rng)] * 8


@kind("palettes of numbers", 12)
def hues_in_turn(rng: random.Random, *, dark: bool) -> list[Colour]:
    """Hues that follow each other, of one strength."""
    first, step, strength, value = rng.random(), rng.uniform(-0.12, 0.12), rng.uniform(0.5, 1), rng.uniform(0.3, 1)
    return [hsv(first + step * number, strength, value) for number in range(8)]


@kind("palettes of numbers", 10)
def any_inks(rng: random.Random, *, dark: bool) -> list[Colour]:
    """Any strong colour for each number."""
    return [any_colour(rng, saturation=(0.3, 1)) for _ in range(8)]


@kind("palettes of numbers", 6)
def few_inks(rng: random.Random, *, dark: bool) -> list[Colour]:
    """A colour for each of 1 to 3, and one for all higher numbers."""
    colours = [any_colour(rng, saturation=(0.3, 1)) for _ in range(4)]
    return [colours[min(number, 3)] for number in range(8)]
