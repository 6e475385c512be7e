"""Signals that ask a run to end: raised at once, but not in the middle of a call to the display.

An exception that a signal raises may get lost: in finalisers, like those of mss's pictures, and where numpy looks up an
enum's attribute. And python-xlib, interrupted in the middle of a call, would hang in the next one. So calls to the
display are not interrupted, and whoever clicks or waits checks again whether a signal has come.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

_MAX_RAISED = 2  # times that a run is interrupted: at the third it has not ended in any other way

_asked: list[int] = []  # the signals that have come
_held = [0, 0]  # how many uninterrupted blocks are active, and whether a signal is waiting for their end


def heed_signals(exit_code: int) -> None:
    """Make Ctrl-C, SIGTERM, SIGHUP and Windows' Ctrl-Break raise KeyboardInterrupt from now on.

    The last two also come when the terminal's window is closed or the session ends. `nohup` has SIGHUP ignored.
    A third one ends the process at once, with this exit code.
    """
    for number in _numbers():
        signal.signal(number, partial(_interrupt, exit_code))


def heed_no_more() -> None:
    """Ignore further signals, as nothing is left to be done: one would be the exit code while Python ends."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[signal.Signals]:
    if sys.platform == "win32":
        return [signal.SIGINT, signal.SIGTERM, signal.SIGBREAK]
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if is_ignored else [signal.SIGHUP])]


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


def _interrupt(exit_code: int, number: int, _: FrameType | None) -> None:
    is_first = not _asked
    if not is_first and number == getattr(signal, "SIGHUP", None):
        return  # the system and the shell both send one: the second is no sign of impatience
    _asked.append(number)
    if len(_asked) > _MAX_RAISED:
        os._exit(exit_code)
    if _held[0] and is_first:
        _held[1] = 1
    else:
        raise KeyboardInterrupt
