"""Headless sway for each run, and clients on it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.live.display import Program
from tools.live.session import Session, session_environment
from tools.waiting import wait_until

NEEDS = ("sway", "swaymsg", "setpriv", "gnome-mines")
WIDTH, HEIGHT = 1280, 960

_NOBODY = 65534
_AS_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")  # sway refuses to run as root
_SOCKET = "wayland-1"  # the first that is free


@dataclass(frozen=True, slots=True)
class SwayDesktop(Session):
    """A running desktop, and its compositor."""

    compositor: Program

    def tell(self, command: str) -> None:
        """Send sway a command."""
        subprocess.run(["swaymsg", command], env=dict(self.environment), stdout=subprocess.DEVNULL, check=True)


@contextmanager
def sway_desktop(*scales: float, settings: Sequence[str] = ()) -> Iterator[SwayDesktop]:
    """Start headless sway, and end it when the block is left.

    Args:
        scales: The scale of each monitor, from the left; all have the same size in units of the desktop.
        settings: Further lines of sway's settings, after those of the monitors.
    """
    with tempfile.TemporaryDirectory(prefix="sweepbot-sway-", ignore_cleanup_errors=True) as folder:
        home, runtime, config = Path(folder, "home"), Path(folder, "run"), Path(folder, "config")
        lines = ["xwayland disable"]
        for number, scale in enumerate(scales):
            size = f"{round(WIDTH * scale)}x{round(HEIGHT * scale)}@60Hz"
            place = f"position {number * WIDTH} 0 scale {scale}"
            lines.append(f"output HEADLESS-{number + 1} mode --custom {size} {place}")
        config.write_text("\n".join([*lines, *settings, ""]), encoding="utf-8")
        home.mkdir()
        runtime.mkdir(mode=0o700)
        environment = session_environment(
            home,
            runtime,
            "sway",
            SWAYSOCK=str(runtime / "sway"),
            GSETTINGS_BACKEND="memory",
            WLR_BACKENDS="headless",
            WLR_HEADLESS_OUTPUTS=str(len(scales)),
            WLR_LIBINPUT_NO_DEVICES="1",
            WLR_RENDERER="pixman",
        )
        command = ["sway", "--config", str(config)]
        if os.geteuid() == 0:
            for path in (folder, home, runtime):
                shutil.chown(path, _NOBODY, _NOBODY)
            command = [*_AS_NOBODY, *command]
        compositor = Program(command, environment)
        try:

            def listens() -> bool | None:
                compositor.running()
                return ((runtime / _SOCKET).exists() and (runtime / "sway").exists()) or None

            wait_until(listens, "sway")
            yield SwayDesktop(environment | {"WAYLAND_DISPLAY": _SOCKET}, compositor)
        finally:
            compositor.end()
