"""Runs the client's window in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from sweepbot.demo.drawing import Layout
from sweepbot.demo.window import READY
from sweepbot.desktop.tk_window import first_line
from sweepbot.errors import DesktopError
from sweepbot.geometry import Region
from sweepbot.level import Level

_PATIENCE_S = 60.0
"""Seconds to wait for the window to appear: a busy machine takes many, and one whose scanner reads it first."""

_BESIDE_PX = 96  # of a monitor's height: for a panel, and the window's title
_MAX_SCALE = 8  # of the client: pixels of the screen for each of its own


def scale_to_watch(level: Level, monitor: Region) -> int:
    """Return the scale at which a board is of a size to watch: as large as the monitor, in pixels, has room for."""
    window = Layout(level.columns, level.rows).window
    room = min(monitor.width / window.width, (monitor.height - _BESIDE_PX) / window.height)
    return min(_MAX_SCALE, max(1, int(room)))


@contextmanager
def demo_window(level: Level, *options: str) -> Iterator[None]:
    """Show the client's window during the `with` block; it is visible when the block begins.

    The options are those of `python -m sweepbot.demo`.

    Raises:
        DesktopError: The window did not appear; the message quotes its process.
    """
    # A file, not a pipe: nobody reads it while the window is open, and a full pipe would block the process.
    with TemporaryFile("w+") as errors:
        process = subprocess.Popen(  # noqa: S603  (this very program)
            [sys.executable, "-m", "sweepbot.demo", "--level", str(level), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            try:
                if first_line(process, _PATIENCE_S).strip() != READY:
                    errors.seek(0)
                    reason = errors.read().strip() or f"it said nothing for {_PATIENCE_S:.0f} s"
                    raise DesktopError(f"the demo's window did not appear: {reason}")
                yield
            finally:
                process.terminate()
