"""Signals that ask a run to end: raised at once, but not in the middle of a call to the display.

An exception that a signal raises may get lost: in finalisers, like those of mss's pictures, and where numpy looks up an
enum's attribute. And python-xlib, interrupted in the middle of a call, would hang in the next one. So calls to the
display are not interrupted, and whoever clicks or waits checks again whether a signal has come.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_asked: list[int] = []  # the signal that has come, if any
_held = [0, 0]  # how many uninterrupted blocks are active, and whether a signal is waiting for their end


def heed_signals() -> None:
    """Make Ctrl-C, SIGTERM and Windows' Ctrl-Break raise KeyboardInterrupt from now on.

    Ctrl-Break also comes when the terminal's window is closed, or the person's session ends.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform == "win32":
        numbers.append(signal.SIGBREAK)
    for number in numbers:
        signal.signal(number, _interrupt)


def check_interrupted() -> None:
    """Check that no signal has asked the run to end.

    Raises:
        KeyboardInterrupt: A signal has come.
    """
    if _asked:
        raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay a signal until the end of the block; a second one is not delayed.

    Raises:
        KeyboardInterrupt: One has come.
    """
    _held[0] += 1
    try:
        yield
    finally:
        _held[0] -= 1
        if not _held[0] and _held[1]:
            _held[1] = 0
            raise KeyboardInterrupt


def signal_name() -> str | None:
    """Return the name of the signal that has asked the run to end, `SIGINT` for Ctrl-C; None if none has."""
    return signal.Signals(_asked[0]).name if _asked else None


def _interrupt(number: int, _: FrameType | None) -> None:
    is_first = not _asked
    _asked[:] = [number]
    if _held[0] and is_first:
        _held[1] = 1
    else:
        raise KeyboardInterrupt
