"""What screens and files do to a picture before it is read: sizes, light, colours, compression."""

import random

import cv2
import numpy as np
from PIL import Image

from sweepbot.training.colours import any_colour
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.tiles import Floats, noise

_SMALLEST_PITCH_PX = 11.5
_LARGEST_PITCH_PX = 70


def shown(rng: random.Random, kinds: Kinds, picture: Floats, pitch: float) -> Floats:
    """Return a picture as a screen shows it and a file keeps it; `pitch` is the shorter side of its cells in pixels."""
    for effect in kinds.some(rng, "on its way to the file"):
        picture = np.clip(effect(rng, picture, pitch), 0, 255)
    return picture


@kind("on its way to the file", 55)
def resized(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Enlarged or reduced by any ratio, in any of the usual ways."""
    factor = rng.uniform(max(0.6, _SMALLEST_PITCH_PX / pitch), max(1.0, min(2.2, _LARGEST_PITCH_PX / pitch)))
    way = rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA, cv2.INTER_NEAREST))
    return np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=way))


@kind("on its way to the file", 12)
def blurred(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Out of focus, or enlarged by the desktop."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, max(0.4, 0.055 * pitch))))


@kind("on its way to the file", 30)
def dimmed(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Darker, or with less contrast."""
    return picture * rng.uniform(0.45, 1) + rng.uniform(0, 25)


@kind("on its way to the file", 15)
def gamma(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Another gamma."""
    return np.asarray(255 * (picture / 255) ** rng.uniform(0.6, 1.6))


@kind("on its way to the file", 15)
def night_light(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Less blue, as by a night light."""
    return np.asarray(picture * np.array((rng.uniform(0.55, 1), rng.uniform(0.8, 1), 1)))


@kind("on its way to the file", 5)
def veiled(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Behind a veil of one colour."""
    share = rng.uniform(0.15, 0.5)
    return picture * (1 - share) + any_colour(rng) * share


@kind("on its way to the file", 4)
def inverted(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """All colours inverted."""
    return 255 - picture


@kind("on its way to the file", 4)
def greyed(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Without colours."""
    return np.repeat(picture.mean(2, keepdims=True), 3, 2)


@kind("on its way to the file", 12)
def grainy(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Noise."""
    return picture + rng.uniform(1, 8) * noise(rng, (*picture.shape[:2], 1))


@kind("on its way to the file", 7)
def few_colours(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """A palette of 16 to 256 colours, dithered or not, as in a GIF."""
    image = Image.fromarray(picture.astype(np.uint8))
    dither = rng.choice((Image.Dither.NONE, Image.Dither.FLOYDSTEINBERG))
    few = image.quantize(rng.choice((16, 32, 64, 128, 256)), dither=dither)
    return np.asarray(few.convert("RGB"), dtype=np.float64)


@kind("on its way to the file", 30)
def compressed(rng: random.Random, picture: Floats, pitch: float) -> Floats:
    """Compressed as JPEG."""
    written = cv2.imencode(".jpg", picture.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, rng.randint(30, 95)])[1]
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR), dtype=np.float64)
