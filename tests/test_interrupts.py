"""Signals that end a run: when they are raised, and when they wait."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sweepbot import interrupts
from sweepbot.interrupts import check_interrupted, heed_signals, signal_name, uninterrupted
from tools.waiting import wait_until

NUMBERS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _heeded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Signals are handled as on the command line, and none has come yet."""
    monkeypatch.setattr(interrupts, "_asked", [])
    monkeypatch.setattr(interrupts, "_held", [0, 0])
    before = [signal.getsignal(number) for number in NUMBERS]
    heed_signals(5)
    yield
    for number, handler in zip(NUMBERS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_raised_at_once_and_named_later(number: signal.Signals) -> None:
    """Outside protected calls a signal ends what is going on, and its name is reported later."""
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert signal_name() == number.name
    with pytest.raises(KeyboardInterrupt):
        check_interrupted()


def test_a_signal_waits_for_the_end_of_a_call() -> None:
    """A protected call is completed, nested ones included; then the signal is raised once."""
    done = []

    def call() -> None:
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        call()
    assert done == ["inner", "outer"]
    with uninterrupted():  # as cleaning up asks the display too
        done.append("later")
    assert done[-1] == "later"


def test_a_second_signal_does_not_wait() -> None:
    """A second Ctrl-C ends a call that never returns."""
    left = []

    def call() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            left.append("not left")

    with pytest.raises(KeyboardInterrupt):
        call()
    assert not left


PAUSED = """
import signal
from sweepbot.interrupts import heed_signals, uninterrupted
heed_signals(5)
with uninterrupted():
    signal.raise_signal(signal.SIGTSTP)
    print("inner", flush=True)
print("continued")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-Z")
def test_a_pause_waits_for_the_end_of_a_call() -> None:
    """Ctrl-Z in the middle of a click must not stop a process that holds the X server."""
    with subprocess.Popen([sys.executable, "-c", PAUSED], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            wait_until(lambda: os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)[0] or None, "the pause")
            os.set_blocking(process.stdout.fileno(), False)
            assert os.read(process.stdout.fileno(), 100) == b"inner\n"
            os.set_blocking(process.stdout.fileno(), True)
            process.send_signal(signal.SIGCONT)
            assert process.communicate()[0] == b"continued\n"
        finally:
            process.kill()


NEVER_RETURNS = """
import contextlib, ctypes, sys
from sweepbot.interrupts import heed_signals, uninterrupted
heed_signals(5, patience_s=float(sys.argv[1]))
library, lock = ctypes.CDLL(None), ctypes.create_string_buffer(256)
with uninterrupted():
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            print("ready", flush=True)
            library.pthread_mutex_lock(lock)
            library.pthread_mutex_lock(lock)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX locks")
def test_a_third_signal_ends_a_call_that_never_returns() -> None:
    """A display that does not answer holds the main thread, whose handlers never run: the third Ctrl-C ends it."""
    with subprocess.Popen([sys.executable, "-c", NEVER_RETURNS, "60"], stdout=subprocess.PIPE) as blocked:
        assert blocked.stdout is not None
        blocked.stdout.readline()
        for _ in range(2):
            blocked.send_signal(signal.SIGINT)
            blocked.send_signal(signal.SIGHUP)
            with pytest.raises(subprocess.TimeoutExpired):
                blocked.wait(timeout=0.3)
        blocked.send_signal(signal.SIGINT)
        assert blocked.wait(timeout=60) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX locks")
def test_a_call_that_never_returns_ends_an_unattended_run() -> None:
    """With nobody there, a display that does not answer ends the run with exit code 1, and the cause is said."""
    ended = subprocess.run(
        [sys.executable, "-c", NEVER_RETURNS, "0.6"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (1, "sweepbot: the display has not answered for 0 s")
