"""Programs on a Windows desktop: test windows, and WineMine on boards of a given size."""

import ctypes
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.geometry import Region
from sweepbot.level import Level
from tools.live.winemine import opened, registry_values
from tools.waiting import PATIENCE_S, wait_until


class ToldWindow:
    """A window of `tools.live.window`, and what it tells."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        self.expect("ready")

    def expect(self, what: str) -> None:
        """Wait until it tells something; what it tells before that is passed over."""
        until = time.monotonic() + PATIENCE_S
        while (said := self._said.get(timeout=until - time.monotonic())) != what:
            if not said:
                raise RuntimeError(f"the window has ended before it told {what!r}")

    def told(self) -> list[str]:
        """What it has told since."""
        said = []
        while not self._said.empty():
            said.append(self._said.get())
        return said

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._said.put(line.strip())
        self._said.put("")


@contextmanager
def window(title: str, region: Region, kind: str = "plain") -> Iterator[ToldWindow]:
    """A window that is asked to have its inside at a region, the frame not counted. See `tools.live.window`."""
    command = [sys.executable, "-m", "tools.live.window", title, str(region), kind]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield ToldWindow(process)
        finally:
            process.terminate()


@contextmanager
def winemine(windows: Windows, level: Level, *, best_times: bool) -> Iterator[WindowId]:
    """Run WineMine on a board of this size until the block is left. See `tools.live.winemine.registry_values`."""
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415  (only there)

        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, r"Software\Microsoft\WinMine") as key:
            for name, value in registry_values(level, best_times=best_times).items():
                winreg.SetValueEx(key, name, 0, winreg.REG_DWORD, value)
    size = (16 * level.columns + 10, 16 * level.rows + 38)
    with ExitStack() as running:

        def start() -> WindowId:
            process = running.enter_context(subprocess.Popen(["winemine"], stdin=subprocess.DEVNULL))
            running.callback(process.terminate)
            return wait_until(lambda: _sized(windows, size), f"WineMine of {size}", PATIENCE_S / 4)

        yield opened(running, start)


def minimise(number: WindowId, *, back: bool = False) -> None:
    """Minimise a window, or show it again."""
    minimised, restored = 6, 9  # SW_MINIMIZE, SW_RESTORE
    if sys.platform == "win32":
        ctypes.windll.user32.ShowWindow(number, restored if back else minimised)


def put_in_front(number: WindowId) -> None:
    """Put a window in front of all others, without the keyboard."""
    no_size_no_move_no_focus = 0x1 | 0x2 | 0x10  # SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE
    if sys.platform == "win32":
        ctypes.windll.user32.SetWindowPos(number, 0, 0, 0, 0, 0, no_size_no_move_no_focus)


class Stage:
    """WineMine, a witness behind it, and what there is to do to it."""

    def __init__(self, desktop: Desk, client: WindowId, witness: ToldWindow, running: ExitStack) -> None:
        self.desktop = desktop
        self.client = client
        self.witness = witness
        self._running = running

    @property
    def region(self) -> Region:
        """Where the client's inside is."""
        assert self.desktop.windows is not None
        return next(it.region for it in self.desktop.windows.shown() if it.id == self.client)

    def cover(self) -> ToldWindow:
        """Put another program's window over the middle of the board."""
        assert self.desktop.windows is not None
        middle = self.region.centre
        place = Region(middle.x - 40, middle.y - 40, 200, 150)
        shown = self._running.enter_context(window("in front", place))
        wait_until(lambda: "in front" in self._titles_at_middle() or None, "a window in front")
        return shown

    def move(self) -> None:
        """Move the client by whole cells, and a bit."""
        at = self.region
        assert self.desktop.windows is not None
        self.desktop.windows.place(self.client, Region(at.x + 163, at.y + 97, at.width, at.height))
        wait_until(lambda: self.region.x == at.x + 163 or None, "the client to be moved")

    def minimise(self) -> None:
        """Minimise the client."""
        minimise(self.client)

    def restore(self) -> None:
        """Show the client again."""
        minimise(self.client, back=True)

    def close(self) -> None:
        """Close the client as a click on its cross does, and wait until it is gone."""
        windows = self.desktop.windows
        assert windows is not None
        windows.dismiss(self.client)
        wait_until(lambda: not windows.exists(self.client) or None, "the client to be gone")

    def later(self, act: Callable[[], None], after_s: float) -> None:
        """Do something in a while."""
        timer = threading.Timer(after_s, act)
        timer.start()
        self._running.callback(timer.join)

    def _titles_at_middle(self) -> str:
        assert self.desktop.windows is not None
        under = self.desktop.windows.under(self.region.centre)
        return "" if under is None else self.desktop.windows.title(under.id)


@contextmanager
def staged(desktop: Desk, windows: Windows, level: Level) -> Iterator[Stage]:
    """WineMine on a board of this size, with a witness behind it, until the block is left."""
    with (
        window("witness", desktop.screen.region, "behind") as witness,
        winemine(windows, level, best_times=False) as client,
        ExitStack() as running,
    ):
        windows.focus(client)
        yield Stage(desktop, client, witness, running)


def _sized(windows: Windows, size: tuple[int, int]) -> WindowId | None:
    titled = windows.titled(["WineMine"])
    regions = {window.id: window.region for window in windows.shown()}
    return next((it for it in titled if it in regions and (regions[it].width, regions[it].height) == size), None)
