"""Marks over another program's window: clicks go through them, and what is read does not show them."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from sweepbot.desktop.screen import Frame, Screen
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Point, Region

_LOOKS, _BETWEEN_S = 10, 0.02  # a compositor shows what is drawn some frames later


class Overlay(Protocol):
    """Marks directly above the window that they are about: what is in front of it is in front of the marks too."""

    def show(self, marks: Sequence[Frame], window: WindowId) -> None:
        """Put marks above a window, in place of earlier ones; each covers its region of the screen."""

    def hide(self) -> None:
        """Take all marks away."""

    def without_marks(self, frame: Frame) -> Frame:
        """Return a picture of the screen that shows what is beneath the marks."""

    def close(self) -> None:
        """Take all marks away for good."""


def is_in_pictures(overlay: Overlay, screen: Screen, window_at: Callable[[Point], WindowId | None]) -> bool:
    """Try whether a mark gets into pictures of the screen; it is a pixel in size, and gone after a fifth of a second.

    It is drawn on the brightest pixel in the inverse colour, which differs from the pixel and from the black by which
    some systems hide a window. Where nothing can be marked, or all is black, the answer is yes.

    Args:
        overlay: What draws the mark.
        screen: What is read.
        window_at: Returns the window in front at a pixel.
    """
    seen = screen.grab()
    row, column = np.unravel_index(seen.image.max(axis=2).argmax(), seen.image.shape[:2])
    at = Point(int(column), int(row)) + screen.region.origin
    spot, window = Region(at.x, at.y, 1, 1), window_at(at)
    before = seen.part(spot)
    if window is None or not before.any():
        return True
    mark = Frame(255 - before, spot)
    try:
        overlay.show([mark], window)
        overlay.hide()  # Windows has lost the exclusion of windows that were hidden in between
        overlay.show([mark], window)
        for _ in range(_LOOKS):
            time.sleep(_BETWEEN_S)
            if (overlay.without_marks(screen.grab(spot)).image != before).any():
                return True
    finally:
        overlay.hide()
    return False
