"""Plays stand-ins for Google's, Windows 7's and Microsoft's games, at zooms and in fonts not used for tuning.

    python -m tests.bench.standins [--games 20] [--skin NAME]...

Each line of the output is one run of `sweepbot play` on the page in Chromium, as a person would start it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from tests.live.display import Display, virtual_display
from tests.live.test_pages import standin

MAX_S = 90.0
"""Seconds per game after which a run is aborted."""


@dataclass(frozen=True, slots=True)
class Page:
    """One way to open the page: cells in CSS pixels, each of which is `dpr` pixels of the screen."""

    skin: str
    level: str
    cell: int
    dpr: float
    font: str


PAGES = (
    Page("google", "10x8/10", 45, 0.67, "C059"),
    Page("google", "10x8/10", 45, 1.0, "serif"),
    Page("google", "10x8/10", 45, 2.0, "sans-serif"),
    Page("google", "18x14/40", 30, 1.0, "P052"),
    Page("google", "18x14/40", 30, 1.5, "sans-serif"),
    Page("google", "24x20/99", 25, 1.0, "sans-serif"),
    Page("google", "24x20/99", 25, 1.25, "serif"),
    Page("windows7", "9x9/10", 36, 1.0, "P052"),
    Page("windows7", "16x16/40", 24, 1.5, "sans-serif"),
    Page("windows7", "30x16/99", 20, 1.0, "serif"),
    Page("windows7", "30x16/99", 30, 1.25, "sans-serif"),
    Page("microsoft", "9x9/10", 40, 1.25, "sans-serif"),
    Page("microsoft", "16x16/40", 40, 1.0, "sans-serif"),
    Page("microsoft", "30x16/99", 36, 1.0, "C059"),
)


def played(display: Display, page: Page, games: int) -> str:
    """Play on a page, and return the result in one line."""
    asked: dict[str, str | int] = {"skin": page.skin, "level": page.level, "cell": page.cell, "font": page.font}
    command = ["play", "--no-countdown", "--json", "--no-resize", "--client", page.skin, "--games", str(games)]
    with standin(display, page.dpr, **asked), tempfile.TemporaryDirectory() as state:
        done = subprocess.run(
            [sys.executable, "-m", "sweepbot", *command],
            env=display.environment | {"XDG_STATE_HOME": state},
            capture_output=True,
            text=True,
            timeout=MAX_S * games,
            check=False,
        )
    ends = json.loads(done.stdout)["games"] if done.stdout else []
    results = {name: sum(game["result"] == name for game in ends) for name in ("won", "lost", "aborted")}
    error = [line for line in done.stderr.splitlines() if line.startswith("sweepbot: ")]
    said = "" if done.returncode == 0 else f"  {error[0]}"
    return (
        f"{page.skin:10} {page.level:9} {page.cell * page.dpr:5.1f} px {page.font:11} exit {done.returncode}  "
        f"{results['won']:2} won {results['lost']:2} lost {results['aborted']:2} aborted  "
        f"{sum(game['misreads'] for game in ends)} misreads{said}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.standins", description=main.__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--skin", action="append", choices=sorted({page.skin for page in PAGES}))
    options = parser.parse_args(arguments)
    with virtual_display(2560, 1600) as display:
        for page in PAGES:
            if options.skin is None or page.skin in options.skin:
                print(played(display, page, options.games), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
