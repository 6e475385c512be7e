"""How fast sweepbot starts, judged by what it loads."""

import re
import subprocess
import sys
import threading

import pytest

from sweepbot.cli.session import count_down

HEAVY = {"cv2", "mss", "numba", "numpy", "pyautogui", "rich"}


def test_help_loads_nothing_heavy() -> None:
    """`sweepbot --help` loads none of the large libraries."""
    command = [sys.executable, "-X", "importtime", "-m", "sweepbot", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    loaded = {name.partition(".")[0] for name in re.findall(r"\|\s+([\w.]+)$", done.stderr, re.MULTILINE)}
    assert "sweepbot" in loaded
    assert not loaded & HEAVY
    assert "Usage" in done.stdout


def test_the_solver_is_loaded_during_the_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver is loading during the countdown and ready at its end."""
    counting, heard = threading.Event(), []
    monkeypatch.setattr("time.sleep", lambda _: counting.set())
    monkeypatch.setattr("sweepbot.cli.session.get_ready", lambda: heard.append(counting.wait(10)))
    count_down(1)
    assert heard == [True]
