"""A chart of rates over time."""

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from sweepbot.geometry import Image
from sweepbot.history import Stretch
from sweepbot.render.heatmap import INK, PAPER

_SIZE_PX = 900, 460  # width, height
_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 64, 24, 56, 56  # margins
_FONT = cv2.FONT_HERSHEY_DUPLEX
_Colour = tuple[int, int, int]
_LINE: _Colour = (226, 222, 220)
_RATE: _Colour = (178, 114, 0)  # blue and orange can be told apart by colour-blind people (Okabe and Ito 2008)
_BAND: _Colour = (240, 222, 196)
_EXPECTED: _Colour = (0, 94, 213)
_DOT_PX = 4  # radius
_MAX_BAR_PX = 60  # of the bar that is an interval
_SCALE, _SMALL = 0.6, 0.42  # of the letters, as factors of OpenCV's font


def rates_chart(title: str, parts: Sequence[Stretch]) -> Image:
    """Draw win rates from left to right as a line, each with its interval, and the expected ones as crosses.

    Args:
        title: ASCII text above the chart.
        parts: At least one.
    """
    width, height = _SIZE_PX
    image = np.full((height, width, 3), PAPER, dtype=np.uint8)

    def at(place: int, share: float) -> tuple[int, int]:
        """Return the pixel of a share at a place in the series."""
        across = width - _LEFT_PX - _RIGHT_PX
        right = _LEFT_PX + across * (2 * place + 1) // (2 * len(parts))
        return right, round(height - _BOTTOM_PX - share * (height - _TOP_PX - _BOTTOM_PX))

    for percent in range(0, 101, 20):
        level = at(0, percent / 100)[1]
        cv2.line(image, (_LEFT_PX, level), (width - _RIGHT_PX, level), _LINE)
        _text(image, f"{percent}%", (14, level + 5), _SMALL)
    _text(image, title, (_LEFT_PX, 26), _SCALE)
    _text(image, "won, with its 95% interval", (_LEFT_PX, 46), _SMALL, _RATE)
    _text(image, "x  expected from the chances taken", (_LEFT_PX + 240, 46), _SMALL, _EXPECTED)
    half = max(3, min(_MAX_BAR_PX // 2, (width - _LEFT_PX - _RIGHT_PX) // (3 * len(parts))))
    for place, part in enumerate(parts):
        (middle, bottom), (_, top) = (at(place, end) for end in part.ci95)
        cv2.rectangle(image, (middle - half, top), (middle + half, bottom), _BAND, cv2.FILLED)
    dots = [at(place, part.won / part.games) for place, part in enumerate(parts)]
    for one, next_one in pairwise(dots):
        cv2.line(image, one, next_one, _RATE, 2, cv2.LINE_AA)
    for place, part in enumerate(parts):
        cv2.circle(image, dots[place], _DOT_PX, _RATE, cv2.FILLED, cv2.LINE_AA)
        expected = at(place, min(1.0, max(0.0, part.expected / part.games)))
        cv2.drawMarker(image, expected, _EXPECTED, cv2.MARKER_TILTED_CROSS, 2 * _DOT_PX, 2, cv2.LINE_AA)
    for place in sorted({0, len(parts) // 2, len(parts) - 1}):
        name = parts[place].last[:10]
        (room, _), _ = cv2.getTextSize(name, _FONT, _SMALL, 1)
        left = min(max(_LEFT_PX, at(place, 0)[0] - room // 2), width - _RIGHT_PX - room)
        _text(image, name, (left, height - _BOTTOM_PX + 24), _SMALL)
    return image


def _text(image: Image, text: str, at: tuple[int, int], scale: float, colour: _Colour = INK) -> None:
    cv2.putText(image, text, at, _FONT, scale, colour, 1, cv2.LINE_AA)
