"""A window that reports on stdout what is done to it: `python -m tools.live.window TITLE GEOMETRY [KIND]`.

KIND is `plain`, `behind` or `on-top` for one that stays below or above all others, `dialog` for one with its own
dialog in front, `frameless` for one whose dialog has no frame, beside an open menu, `box` for one with the system's
message box, which has no owner, or `orphan` for one whose message box belongs to an invisible window. The titles of
dialogs and boxes are the window's and ` asks`.
"""

import ctypes
import sys
import threading
import tkinter as tk
from tkinter import messagebox

from sweepbot.desktop.tk_window import open_tk

_DIALOG_SIZE = "200x100"
_MENU_AT = 900, 100
_LATER_MS = 500


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
    if kind == ["on-top"]:
        root.attributes("-topmost", 1)
    if kind in (["dialog"], ["frameless"]):
        dialog = tk.Toplevel(root)
        dialog.title(f"{title} asks")
        dialog.geometry(f"{_DIALOG_SIZE}+{geometry.split('+', 1)[1]}")
        if kind == ["dialog"]:
            dialog.transient(root)
        else:
            dialog.overrideredirect(boolean=True)
            menu = tk.Menu(root, tearoff=0)
            menu.add_command(label="a command")
            root.after(_LATER_MS, menu.tk_popup, *_MENU_AT)
    if kind == ["box"]:
        threading.Thread(target=_ask, args=(f"{title} asks",), daemon=True).start()
    if kind == ["orphan"]:
        hidden = tk.Toplevel(root)
        hidden.withdraw()
        root.after(_LATER_MS, lambda: messagebox.showinfo(f"{title} asks", "Game over", parent=hidden))
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
