"""Turning the answers of a desktop into the lines of a trace: only what is new, and only what may be shown."""

from typing import NamedTuple

from msgspec import structs

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Region
from sweepbot.trace.canvas import Canvas, encode
from sweepbot.trace.entries import Again, Call, Entry, Grab, Pointer, Scene
from sweepbot.trace.events import Box, Pixel, Shows, box
from sweepbot.trace.masking import Stacks, only_client
from sweepbot.trace.sinks import FolderSink, Picture, Ring


class Item(NamedTuple):
    """A line with what belongs to it.

    Attributes:
        line: The line of the trace.
        frame: The picture of a grab, or one that belongs to another line.
        stacks: The windows just before and after a grab; empty if the system gives no information on windows.
    """

    line: Entry
    frame: Frame | None = None
    stacks: Stacks = ()


class LineStream:
    """Turns items into lines for a sink.

    If only the client may be shown, and not the `whole_screen`, a grab beyond it is held back until the next call: it
    may be the grab of the whole screen that finds the client, and by then it is known what may be shown of it.
    """

    def __init__(self, canvas: Canvas, sink: FolderSink | Ring, *, whole_screen: bool) -> None:
        self._canvas = canvas
        self._sink = sink
        self._shown = canvas.region if whole_screen else None
        self._client: int | None = None
        self._waiting: list[Item] = []
        self._again: Again | None = None
        self._repeated_t = 0
        self._grabbed: Box | tuple[()] | None = ()
        self._last: Image | None = None
        self._pointer: Pixel | None = None

    def take(self, item: Item) -> None:
        """Take the next item."""
        if isinstance(item.line, Shows):
            self._shown, self._client = Region(*item.line.region), item.line.window
            self._canvas.keep_only(self._shown)
            self._last = None
            # What was held back is older, by as long as a person may have been asked meanwhile.
            self._put(structs.replace(item.line, t=self._waiting[0].line.t) if self._waiting else item.line)
            self._release()
            return
        if self._waiting and isinstance(item.line, Call) and self._shown is not None:
            self._release()
        is_grab = isinstance(item.line, Grab | Scene) and item.frame is not None
        if self._waiting or (is_grab and item.frame and self._visible(item.frame) != item.frame.region):
            self._waiting.append(item)
        else:
            self._write(item)

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for item in waiting:
            self._write(item)

    def flush(self, *, last: bool = False) -> None:
        """Write all lines so far; the last time also those held back, of which nothing may be shown then.

        Raises:
            OSError: They cannot be written.
        """
        if last:
            self._release()
        self._put_repeats()
        self._sink.flush()

    def _write(self, item: Item) -> None:
        line, frame = item.line, item.frame
        if isinstance(line, Grab) and frame is not None:
            self._write_grab(line, frame, item.stacks)
        elif isinstance(line, Scene) and frame is not None:
            self._write_scene(line, frame, item.stacks)
        elif isinstance(line, Pointer) and line.failed is None and line.at == self._pointer:
            self._repeat(line.t, "p")
        else:
            if isinstance(line, Pointer):
                self._pointer = line.at
            self._put(line, [] if frame is None else [(box(frame.region), encode(frame.image))])

    def _write_grab(self, grab: Grab, frame: Frame, stacks: Stacks) -> None:
        last, self._last = self._last, frame.image
        is_same_place = grab.region == self._grabbed
        pictures = self._changes(frame, stacks) if last is not frame.image or not is_same_place else []
        if not pictures and is_same_place:
            self._repeat(grab.t, "g")
        else:
            self._grabbed = grab.region
            self._put(grab, pictures)

    def _write_scene(self, scene: Scene, frame: Frame, stacks: Stacks) -> None:
        """Write what is new around the last grab, whose own region stays as the run has seen it."""
        grabbed = Region(*self._grabbed).intersection(frame.region) if self._grabbed else None
        if grabbed is not None:
            frame = Frame(frame.image.copy(), frame.region)
            frame.part(grabbed)[:] = self._canvas.part(grabbed)
        if pictures := self._changes(frame, stacks):
            self._put(scene, pictures)

    def _changes(self, frame: Frame, stacks: Stacks) -> list[Picture]:
        """Return what has changed in a picture, of that which may be shown."""
        visible = self._visible(frame)
        if visible is None:
            return []
        image = frame.part(visible)
        if self._client is not None:
            image = only_client(Frame(image, visible), stacks, self._client)
        changes = self._canvas.take(visible, image)
        return [(box(change), encode(self._canvas.part(change))) for change in changes]

    def _visible(self, frame: Frame) -> Region | None:
        """Return the part of a picture that may be shown."""
        return None if self._shown is None else frame.region.intersection(self._shown)

    def _repeat(self, t: int, call: str) -> None:
        """Add a call with the same answer as the last of its kind."""
        if self._again is None:
            self._again = Again(t=t, calls="", after=[])
        else:
            self._again.after.append(t - self._repeated_t)
        self._again.calls += call
        self._repeated_t = t

    def _put_repeats(self) -> None:
        again, self._again = self._again, None
        if again is not None:
            self._sink.put(again)

    def _put(self, entry: Entry, pictures: list[Picture] | tuple[()] = ()) -> None:
        self._put_repeats()
        self._sink.put(entry, pictures)
