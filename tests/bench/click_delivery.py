"""Whether each click lands on its cell, however fast they follow each other: flags set and taken away again.

    python -m tests.bench.click_delivery [--client NAME]... [--manager NAME]... [--clicks 5000]

Cells of a fresh expert board are drawn by lot and clicked, one right after the other, with the button for flags; then
these must look other than before, and no others: a click that was lost leaves one out, and one that went along with the
pointer changes another one. That is done again and again, for each client under each window manager.
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
from sweepbot.vision.reader import Reader, Reading
from tests.bench.live_speed import running
from tests.live.clients import CLIENTS
from tests.live.display import Display, virtual_display, wait_until

MANAGERS = ("openbox", "xfwm4", "metacity", "none")
AT_ONCE = 90  # clicks: some clients set no more flags than there are mines
AT_REST = 20  # looks one after the other that show the same: a busy client may be a second late
WITHOUT_BURSTS = "gnome-mines"  # it loses a third of clicks that follow each other at once, see its calibration


@contextmanager
def managed(manager: str) -> Iterator[Display]:
    """A display with a window manager, or without any."""
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
    """The board once so many looks in a row show the same."""
    last, same = place, 0
    while same < AT_REST:
        desk.clock.sleep(0.05)
        now = reader.read_at(desk.screen.grab().image, place)
        same = same + 1 if now.board == last.board else 0
        last = now
    return last


def astray(desk: Desk, client: str, clicks: int) -> tuple[int, int]:
    """Click on the board that is on the screen; how many clicks, and how many cells did not show what they should."""
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
    """Print a line for each client under each window manager."""
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
                # pyautogui keeps to the first display that a process sees.
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
