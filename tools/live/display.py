"""A virtual display for each run: Xvfb, a window manager, programs, and waiting for what they show."""

import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO
from unittest.mock import patch

import mss
import numpy as np
from numpy.typing import NDArray
from Xlib import X
from Xlib import display as xlib_display
from Xlib.protocol import event

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.x11.connection import xlib_opening
from sweepbot.geometry import Region
from tools.waiting import PATIENCE_S, wait_until

_MARK = "SWEEPBOT_WINDOW_MANAGER"


@dataclass(frozen=True, slots=True)
class Window:
    """A window without its frame: the X server's number, its title, and its inside in pixels."""

    number: str
    title: str
    region: Region


class Program:
    """A program started in the background, with its output kept in case it fails."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int] = ()) -> None:
        self._name = command[0]
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `end`)
        self._process = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            pass_fds=pass_fds,
        )

    @property
    def pid(self) -> int:
        """Its process's number."""
        return self._process.pid

    def running(self) -> None:
        """Check that the program is still running.

        Raises:
            RuntimeError: It has ended; the message quotes what it said.
        """
        if self._process.poll() is not None:
            self._output.seek(0)
            said = self._output.read().decode(errors="replace").strip()
            raise RuntimeError(f"{self._name} ended with {self._process.returncode}: {said}")

    def end(self) -> None:
        """Ask the program to end, kill it if it does not, and free what it used."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


class Display:
    """A running virtual X11 display, its server, and its window manager if it has one.

    `environment` is what a program needs to show itself.
    """

    def __init__(self, name: str, region: Region, server: Program) -> None:
        self.region = region
        self.server = server
        self.manager: Program | None = None
        # Nothing of the desktop of a person at this machine may be visible.
        hidden = {"WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY", "SESSION_MANAGER"}
        # OpenCV sets its own folder of Qt plugins in this process; Qt programs must not use it.
        hidden |= {"QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"}
        kept = {key: value for key, value in os.environ.items() if key not in hidden}
        # Without an address GTK would start a bus, which starts portals, of which one mounts itself in a client's home.
        self.environment = kept | {"DISPLAY": name, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self._name = name

    def program(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Program]:
        """Run `command` on this display, with further environment variables, until the block is left."""
        return running_program(command, self.environment | dict(environment or {}))

    @contextmanager
    def adopted(self) -> Iterator[Desk]:
        """Make this display this process's own too, and open its screen and mouse.

        Only one display per process: pyautogui keeps to the first that it opens.
        """
        with patch.dict(os.environ, self.environment, clear=True), open_desktop() as desktop:
            yield desktop

    def windows(self, title: str = ".*") -> list[Window]:
        """Every visible window whose whole title is so, a regular expression; nested ones included."""
        titled = re.findall(r'^\s+(0x[0-9a-f]+) "(.*)": \(', self._xwininfo("-root", "-tree"), re.MULTILINE)
        windows = [self._window(number) for number, name in titled if re.fullmatch(title, name)]
        return [window for window in windows if window is not None]

    def minimise(self, number: str) -> None:
        """Minimise a window, and wait until the server no longer maps it.

        xdotool's `--sync` does not wait here: it waits for the state that the window has at the start.
        """
        subprocess.run(["xdotool", "windowminimize", number], env=self.environment, check=True, timeout=PATIENCE_S)
        unmapped = "Map State: IsUnMapped"
        wait_until(lambda: unmapped in self._xwininfo("-id", number) or None, f"window {number} to be minimised")

    def add_state(self, number: str, state: str) -> None:
        """Ask the window manager for a state of a window, as its own keys would: `FULLSCREEN`, `SHADED`."""
        with xlib_opening():
            connection = xlib_display.Display(self._name)
        states, wanted = (connection.intern_atom(f"_NET_WM_STATE{name}") for name in ("", f"_{state}"))
        target, added, by_pager = connection.create_resource_object("window", int(number, 16)), 1, 2
        message = event.ClientMessage(window=target, client_type=states, data=(32, [added, wanted, 0, by_pager, 0]))
        connection.screen().root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        connection.sync()
        connection.close()

    def _window(self, number: str) -> Window | None:
        """A window as it is now; None if it is invisible or gone."""
        text = self._xwininfo("-id", number)
        title = re.search(rf'Window id: {number} "(.*)"$', text, re.MULTILINE)
        if title is None or "Map State: IsViewable" not in text:
            return None
        keys = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        x, y, width, height = (int(_value(text, key)) for key in keys)
        return Window(number, title[1], Region(x, y, width, height))

    def wait_for_window(
        self, title: str, program: Program, size: tuple[int, int] | None = None, limit_s: float = PATIENCE_S
    ) -> Window:
        """Wait until a window is there, painted and at rest.

        Args:
            title: A regular expression for its whole title.
            program: The program that shows it; if it ends, so does the wait.
            size: Its width and height in pixels.
            limit_s: Seconds to wait.

        Raises:
            RuntimeError: The program ended.
            TimeoutError: No such window appeared.
        """

        def look() -> Window | None:
            program.running()
            for window in self.windows(title):
                if size in (None, (window.region.width, window.region.height)):
                    at_rest = self._painted(window.region) and self._window(window.number) == window
                    return window if at_rest else None
            return None

        try:
            return wait_until(
                look, f"a painted window titled {title!r}" + (f" of size {size}" if size else ""), limit_s
            )
        except TimeoutError as error:
            error.add_note(f"windows to be seen: {self.windows()}")
            raise

    def picture(self, region: Region | None = None) -> NDArray[np.uint8]:
        """The pixels of `region`, by default of everything: uint8 (height, width, 3), BGR."""
        with mss.MSS(display=self._name, backend="xlib") as screen:
            box = screen.monitors[0]
            if region is not None:
                box = {"left": region.x, "top": region.y, "width": region.width, "height": region.height}
            shot = screen.grab(box)
        return np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)[:, :, :3].copy()

    def _painted(self, region: Region) -> bool:
        """Whether it is on the screen, shows more than a background, and does not change between two looks."""
        if region.intersection(self.region) != region:
            return False  # not placed yet
        before = self.picture(region)
        time.sleep(0.05)
        after = self.picture(region)
        colours = len(np.unique(after.reshape(-1, 3), axis=0))
        return colours > 3 and np.array_equal(before, after)  # background, and a frame's two shades

    def _xwininfo(self, *arguments: str) -> str:
        # Titles may be in any encoding; Latin-1 reads every byte. A window may be gone by the time it is asked about.
        command = ["xwininfo", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, check=False, timeout=PATIENCE_S)
        return done.stdout.decode("latin-1")


@contextmanager
def virtual_display(
    width: int = 1600, height: int = 1200, *, managed: bool = True, depth: int = 24
) -> Iterator[Display]:
    """Start Xvfb on a free number, with `depth` bits a pixel, and openbox if windows are managed; end both afterwards.

    Raises:
        RuntimeError: One of them ended at once.
        TimeoutError: One of them never became ready.
    """
    # Without -noreset the server resets whenever its last client leaves, and refuses new ones meanwhile.
    arguments = ["-screen", "0", f"{width}x{height}x{depth}", "-nolisten", "tcp", "-noreset"]
    with _server("Xvfb", arguments, Region(0, 0, width, height)) as display, ExitStack() as running:
        if managed:
            running.enter_context(_openbox(display))
        yield display


@contextmanager
def remote_display(width: int = 1600, height: int = 1200) -> Iterator[Display]:
    """Start TigerVNC's server without a viewer, and openbox; end both afterwards. See `virtual_display`."""
    arguments = ["-geometry", f"{width}x{height}", "-depth", "24", "-SecurityTypes", "None", "-rfbport", "-1"]
    with _server("Xvnc", arguments, Region(0, 0, width, height)) as display, _openbox(display):
        yield display


@contextmanager
def _server(name: str, arguments: Sequence[str], region: Region) -> Iterator[Display]:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as answer:
        server = Program([name, "-displayfd", str(writer), *arguments], os.environ, pass_fds=[writer])
        os.close(writer)
        try:
            yield Display(":" + _first_line(answer, server), region, server)
        finally:
            server.end()


@contextmanager
def _openbox(display: Display) -> Iterator[None]:
    # Openbox announces itself too early: a window mapped then may never be shown. So its last action at the start is
    # to set a property of ours.
    mark = f"xprop -root -format {_MARK} 8s -set {_MARK} ready"
    with display.program(["openbox", "--sm-disable", "--startup", mark]) as manager:
        wait_until(lambda: _manages_windows(display, manager), "openbox")
        display.manager = manager
        yield


@contextmanager
def running_program(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Program]:
    """Run a program until the block is left."""
    program = Program(command, environment)
    try:
        yield program
    finally:
        program.end()


def missing_programs(*names: str) -> list[str]:
    """Which of these programs are not installed; Debian keeps games off root's PATH."""
    return [name for name in names if find_program(name) is None]


def find_program(name: str) -> str | None:
    """A program's path, games and helper programs included; None if it is not installed."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/libexec")


CHROMIUM = next(filter(find_program, ("chromium", "google-chrome")), "chromium")
"""The browser for pages: Chromium, or else Chrome."""


def _value(text: str, key: str) -> str:
    return text.partition(f"{key}: ")[2].splitlines()[0]


def _first_line(answer: IO[bytes], server: Program) -> str:
    def look() -> bytes | None:
        server.running()
        return answer.readline() if select.select([answer], [], [], 0)[0] else None

    return wait_until(look, "the X server").decode().strip()


def _manages_windows(display: Display, manager: Program) -> bool | None:
    manager.running()
    asked = ["xprop", "-root", _MARK]
    done = subprocess.run(asked, env=display.environment, capture_output=True, check=False, timeout=PATIENCE_S)
    return True if b"ready" in done.stdout else None
