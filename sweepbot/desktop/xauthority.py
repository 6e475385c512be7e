"""The password of an X11 display, as far as there is one."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def readable_xauthority() -> Iterator[None]:
    """Let python-xlib open a display that asks for no password.

    It fails where the file of passwords (XAUTHORITY, else ~/.Xauthority) is missing, although a display without access
    control needs none; every other X11 program takes a missing file for an empty one. So does this.
    """
    named = os.environ.get("XAUTHORITY")
    usual = Path(os.environ.get("HOME", os.devnull), ".Xauthority")
    if platform.system() != "Linux" or (usual if named is None else Path(named)).is_file():
        yield
        return
    os.environ["XAUTHORITY"] = os.devnull
    try:
        yield
    finally:
        if named is None:
            del os.environ["XAUTHORITY"]
        else:
            os.environ["XAUTHORITY"] = named
