"""A small window, in a process of its own, that stays in front and shows a picture with a line of text.

`python -m sweepbot.desktop.picture_window` reads from stdin, as lines of JSON, what to show and where; until then it is
hidden. It writes lines of JSON to stdout: that it is ready, or why there is no window; then its place whenever that
changes. It ends when stdin does, or when the window is closed. tkinter is imported late: many Pythons lack it.
"""

import json
import queue
import signal
import sys
import threading
from typing import IO, TYPE_CHECKING

import msgspec

from sweepbot.desktop.tk_window import open_tk
from sweepbot.errors import DesktopError

if TYPE_CHECKING:
    import tkinter as tk

TITLE = "sweepbot assist"

TEXT_HEIGHT_PX = 80
"""Below the picture, for the text."""

_POLL_MS = 10  # a tenth of the time within which a change should be seen
_TEXT_MARGIN_PX = 8


class Content(msgspec.Struct, frozen=True):
    """What the window shows; sent to it as a line of JSON.

    Attributes:
        size: Width and height of the window's inside in Tk's units, which are pixels except on macOS.
        at: Where to put its top left corner, frame included; None leaves it where it is.
        text: The text below the picture.
        picture: The picture, as PPM.
    """

    size: tuple[int, int]
    at: tuple[int, int] | None
    text: str
    picture: bytes


class _PictureWindow:
    """The window, hidden until there is something to show.

    Args:
        root: Tk's window.
        stream: The source of contents.
    """

    def __init__(self, root: "tk.Tk", stream: IO[bytes]) -> None:
        import tkinter as tk  # noqa: PLC0415  (late: see the top of this file)

        self._root = root
        self._place: tuple[int, ...] = ()
        self._contents: queue.SimpleQueue[Content | None] = queue.SimpleQueue()
        root.withdraw()
        root.title(TITLE)
        root.resizable(width=False, height=False)
        # The keyboard stays where it is: window managers give no focus to a window that asks for none.
        root.focusmodel("active")
        root.attributes("-topmost", True)  # noqa: FBT003  (Tk's signature)
        if root.tk.call("tk", "windowingsystem") == "x11":
            root.attributes("-type", "utility")
        self._photo = tk.PhotoImage(master=root)
        tk.Label(root, image=self._photo, borderwidth=0, padx=0, pady=0).pack(side="top")
        self._text = tk.Label(root, justify="left", anchor="nw", padx=_TEXT_MARGIN_PX, font=("TkDefaultFont", 10))
        self._text.pack(side="top", fill="both", expand=True)
        for event in ("<Configure>", "<Map>"):
            root.bind(event, lambda _: self._report_place())
        threading.Thread(target=self._receive, args=(stream,), daemon=True).start()

    def run(self) -> None:
        """Show contents until stdin ends or the window is closed."""
        _send({"ready": True})
        self._show_latest()
        self._root.mainloop()

    def _receive(self, stream: IO[bytes]) -> None:
        """Read contents as they arrive, so that the sender never waits for the window."""
        for line in stream:
            self._contents.put(msgspec.json.decode(line, type=Content))
        self._contents.put(None)

    def _show_latest(self) -> None:
        """Show the last of the contents that have arrived, at the last place that one of them has named."""
        content = at = None
        while not self._contents.empty():
            if (content := self._contents.get()) is None:
                self._root.destroy()
                return
            at = content.at or at
        if content is not None:
            self._show(content, at)
        self._root.after(_POLL_MS, self._show_latest)

    def _show(self, content: Content, at: tuple[int, int] | None) -> None:
        width, height = content.size
        self._photo.configure(data=content.picture)
        self._text.configure(text=content.text, wraplength=width - 2 * _TEXT_MARGIN_PX)
        place = "" if at is None else "+{}+{}".format(*at)
        self._root.geometry(f"{width}x{height}{place}")
        if self._root.state() == "withdrawn":
            self._root.deiconify()

    def _report_place(self) -> None:
        root = self._root
        if not root.winfo_viewable():
            return
        place = (root.winfo_rootx(), root.winfo_rooty(), root.winfo_width(), root.winfo_height())
        if place != self._place:
            self._place = place
            _send({"region": place})


def _send(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Show a window until stdin ends or it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal ends the sender, which ends this
    try:
        root = open_tk("sweepbot-assist")
    except DesktopError as error:
        _send({"error": f"{error} ({error.hint})"})
        return
    _PictureWindow(root, sys.stdin.buffer).run()


if __name__ == "__main__":
    main()
