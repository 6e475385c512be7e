"""How quickly sweepbot answers: judged by what it loads, not by a clock."""

import re
import subprocess
import sys

HEAVY = {"cv2", "mss", "numba", "numpy", "pyautogui", "rich"}


def test_help_loads_nothing_heavy() -> None:
    """`sweepbot --help` answers without loading any of the large libraries."""
    command = [sys.executable, "-X", "importtime", "-m", "sweepbot", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    loaded = {name.partition(".")[0] for name in re.findall(r"\|\s+([\w.]+)$", done.stderr, re.MULTILINE)}
    assert "sweepbot" in loaded
    assert not loaded & HEAVY
    assert "Usage" in done.stdout
