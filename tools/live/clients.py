"""The real Minesweeper clients, each started on a display straight into a board of a given size."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sweepbot.board import neighbours
from sweepbot.geometry import Cell
from sweepbot.level import Level
from tools.live.display import Display, Window, find_program
from tools.live.winemine import START, opened, registry_values
from tools.waiting import PATIENCE_S, wait_until


@dataclass(frozen=True, slots=True)
class Client:
    """A client that can be started: the programs it needs, its context manager, and the smallest board it takes."""

    needs: tuple[str, ...]
    start: Callable[[Display, Level], AbstractContextManager[Window]]
    smallest: str = "9x9/10"


class WinePrefix:
    """A Windows installation for wine in a folder. Making one takes seconds, so an existing one is reused."""

    def __init__(self, folder: Path, display: Display) -> None:
        # No offers to download a .NET runtime or a browser engine.
        self._additions = {"WINEPREFIX": str(folder), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
        self._display = display
        self._folder = folder
        if not (folder / "system.reg").exists():
            self._run("wineboot", "--init")

    @contextmanager
    def winemine(self, level: Level, *, best_times: bool = False, question_marks: bool = True) -> Iterator[Window]:
        """Run WineMine on a board of this size until the block is left. See `tools.live.winemine.registry_values`."""
        values = registry_values(level, best_times=best_times, question_marks=question_marks)
        lines = [f'"{name}"=dword:{value:08x}' for name, value in values.items()]
        header = ["Windows Registry Editor Version 5.00", "", r"[HKEY_CURRENT_USER\Software\Microsoft\WinMine]"]
        settings = self._folder / "winemine.reg"
        settings.write_text("\r\n".join([*header, *lines, ""]), encoding="ascii")
        self._run("wine", "regedit", str(settings))
        size = (16 * level.columns + 10, 16 * level.rows + 57)
        with ExitStack() as running:

            def start() -> Window:
                program = running.enter_context(self._display.program(["wine", "winemine"], self._additions))
                running.callback(self.end)
                return self._display.wait_for_window("WineMine", program, size, limit_s=PATIENCE_S / 4)

            yield opened(running, start)

    def end(self) -> None:
        """End every program of this prefix, and wait until its server has written its files."""
        self._run("wineserver", "--kill", check=False)  # it complains where nothing is running
        self._run("wineserver", "--wait")

    def _run(self, *command: str, check: bool = True) -> None:
        environment = self._display.environment | self._additions
        # Wine's background processes outlive the command; a pipe to them would never end.
        nowhere = subprocess.DEVNULL
        subprocess.run(
            command, env=environment, check=check, stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=3 * PATIENCE_S
        )


@contextmanager
def wine_prefix(display: Display) -> Iterator[WinePrefix]:
    """A prefix in the folder SWEEPBOT_WINEPREFIX, which is kept, or else in a temporary one."""
    kept = os.environ.get("SWEEPBOT_WINEPREFIX")
    with tempfile.TemporaryDirectory(prefix="sweepbot-wine-", ignore_cleanup_errors=True) as temporary:
        folder = Path(kept or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        prefix = WinePrefix(folder, display)
        try:
            yield prefix
        finally:
            prefix.end()


@contextmanager
def winemine(display: Display, level: Level) -> Iterator[Window]:
    """WineMine in a prefix of its own."""
    with wine_prefix(display) as prefix, prefix.winemine(level) as window:
        yield window


@contextmanager
def xdemineur(display: Display, level: Level) -> Iterator[Window]:
    """Run xdemineur on a board of this size (at least 12 columns); it starts with an open region."""
    size = f"{level.columns}x{level.rows}{START.x:+d}{START.y:+d}"
    command = [_program("xdemineur"), "-geometry", size, "-m", str(level.mines)]
    with display.program(command) as program:
        yield display.wait_for_window("xd.*mineur", program, (21 * level.columns + 31, 21 * level.rows + 96))


@contextmanager
def sgt_mines(
    display: Display, level: Level, *, tile: int = 20, mines: Collection[Cell] | None = None, no_guess: bool = False
) -> Iterator[Window]:
    """Simon Tatham's Mines on a board of this size.

    Args:
        display: The display.
        level: Size and number of mines.
        tile: Pixels of a cell.
        mines: The cells with mines; random by default.
        no_guess: Whether boards need no guess, as is this client's default.
    """
    game = f"{level.columns}x{level.rows}n{level.mines}{'' if no_guess else 'a'}"
    if mines is not None:
        bits = "".join(str(int(cell in mines)) for cell in neighbours(level.rows, level.columns))
        digits = (int(bits[start : start + 4].ljust(4, "0"), 2) for start in range(0, len(bits), 4))
        game += ":u" + "".join(f"{digit:x}" for digit in digits)
    with display.program([_program("sgt-mines"), game], {"MINES_TILESIZE": str(tile)}) as program:
        yield display.wait_for_window("Mines", program)


@contextmanager
def gnome_mines(
    display: Display, level: Level, *, size: tuple[int, int] | None = (800, 600), theme: str = "bgcolors"
) -> Iterator[Window]:
    """GNOME Mines on a board of one of its own sizes.

    Args:
        display: The display.
        level: 8x8/10, 16x16/40 or 30x16/99; other sizes cannot be requested from outside.
        size: Width and height of the window's inside, without animations; cells grow with it. None is a first start's
            own size, in a new home.
        theme: `default`, `bgcolors` or `classic`.
    """
    option = {"8x8/10": "--small", "16x16/40": "--medium", "30x16/99": "--big"}[str(level)]
    values: dict[str, int | str] = {"use-question-marks": "true", "theme": f"'{theme}'"}
    if size is not None:
        values |= {"window-width": size[0], "window-height": size[1], "use-animations": "false"}
    lines = ["[org/gnome/Mines]", *(f"{name}={value}" for name, value in values.items())]
    with _home({"glib-2.0/settings/keyfile": lines}) as additions:
        additions |= {"GSETTINGS_BACKEND": "keyfile", "NO_AT_BRIDGE": "1"}
        with display.program([_program("gnome-mines"), option], additions) as program:
            yield display.wait_for_window("Mines", program)


@contextmanager
def kmines(
    display: Display, level: Level, *, theme: str = "default", size: tuple[int, int] | None = (1000, 800)
) -> Iterator[Window]:
    """KMines on a board of any size, with its own message bus.

    Args:
        display: The display.
        level: Size and number of mines.
        theme: `default`, `classic`, `green` or `graveyard-mayhem`.
        size: Width and height of the window's inside; cells grow with it. None is a first start's own size.
    """
    names = {"9x9/10": "Easy", "16x16/40": "Medium", "30x16/99": "Hard"}
    screen = f"{display.region.width}x{display.region.height} screen"
    lines = [
        "[KgDifficulty]",
        f"Level={names.get(str(level), 'Custom')}",
        "[Options]",
        f"custom width={level.columns}",
        f"custom height={level.rows}",
        f"custom mines={level.mines}",
        "[KgTheme]",
        f"Theme=themes/{theme}.desktop",
    ]
    if size is not None:
        lines += [
            "[MainWindow]",
            f"{screen}: Width={size[0]}",
            f"{screen}: Height={size[1]}",
            f"{screen}: XPosition={min(START.x, (display.region.width - size[0]) // 2)}",
            f"{screen}: YPosition={min(START.y, (display.region.height - size[1]) // 2)}",
        ]
    with _home({"kminesrc": lines}) as additions, _message_bus(display) as address:
        additions["DBUS_SESSION_BUS_ADDRESS"] = address
        with display.program([_program("kmines")], additions) as program:
            yield display.wait_for_window(".*KMines", program, size)


_BUS = """<busconfig>
<type>session</type><listen>{address}</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy>
</busconfig>
"""


@contextmanager
def _message_bus(display: Display) -> Iterator[str]:
    """The address of a message bus that starts no services, for programs that do not start without one."""
    with tempfile.TemporaryDirectory(prefix="sweepbot-bus-", ignore_cleanup_errors=True) as folder:
        socket, settings = Path(folder, "bus"), Path(folder, "bus.conf")
        address = f"unix:path={socket}"
        settings.write_text(_BUS.format(address=address), encoding="utf-8")
        with display.program(["dbus-daemon", "--nofork", f"--config-file={settings}"]) as bus:

            def listens() -> bool | None:
                bus.running()
                return socket.exists() or None

            wait_until(listens, "a message bus")
            yield address


@contextmanager
def _home(files: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """The environment of a home folder that holds only these lines of settings."""
    with tempfile.TemporaryDirectory(prefix="sweepbot-home-", ignore_cleanup_errors=True) as folder:
        for name, lines in files.items():
            path = Path(folder, ".config", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        nowhere = {f"XDG_{kind}_HOME": f"{folder}/.{kind.lower()}" for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
        yield nowhere | {"HOME": folder}


@contextmanager
def other(display: Display, command: list[str], title: str) -> Iterator[Window]:
    """Any other program, waited for by its window's title (a regular expression)."""
    with display.program(command) as program:
        yield display.wait_for_window(title, program)


CLIENTS: dict[str, Client] = {
    "winemine": Client(("wine", "wineserver"), winemine),
    "xdemineur": Client(("xdemineur",), xdemineur, "12x8/10"),
    "sgt-mines": Client(("sgt-mines",), sgt_mines),
    "gnome-mines": Client(("gnome-mines",), gnome_mines, "8x8/10"),
    "kmines": Client(("kmines", "dbus-daemon"), kmines),
}


def _program(name: str) -> str:
    path = find_program(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path
