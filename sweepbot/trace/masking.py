"""What a trace may not show: other programs' windows, dialogs, in which a name may be asked for or shown, and paths."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId, Windows, belongs, in_front_of
from sweepbot.geometry import Image

Stacks: TypeAlias = Sequence[Sequence[Window]]
"""The windows at some moments, frontmost first."""


class Mask:
    """What a run may not see: of this one it may see everything."""

    def __init__(self) -> None:
        self.client: WindowId | None = None
        """The client's window, once it is known."""
        self.stacks: Stacks = ()
        """The windows before the last picture, and after it, so that what came or went meanwhile is masked, too."""

    def note_windows(self) -> None:
        """Note the windows after a picture."""

    def has_changed(self) -> bool:
        """Whether the windows after the last picture differ from those before it."""
        return len(self.stacks) > 1 and self.stacks[0] != self.stacks[1]

    def applied(self, seen: Frame) -> Frame:
        """Return what may be seen of a picture that was just taken."""
        self.note_windows()
        return self.masked(seen)

    def masked(self, seen: Frame) -> Frame:
        """Return what may be seen of the last picture."""
        return seen

    def kept(self, seen: Frame) -> Frame:
        """Return the part of it, once masked, that a trace may have."""
        return seen


class DialogMask(Mask):
    """Masks the client's dialogs, once it is known which window is the `client`'s."""

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self._windows = windows

    def note_windows(self) -> None:
        """See `Mask.note_windows`."""
        self.stacks = (*self.stacks[-1:], self._windows.known())

    def masked(self, seen: Frame) -> Frame:
        """See `Mask.masked`."""
        if self.client is None:
            return seen
        in_front = ((it, shown) for shown in self.stacks for it in in_front_of(self.client, shown))
        return seen.without(*(it.outside for it, shown in in_front if belongs(it, self.client, shown)))


def without_home(text: str) -> str:
    """Return a text with the user's folder as `~`, since its path has the login name."""
    home = os.path.expanduser("~")  # noqa: PTH111  (`Path.home` fails where there is none)
    if home in ("", "~", Path(home).anchor):  # none, or the root
        return text
    return text.replace(home, "~").replace(repr(home)[1:-1], "~")


def only_client(seen: Frame, stacks: Stacks, client: WindowId) -> Image:
    """Return a picture in which everything is black that may be another window than the client's own."""
    for shown in stacks:
        window = next((window for window in shown if window.id == client), None)
        part = None if window is None else window.region.intersection(window.outside)  # none if it is rolled up
        inside = None if part is None else part.intersection(seen.region)
        if inside is None:
            return np.zeros_like(seen.image)
        if inside != seen.region:
            whole, seen = seen, Frame(np.zeros_like(seen.image), seen.region)
            seen.part(inside)[:] = whole.part(inside)
        seen = seen.without(*(it.outside for it in in_front_of(client, shown)))
    return seen.image
