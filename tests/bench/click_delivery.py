"""Tests whether each click reaches its cell, at full speed: flags are set and removed again.

    python -m tests.bench.click_delivery [--client NAME]... [--manager NAME]... [--clicks 5000]

Random cells of a fresh expert board are clicked with the flag button, one right after the other. Afterwards exactly
these cells must look different: a lost click leaves one unchanged, and a click that followed the pointer changes
another one. This is repeated for each client under each window manager.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sweepbot.board import State
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.session import open_desktop
from sweepbot.level import LEVELS
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading
from tests.bench.live_speed import running
from tests.live.clients import CLIENTS
from tests.live.display import Display, virtual_display
from tests.waiting import wait_until

MANAGERS = ("openbox", "xfwm4", "metacity", "none")
AT_ONCE = 90  # clicks at a time: some clients allow no more flags than there are mines
AT_REST = 20  # equal looks in a row: a busy client may be a second late
WITHOUT_BURSTS = "gnome-mines"  # it loses a third of the clicks at full speed; see its calibration


@contextmanager
def managed(manager: str) -> Iterator[Display]:
    """A display with a window manager, or without one."""
    with virtual_display(1920, 1080, managed=manager == "openbox") as display:
        if manager in ("openbox", "none"):
            yield display
        else:
            with display.program(["dbus-run-session", "--", manager]):
                wait_until(lambda: is_managed(display) or None, manager)
                yield display


def is_managed(display: Display) -> bool:
    """Whether a window manager has announced itself."""
    command = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
    answer = subprocess.run(command, env=display.environment, check=True, stdout=subprocess.PIPE, text=True)
    return "window id" in answer.stdout


def settled(desk: Desk, reader: Reader, place: Reading) -> Reading:
    """The board, once several looks in a row show the same picture."""
    last, same = place, 0
    while same < AT_REST:
        desk.clock.sleep(0.05)
        now = reader.read_at(desk.screen.grab().image, place)
        same = same + 1 if now.board == last.board else 0
        last = now
    return last


def astray(desk: Desk, client: str, clicks: int) -> tuple[int, int]:
    """Click on the board on the screen; return the number of clicks, and of cells that do not show the right result."""
    calibration = find_calibration(client)
    reader = Reader(calibration)
    place = reader.read(desk.screen.grab().image)
    fresh, chance = place.board, random.Random(1)
    done = wrong = 0
    hidden = cells = fresh.where(State.HIDDEN)
    before = fresh
    while done < clicks:
        if before == fresh:
            cells = chance.sample(hidden, AT_ONCE)
        for cell in cells:
            desk.mouse.click(place.grid.centre(cell), calibration.behaviour.flag_button)
        done += len(cells)
        desk.mouse.move(desk.screen.region.centre)
        now = settled(desk, reader, place).board
        other = {cell for cell in fresh if now[cell] != before[cell]}
        wrong += len(other.symmetric_difference(cells))
        before = now
    return done, wrong


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each client and window manager."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.click_delivery", description=main.__doc__)
    clients = [name for name in (*CLIENTS, "demo") if name != WITHOUT_BURSTS]
    parser.add_argument("--client", action="append", choices=clients)
    parser.add_argument("--manager", action="append", choices=MANAGERS)
    parser.add_argument("--clicks", type=int, default=5000)
    parser.add_argument("--here", action="store_true", help="on DISPLAY, where the client is")
    options = parser.parse_args(arguments)
    for client in options.client or clients:
        if options.here:
            with open_desktop() as desk:
                print(*astray(desk, client, options.clicks))  # noqa: T201
            continue
        for manager in options.manager or MANAGERS:
            with managed(manager) as display, running(client, display, LEVELS["expert"]):
                # pyautogui keeps using the first display that a process sees.
                command = [sys.executable, "-m", "tests.bench.click_delivery", "--here", "--client", client]
                answer = subprocess.run(
                    [*command, "--clicks", str(options.clicks)],
                    env=display.environment,
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                done, wrong = answer.stdout.split()
                print(f"{client:12} {manager:9} {done} clicks, {wrong} cells otherwise than clicked", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
