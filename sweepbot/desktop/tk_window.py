"""Open a Tk window, or wait for a process that opens one. tkinter is imported late: many Pythons lack it."""

from subprocess import Popen
from threading import Timer
from typing import TYPE_CHECKING, AnyStr

from sweepbot.desktop.win32.api import see_real_pixels
from sweepbot.errors import DesktopError

if TYPE_CHECKING:
    import tkinter as tk


def open_tk(name: str, *, otherwise: str = "") -> "tk.Tk":
    """Open a window whose units are pixels, except on macOS.

    Its class is named for window managers; `otherwise` is a further hint if it cannot be opened.

    Raises:
        DesktopError: This Python has no tkinter, or there is no display.
    """
    see_real_pixels()
    try:
        import tkinter as tk  # noqa: PLC0415  (late: see the top of this file)
    except ImportError as cause:
        hint = "; ".join(filter(None, ("sudo apt-get install python3-tk", otherwise)))
        raise DesktopError("this Python has no tkinter, which draws the window", hint=hint) from cause
    try:
        return tk.Tk(className=name)
    except tk.TclError as cause:
        hint = "; ".join(filter(None, ("start this inside a desktop session", otherwise)))
        raise DesktopError(f"no window can be opened: {cause}", hint=hint) from cause


def first_line(process: Popen[AnyStr], within_s: float) -> AnyStr:
    """Return the first line that a process writes; empty if it ends without one or is killed for taking too long."""
    assert process.stdout is not None  # noqa: S101  (the caller opened it with a pipe)
    timer = Timer(within_s, process.kill)
    timer.start()
    try:
        return process.stdout.readline()
    finally:
        timer.cancel()
