"""Marks on other programs' windows: whether pictures of the screen show them is found out, not assumed."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from sweepbot.desktop.overlay import Overlay, is_in_pictures
from sweepbot.desktop.screen import Frame, part_of
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Image, Point, Region

WINDOW: WindowId = 7


class Screen(Overlay):
    """A screen and its overlay.

    `captured` gives what pictures show in a mark's place: of what is beneath, the mark, and how often one was shown.
    """

    region = Region(-20, 10, 40, 30)

    def __init__(self, captured: Callable[[Image, Image, int], Image], brightest: int = 200) -> None:
        self._captured = captured
        self._picture = np.zeros((30, 40, 3), np.uint8)
        self._picture[5, 33] = 0, brightest, 0
        self.marks: list[Frame] = []
        self.times_shown = 0

    def grab(self, region: Region | None = None) -> Frame:
        wanted = part_of(self.region, region)
        frame = Frame(self._picture.copy(), self.region)
        for mark in self.marks:
            part = frame.part(mark.region)
            part[:] = self._captured(part, mark.image, self.times_shown)
        return Frame(frame.part(wanted), wanted)

    def show(self, marks: Sequence[Frame], window: WindowId) -> None:
        assert window == WINDOW
        self.marks = list(marks)
        self.times_shown += 1

    def hide(self) -> None:
        self.marks = []

    def close(self) -> None:
        raise NotImplementedError

    def without_marks(self, frame: Frame) -> Frame:
        return frame


def window_at(pixel: Point) -> WindowId | None:
    """The window that has the brightest pixel."""
    return WINDOW if pixel == Point(13, 15) else None


@pytest.mark.parametrize(
    ("captured", "seen"),
    [
        (lambda beneath, mark, times: beneath, False),  # noqa: ARG005
        (lambda beneath, mark, times: mark, True),  # noqa: ARG005
        (lambda beneath, mark, times: 0 * beneath, True),  # noqa: ARG005  (as Windows 10 before version 2004)
        (lambda beneath, mark, times: beneath if times == 1 else 0 * beneath, True),  # noqa: ARG005
    ],
    ids=["left out", "shown", "blacked out", "blacked out once it was hidden"],
)
def test_marks_in_pictures_are_noticed(captured: Callable[[Image, Image, int], Image], seen: bool) -> None:  # noqa: FBT001
    """Whether they show in colour or as a black hole, also only after having been hidden; and the trial leaves none."""
    screen = Screen(captured)
    assert is_in_pictures(screen, screen, window_at) == seen
    assert screen.times_shown > 1
    assert not screen.marks


def test_nothing_is_believed_that_cannot_be_tried() -> None:
    """On a black screen a hidden mark looks like one that is left out; and a mark must be above some window."""
    black = Screen(lambda beneath, *_: beneath, brightest=0)
    assert is_in_pictures(black, black, window_at)
    bare = Screen(lambda beneath, *_: beneath)
    assert is_in_pictures(bare, bare, lambda _: None)
    assert not black.times_shown + bare.times_shown
