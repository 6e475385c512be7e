"""Lets only one sweepbot at a time click on a display: two would mistake each other's clicks for their own."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sweepbot.errors import DesktopError, refused_as
from sweepbot.file_lock import try_lock

_DISPLAYS = ("WAYLAND_DISPLAY", "DISPLAY")
_SCREEN = re.compile(r"\.\d+$")  # the screens of an X11 display share one pointer
_UNFIT = re.compile(r"[^A-Za-z0-9]+")


@contextmanager
def sole_on_display(folder: Path) -> Iterator[None]:
    """Hold the display's lock until the block is left or the process ends.

    Args:
        folder: The folder of the lock file; created if needed.

    Raises:
        DesktopError: Another sweepbot holds it, or the file cannot be written.
    """
    display = next((os.environ[name] for name in _DISPLAYS if os.environ.get(name)), "")
    path = folder / f"playing-{_UNFIT.sub('-', _SCREEN.sub('', display))}.lock"
    with refused_as(DesktopError, f"{path}: cannot be written", "free some space, or check your rights there"):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    with file:
        if not try_lock(file):
            raise DesktopError(
                f"another sweepbot is already clicking on this display{f' ({display})' if display else ''}",
                hint="stop it first: two of them would play each other's games",
            )
        yield
