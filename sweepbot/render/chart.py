"""A chart of rates over time."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from sweepbot.geometry import Image

_SIZE = 900, 460  # pixels: width, height
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 56, 56  # margins
_FONT = cv2.FONT_HERSHEY_DUPLEX
_Colour = tuple[int, int, int]
_PAPER: _Colour = (255, 255, 255)
_INK: _Colour = (48, 40, 36)
_LINE: _Colour = (226, 222, 220)
_RATE: _Colour = (178, 114, 0)  # blue and orange can be told apart by colour-blind people (Okabe and Ito 2008)
_BAND: _Colour = (240, 222, 196)
_EXPECTED: _Colour = (0, 94, 213)
_DOT = 4  # radius
_SCALE, _SMALL = 0.6, 0.42  # of the letters


@dataclass(frozen=True, slots=True)
class Rate:
    """A point of the chart: a share in [0, 1], its interval, and the expected share."""

    name: str
    share: float
    low: float
    high: float
    expected: float


def rates_chart(title: str, rates: Sequence[Rate]) -> Image:
    """Draw shares from left to right as a line, each with its interval, and the expected shares as crosses.

    Args:
        title: ASCII text above the chart.
        rates: At least one.
    """
    width, height = _SIZE
    image = np.full((height, width, 3), _PAPER, dtype=np.uint8)

    def at(place: int, share: float) -> tuple[int, int]:
        """Return the pixel of a share at a place in the series."""
        across = width - _LEFT - _RIGHT
        right = _LEFT + across * (2 * place + 1) // (2 * len(rates))
        return right, round(height - _BOTTOM - share * (height - _TOP - _BOTTOM))

    for percent in range(0, 101, 20):
        level = at(0, percent / 100)[1]
        cv2.line(image, (_LEFT, level), (width - _RIGHT, level), _LINE)
        _text(image, f"{percent}%", (14, level + 5), _SMALL)
    _text(image, title, (_LEFT, 26), _SCALE)
    _text(image, "won, with its 95% interval", (_LEFT, 46), _SMALL, _RATE)
    _text(image, "x  expected from the chances taken", (_LEFT + 240, 46), _SMALL, _EXPECTED)
    half = max(3, (width - _LEFT - _RIGHT) // (3 * len(rates)))
    for place, rate in enumerate(rates):
        (middle, top), (_, bottom) = at(place, rate.high), at(place, rate.low)
        cv2.rectangle(image, (middle - half, top), (middle + half, bottom), _BAND, cv2.FILLED)
    for place in range(len(rates) - 1):
        ends = at(place, rates[place].share), at(place + 1, rates[place + 1].share)
        cv2.line(image, *ends, _RATE, 2, cv2.LINE_AA)
    for place, rate in enumerate(rates):
        cv2.circle(image, at(place, rate.share), _DOT, _RATE, cv2.FILLED, cv2.LINE_AA)
        expected = at(place, min(1.0, max(0.0, rate.expected)))
        cv2.drawMarker(image, expected, _EXPECTED, cv2.MARKER_TILTED_CROSS, 2 * _DOT, 2, cv2.LINE_AA)
    for place in sorted({0, len(rates) // 2, len(rates) - 1}):
        name = rates[place].name
        (room, _), _ = cv2.getTextSize(name, _FONT, _SMALL, 1)
        left = min(max(_LEFT, at(place, 0)[0] - room // 2), width - _RIGHT - room)
        _text(image, name, (left, height - _BOTTOM + 24), _SMALL)
    return image


def _text(image: Image, text: str, at: tuple[int, int], scale: float, colour: _Colour = _INK) -> None:
    cv2.putText(image, text, at, _FONT, scale, colour, 1, cv2.LINE_AA)
