"""Signals that ask a run to end: raised as they come, but not in the middle of a call to the display.

An exception that a signal raises is lost in finalisers, as each picture of mss's has one, and where numpy asks an enum
for an attribute; and python-xlib, left in the middle of a call, would wait for ever in the next one. So calls to the
display are held together, and whoever clicks or waits asks once more whether a signal has come.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_asked: list[int] = []  # the signal that has come, if any
_held = [0, 0]  # how many calls are going on that must not be left, and whether a signal waits for their end


def heed_signals() -> None:
    """Let Ctrl-C, SIGTERM and Windows' Ctrl-Break raise KeyboardInterrupt for as long as this process runs.

    Ctrl-Break is also what a terminal sends whose window is closed, and a person's session that ends.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform == "win32":
        numbers.append(signal.SIGBREAK)
    for number in numbers:
        signal.signal(number, _interrupt)


def check_interrupted() -> None:
    """Return only if no signal has asked for the end.

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
    """The name of the signal that has asked for the end, `SIGINT` for Ctrl-C; None if none has."""
    return signal.Signals(_asked[0]).name if _asked else None


def _interrupt(number: int, _: FrameType | None) -> None:
    is_first = not _asked
    _asked[:] = [number]
    if _held[0] and is_first:
        _held[1] = 1
    else:
        raise KeyboardInterrupt
