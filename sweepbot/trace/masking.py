"""What a trace may not show: other programs' windows, and dialogs, in which a name may be asked for, or shown."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId, belongs, in_front_of
from sweepbot.geometry import Image

Stacks: TypeAlias = Sequence[Sequence[Window]]
"""The windows at some moments, frontmost first."""


def without_dialogs(seen: Frame, stacks: Stacks, client: WindowId) -> Frame:
    """Return a picture in which the client's own windows in front of it are black."""
    in_front = ((it, shown) for shown in stacks for it in in_front_of(client, shown))
    return seen.without(*(it.outside for it, shown in in_front if belongs(it, client, shown)))


def only_client(seen: Frame, stacks: Stacks, client: WindowId) -> Image:
    """Return a picture in which everything is black that may be another window than the client's own."""
    for shown in stacks:
        window = next((window for window in shown if window.id == client), None)
        inside = None if window is None else window.region.intersection(seen.region)
        if inside is None:
            return np.zeros_like(seen.image)
        if inside != seen.region:
            whole, seen = seen, Frame(np.zeros_like(seen.image), seen.region)
            seen.part(inside)[:] = whole.part(inside)
        seen = seen.without(*(it.outside for it in in_front_of(client, shown)))
    return seen.image
