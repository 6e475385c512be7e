"""The client in a real window. tkinter is imported late: many Pythons lack it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from sweepbot.demo.client import RESTART_KEY, Client
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.tk_window import open_tk
from sweepbot.geometry import Image, Point, Region, extent
from sweepbot.render.files import ppm

if TYPE_CHECKING:
    import tkinter as tk

TITLE = "sweepbot demo"

READY = "ready"
"""What the window's process prints once the window can be seen and clicked."""

_TICK_MS = 50
"""The interval at which the clock is drawn again."""

# Tk numbers the buttons as the system does, and on macOS the right one comes before the middle one.
_BUTTONS: dict[int, Button] = (
    {1: "left", 2: "right", 3: "middle"} if sys.platform == "darwin" else {1: "left", 2: "middle", 3: "right"}
)


class TkWindow:
    """A window of fixed size that shows a client and passes on mouse and keyboard events to it.

    Args:
        client: The client.
        scale: Screen pixels per pixel of the client, across and down.

    Raises:
        DesktopError: This Python has no tkinter, or there is no display.
    """

    def __init__(self, client: Client, scale: int = 1) -> None:
        self._root = open_tk("sweepbot-demo", otherwise="`sweepbot demo --headless` needs none")
        import tkinter as tk  # noqa: PLC0415  (late: see the top of this file)

        self._client = client
        self._scale = scale
        self._shown = client.image()
        self._redraw_is_due = False

        height, width = self._shown.shape[:2]
        self._photo = tk.PhotoImage(master=self._root, width=width * scale, height=height * scale)
        self._send(self._shown, client.layout.window)
        picture = tk.Label(self._root, image=self._photo, borderwidth=0, padx=0, pady=0)
        picture.pack()
        self._root.title(TITLE)
        self._root.resizable(width=False, height=False)
        self._root.bind("<F2>", lambda _: self._act(lambda: client.key(RESTART_KEY)))
        picture.bind("<ButtonPress>", lambda event: self._with_button(client.press, event))
        picture.bind("<ButtonRelease>", lambda event: self._with_button(client.release, event))
        for number in _BUTTONS:
            picture.bind(f"<B{number}-Motion>", lambda event: self._act(lambda: client.move(self._point(event))))

    def run(self, ready: Callable[[], None]) -> None:
        """Show the window until it is closed; call `ready` once it is on the screen."""
        self._tick()
        self._root.wait_visibility()
        self._root.update()
        ready()
        self._root.mainloop()

    def _with_button(self, action: Callable[[Point, Button], None], event: "tk.Event[tk.Label]") -> None:
        if isinstance(event.num, int) and event.num in _BUTTONS:  # the wheel has numbers too
            button = _BUTTONS[event.num]
            self._act(lambda: action(self._point(event), button))

    def _point(self, event: "tk.Event[tk.Label]") -> Point:
        return Point(event.x // self._scale, event.y // self._scale)

    def _act(self, action: Callable[[], None]) -> None:
        """Do something now, and draw once the events already waiting are done too."""
        action()
        if not self._redraw_is_due:
            self._redraw_is_due = True
            self._root.after_idle(self._redraw)

    def _tick(self) -> None:
        self._redraw()
        self._root.after(_TICK_MS, self._tick)

    def _redraw(self) -> None:
        """Send the changed area of each part of the window: all of an expert board takes Tk 2 ms."""
        self._redraw_is_due = False
        image = self._client.image()
        layout = self._client.layout
        for part in (layout.board, layout.mine_counter, layout.clock, layout.face):
            changed = _changed(self._shown, image, part)
            if changed is not None:
                self._send(image, changed)
        self._shown = image

    def _send(self, image: Image, region: Region) -> None:
        pixels = image[region.slices]
        enlarged = pixels.repeat(self._scale, axis=0).repeat(self._scale, axis=1)
        self._photo.put(ppm(enlarged), to=(region.x * self._scale, region.y * self._scale))


def _changed(before: Image, after: Image, within: Region) -> Region | None:
    """Return the smallest rectangle with all pixels in `within` that differ; None if none does."""
    differs = extent((before[within.slices] != after[within.slices]).any(axis=2))
    return None if differs is None else differs.moved(within.origin)
