"""A stack of windows for tests, one of them a client in memory."""

from collections.abc import Callable, Sequence
from typing import Protocol

from sweepbot.desktop.windows import Window, WindowId, with_words
from sweepbot.geometry import Point, Region

CLIENT: WindowId = 7
"""The number of the client's window, at first."""


class Desktop(Protocol):
    """A desktop with one client on it."""

    window: Region
    """The pixels of the client's window."""

    @property
    def region(self) -> Region: ...


class FakeWindows:
    """The windows of a desktop in memory. Windows in front are not painted: only their places count.

    `before_each` is called before each answer, so that something may happen meanwhile.

    Attributes:
        in_front: Windows in front of the client, the frontmost first.
        name: The title of the client's window.
        number: The number of the client's window.
        keyboard: The window that has the keyboard.
        grants_focus: Whether the window manager grants requests for the keyboard.
        placed: Where the client was asked to be.
        dismissed: The windows that were asked to close.
    """

    def __init__(self, desktop: Desktop, before_each: Callable[["FakeWindows"], None] = lambda _: None) -> None:
        self._desktop = desktop
        self._before_each = before_each
        self.in_front: list[Window] = []
        self.is_open = True
        self.is_minimised = self.is_rolled_up = False
        self.program = "demo"
        self.name = "sweepbot demo"
        self.number: WindowId = CLIENT
        self.keyboard: WindowId = CLIENT
        self.grants_focus = True
        self.placed: list[Region] = []
        self.dismissed: list[WindowId] = []
        self.asked = 0

    def move_client(self, by: Point) -> None:
        self._desktop.window = self._desktop.window.moved(by)

    def shown(self) -> list[Window]:
        self.asked += 1
        self._before_each(self)
        if not self.is_open or self.is_minimised:
            return self.in_front
        inside = self._desktop.window
        frame = Region(inside.x, inside.y - 20, inside.width, 20) if self.is_rolled_up else None
        return [*self.in_front, Window(self.number, inside, frame=frame, program=1)]

    def known(self) -> list[Window]:
        return self.shown()

    def exists(self, window: WindowId) -> bool:
        return (window == self.number and self.is_open) or any(other.id == window for other in self.in_front)

    def titled(self, words: Sequence[str]) -> list[WindowId]:
        return [] if self.is_minimised else self._called(words)

    def minimised(self, words: Sequence[str]) -> list[WindowId]:
        return self._called(words) if self.is_minimised else []

    def _called(self, words: Sequence[str]) -> list[WindowId]:
        return [self.number] if any(word in self.name for word in words) and self.is_open else []

    def title(self, window: WindowId) -> str:
        return self.name if window == self.number else ""

    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        return [self.number] if any(word in with_words(self.program) for word in words) and self.is_open else []

    def under(self, pixel: Point) -> Window | None:
        return next((window for window in self.shown() if pixel in window.outside), None)

    def with_keyboard(self) -> WindowId | None:
        return self.keyboard

    def room(self, window: WindowId) -> Region:
        assert window
        return self._desktop.region

    def focus(self, window: WindowId) -> None:
        """Give a window the keyboard, if that is granted."""
        if self.grants_focus:
            self.keyboard = window

    def place(self, window: WindowId, region: Region) -> None:
        assert window == self.number
        self.placed.append(region)
        self._desktop.window = Region(region.x, region.y, self._desktop.window.width, self._desktop.window.height)

    def dismiss(self, window: WindowId) -> None:
        self.dismissed.append(window)
        self.in_front = [other for other in self.in_front if other.id != window]
