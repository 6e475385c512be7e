"""xdemineur on an X11 display, a witness behind it, and what a person may do to it in the middle of a game."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sweepbot.desktop.desk import Desk
from tools.live.display import Display, Program, Window, find_program
from tools.waiting import wait_until


@dataclass(slots=True)
class Stage:
    """xdemineur on a display, with a witness behind it."""

    display: Display
    client: Program
    window: Window
    witnessed: Path
    running: ExitStack

    def xdotool(self, *words: str) -> None:
        """Act as a person with a window manager would."""
        subprocess.run(["xdotool", *words], env=self.display.environment, check=True, capture_output=True)

    def start(self, *command: str) -> Program:
        """Start another program, which ends with the test."""
        return self.running.enter_context(self.display.program(command))

    def clicked_by_hand(self, desk: Desk, at: tuple[int, int], *buttons: str) -> None:
        """Click as a person between two looks of the bot, and put the pointer back."""
        before = desk.mouse.position()
        clicks = [word for button in buttons for word in ("click", button)]
        self.xdotool("mousemove", str(at[0]), str(at[1]), *clicks, "mousemove", str(before.x), str(before.y))

    def clicks_beside(self) -> list[str]:
        """The clicks that missed the client."""
        return self.witnessed.read_text(encoding="ascii").splitlines()[1:]

    def cover(self, seconds: int = 60) -> None:
        """Put another program's window over the board for a while, and wait until it is there."""
        at = self.window.region
        self.start("xterm", "-geometry", f"40x14+{at.x + 30}+{at.y + 110}", "-e", "sleep", str(seconds))
        wait_until(lambda: self.display.windows("sleep.*") or None, "a window in front")


@contextmanager
def staged(display: Display, seen: Path) -> Iterator[Stage]:
    """xdemineur, and a witness that logs clicks in the file `seen`, until the block is left."""
    command = [find_program("xdemineur") or "", "-geometry", "16x16", "-m", "40"]
    with (
        display.program([sys.executable, "-m", "tools.live.witness", str(seen)]),
        display.program(command) as client,
        ExitStack() as running,
    ):
        wait_until(lambda: (seen.exists() and seen.read_text(encoding="ascii")) or None, "the witness")
        window = display.wait_for_window(".*mineur", client, (21 * 16 + 31, 21 * 16 + 96))
        yield Stage(display, client, window, seen, running)
