"""Reads the numbers 1 to 8, drawn in given fonts as clients would, and counts the refused and the wrong ones.

    python -m tests.bench.font_table --client gnome-mines FreeSerifBold.ttf Hack-Bold.ttf ...

Each template of a number provides the background and the colour. The digit is drawn again in the font, as high as in
the template and in the same place, at several sizes and subpixel offsets.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration, Template, find_calibration
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.figures import NUMBERS, ink_of
from sweepbot.vision.pictures.patches import Patches

SIZES = 12, 16, 20, 23, 27, 32, 37, 46
"""Cell sizes in pixels."""

PLACES = (0, 0), (0.5, 0), (0, 0.5), (0.3, -0.4)
"""Offsets of a digit from its place in the template, in pixels."""

_FINE = 4  # how many times larger than the template a number is drawn first
_RIM = 0.15  # of a cell, left free around a digit


def _glyph(font: Path, number: int, height: int) -> NDArray[np.float32]:
    """The share of each pixel that a number of a given height, in pixels, covers."""
    large = Pictures.new("L", (1024, 1024))
    ImageDraw.Draw(large).text((256, 256), str(number), font=ImageFont.truetype(str(font), 512), fill=255)
    cropped = large.crop(large.getbbox())
    width = max(1, round(cropped.width * height / cropped.height))
    return np.asarray(cropped.resize((width, height), Pictures.Resampling.BOX), dtype=np.float32) / np.float32(255)


def _redrawn(template: Template, font: Path, place: tuple[float, float], size: int) -> Image:
    """A template with its number in another font, at another size, and shifted by some pixels of that size."""
    height, width = template.image.shape[:2]
    rim = round(_RIM * height)
    inner = template.image[rim:-rim, rim:-rim].astype(np.float32)
    ground = np.asarray(np.median(np.concatenate([inner[0], inner[-1], inner[:, 0], inner[:, -1]]), axis=0), np.float32)
    ink = ink_of(template.image[rim:-rim, rim:-rim], ground)
    off = np.linalg.norm(inner - ground, axis=2)
    rows, columns = (_FINE * (rim + np.flatnonzero((off >= off.max() / 2).any(axis=axis))) for axis in (1, 0))
    glyph = _glyph(font, int(template.state), int(rows[-1] - rows[0]) + _FINE)
    cover = np.zeros((_FINE * height, _FINE * width), dtype=np.float32)
    left = max(0, round((columns[0] + columns[-1] + _FINE - glyph.shape[1]) / 2))
    part = cover[rows[0] : rows[0] + glyph.shape[0], left : left + glyph.shape[1]]
    part[:] = glyph[:, : part.shape[1]]
    moved = np.array([[1, 0, place[0] * _FINE * width / size], [0, 1, place[1] * _FINE * width / size]])
    cover = cv2.warpAffine(cover, moved, cover.shape[::-1])[..., None]
    fine = np.repeat(np.repeat(template.image, _FINE, axis=0), _FINE, axis=1).astype(np.float32)
    fine[_FINE * rim : -_FINE * rim, _FINE * rim : -_FINE * rim] = ground
    drawn = np.rint(fine * (1 - cover) + ink * cover).astype(np.uint8)
    return np.asarray(cv2.resize(drawn, (size, size), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _counts(cells: Sequence[Image], truth: Sequence[int], eyes: Classifier) -> tuple[int, int]:
    """The number of cells that are refused, and of those read as something else."""
    width, height = eyes.cell
    brought = [cv2.resize(cell, (width, height), interpolation=cv2.INTER_AREA) for cell in cells]
    states = eyes.classify(Patches.in_a_row([np.asarray(cell, dtype=np.uint8) for cell in brought])).states.ravel()
    refused = states == State.UNKNOWN
    return int(refused.sum()), int((~refused & (states != np.array(truth))).sum())


def table(calibration: Calibration, fonts: Sequence[Path]) -> Iterator[str]:
    """The table's lines, one per size."""
    numbers = [template for template in calibration.templates if template.state in NUMBERS]
    eyes = Classifier(calibration.templates, gap=calibration.gap)
    for size in SIZES:
        totals = np.zeros(2, dtype=int)
        for font in fonts:
            for place in PLACES:
                cells = [_redrawn(template, font, place, size) for template in numbers]
                truth = [int(template.state) for template in numbers]
                totals += _counts(cells, truth, eyes.for_pitch((size, size)))
        refused, wrong = totals.tolist()
        count = len(numbers) * len(fonts) * len(PLACES)
        yield f"{size:3} px: of {count} {refused} refused, {wrong} wrong"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.font_table", description=main.__doc__)
    parser.add_argument("--client", default="gnome-mines")
    parser.add_argument("fonts", type=Path, nargs="+")
    options = parser.parse_args()
    calibration = msgspec.structs.replace(find_calibration(options.client), native={})
    for line in table(calibration, options.fonts):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
