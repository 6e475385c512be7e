"""Starting and stopping the client's window as a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from sweepbot.demo.window import READY
from sweepbot.desktop.tk_window import first_line
from sweepbot.errors import DesktopError
from sweepbot.level import Level

_PATIENCE_S = 20.0
"""Seconds until a window that has not appeared is given up."""


@contextmanager
def demo_window(level: Level, *, seed: int | None = None, question_marks: bool = True) -> Iterator[None]:
    """Show the client's window for as long as the `with` block runs; it can be seen as soon as the block begins.

    Raises:
        DesktopError: The window did not appear; the message quotes what its process said.
    """
    arguments = ["--level", str(level)]
    if seed is not None:
        arguments += ["--seed", str(seed)]
    if not question_marks:
        arguments += ["--no-question-marks"]
    # A file, not a pipe: nobody reads along while the window lives, and a full pipe would halt it.
    with TemporaryFile("w+") as complaints:
        process = subprocess.Popen(  # noqa: S603  (this very Python, and arguments of our own)
            [sys.executable, "-m", "sweepbot.demo", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
        with process:
            try:
                if first_line(process, _PATIENCE_S).strip() != READY:
                    complaints.seek(0)
                    reason = complaints.read().strip() or f"it said nothing for {_PATIENCE_S:.0f} s"
                    raise DesktopError(f"the demo's window did not appear: {reason}")
                yield
            finally:
                process.terminate()
