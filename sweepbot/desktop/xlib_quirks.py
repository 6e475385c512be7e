"""Workarounds for bugs of python-xlib, kept in one place."""

import io
import os
import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


@contextmanager
def xlib_opening() -> Iterator[None]:
    """Let python-xlib, or who imports it, open a display.

    It warns of its own unclosed files and odd escapes, and prints to stdout, where our results go: nothing of that is a
    player's to mend.
    """
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), _readable_xauthority():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _readable_xauthority() -> Iterator[None]:
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
