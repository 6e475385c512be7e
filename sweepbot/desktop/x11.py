"""A connection to an X11 display, the base of what asks it for windows or moves its pointer.

python-xlib comes with pyautogui. Only the files of this folder that begin with `x11` use it.
"""

import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sweepbot.errors import DesktopError
from sweepbot.interrupts import held_together

Xlib = Any
"""python-xlib has no types."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Self = TypeVar("_Self", bound="X11Connection")


def while_it_lasts(
    method: Callable[Concatenate[_Self, _Arguments], _Result],
) -> Callable[Concatenate[_Self, _Arguments], _Result]:
    """Turn the end of the display into an error of ours."""

    def asking(self: _Self, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        # Asked once more, python-xlib would wait for ever for an answer.
        if self.has_ended:
            raise DesktopError("the display has ended", hint="start it and the client again")
        try:
            with held_together():
                return method(self, *arguments, **named)
        except (self.error.ConnectionClosedError, OSError, TypeError) as cause:
            if isinstance(cause, TypeError) and not isinstance(cause.__context__, OSError):
                raise
            # A TypeError where python-xlib, about to tell of an OSError, takes that for a tuple.
            self.has_ended = True
            raise DesktopError(f"the display has ended: {cause}", hint="start it and the client again") from cause

    return asking


class X11Connection:
    """The display that DISPLAY names.

    Attributes:
        has_ended: Whether it was found to be gone.

    Raises:
        DesktopError: It cannot be opened.
    """

    def __init__(self) -> None:
        self.has_ended = False
        with xlib_opening():
            from Xlib import X, display, error  # noqa: PLC0415  (late: few commands need it)

            self.x, self.error = X, error
            try:
                self.display: Xlib = display.Display()
            except (error.DisplayError, error.XauthError, OSError) as cause:
                raise DesktopError(
                    f"this display cannot be opened: {cause}", hint="`sweepbot doctor` looks for the reason"
                ) from cause
        # What is asked of a window that has just gone is of no effect, and no reason to talk.
        self.display.set_error_handler(lambda *_: None)
        self.root: Xlib = self.display.screen().root

    def close(self) -> None:
        """Let go of the display."""
        with suppress(self.error.ConnectionClosedError, OSError, TypeError):
            self.display.close()


@contextmanager
def xlib_opening() -> Iterator[None]:
    """Let python-xlib open a display.

    It warns of its own unclosed files and odd escapes, and prints to stdout, where our results go: nothing of that is a
    player's to mend. And it fails where the file of passwords (XAUTHORITY, else ~/.Xauthority) is missing, although a
    display without access control needs none; every other X11 program takes a missing file for an empty one.
    """
    named = os.environ.get("XAUTHORITY")
    file = Path(os.environ.get("HOME", os.devnull), ".Xauthority") if named is None else Path(named)
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        if not file.is_file():
            os.environ["XAUTHORITY"] = os.devnull
        try:
            yield
        finally:
            os.environ.pop("XAUTHORITY", None)
            os.environ.update({} if named is None else {"XAUTHORITY": named})
