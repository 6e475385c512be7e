"""Lets only one sweepbot at a time click on a display: two would mistake each other's clicks for their own."""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

import platformdirs

from sweepbot.errors import DesktopError, ways_out
from sweepbot.file_lock import open_lock, temporary_folder, try_lock

_DISPLAYS = ("WAYLAND_DISPLAY", "DISPLAY")
_SCREEN = re.compile(r"\.\d+$")  # the screens of an X11 display share one pointer
_UNFIT = re.compile(r"[^A-Za-z0-9]+")

_log = logging.getLogger("sweepbot.desktop")


@contextmanager
def sole_on_display() -> Iterator[None]:
    """Hold the display's lock until the block is left or the process ends.

    Its file is in the user's state folder; where that cannot be written, in the runtime folder, else in the temporary
    one.

    Raises:
        DesktopError: Another sweepbot holds it, or none of these folders can be written.
    """
    display = next((os.environ[name] for name in _DISPLAYS if os.environ.get(name)), "")
    with _open_in_first(_folders(), f"playing-{_UNFIT.sub('-', _SCREEN.sub('', display))}.lock") as file:
        if not try_lock(file):
            raise DesktopError(
                f"another sweepbot is already clicking on this display{f' ({display})' if display else ''}",
                hint="stop it first: two of them would play each other's games",
            )
        yield


def _folders() -> Iterator[Path]:
    yield platformdirs.user_state_path("sweepbot", appauthor=False)
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime, "sweepbot")
    yield temporary_folder()


def _open_in_first(folders: Iterator[Path], name: str) -> FileIO:
    """Open a file to be locked in the first of some folders that can be written.

    Raises:
        DesktopError: None can be written.
    """
    refused: dict[Path, OSError] = {}
    for folder in folders:
        try:
            return open_lock(folder / name)
        except OSError as error:
            _log.info("no lock in %s: %s", folder, error)
            refused[folder] = error
    said = "; ".join(f"{folder}: {error.strerror or error}" for folder, error in refused.items())
    raise DesktopError(
        f"the lock of this display cannot be written: {said}",
        hint=ways_out(*refused.values()) or "check your rights to these folders",
    )
