"""Fixtures for tests of real clients: one display and one wine prefix per session."""

import os
import sys
from collections.abc import Iterator

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import Windows
from tools.live.clients import WinePrefix, wine_prefix
from tools.live.display import Display, missing_programs, virtual_display

# X servers, compositors and their clients: nothing here can be imported elsewhere. See tests/win32 for Windows.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]

_MAY_SKIP = os.environ.get("SWEEPBOT_REQUIRE_LIVE") != "1"


def need(*programs: str) -> None:
    """Skip the test if a program is missing; fail if SWEEPBOT_REQUIRE_LIVE=1 forbids skipping."""
    if missing := missing_programs(*programs):
        reason = f"not installed: {', '.join(missing)}"
        if not _MAY_SKIP:
            pytest.fail(reason)
        pytest.skip(reason)


def need_module(name: str, extra: str) -> None:
    """Skip a file's tests if a module cannot be imported, unless SWEEPBOT_REQUIRE_LIVE=1 forbids it.

    Args:
        name: The module.
        extra: The extra of this project that brings it.
    """
    if _MAY_SKIP:
        pytest.importorskip(name, reason=f"{name} cannot be imported: is [{extra}] installed?", exc_type=ImportError)


@pytest.fixture(scope="session")
def display() -> Iterator[Display]:
    """A virtual display with a window manager, shared by the whole session."""
    need("Xvfb", "openbox", "xwininfo", "xprop")
    with virtual_display() as running:
        yield running


@pytest.fixture
def desktop(display: Display) -> Iterator[Desk]:
    """The screen and mouse of that display, opened as a bot opens them."""
    with display.adopted() as opened:
        yield opened


@pytest.fixture
def windows(desktop: Desk) -> Windows:
    """The windows of that display."""
    assert desktop.windows is not None
    return desktop.windows


@pytest.fixture(scope="session")
def wine(display: Display) -> Iterator[WinePrefix]:
    """A wine prefix on that display, made once per session."""
    need("wine", "wineboot", "wineserver")
    with wine_prefix(display) as prefix:
        yield prefix
