"""A window that reports on stdout what is done to it: `python -m tools.live.window TITLE GEOMETRY [KIND]`.

KIND is `plain`, `behind` for one that stays below all others, `dialog` for one with its own dialog in front, or `box`
for one with the system's message box, which has no owner. The titles of dialog and box are the window's and ` asks`.
"""

import ctypes
import sys
import threading
import tkinter as tk

from sweepbot.desktop.tk_window import open_tk

_DIALOG_SIZE = "200x100"


def main() -> None:
    """Show it until it is closed."""
    title, geometry, *kind = sys.argv[1:]
    root = open_tk("sweepbot-test")
    root.title(title)
    root.geometry(geometry)
    root.bind("<ButtonPress>", lambda event: _tell(f"button {event.num} at {event.x_root},{event.y_root}"))
    root.bind("<KeyPress>", lambda event: _tell(f"key {event.keysym}"))
    if kind == ["behind"]:
        root.overrideredirect(boolean=True)
        root.lower()
    if kind == ["dialog"]:
        dialog = tk.Toplevel(root)
        dialog.title(f"{title} asks")
        dialog.geometry(f"{_DIALOG_SIZE}+{geometry.split('+', 1)[1]}")
        dialog.transient(root)
    if kind == ["box"]:
        threading.Thread(target=_ask, args=(f"{title} asks",), daemon=True).start()
    root.wait_visibility()
    root.update()
    _tell("ready")
    root.mainloop()


def _ask(title: str) -> None:
    if sys.platform == "win32":
        ctypes.windll.user32.MessageBoxW(None, "Is this a question?", title, 0)


def _tell(what: str) -> None:
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
