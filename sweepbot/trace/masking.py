"""What a trace may not show: other programs' windows, and dialogs, in which a name may be asked for, or shown."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId, belongs
from sweepbot.geometry import Image, Region

Stacks: TypeAlias = Sequence[Sequence[Window]]
"""The windows at some moments, frontmost first."""


def without_dialogs(seen: Frame, stacks: Stacks, client: WindowId) -> Frame:
    """Return a picture in which the client's own windows in front of it are black."""
    covers = [cover for shown in stacks for cover in _in_front(seen.region, shown, client, belongs)]
    return Frame(_blackened(seen, covers), seen.region) if covers else seen


def only_client(seen: Frame, stacks: Stacks, client: WindowId, *, dialogs: bool) -> Image:
    """Return a picture in which everything is black that may belong to another window than the client's.

    Its `dialogs` are black, too, unless they are to be shown.
    """
    image, region = seen.image, seen.region
    for shown in stacks:
        window = next((window for window in shown if window.id == client), None)
        inside = None if window is None else window.region.intersection(region)
        if inside is None:
            return np.zeros_like(image)
        covers = _in_front(region, shown, client, lambda *one: not (dialogs and belongs(*one)))
        if inside != region:
            whole, image = Frame(image, region), np.zeros_like(image)
            Frame(image, region).part(inside)[:] = whole.part(inside)
        if covers:
            image = _blackened(Frame(image, region), covers)
    return image


def _in_front(
    region: Region,
    shown: Sequence[Window],
    client: WindowId,
    is_meant: Callable[[Window, WindowId, Sequence[Window]], bool],
) -> list[Region]:
    """Return the parts of a region that certain windows in front of the client's cover, frames included."""
    at = next((place for place, window in enumerate(shown) if window.id == client), 0)
    parts = ((it.frame or it.region).intersection(region) for it in shown[:at] if is_meant(it, client, shown))
    return [part for part in parts if part is not None]


def _blackened(seen: Frame, covers: Sequence[Region]) -> Image:
    image = seen.image.copy()
    for cover in covers:
        Frame(image, seen.region).part(cover)[:] = 0
    return image
