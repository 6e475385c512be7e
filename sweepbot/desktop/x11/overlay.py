"""Marks over another program's window on X11, whose Composite extension keeps what is beneath them."""

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

import numpy as np

from sweepbot.desktop.overlay import Overlay
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import WindowId
from sweepbot.desktop.x11.connection import X11Connection, Xlib
from sweepbot.errors import DesktopError
from sweepbot.geometry import Image, Region

_REDIRECT_AUTOMATIC = 0  # Composite: the server keeps what a window shows, and still puts it on the screen
_BOUNDING, _INPUT = 0, 2  # SHAPE: what a window shows, and where it takes clicks
_REQUEST_BYTES = 200_000  # of a picture sent at once; servers take at least 262,140
_ANSWER_BYTES = 100_000  # of a picture asked for at once: python-xlib copies all that came at each read of a few kB
_ALL_PLANES = 0xFFFFFFFF


class X11Overlay(X11Connection, Overlay):
    """A window that consists of marks, see `Overlay`. The Composite extension keeps what is beneath them.

    Raises:
        DesktopError: The display cannot be opened, or lacks an extension.
    """

    def __init__(self) -> None:
        super().__init__()
        missing = [name for name in ("Composite", "SHAPE") if not self.display.has_extension(name)]
        if missing:
            raise DesktopError(f"this display lacks {' and '.join(missing)}")
        self._depth: int = self.display.screen().root_depth
        self._marks: Xlib = self.root.create_window(0, 0, 1, 1, 0, self._depth, override_redirect=True)
        process = self.display.get_atom("_NET_WM_PID")  # by which `X11Windows` knows it
        self._marks.change_property(process, self.display.get_atom("CARDINAL"), 32, [os.getpid()])
        self._shape_request = _shape_request()
        self._shape(_INPUT, [])
        self._beneath: Xlib = None  # the frame of the window that is marked
        self._marked: list[Region] = []
        self._notices = X11Connection()  # of its own: a connection belongs to one thread
        self._notices.root.change_attributes(event_mask=self.x.SubstructureNotifyMask)
        self._follower = Thread(target=self._follow, daemon=True)
        self._follower.start()

    def show(self, marks: Sequence[Frame], window: WindowId) -> None:
        if not marks:
            self.hide()
            return
        with suppress(self.error.XError):  # the window may have gone
            self._beneath, self._marked = self._outermost(self._window(window)), [mark.region for mark in marks]
            board = Region.spanning(self._marked)
            picture = Frame(np.zeros((board.height, board.width, 4), dtype=np.uint8), board)
            for mark in marks:
                picture.part(mark.region)[..., :3] = mark.image
            self._beneath.composite_redirect_window(_REDIRECT_AUTOMATIC)  # a second time changes nothing
            self._paint(picture.image)
            self._marks.configure(x=board.x, y=board.y, width=board.width, height=board.height)
            self._shape(_BOUNDING, [region.moved(-board.origin) for region in self._marked])
            self._marks.configure(sibling=self._beneath, stack_mode=self.x.Above)
            self._marks.clear_area()
            self._marks.map()
            self.display.sync()

    def hide(self) -> None:
        self._marked = []
        self._marks.unmap()
        self.display.sync()

    def without_marks(self, frame: Frame) -> Frame:
        covered = [part for region in self._marked if (part := region.intersection(frame.region)) is not None]
        if not covered:
            return frame
        clear = Frame(frame.image.copy(), frame.region)
        with suppress(self.error.XError):  # the window may have gone
            beneath = self._shown_beneath(Region.spanning(covered))
            for region in covered:
                if (part := region.intersection(beneath.region)) is not None:
                    clear.part(part)[:] = beneath.part(part)
        return clear

    def close(self) -> None:
        with suppress(OSError):  # the display has ended
            self._notices.display.display.socket.shutdown(socket.SHUT_RDWR)
        self._follower.join()
        self._notices.close()
        super().close()

    def _follow(self) -> None:
        """Keep the marks directly above their window: window managers raise one above all others when it is clicked."""
        display = self._notices.display
        marks = display.create_resource_object("window", self._marks.id)
        with suppress(self.error.ConnectionClosedError, OSError, TypeError):  # see `X11Connection`
            while True:
                event, beneath = display.next_event(), self._beneath
                if event.type == self.x.ConfigureNotify and beneath is not None and event.window.id == beneath.id:
                    marks.configure(sibling=beneath, stack_mode=self.x.Above)
                    display.flush()

    def _shown_beneath(self, wanted: Region) -> Frame:
        """Return what the marked window shows in a region, or in the part of that within the window."""
        window = self._with_border(self._beneath)
        part = wanted.intersection(window) or window
        kept, at = self._beneath.composite_name_window_pixmap(), part.moved(-window.origin)
        most = max(1, _ANSWER_BYTES // (4 * part.width))
        try:
            strips = [
                kept.get_image(at.x, top, at.width, min(most, at.bottom - top), self.x.ZPixmap, _ALL_PLANES).data
                for top in range(at.y, at.bottom, most)
            ]
        finally:
            kept.free()
        pixels = np.frombuffer(b"".join(strips), dtype=np.uint8).reshape(part.height, part.width, 4)
        return Frame(pixels[..., :3], part)

    def _paint(self, picture: Image) -> None:
        """Make a picture, (height, width, 4), the window's background, which the server draws by itself."""
        height, width = picture.shape[:2]
        pixmap = self._marks.create_pixmap(width, height, self._depth)
        context = pixmap.create_gc()
        rows = max(1, _REQUEST_BYTES // (4 * width))
        for top in range(0, height, rows):
            part = picture[top : top + rows]
            pixmap.put_image(context, 0, top, width, len(part), self.x.ZPixmap, self._depth, 0, part.tobytes())
        self._marks.change_attributes(background_pixmap=pixmap)
        context.free()
        pixmap.free()

    def _shape(self, kind: int, regions: Sequence[Region]) -> None:
        """Limit what the window shows, or where it takes clicks, to some regions of it."""
        self._shape_request(
            display=self.display.display,
            opcode=self.display.display.get_extension_major("SHAPE"),
            operation=0,  # set
            kind=kind,
            ordering=0,  # none
            window=self._marks.id,
            x=0,
            y=0,
            rectangles=[(it.x, it.y, it.width, it.height) for it in regions],
        )


def _shape_request() -> Any:  # noqa: ANN401  (python-xlib has no types)
    """Return SHAPE's request of rectangles; python-xlib's own refuses the shape of where a window takes clicks."""
    from Xlib.protocol import rq, structs  # noqa: PLC0415  (late: few commands need it)

    class Rectangles(rq.Request):  # type: ignore[misc]
        _request = rq.Struct(
            rq.Card8("opcode"),
            rq.Opcode(1),
            rq.RequestLength(),
            rq.Card8("operation"),
            rq.Card8("kind"),
            rq.Card8("ordering"),
            rq.Pad(1),
            rq.Window("window"),
            rq.Int16("x"),
            rq.Int16("y"),
            rq.List("rectangles", structs.Rectangle),
        )

    return Rectangles
