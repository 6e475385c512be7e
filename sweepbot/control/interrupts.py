"""Signals that ask a run to end: raised where they come, and once more at the next click where that was lost.

An exception that a signal raises may be lost, as Python ignores those in finalisers and callbacks: one Ctrl-C in some
twenty-five was, where is not known, and the game went on.
"""

import signal
from types import FrameType

_asked: list[int] = []


def heed_signals() -> None:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt, the latter with its name, for as long as this process runs."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)


def check_interrupted() -> None:
    """Go on only where nobody has asked for the end.

    Raises:
        KeyboardInterrupt: A signal has come.
    """
    if _asked:
        raise KeyboardInterrupt(*(signal.Signals(number).name for number in _asked if number != signal.SIGINT))


def signal_name() -> str | None:
    """The signal that has asked for the end: SIGINT, as Ctrl-C sends it, or another; None where none has."""
    return signal.Signals(_asked[0]).name if _asked else None


def _interrupt(number: int, _: FrameType | None) -> None:
    _asked[:] = [number]
    check_interrupted()
