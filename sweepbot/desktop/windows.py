"""The windows on a desktop: where each is, which belong together, and what lies in front."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sweepbot.geometry import Point, Region

WindowId = int
"""The system's number of a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window that is shown, though it may be covered.

    Attributes:
        id: Its number.
        region: Its inside, without the window manager's frame, in pixels of the virtual desktop.
        owner: The window that it belongs to, as a dialog does; None if it belongs to none.
        frame: Everything that it covers, frame included; None if unknown. Less than `region` if it is rolled up.
        program: A number that only the windows of one program share; 0 if the system does not report it.
        is_menu: Whether it is a menu, or something else that no window manager handles and that is gone at the next
            click.
    """

    id: WindowId
    region: Region
    owner: WindowId | None = None
    frame: Region | None = None
    program: int = 0
    is_menu: bool = False

    @property
    def outside(self) -> Region:
        """Everything that it covers, as far as that is known."""
        return self.frame or self.region


def in_front_of(window: WindowId | None, shown: Sequence[Window]) -> Sequence[Window]:
    """Return the windows in front of another one; none if that is not shown."""
    return shown[: next((place for place, it in enumerate(shown) if it.id == window), 0)]


def belongs(window: Window, to: WindowId | None, shown: Sequence[Window]) -> bool:
    """Whether a window is owned by `to`, directly or through other windows in `shown`; nothing is owned by None."""
    owners = {other.id: other.owner for other in shown}
    owner, seen = owners.get(window.id, window.owner), {window.id}
    while owner is not None and owner not in seen:
        if owner == to:
            return True
        seen.add(owner)
        owner = owners.get(owner)
    return False


def named(words: Sequence[str], windows: Iterable[WindowId], name: Callable[[WindowId], str]) -> list[WindowId]:
    """Return the windows whose `name` contains one of `words`."""
    names = ((window, name(window)) for window in windows)
    return [window for window, its in names if any(word in its for word in words)]


def with_words(name: str) -> str:
    """Return a program's name in lower case, and its words with a space at each side, by which they are found whole."""
    name = name.lower()
    return f"{name} {re.sub('[^a-z0-9]+', ' ', name)} "


class Windows(Protocol):
    """The windows of a desktop, on systems that report them."""

    def shown(self) -> Sequence[Window]:
        """Return every window that is not hidden or minimised, the frontmost first."""

    def known(self) -> Sequence[Window]:
        """Return the same without waiting for the system; it may be a moment old."""
        return self.shown()

    def exists(self, window: WindowId) -> bool:
        """Whether a window exists, even if it is minimised or on another workspace."""

    def titled(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Return the windows shown whose titles contain one of `words`, the frontmost first."""
        return named(words, (window.id for window in self.shown()), self.title)

    def minimised(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Return the minimised windows whose titles contain one of `words`; none if the system does not list them."""

    def title(self, window: WindowId) -> str:
        """Return the title of a window; empty if it has none."""

    def of_programs(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Return the windows shown whose programs' names contain one of `words`, as `with_words` gives them."""

    def under(self, pixel: Point) -> Window | None:
        """Return the window that a click on a pixel would go to; None for the bare desktop."""

    def with_keyboard(self) -> WindowId | None:
        """Return the window that keys go to; None if it is not among those shown."""

    def focus(self, window: WindowId) -> None:
        """Ask for the keyboard focus to move to a window; the window manager decides."""

    def place(self, window: WindowId, region: Region) -> None:
        """Ask for a window's inside to be moved to `region`; the window manager decides."""

    def dismiss(self, window: WindowId) -> None:
        """Ask a window to close, as its close button would."""

    def room(self, window: WindowId) -> Region:
        """Return the region that the inside of a window may fill: without panels, docks and its own frame."""
