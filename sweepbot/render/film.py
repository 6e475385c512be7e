"""A game as an animated GIF: what was seen, with the chances and the clicks drawn over it."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import PIL.Image

from sweepbot.errors import ImageError, refused_as
from sweepbot.geometry import Image
from sweepbot.replacing import replace_file

_CLICK, _RIM = (0, 0, 192), (255, 255, 255)
_SAMPLED = 12  # pictures, spread over the film, from which its 256 colours are chosen


def draw_click(image: Image, x: int, y: int, radius: int) -> None:
    """Mark a clicked pixel."""
    cv2.circle(image, (x, y), radius + 1, _RIM, -1, cv2.LINE_AA)
    cv2.circle(image, (x, y), radius, _CLICK, -1, cv2.LINE_AA)


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
    pictures = []
    for image, _ in stills:  # padded with black to the same size
        room = (0, height - image.shape[0]), (0, width - image.shape[1]), (0, 0)
        pictures.append(PIL.Image.fromarray(np.pad(image, room)[:, :, ::-1]))
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
