"""From what a desktop answered to the lines of a trace: only what is new, and only what may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.windows import Window, WindowId, belongs
from sweepbot.geometry import Image, Region
from sweepbot.trace.canvas import Canvas, encode
from sweepbot.trace.entries import Again, Call, Entry, Look, Pointer
from sweepbot.trace.events import Box, Pixel, Shows, box
from sweepbot.trace.sinks import FolderSink, Picture, Ring

Stacks: TypeAlias = Sequence[Sequence[Window]]
"""The windows at some times, the one in front first."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """A picture that was taken.

    Attributes:
        t: When, in microseconds since the run began.
        asked: The region asked for; None where that was everything.
        region: The region that it shows.
        image: What was seen.
        stacks: The windows just before and after, the one in front first; none where the system tells of none.
    """

    t: int
    asked: Region | None
    region: Region
    image: NDArray[np.uint8]
    stacks: Stacks = ()


@dataclass(frozen=True, slots=True, eq=False)
class Pictured:
    """A line with a picture of its own."""

    line: Entry
    image: Image


Item: TypeAlias = Looked | Pictured | Entry


@dataclass(slots=True)
class _Repeats:
    """Calls that were answered as the last ones of their kind."""

    line: Again | None = None
    last: int = 0
    calls: list[str] = field(default_factory=list)

    def add(self, t: int, call: str) -> None:
        if self.line is None:
            self.line = Again(t=t, calls="", after=[])
        else:
            self.line.after.append(t - self.last)
        self.last = t
        self.calls.append(call)

    def take(self) -> Again | None:
        line, self.line = self.line, None
        if line is not None:
            line.calls = "".join(self.calls)
            self.calls.clear()
        return line


class Stream:
    """Turns what was answered into lines.

    Where only the client may be shown, and that is found by looking at the whole screen, a look that goes beyond what
    may be shown waits for the next call: by then the client is known that it has found.

    Args:
        canvas: What is known of the screen.
        sink: Takes the lines.
        whole_screen: Whether everything may be shown.
    """

    def __init__(self, canvas: Canvas, sink: FolderSink | Ring, *, whole_screen: bool) -> None:
        self._canvas = canvas
        self._sink = sink
        self._shown = canvas.screen if whole_screen else None
        self._client: WindowId | None = None
        self._waiting: list[Item] = []
        self._repeats = _Repeats()
        self._looked_at: Box | tuple[()] | None = ()
        self._last: Image | None = None
        self._pointer: Pixel | None = None

    def take(self, item: Item) -> None:
        """Take in what was answered next."""
        if isinstance(item, Shows):
            self._show(item)
            return
        if self._waiting and isinstance(item, Looked | Call) and self._shown is not None:
            self._release()
        if self._waiting or (isinstance(item, Looked) and not _is_within(item.region, self._shown)):
            self._waiting.append(item)
        else:
            self._write(item)

    def _show(self, shows: Shows) -> None:
        self._shown, self._client = Region(*shows.region), shows.window
        self._canvas.keep_only(self._shown)
        self._last = None
        self._put(shows)
        self._release()

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for item in waiting:
            self._write(item)

    def flush(self, *, last: bool = False) -> None:
        """Hand on what was taken in; the last time also what still waits, of which nothing may be shown then.

        Raises:
            OSError: It cannot be written.
        """
        if last:
            self._release()
        self._put_repeats()
        self._sink.flush()

    def _write(self, item: Item) -> None:
        if isinstance(item, Looked):
            self._write_look(item)
        elif isinstance(item, Pictured):
            height, width = item.image.shape[:2]
            self._put(item.line, [((0, 0, width, height), encode(item.image))])
        elif isinstance(item, Pointer) and item.failed is None and item.at == self._pointer:
            self._repeats.add(item.t, "p")
        else:
            if isinstance(item, Pointer):
                self._pointer = item.at
            self._put(item)

    def _write_look(self, look: Looked) -> None:
        asked = None if look.asked is None else box(look.asked)
        last, self._last = self._last, look.image
        if asked == self._looked_at and last is look.image:
            self._repeats.add(look.t, "l")
            return
        pictures: list[Picture] = []
        visible = None if self._shown is None else look.region.intersection(self._shown)
        if visible is not None:
            left, top = visible.x - look.region.x, visible.y - look.region.y
            image = look.image[top : top + visible.height, left : left + visible.width]
            image = self._of_client(image, visible, look.stacks)
            changes = self._canvas.take(visible, image)
            pictures = [(box(change), encode(self._canvas.part(change))) for change in changes]
        if not pictures and asked == self._looked_at:
            self._repeats.add(look.t, "l")
            return
        self._looked_at = asked
        self._put(Look(t=look.t, region=asked), pictures)

    def _of_client(self, image: Image, region: Region, stacks: Stacks) -> Image:
        """A picture of a region in which all is black that another window than the client's may have shown."""
        if self._client is None:
            return image
        for shown in stacks:
            at = next((place for place, window in enumerate(shown) if window.id == self._client), None)
            inside = None if at is None else shown[at].region.intersection(region)
            if inside is None:
                return np.zeros_like(image)
            others = [window for window in shown[:at] if not belongs(window, self._client, shown)]
            hides = [cover for w in others if (cover := (w.frame or w.region).intersection(region)) is not None]
            if inside != region or hides:
                whole, image = image, np.zeros_like(image)
                _part(image, inside, region)[:] = _part(whole, inside, region)
            for cover in hides:
                _part(image, cover, region)[:] = 0
        return image

    def _put_repeats(self) -> None:
        repeats = self._repeats.take()
        if repeats is not None:
            self._sink.put(repeats)

    def _put(self, entry: Entry, pictures: list[Picture] | tuple[()] = ()) -> None:
        self._put_repeats()
        self._sink.put(entry, pictures)


def _part(image: Image, part: Region, region: Region) -> Image:
    """The part of a picture of a region."""
    left, top = part.x - region.x, part.y - region.y
    return image[top : top + part.height, left : left + part.width]


def _is_within(region: Region, shown: Region | None) -> bool:
    return (
        shown is not None
        and shown.x <= region.x
        and shown.y <= region.y
        and region.right <= shown.right
        and region.bottom <= shown.bottom
    )
