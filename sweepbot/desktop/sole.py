"""Lets only one sweepbot at a time click on a display: two would mistake each other's clicks for their own."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sweepbot.errors import DesktopError, refused_as
from sweepbot.file_lock import open_lock, temporary_folder, try_lock

_SCREEN = re.compile(r"\.\d+$")  # the screens of an X11 display share one pointer
_UNFIT = re.compile(r"[^A-Za-z0-9]+")


@contextmanager
def sole_on_display() -> Iterator[None]:
    """Hold the display's lock until the block is left or the process ends.

    Its file is in the system's temporary folder: the same for all homes, and can be written where a home cannot.

    Raises:
        DesktopError: Another sweepbot holds it, or it cannot be written.
    """
    display = _display()
    path = temporary_folder() / f"playing-{_UNFIT.sub('-', display)}.lock"
    with refused_as(DesktopError, f"{path}: the lock of this display cannot be written"):
        file = open_lock(path)
    with file:
        if not try_lock(file):
            raise DesktopError(
                f"another sweepbot is already clicking on this display{f' ({display})' if display else ''}",
                hint="stop it first: two of them would play each other's games",
            )
        yield


def _display() -> str:
    """Return what names the display on this machine: X11's name, Wayland's socket, or nothing where there is one."""
    if wayland := os.environ.get("WAYLAND_DISPLAY"):
        return str(Path(os.environ.get("XDG_RUNTIME_DIR", ""), wayland))
    return _SCREEN.sub("", os.environ.get("DISPLAY", ""))
