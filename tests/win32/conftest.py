"""Tests on the Win32 API itself: on Windows, and on Wine, where `.ci/windows` runs them."""

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.windows import Windows

# There is no Win32 API elsewhere.
collect_ignore_glob = [] if sys.platform == "win32" else ["test_*.py"]


@pytest.fixture
def desktop() -> Iterator[Desk]:
    """The screen, the mouse and the windows of this session, opened as a bot opens them."""
    with open_desktop() as desk:
        yield desk


@pytest.fixture
def windows() -> Iterator[Windows]:
    """The windows of this session, on which a command may click meanwhile."""
    with open_desktop(clicks=False) as desk:
        assert desk.windows is not None
        yield desk.windows


@pytest.fixture
def _needs_winemine() -> None:
    """Skip where Windows is not Wine, which alone has WineMine; in Wine it is missing only if something is wrong."""
    if sys.platform != "win32" or not hasattr(ctypes.WinDLL("ntdll"), "wine_get_version"):
        pytest.skip("WineMine comes with Wine only")
    if shutil.which("winemine") is None:
        reason = "WineMine is not installed"
        if os.environ.get("SWEEPBOT_REQUIRE_LIVE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
