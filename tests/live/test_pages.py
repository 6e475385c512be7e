"""Pages that stand in for clients that cannot run here, in Chromium: how they are played by the command line.

Other zooms and fonts are tried by `python -m pytest -m bench tests/live/test_pages.py`.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

from sweepbot.control.client_window import ClientWindow
from sweepbot.geometry import Point, Region
from tests.live.conftest import need
from tests.live.runs import expect_games, sweepbot
from tests.nightly import at_night
from tools.live.display import CHROMIUM, Display, Window
from tools.waiting import wait_until

pytestmark = pytest.mark.live

PAGE = Path(__file__).parent / "pages" / "standin.html"


@contextmanager
def standin(display: Display, dpr: float, **asked: str | int) -> Iterator[Window]:
    """The page in a window of Chromium at this device pixel ratio."""
    need(CHROMIUM)
    address = f"{PAGE.as_uri()}?{urlencode(asked)}"
    with tempfile.TemporaryDirectory(prefix="sweepbot-page-", ignore_cleanup_errors=True) as profile:
        command = [
            CHROMIUM,
            "--no-sandbox",
            "--no-first-run",
            "--disable-gpu",
            f"--user-data-dir={profile}",
            f"--force-device-scale-factor={dpr}",
            "--window-position=0,0",
            "--window-size=1500,1000",
            f"--app={address}",
        ]
        with display.program(command) as program:
            yield display.wait_for_window("Minesweeper", program)


TUNED_ON = ("google", "10x8/10", 45, 1.0, "serif")
PALE = ("windows7", "9x9/10", 36, 1.0, "P052")
OTHERS = (
    ("google", "10x8/10", 45, 0.67, "C059"),
    ("google", "10x8/10", 45, 2.0, "sans-serif"),
    ("google", "18x14/40", 30, 1.0, "P052"),
    ("google", "18x14/40", 30, 1.5, "sans-serif"),
    ("google", "24x20/99", 25, 1.0, "sans-serif"),
    ("google", "24x20/99", 25, 1.25, "serif"),
    ("windows7", "16x16/40", 24, 1.5, "sans-serif"),
    ("windows7", "30x16/99", 20, 1.0, "serif"),
    ("windows7", "30x16/99", 30, 1.25, "sans-serif"),
    ("microsoft", "9x9/10", 40, 1.25, "sans-serif"),
    ("microsoft", "16x16/40", 40, 1.0, "sans-serif"),
    ("microsoft", "30x16/99", 36, 1.0, "C059"),
)
"""Pages: the skin, the level, a cell in CSS pixels, how many pixels of the screen each of these is, and the font."""

_WHY_PALE = "where its gradient is palest, templates and first sight take tiles for each other"


@pytest.mark.parametrize(
    ("client", "level", "cell", "dpr", "font"),
    [
        *at_night(TUNED_ON),
        pytest.param(*PALE, marks=[pytest.mark.nightly, pytest.mark.xfail(strict=False, reason=_WHY_PALE)]),
        *(pytest.param(*page, marks=pytest.mark.bench) for page in OTHERS),
    ],
)
def test_a_standin_is_played(  # noqa: PLR0917  (a page)
    display: Display, tmp_path: Path, client: str, level: str, cell: int, dpr: float, font: str
) -> None:
    """Two games on a page are finished without a misread, and their trace replays elsewhere."""
    trace = tmp_path / "trace"
    with standin(display, dpr, skin=client, level=level, cell=cell, font=font):
        asking = ["play", "--no-countdown", "--json", "--no-resize", "--client", client, "--games", "2"]
        environment = display.environment | {"XDG_STATE_HOME": str(tmp_path)}
        done = sweepbot(environment, *asking, "--trace", str(trace))
    assert done.returncode == 0, done.stderr
    expect_games(json.loads(done.stdout), 2)
    without_display = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    replayed = sweepbot(without_display, "replay", str(trace), "--json")
    assert json.loads(replayed.stdout)["differences"] == []


def test_the_window_of_a_page_is_put_back_exactly(display: Display) -> None:
    """A browser, which positions its inside instead of its frame, returns to the pixel."""
    with (
        standin(display, 1.0, skin="google", level="10x8/10", cell=45, font="serif") as page,
        display.adopted() as desk,
    ):
        window = ClientWindow(desk)
        window.adopt(page.region)
        before = window.region
        assert before is not None
        for region in (Region(60, 80, 900, 700), before):
            window.place(region)
            window.follow()  # it may still be moving
            wait_until(lambda: window.follow() == Point(0, 0) or None, "the window to rest")
            assert window.region == region
