"""The windows on a desktop: where each is, which belong together, and what lies in front."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sweepbot.geometry import Point, Region

WindowId = int
"""The number by which the system knows a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window that can be seen, at least in part.

    Attributes:
        id: Its number.
        region: Its inside, without the frame that a window manager draws, in pixels of the virtual desktop.
        owner: The window that it belongs to, as a dialog does; None where it stands for itself.
        frame: All that it hides of what is behind it, its frame included; None where it has none.
        program: A number that the windows of one process share, and no others; 0 where the system does not tell.
    """

    id: WindowId
    region: Region
    owner: WindowId | None = None
    frame: Region | None = None
    program: int = 0


def belongs(window: Window, to: WindowId, shown: Sequence[Window]) -> bool:
    """Whether a window is owned by another one, or by one that is; all of them are among those shown."""
    owners = {other.id: other.owner for other in shown}
    owner, seen = owners.get(window.id, window.owner), {window.id}
    while owner is not None and owner not in seen:
        if owner == to:
            return True
        seen.add(owner)
        owner = owners.get(owner)
    return False


def named(words: Sequence[str], shown: Sequence[Window], name: Callable[[WindowId], str]) -> list[WindowId]:
    """Those of the windows shown that have a name, as `name` tells it, which contains one of `words`."""
    names = ((window.id, name(window.id)) for window in shown)
    return [number for number, its in names if any(word in its for word in words)]


class Windows(Protocol):
    """A desktop that knows its windows.

    On systems that do not report windows there is no such object.
    """

    def shown(self) -> Sequence[Window]:
        """Every window that is not minimised, the one in front first."""

    def known(self) -> Sequence[Window]:
        """The same from what the system has already reported: does not wait, and may be a moment old."""

    def exists(self, window: WindowId) -> bool:
        """Whether a window exists, also if it is minimised or on another workspace."""

    def titled(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Those of the windows shown whose titles contain one of `words`, the one in front first."""

    def minimised(self, words: Sequence[str]) -> Sequence[WindowId]:
        """The minimised windows whose titles contain one of `words`; none where the system does not tell of those."""

    def title(self, window: WindowId) -> str:
        """The title of a window; empty where it has none."""

    def of_programs(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Those of the windows shown whose programs' names contain one of `words`, in lower case."""

    def under(self, pixel: Point) -> Window | None:
        """The window in front at a pixel, to which a click there would go; None for the bare desktop."""

    def with_keyboard(self) -> WindowId | None:
        """The window that keys go to; None where that is none of those shown."""

    def focus(self, window: WindowId) -> None:
        """Ask for the keyboard to go to a window; whether it does is for the window manager to decide."""

    def place(self, window: WindowId, region: Region) -> None:
        """Ask for a window's inside to be at `region`; how far that is done is for the window manager to decide."""

    def dismiss(self, window: WindowId) -> None:
        """Ask a window to close, as a click on its frame's cross would."""

    def room(self, window: WindowId) -> Region:
        """The part of the desktop that the inside of a window may fill: without panels, docks and its own frame."""
