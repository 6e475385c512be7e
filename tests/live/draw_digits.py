"""Draws the numbers in fonts that desktops often have: sweepbot/vision/cells/digits.png.

    python -m tests.live.draw_digits DejaVuSansMono-Bold.ttf NotoSansMono-Bold.ttf ...

Each font becomes a row, with the numbers 1 to 8 side by side, as high as it, in white on black.
"""

import argparse
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

_HEIGHT, _WIDTH = 32, 32
_LARGE = 256  # pixels of a font that is drawn to be made smaller


def _drawn(font: Path, number: int) -> NDArray[np.uint8]:
    """A number in the middle of its field."""
    large = Image.new("L", (2 * _LARGE, 2 * _LARGE))
    ImageDraw.Draw(large).text((_LARGE, _LARGE), str(number), font=ImageFont.truetype(str(font), _LARGE), fill=255)
    glyph = large.crop(large.getbbox())
    wide = min(_WIDTH, round(glyph.width * _HEIGHT / glyph.height))
    field = Image.new("L", (_WIDTH, _HEIGHT))
    field.paste(glyph.resize((wide, _HEIGHT), Image.Resampling.BOX), ((_WIDTH - wide) // 2, 0))
    return np.asarray(field, dtype=np.uint8)


def main() -> int:
    """Draw every font that is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.live.draw_digits", description=main.__doc__)
    parser.add_argument("fonts", type=Path, nargs="+")
    rows = [np.hstack([_drawn(font, number) for number in range(1, 9)]) for font in parser.parse_args().fonts]
    Image.fromarray(np.vstack(rows)).save(str(files("sweepbot.vision.cells").joinpath("digits.png")), optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
