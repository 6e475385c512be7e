"""A game as an animated GIF: what was seen, with the chances and the clicks drawn over it."""

from collections.abc import Sequence
from functools import reduce
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import PIL.Image

from sweepbot.errors import ImageError, refused_as
from sweepbot.geometry import Image, Region, extent
from sweepbot.replacing import replace_file

_CLICK, _RIM = (0, 0, 192), (255, 255, 255)
_SAMPLED = 12  # pictures, spread over the film, from which its 256 colours are chosen


def draw_click(image: Image, x: int, y: int, radius: int) -> None:
    """Mark a clicked pixel by a ring, in which its cell's own mark can be seen."""
    for colour, thick in ((_RIM, 4), (_CLICK, 2)):
        cv2.circle(image, (x, y), radius, colour, thick, cv2.LINE_AA)


def save_film(stills: Sequence[tuple[Image, int]], path: Path) -> None:
    """Write a film as an animated GIF that loops: pictures, each with the milliseconds for which it is shown.

    Raises:
        ImageError: It has no pictures, the name is not that of a GIF, or it cannot be written.
    """
    if path.suffix.lower() != ".gif":
        raise ImageError(f"{path}: not the name of a GIF", hint="give a name that ends in .gif")
    if not stills:
        raise ImageError(f"{path}: there is nothing to show", hint="the run ended before anything was read")
    height, width = (max(image.shape[axis] for image, _ in stills) for axis in (0, 1))
    # Padded with black to the same size; what is black in all of them, as what a trace leaves out, is cut off.
    padded = [np.pad(it, ((0, height - it.shape[0]), (0, width - it.shape[1]), (0, 0))) for it, _ in stills]
    is_shown = np.asarray(reduce(np.maximum, padded).any(axis=2))
    shown = (extent(is_shown) or Region.of(is_shown)).slices
    pictures = [PIL.Image.fromarray(image[shown][:, :, ::-1]) for image in padded]
    colours = _palette(pictures)
    # Without dithering flat colours stay flat, and pixels that do not change are not written again.
    first, *others = (picture.quantize(palette=colours, dither=PIL.Image.Dither.NONE) for picture in pictures)
    film = BytesIO()
    first.save(
        film,
        "GIF",
        save_all=True,
        append_images=others,
        duration=[milliseconds for _, milliseconds in stills],
        loop=0,
        optimize=False,
    )
    with refused_as(ImageError, f"{path}: cannot be written", "choose a folder that exists"):
        replace_file(path, film.getvalue())


def _palette(pictures: Sequence[PIL.Image.Image]) -> PIL.Image.Image:
    """Return an image with the palette that fits a sample of the pictures best."""
    sampled = pictures[:: max(1, len(pictures) // _SAMPLED)]
    together = PIL.Image.new("RGB", (sampled[0].width, sampled[0].height * len(sampled)))
    for number, picture in enumerate(sampled):
        together.paste(picture, (0, number * picture.height))
    return together.quantize(dither=PIL.Image.Dither.NONE)
