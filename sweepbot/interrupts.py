"""Signals that ask a run to end: raised at once, but not in the middle of a call to the display.

An exception that a signal raises may get lost: in finalisers, like those of mss's pictures, and where numpy looks up an
enum's attribute. And python-xlib, interrupted in the middle of a call, would hang in the next one. So calls to the
display are not interrupted, and whoever clicks or waits checks again whether a signal has come.
"""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType

_MAX_RAISED = 2  # times that a run is interrupted: at the third it has not ended in any other way
_CHECKS = 12  # of a call to the display that has not returned: a clock would count the time for which a run is stopped
_NO_ANSWER = b"sweepbot: the display has not answered for %d s\n  start it and the client again\n"

_STDERR = 2  # as the file descriptor of the system: the main thread may hold Python's own

_asked: list[int] = []  # the signals that have been handled
_told: list[socket.socket] = []  # through which the system tells of signals as they come
_held = [0, 0]  # how many uninterrupted blocks are active, and whether a signal is waiting for their end
_entered = [0]  # how many uninterrupted blocks there have been
_pauses: list[int] = []  # signals to pause, which wait for the end of an uninterrupted block


def heed_signals(exit_code: int, patience_s: float = 60.0) -> None:
    """Make Ctrl-C, SIGTERM, SIGHUP and Windows' Ctrl-Break raise KeyboardInterrupt from now on.

    The last two also come when the terminal's window is closed or the session ends. `nohup` has SIGHUP ignored.
    A third one ends the process at once, with this exit code, even in the middle of a call that never returns, as one
    to a display that does not answer. Without any, such a call ends the process with exit code 1 once it has lasted
    for `patience_s` seconds.

    Ctrl-Z waits for the end of a call to the display, too: a process that stops while it holds the X server stops all
    other programs.
    """
    _watch(exit_code, patience_s)
    for number in _numbers():
        signal.signal(number, _interrupt)
    if sys.platform != "win32" and signal.getsignal(signal.SIGTSTP) is not signal.SIG_IGN:
        signal.signal(signal.SIGTSTP, _pause)


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
    _entered[0] += 1
    try:
        yield
    finally:
        _held[0] -= 1
        if not _held[0] and _pauses:
            _pause(_pauses.pop(), None)
        if not _held[0] and _held[1]:
            _held[1] = 0
            raise KeyboardInterrupt


def signal_name() -> str | None:
    """Return the name of the signal that has asked the run to end, `SIGINT` for Ctrl-C; None if none has."""
    return signal.Signals(_asked[0]).name if _asked else None


def _interrupt(number: int, _: FrameType | None) -> None:
    is_first = not _asked
    if _is_repeated_hang_up(number, _asked) or len(_asked) == _MAX_RAISED:  # the thread ends the process at the next
        return
    _asked.append(number)
    if _held[0] and is_first:
        _held[1] = 1
    else:
        raise KeyboardInterrupt


def _pause(number: int, _: FrameType | None) -> None:
    if _held[0]:
        _pauses.append(number)
    elif sys.platform != "win32":
        os.kill(os.getpid(), signal.SIGSTOP)


def _is_repeated_hang_up(number: int, earlier: list[int]) -> bool:
    """Whether it is a SIGHUP after another signal: the system and the shell both send one, so it is no impatience."""
    return bool(earlier) and number == getattr(signal, "SIGHUP", None)


def _watch(exit_code: int, patience_s: float) -> None:
    """Have a thread told of each signal as it comes: handlers wait until the main thread's call has returned."""
    read, write = socket.socketpair()
    read.settimeout(patience_s / _CHECKS)
    write.settimeout(0)
    signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
    Thread(target=_end_at_last, args=(read, exit_code, patience_s), daemon=True).start()
    while _told:
        _told.pop().close()
    _told.append(write)


def _end_at_last(told: socket.socket, exit_code: int, patience_s: float) -> None:
    """End the process once more signals have come than a run is interrupted for, or a call does not return."""
    received: list[int] = []
    block, checks = 0, 0
    with told:
        while True:
            try:
                number = told.recv(1)
            except TimeoutError:
                checks = checks + 1 if _held[0] and _entered[0] == block else 0
                block = _entered[0]
                if checks >= _CHECKS:
                    os.write(_STDERR, _NO_ANSWER % patience_s)
                    os._exit(1)
                continue
            if not number:
                return
            if number[0] in _numbers() and not _is_repeated_hang_up(number[0], received):
                received.append(number[0])
            if len(received) > _MAX_RAISED:
                os._exit(exit_code)
