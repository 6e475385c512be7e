"""Measures the time of GNOME Mines games on Wayland, as a ratio to that on X11 in the same run.

python -m tools.bench.wayland_speed [--desktop gnome|sway] [--games 10]
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence

from sweepbot.level import Level
from tools.live.clients import gnome_mines
from tools.live.display import virtual_display
from tools.live.session import mines
from tools.live.sway import sway_desktop
from tools.live.wayland import HEIGHT, WIDTH, hand_on, wayland_desktop

LEVELS = {"small": Level.parse("8x8/10"), "medium": Level.parse("16x16/40")}


def command(games: int) -> list[str]:
    """The command `sweepbot play` with its options."""
    return [sys.executable, "-m", "sweepbot", "play", "--no-countdown", "--json", "--games", str(games)]


def seconds(playing: subprocess.Popen[str]) -> float:
    """The median seconds of the won games; any misread ends the bench."""
    out, _ = playing.communicate()
    games = json.loads(out)["games"]
    assert sum(game["misreads"] for game in games) == 0
    return statistics.median(float(game["seconds"]) for game in games if game["result"] == "won")


def on_x11(level: str, games: int) -> float:
    """Seconds per won game on an X11 display with openbox."""
    with virtual_display(WIDTH, HEIGHT) as display, gnome_mines(display, LEVELS[level], size=None):
        return seconds(subprocess.Popen(command(games), env=display.environment, stdout=subprocess.PIPE, text=True))


def on_gnome(level: str, games: int) -> float:
    """The same on GNOME's Wayland desktop, with consent."""
    with wayland_desktop(large=False) as desktop, mines(desktop, level):
        playing = subprocess.Popen(command(games), env=dict(desktop.environment), stdout=subprocess.PIPE, text=True)
        with hand_on(desktop) as hand:
            hand.allow()
        return seconds(playing)


def on_sway(level: str, games: int) -> float:
    """The same on sway, in a window as large as on the others."""
    settings = ["for_window [app_id=gnome-mines] floating enable"]
    with sway_desktop(1.0, settings=settings) as desktop, mines(desktop, level):
        environment = dict(desktop.environment)
        return seconds(subprocess.Popen(command(games), env=environment, stdout=subprocess.PIPE, text=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each level."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.wayland_speed", description=main.__doc__)
    parser.add_argument("--desktop", choices=("gnome", "sway"), default="gnome")
    parser.add_argument("--games", type=int, default=10)
    options = parser.parse_args(arguments)
    on_wayland = on_sway if options.desktop == "sway" else on_gnome
    for level in LEVELS:
        x11, wayland = on_x11(level, options.games), on_wayland(level, options.games)
        print(f"{level:7} X11 {x11:.2f} s, Wayland {wayland:.2f} s, {wayland / x11:.1f} times", flush=True)


if __name__ == "__main__":
    main()
