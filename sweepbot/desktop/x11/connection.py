"""A connection to an X11 display, the base class for its windows and its mouse.

python-xlib comes with pyautogui. Only the files of this folder use it.
"""

import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import wraps
from pathlib import Path
from typing import Any

from sweepbot.desktop.windows import WindowId
from sweepbot.errors import DesktopError
from sweepbot.geometry import Region
from sweepbot.interrupts import uninterrupted

Xlib = Any
"""python-xlib has no types."""

WINDOW_BITS = 32
"""Of the server's numbers of windows; those of `Windows` have more, to be unique."""


def _watched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method raise DesktopError if the display ends."""

    @wraps(method)
    def watched(self: "X11Connection", *arguments: object, **named: object) -> Any:  # noqa: ANN401  (what the method returns)
        # On a further call python-xlib would wait for an answer forever, as after a call that was interrupted.
        if self._has_ended:
            raise DesktopError("the display has ended", hint="start it and the client again")
        try:
            with uninterrupted():
                try:
                    return method(self, *arguments, **named)
                except KeyboardInterrupt:  # a second signal, or one that nobody delays
                    self._has_ended = True
                    raise
        except (self.error.ConnectionClosedError, OSError, TypeError) as cause:
            # python-xlib raises TypeError as it takes an OSError that it wants to report for a tuple.
            why = cause.__context__ if isinstance(cause, TypeError) else cause
            if isinstance(cause, TypeError) and not isinstance(why, OSError):
                raise
            self._has_ended = True
            raise DesktopError(f"the display has ended: {why}", hint="start it and the client again") from cause

    return watched


class X11Connection:
    """The display that DISPLAY names.

    Raises:
        DesktopError: It cannot be opened; from all public methods of a subclass but `close`, the display has ended.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, method in list(vars(cls).items()):
            if callable(method) and not name.startswith("_") and name != "close":
                setattr(cls, name, _watched(method))

    def __init__(self) -> None:
        self._has_ended = False
        with xlib_opening():
            from Xlib import X, display, error  # noqa: PLC0415  (late: few commands need it)

            self.x, self.error = X, error
            try:
                self.display: Xlib = display.Display()
            except (error.DisplayError, error.XauthError, OSError) as cause:
                raise DesktopError(f"this display cannot be opened: {cause}", hint="run `sweepbot doctor`") from cause
        # A request about a window that has just gone has no effect, and is not worth a message.
        self.display.set_error_handler(lambda *_: None)
        self.root: Xlib = self.display.screen().root

    def _window(self, number: WindowId) -> Xlib:
        return self.display.create_resource_object("window", number % (1 << WINDOW_BITS))

    def _outermost(self, window: Xlib) -> Xlib:
        """Return the top-level window that contains another one."""
        while (parent := window.query_tree().parent) not in (0, self.root):
            window = parent
        return window

    def _with_border(self, window: Xlib) -> Region:
        """Return the region of the screen that a top-level window covers."""
        inside = window.get_geometry()
        thick = 2 * inside.border_width
        return Region(inside.x, inside.y, inside.width + thick, inside.height + thick)

    def close(self) -> None:
        """Close the connection."""
        with suppress(self.error.ConnectionClosedError, OSError, TypeError):
            self.display.close()


@contextmanager
def xlib_opening() -> Iterator[None]:
    """Let python-xlib open a display in this block, quietly and even without a file of passwords.

    python-xlib warns of its own unclosed files and odd escapes, and prints to stdout, where our results go. And it
    fails if the file of passwords (XAUTHORITY, else ~/.Xauthority) is missing, although a display without access
    control needs none; every other X11 program treats a missing file like an empty one.
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
