"""Opening a Tk window; tkinter is imported late, since many Pythons come without it."""

from typing import TYPE_CHECKING

from sweepbot.desktop.win32_api import see_real_pixels
from sweepbot.errors import DesktopError

if TYPE_CHECKING:
    import tkinter as tk


def open_tk(name: str, *, otherwise: str = "") -> "tk.Tk":
    """Open a window whose units are pixels, except on macOS.

    Args:
        name: What window managers know it by.
        otherwise: What to do where there can be none, in words.

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
