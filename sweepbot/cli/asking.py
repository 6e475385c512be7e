"""Asking a person what a cell shows: with a display in a window, else in the terminal."""

import os
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
from rich.text import Text

from sweepbot.calibrate.screenshots.labelling import UNDO, Question
from sweepbot.cli.output import pressed_key, talk
from sweepbot.desktop.tk_window import open_tk
from sweepbot.errors import CalibrationError, StoppedByUserError
from sweepbot.geometry import Image, Point, Region
from sweepbot.render.files import ppm
from sweepbot.replacing import replace_file

KEYS = {
    **{str(number): str(number) for number in range(9)},
    "#": "hidden",
    "f": "flag",
    "?": "question",
    "*": "mine",
    "x": "exploded",
    "w": "wrong_flag",
    " ": None,
    "u": UNDO,
}
"""The answer that each key gives for a look; None leaves it out."""

_LEGEND = "0-8 a number, # hidden, f flag, ? question mark, * mine, x exploded, w wrong flag, space none, u back"
_GO_ON = "the answers so far are kept; run it again to go on"
_TERMINAL_PX = 36  # side of a picture in the terminal: two fit 80 columns, and 24 lines with the question
_WINDOW_PX = 240  # side of a picture in the window
_LOOK_S = 0.02  # between two looks for a key in the window, between which Ctrl-C in the terminal is heard
_NEAR_CELLS = 3  # that are shown of the board around a cell
_FRAME_PX = 2  # of the frame that marks the cell among them


class Asker:
    """Asks about looks that have not been answered before, so that an interrupted session can be resumed.

    A file keeps the answers, by a hash of the picture, until a calibration is written.

    Raises:
        CalibrationError: The file exists but cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._answers: dict[str, str | None] = {}
        self._answered: list[str] = []
        if file.is_file():
            try:
                self._answers = msgspec.json.decode(file.read_bytes(), type=dict[str, str | None])
            except (OSError, msgspec.DecodeError) as error:
                raise CalibrationError(f"{file}: cannot be read: {error}", hint="delete it to start over") from error
            talk.print(f"answers kept from last time: {len(self._answers)}")

    def __call__(self, question: Question) -> str | None:
        """Return a name of `STATE_NAMES`, None to leave the look out, or `UNDO` to go back."""
        height, width = question.picture.shape[:2]
        key = f"{width}x{height}-{sha256(question.picture.tobytes()).hexdigest()[:24]}"
        if key not in self._answers:
            answer = KEYS[(_key_in_window if _has_display() else _key_in_terminal)(question)]
            if answer == UNDO:
                if self._answered:
                    del self._answers[self._answered.pop()]
                    self._save()
                return UNDO
            self._answers[key] = answer
            self._save()
            talk.print(f"{question.number}: {answer or 'left out'}")
        self._answered.append(key)
        return self._answers[key]

    def forget(self) -> None:
        """Forget the answers, which are no longer needed."""
        self._file.unlink(missing_ok=True)

    def _save(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._file, msgspec.json.format(msgspec.json.encode(self._answers), indent=2))


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY"))


def _in_words(question: Question) -> str:
    alike = f"{question.cells} cell{'s look' if question.cells > 1 else ' looks'} like this"
    return f"question {question.number} of {question.most}: {alike}. What does it show?"


def _in_its_board(question: Question) -> Image:
    """Return a picture of the cell, framed, and its surroundings."""
    cell = question.region.moved(Point(_FRAME_PX, _FRAME_PX))
    image = np.pad(question.image, ((_FRAME_PX, _FRAME_PX), (_FRAME_PX, _FRAME_PX), (0, 0)))
    for width, shade in ((_FRAME_PX, 255), (_FRAME_PX // 2, 0)):  # dark within light stands out on any ground
        image[cell.grown(width).slices] = shade
    image[cell.slices] = question.image[question.region.slices]
    near = cell.grown(_NEAR_CELLS * max(cell.width, cell.height))
    return image[(near.intersection(Region.of(image)) or cell).slices]


def _fitted(picture: Image, side_px: int) -> Image:
    """Scale a picture into a square of this side, which is black where there is nothing of it."""
    scale = max(picture.shape[:2]) / side_px
    rows, columns = ((np.arange(round(side / scale)) * scale).astype(int) for side in picture.shape[:2])
    fitted = np.zeros((side_px, side_px, 3), np.uint8)
    fitted[: len(rows), : len(columns)] = picture[np.ix_(rows, columns)]
    return fitted


def _pictures(question: Question, side_px: int) -> Image:
    """Return a picture of the cell in its board, and beside it one of the cell alone."""
    gap = np.zeros((side_px, side_px // 9, 3), np.uint8)
    return np.hstack([_fitted(_in_its_board(question), side_px), gap, _fitted(question.picture, side_px)])


def _key_in_terminal(question: Question) -> str:
    """Show a cell as blocks of colour, and return one of `KEYS`.

    Raises:
        StoppedByUserError: There are no more keys.
    """
    talk.print(_blocks(_pictures(question, _TERMINAL_PX)))
    talk.print(f"{_in_words(question)} {_LEGEND}:")
    while (key := pressed_key().lower()) not in KEYS:
        if not key:
            raise StoppedByUserError("stopped: there is no more input", hint=_GO_ON)
    return key


def _key_in_window(question: Question) -> str:
    """Show a cell in a window, and return one of `KEYS`.

    Raises:
        StoppedByUserError: The window was closed.
    """
    window, keys = open_tk("sweepbot-calibrate"), [""]
    import tkinter as tk  # noqa: PLC0415  (late: many Pythons lack it)

    talk.print(f"{_in_words(question)} Answer in the window.")
    window.title("sweepbot calibrate")
    shown = tk.PhotoImage(master=window, data=ppm(_pictures(question, _WINDOW_PX)))
    tk.Label(window, image=shown).pack(padx=24, pady=8)
    tk.Label(window, text=f"{_in_words(question)}\n\n{_LEGEND.replace(', ', chr(10))}").pack(padx=24, pady=12)
    window.bind("<Key>", lambda event: keys.append(event.char.lower()))
    window.focus_force()
    with suppress(tk.TclError):  # once it is closed
        while keys[-1] not in KEYS:
            window.update()
            time.sleep(_LOOK_S)
        window.destroy()
        return keys[-1]
    raise StoppedByUserError("stopped: the window was closed", hint=_GO_ON)


def _blocks(picture: Image) -> Text:
    """Draw a picture: each character shows two pixels, one above the other."""
    text = Text(no_wrap=True)
    for upper, lower in zip(picture[::2, :, ::-1].tolist(), picture[1::2, :, ::-1].tolist(), strict=True):
        for above, below in zip(upper, lower, strict=True):
            text.append("\u2580", "rgb({},{},{}) on rgb({},{},{})".format(*above, *below))
        text.append("\n")
    text.rstrip()
    return text
