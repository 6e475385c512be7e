"""A Wayland desktop for each run: headless mutter or GNOME Shell, the portal, and clients on it."""

import os
import re
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jeepney import DBusAddress, MatchRule, message_bus, new_method_call, new_signal
from jeepney.io.blocking import open_dbus_connection
from numpy.typing import NDArray
from pipewire_capture import CaptureStream

from tools.live.display import Program, find_program
from tools.live.session import Session, session_environment
from tools.waiting import wait_until

_PORTALS = ("xdg-desktop-portal-gnome", "xdg-desktop-portal")
NEEDS = ("mutter", "pipewire", "wireplumber", "dbus-daemon", "gnome-mines", *_PORTALS)
WIDTH, HEIGHT = 1280, 960
SWITCH, SWITCH_OF_TWO, SHARE, CANCEL = (829, 551), (829, 606), (853, 353), (426, 353)
"""Where the portal's dialog has its controls on a monitor of this size, in units of the desktop; the switch is lower
where there are two monitors, and all of it where the shell has its panel."""
WINDOWS, FIRST_WINDOW = (568, 353), (600, 469)
"""The dialog's page of windows, and the first of them there."""
PANEL = 32

_SHELL_IS_UP = "org.gnome.Shell.Introspect"
_MONITOR, _LEFT_MONITOR = "Meta-0", "Meta-1"
_TEMPORARY = 1
PORTAL, PORTAL_OF_GNOME = "org.freedesktop.portal.Desktop", "org.freedesktop.impl.portal.desktop.gnome"
_SESSIONS = "/org/freedesktop/portal/desktop/session"
_LEFT = 0x110
_BLUE = (0xE4, 0x84, 0x35)
_SHADES = 24
_SETTINGS = """
[org/gnome/mutter]
experimental-features=['scale-monitor-framebuffer']
[org/gnome/Mines]
window-is-maximized={large}
"""


@dataclass(frozen=True, slots=True)
class WaylandDesktop(Session):
    """A running desktop with a portal.

    Attributes:
        scale: Pixels per unit of the desktop.
        left: Whether a second monitor is to the left of the one that is played on.
        gnome_shell: Whether it is GNOME Shell, which knows its windows, instead of mutter alone.
        servers: Its programs by name.
    """

    scale: float
    left: bool
    gnome_shell: bool
    servers: Mapping[str, Program]

    def end_server(self, name: str) -> None:
        """End the program that owns a bus name, or one of the servers."""
        if name in self.servers:
            self.servers[name].end()
            return
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        with open_dbus_connection(bus=self.environment["DBUS_SESSION_BUS_ADDRESS"]) as connection:
            asked = new_method_call(bus, "GetConnectionUnixProcessID", "s", (name,))
            os.kill(connection.send_and_get_reply(asked, timeout=10).body[0], signal.SIGTERM)


class Hand:
    """A person's hand, by mutter's own interface, which needs no consent."""

    def __init__(self, desktop: WaylandDesktop) -> None:
        runtime = Path(desktop.environment["XDG_RUNTIME_DIR"])
        self._scale = desktop.scale
        self._switch = SWITCH_OF_TWO if desktop.left else SWITCH
        self._down = PANEL // 2 if desktop.gnome_shell else 0
        self._bus: Any = open_dbus_connection(bus=desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
        self._remote = self._call(_remote("/org/gnome/Mutter/RemoteDesktop"), "CreateSession")
        self._session = _remote(self._remote, "Session")
        about = self._get(self._session, "org.gnome.Mutter.RemoteDesktop.Session", "SessionId")
        cast = self._call(
            _cast("/org/gnome/Mutter/ScreenCast"), "CreateSession", "a{sv}", ({"remote-desktop-session-id": about},)
        )
        self._stream = self._call(_cast(cast, "Session"), "RecordMonitor", "sa{sv}", (_MONITOR, {}))
        added = MatchRule(type="signal", interface="org.gnome.Mutter.ScreenCast.Stream", member="PipeWireStreamAdded")
        self._bus.send_and_get_reply(message_bus.AddMatch(added), timeout=10)
        with self._bus.filter(added) as nodes:
            self._call(self._session, "Start")
            node = self._bus.recv_until_filtered(nodes, timeout=10).body[0]
        with socket.socket(socket.AF_UNIX) as pipewire:
            pipewire.connect(str(runtime / "pipewire-0"))
            self._pictures = CaptureStream(pipewire.fileno(), node, WIDTH, HEIGHT, 0.0)
            self._pictures.start()

    def sees(self) -> NDArray[np.uint8]:
        """The screen: uint8 (height, width, 3), BGR."""
        picture = wait_until(self._pictures.get_frame, "a picture of the desktop")
        return np.ascontiguousarray(picture[:, :, :3])

    def is_blue(self, x: int, y: int) -> bool | None:
        """A control of the dialog that is switched on or highlighted, else None."""
        at = round((y + self._down - 6) * self._scale), round((x - 14) * self._scale)
        return bool(np.abs(self.sees()[at].astype(int) - _BLUE).max() < _SHADES) or None

    def allow(self) -> None:
        """Accept the portal's dialog once it is there."""
        wait_until(lambda: self.is_blue(*SHARE), "the portal's dialog")
        self._answer(self._switch, SHARE)

    def allow_window(self) -> None:
        """The same, but for the first of the windows."""
        wait_until(lambda: self.is_blue(*SHARE), "the portal's dialog")
        self._answer(WINDOWS)
        wait_until(lambda: self.is_blue(*SHARE) is None or None, "the dialog's page of windows")

        def chosen() -> bool | None:
            self._answer(FIRST_WINDOW)  # again if the page was still sliding in
            return self.is_blue(*SHARE)

        wait_until(chosen, "a window that is chosen")
        self._answer(self._switch, SHARE)

    def share_until(self, is_over: Callable[[], bool]) -> None:
        """Press "Share" whenever the dialog is there, whatever the switch says, until `is_over`."""

        def pressed() -> bool | None:
            if self.is_blue(*SHARE):
                self._answer(SHARE)
            return is_over() or None

        wait_until(pressed, "the end of what the portal's dialog is for")

    def refuse(self) -> None:
        """Press the dialog's "Cancel" once it is there."""
        wait_until(lambda: self.is_blue(*SHARE), "the portal's dialog")
        self._answer(CANCEL)

    def lock(self) -> None:
        """Announce that the screen was locked, as GNOME's shell does; nobody is logged in to lock it."""
        told = DBusAddress("/org/gnome/ScreenSaver", interface="org.gnome.ScreenSaver")
        self._bus.send(new_signal(told, "ActiveChanged", "b", (True,)))

    def leave_overview(self) -> None:
        """Leave the shell's overview."""
        shell = DBusAddress("/org/gnome/Shell", "org.gnome.Shell", "org.freedesktop.DBus.Properties")
        self._call(shell, "Set", "ssv", ("org.gnome.Shell", "OverviewActive", ("b", False)))

    def _answer(self, *controls: tuple[int, int]) -> None:
        for x, y in controls:
            self.click(x, y + self._down)

    def click(self, x: int, y: int) -> None:
        """Move to a place slowly, as the dialog requires, and click."""
        for to, rest_s in ((x - 3, 0.3), (x, 0.1)):
            place = (self._stream, to * self._scale, y * self._scale)
            self._call(self._session, "NotifyPointerMotionAbsolute", "sdd", place)
            time.sleep(rest_s)
        for is_down in (True, False):
            self._call(self._session, "NotifyPointerButton", "ib", (_LEFT, is_down))
            time.sleep(0.1)

    def end_session(self) -> None:
        """Revoke the consent, and tell the program as the portal does."""
        path, names = _SESSIONS, ["?"]
        while names:
            shown = DBusAddress(path, PORTAL_OF_GNOME, "org.freedesktop.DBus.Introspectable")
            names = re.findall(r'<node name="(\w+)"', self._call(shown, "Introspect"))
            path = f"{path}/{names[0]}" if names else path
        self._call(DBusAddress(path, PORTAL_OF_GNOME, "org.freedesktop.impl.portal.Session"), "Close")
        told = DBusAddress(path, interface="org.freedesktop.portal.Session")
        self._bus.send(new_signal(told, "Closed", "a{sv}", ({},)))

    def close(self) -> None:
        self._pictures.stop()
        self._call(self._session, "Stop")
        self._bus.close()

    def _call(self, address: DBusAddress, member: str, signature: str | None = None, body: tuple[Any, ...] = ()) -> Any:  # noqa: ANN401
        reply = self._bus.send_and_get_reply(new_method_call(address, member, signature, body), timeout=10)
        if reply.header.message_type.name == "error":
            raise RuntimeError(f"{member}: {reply.body}")
        return reply.body[0] if reply.body else None

    def _get(self, address: DBusAddress, interface: str, name: str) -> Any:  # noqa: ANN401
        properties = DBusAddress(address.object_path, address.bus_name, "org.freedesktop.DBus.Properties")
        return self._call(properties, "Get", "ss", (interface, name))


def _remote(path: str, kind: str = "") -> DBusAddress:
    name = "org.gnome.Mutter.RemoteDesktop"
    return DBusAddress(path, name, f"{name}.{kind}" if kind else name)


def _cast(path: str, kind: str = "") -> DBusAddress:
    name = "org.gnome.Mutter.ScreenCast"
    return DBusAddress(path, name, f"{name}.{kind}" if kind else name)


@contextmanager
def wayland_desktop(
    scale: float = 1.0, *, left: bool = False, large: bool = True, gnome_shell: bool = False
) -> Iterator[WaylandDesktop]:
    """Start a headless desktop, and end it when the block is left.

    Args:
        scale: Pixels per unit of the desktop; the monitor's size in units is fixed.
        left: Whether a second monitor is to the left of the first.
        large: Whether windows fill the monitor instead of having a first start's size.
        gnome_shell: Whether to run GNOME Shell instead of mutter alone.
    """
    with ExitStack() as on:
        folder = tempfile.mkdtemp(prefix="sweepbot-wayland-")
        on.callback(shutil.rmtree, folder, ignore_errors=True)  # the document portal's mount may still be in it
        home, runtime = Path(folder, "home"), Path(folder, "run")
        settings = home / ".config/glib-2.0/settings/keyfile"
        settings.parent.mkdir(parents=True)
        settings.write_text(_SETTINGS.format(large=str(large).lower()), encoding="utf-8")
        runtime.mkdir(mode=0o700)
        address, system = f"unix:path={runtime}/bus", f"unix:path={runtime}/system-bus"
        environment = session_environment(
            home,
            runtime,
            "GNOME",
            WAYLAND_DISPLAY="wayland-test",
            DBUS_SESSION_BUS_ADDRESS=address,
            DBUS_SYSTEM_BUS_ADDRESS=system,
            GSETTINGS_BACKEND="keyfile",
            LIBGL_ALWAYS_SOFTWARE="1",
        )
        servers: dict[str, Program] = {}

        def start(*command: str, until: Path | None = None) -> None:
            servers[command[0]] = program = Program([find_program(command[0]) or command[0], *command[1:]], environment)
            on.callback(program.end)

            def is_there() -> bool | None:
                program.running()
                return until is None or until.exists() or None

            wait_until(is_there, command[0])

        start("dbus-daemon", "--session", "--nofork", f"--address={address}", until=runtime / "bus")
        start("pipewire", until=runtime / "pipewire-0")
        start("wireplumber")
        size = f"{round(WIDTH * scale)}x{round(HEIGHT * scale)}"
        monitors = ("--virtual-monitor", size) * (2 if left else 1)
        shown = ("--wayland-display", "wayland-test")
        if gnome_shell:
            start("dbus-daemon", "--session", "--nofork", f"--address={system}", until=runtime / "system-bus")
        compositor = "gnome-shell" if gnome_shell else "mutter"
        start(compositor, "--headless", "--wayland", "--no-x11", *monitors, *shown, until=runtime / "wayland-test")
        _arrange(address, scale, left=left)
        if gnome_shell:  # the portal checks only once whether it is there
            wait_until(lambda: _is_served(address, _SHELL_IS_UP), _SHELL_IS_UP)
        for portal in _PORTALS:
            start(portal)
        for name in ("org.gnome.Mutter.ScreenCast", PORTAL_OF_GNOME, PORTAL):
            wait_until(lambda name=name: _is_served(address, name), name)  # type: ignore[misc]
        wait_until(lambda: _offers_devices(address), "devices that the portal can offer")
        yield WaylandDesktop(environment, scale, left, gnome_shell, servers)


@contextmanager
def hand_on(desktop: WaylandDesktop) -> Iterator[Hand]:
    """A person's hand on a desktop."""
    hand = Hand(desktop)
    try:
        yield hand
    finally:
        hand.close()


def _offers_devices(address: str) -> bool | None:
    """Whether the portal's program has found the compositor: until then it refuses each session."""
    portal = "org.freedesktop.portal.Desktop"
    asked = DBusAddress("/org/freedesktop/portal/desktop", portal, "org.freedesktop.DBus.Properties")
    with open_dbus_connection(bus=address) as bus:
        wanted = ("org.freedesktop.portal.RemoteDesktop", "AvailableDeviceTypes")
        reply = bus.send_and_get_reply(new_method_call(asked, "Get", "ss", wanted), timeout=10)
    return (reply.header.message_type.name != "error" and bool(reply.body[0][1])) or None


def _arrange(address: str, scale: float, *, left: bool) -> None:
    """Set the monitors' scale and places."""
    name = "org.gnome.Mutter.DisplayConfig"
    wait_until(lambda: _is_served(address, name), name)
    asked = DBusAddress("/org/gnome/Mutter/DisplayConfig", name, name)
    with open_dbus_connection(bus=address) as bus:
        state = bus.send_and_get_reply(new_method_call(asked, "GetCurrentState"), timeout=10)
        serial, monitors, *_ = state.body
        modes = {monitor[0][0]: monitor[1][0][0] for monitor in monitors}
        right: Any = (WIDTH if left else 0, 0, scale, 0, True, [(_MONITOR, modes[_MONITOR], {})])
        beside: Any = [(0, 0, scale, 0, False, [(_LEFT_MONITOR, modes[_LEFT_MONITOR], {})])] if left else []
        wanted: Any = (serial, _TEMPORARY, [right, *beside], {})
        call = new_method_call(asked, "ApplyMonitorsConfig", "uua(iiduba(ssa{sv}))a{sv}", wanted)
        if (reply := bus.send_and_get_reply(call, timeout=10)).header.message_type.name == "error":
            raise RuntimeError(f"the monitors cannot be arranged so: {reply.body}")


def _is_served(address: str, name: str) -> bool | None:
    with open_dbus_connection(bus=address) as bus:
        asked = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        reply = bus.send_and_get_reply(new_method_call(asked, "NameHasOwner", "s", (name,)), timeout=10)
    return bool(reply.body[0]) or None
