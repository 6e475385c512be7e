"""Asking a person what a cell shows: enlarged, in a window or as blocks of colour, answered by one key."""

import os
import sys

import numpy as np
from rich.text import Text

from sweepbot.calibrate.screenshots.answers import Answers
from sweepbot.cli.keys import pressed_key
from sweepbot.cli.output import talk
from sweepbot.errors import StoppedByUserError
from sweepbot.geometry import Image

KEYS = {
    **{str(number): str(number) for number in range(9)},
    "#": "hidden",
    "f": "flag",
    "?": "question",
    "*": "mine",
    "x": "exploded",
    "w": "wrong_flag",
    " ": None,
}
"""What each key says of a look; None leaves it out."""

_LEGEND = "0-8 a number, # hidden, f flag, ? question mark, * mine, x exploded, w wrong flag, space to leave it out"
_GO_ON = "the answers so far are kept; run it again to go on"
_BLOCKS = 24  # a side, in the terminal
_SIDE = 240  # pixels a side, in a window


class Asker:
    """Asks about a look, unless it was answered the last time.

    Args:
        answers: Where answers are kept.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._in_window = _has_display()

    def __call__(self, picture: Image, count: int) -> str | None:
        """What a picture shows of which there are `count`: a name of `STATE_NAMES`, None to leave it out."""
        if picture not in self._answers:
            ask = _in_window if self._in_window else _in_terminal
            self._answers.keep(picture, ask(picture, count))
        return self._answers[picture]


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY"))


def _in_terminal(picture: Image, count: int) -> str | None:
    """Show a cell as blocks of colour, and take one key for an answer.

    Raises:
        StoppedByUserError: No more keys come.
    """
    step = -(-max(picture.shape[:2]) // _BLOCKS)
    art = Text()
    for row in picture[::step, ::step].tolist():
        for blue, green, red in row:
            art.append("  ", f"on rgb({red},{green},{blue})")
        art.append("\n")
    talk.print(art)
    talk.print(f"{count} cells look so. {_LEGEND}:", markup=False)
    while (key := pressed_key().lower()) not in KEYS:
        if not key:
            raise StoppedByUserError("stopped: no more keys to come", hint=_GO_ON)
    return KEYS[key]


def _in_window(picture: Image, count: int) -> str | None:
    """Show a cell in a window, and take one key for an answer.

    Raises:
        StoppedByUserError: The window was closed.
    """
    import tkinter as tk  # noqa: PLC0415  (only where there is a window to open)

    answers: list[str | None] = []
    window = tk.Tk()
    window.title("sweepbot calibrate")
    factor = max(1, _SIDE // max(picture.shape[:2]))
    large = picture.repeat(factor, axis=0).repeat(factor, axis=1)
    shown = tk.PhotoImage(master=window, data=_ppm(large))
    tk.Label(window, image=shown).pack(padx=24, pady=16)
    tk.Label(window, text=f"{count} cells look so. What do they show?", font=("TkDefaultFont", 13)).pack()
    tk.Label(window, text=_LEGEND.replace(", ", "\n")).pack(padx=24, pady=12)

    def answer(event: "tk.Event[tk.Misc]") -> None:
        if event.char.lower() in KEYS and event.char:
            answers.append(KEYS[event.char.lower()])
            window.destroy()

    window.bind("<Key>", answer)
    window.focus_force()
    window.mainloop()
    if not answers:
        raise StoppedByUserError("stopped: the window was closed", hint=_GO_ON)
    return answers[0]


def _ppm(picture: Image) -> bytes:
    height, width = picture.shape[:2]
    return b"P6 %d %d 255\n" % (width, height) + np.ascontiguousarray(picture[:, :, ::-1]).tobytes()
