"""What Wayland desktops have in common: an environment of their own, and GNOME Mines on them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.live.display import Program, find_program, running_program

_HIDDEN = {"DISPLAY", "XAUTHORITY", "SESSION_MANAGER", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}
"""What would lead to the desktop of a person at this machine."""


@dataclass(frozen=True, slots=True)
class Session:
    """A running desktop: the environment in which a program shows itself on it."""

    environment: Mapping[str, str]

    def program(self, command: Sequence[str]) -> AbstractContextManager[Program]:
        """Run a program on this desktop until the block is left."""
        return running_program(command, self.environment)


def session_environment(home: Path, runtime: Path, desktop: str, **more: str) -> dict[str, str]:
    """The environment of a desktop of this name, whose programs keep everything but compiled code below `home`."""
    kept = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    own = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".state"),
        "XDG_DATA_HOME": str(home / ".data"),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"),
        "XDG_CURRENT_DESKTOP": desktop,
        "XDG_SESSION_TYPE": "wayland",
        "NO_AT_BRIDGE": "1",
        "GDK_BACKEND": "wayland",
    }
    return kept | own | more


@contextmanager
def mines(desktop: Session, level: str) -> Iterator[Program]:
    """GNOME Mines on a desktop: small, medium or large."""
    with desktop.program([find_program("gnome-mines") or "gnome-mines", f"--{level}"]) as program:
        yield program
