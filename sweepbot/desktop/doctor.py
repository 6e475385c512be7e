"""Check whether this machine can be played on, and if not, why: a list of findings as plain data. It never raises."""

import ctypes
import importlib
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from sweepbot.desktop.mss_screen import DesktopScreen
from sweepbot.desktop.server import DisplayServer, display_server, no_desktop
from sweepbot.desktop.session import open_mouse, open_windows
from sweepbot.desktop.wayland import libei, pipewire
from sweepbot.desktop.wayland.portal import KEEPS_TOKENS_VERSION, Portal, missing_package
from sweepbot.desktop.wayland.portal_desk import reopen_portal, token_path
from sweepbot.desktop.wayland.wire import Wire
from sweepbot.desktop.wayland.wlroots import connect_wlroots, open_wlroots
from sweepbot.desktop.x11.windows import X11Windows
from sweepbot.errors import SweepbotError
from sweepbot.geometry import PixelMap

PACKAGES = ("click", "msgspec", "mss", "numba", "numpy", "pillow", "platformdirs", "PyYAML", "rich", "threadpoolctl")
"""The packages that sweepbot depends on, except OpenCV, which comes under several names."""

NOT_ON_WINDOWS = ("pyautogui",)
"""Packages that it also depends on, except on Windows."""

_SCALING = ("GDK_SCALE", "QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS")
"""Environment variables that make programs draw themselves larger on Linux."""

_WINDOWS_DPI = 96  # at 100%


class Severity(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARN = "warn"
    """Playing is possible, but perhaps not as expected."""
    FAIL = "fail"
    """Playing is not possible."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: what was found, and what to do about it (empty if nothing)."""

    name: str
    verdict: Severity
    found: str
    advice: str = ""


_Unnamed = tuple[Severity, str] | tuple[Severity, str, str]
"""A check without its name."""


def examine() -> list[Finding]:
    """Check everything that playing needs; without a display, leave out what needs one."""
    checks = [
        _guarded("python", _python),
        _guarded("packages", _packages),
        _guarded("opencv", _opencv),
        _guarded("tkinter", _tkinter),
        _guarded("display", _display),
    ]
    if no_desktop(display_server()) is None:
        checks += _desktop_checks()
    return checks


def playable(checks: list[Finding]) -> bool:
    """Whether no finding prevents playing."""
    return all(check.verdict is not Severity.FAIL for check in checks)


def _guarded(name: str, look: Callable[[], _Unnamed]) -> Finding:
    """Check one thing; an error becomes a finding, since the doctor must not fail."""
    try:
        return Finding(name, *look())
    except SweepbotError as error:
        return Finding(name, Severity.FAIL, str(error), error.hint)
    except Exception as error:  # noqa: BLE001  (whatever a library raises is a finding)
        return Finding(name, Severity.FAIL, repr(error), "please report this: the doctor did not expect it")


def _python() -> _Unnamed:
    return Severity.OK, f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}"


def _versions(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split packages into the installed ones, with their versions, and the missing ones."""
    versions, missing = [], []
    for name in names:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    return versions, missing


def _packages() -> _Unnamed:
    versions, missing = _versions(PACKAGES + (() if sys.platform == "win32" else NOT_ON_WINDOWS))
    if missing:
        advice = f"python3 -m pip install {' '.join(missing)}"
        return Severity.FAIL, f"not installed: {', '.join(missing)}", advice
    return Severity.OK, ", ".join(versions)


def _opencv() -> _Unnamed:
    try:
        cv2 = importlib.import_module("cv2")
    except ImportError as error:
        headless = "python3 -m pip install --force-reinstall opencv-python-headless"
        # The build that can open windows, which another package may have installed, needs a desktop's libraries.
        advice = f"python3 -m pip uninstall opencv-python; {headless}" if ".so" in str(error) else headless
        return Severity.FAIL, f"OpenCV cannot be loaded: {error}", advice
    return Severity.OK, f"OpenCV {cv2.__version__}"


def _tkinter() -> _Unnamed:
    try:
        importlib.import_module("tkinter")
    except ImportError as error:
        install = "sudo apt-get install python3-tk; " if platform.system() == "Linux" else ""
        advice = f"{install}only the demo's window needs it"
        return Severity.WARN, f"tkinter cannot be loaded: {error}", advice
    return Severity.OK, "installed"


def _display() -> _Unnamed:
    server = display_server()
    if (error := no_desktop(server)) is not None:
        return Severity.FAIL, str(error), error.hint
    name = os.environ.get("DISPLAY", "")
    return Severity.OK, f"X11 on DISPLAY={name}" if server is DisplayServer.X11 else server.value


def _desktop_checks() -> Iterator[Finding]:
    server = display_server()
    if server is DisplayServer.WAYLAND:
        yield from _wayland_checks()
        yield _guarded("windows", lambda: _windows(server, PixelMap()))
        return
    if server is DisplayServer.X11:
        yield _guarded("xauthority", _xauthority)
    yield _guarded("permissions", lambda: _permissions(server))
    try:
        screen = DesktopScreen()
    except SweepbotError as error:
        yield Finding("screen", Severity.FAIL, str(error), error.hint)
        return
    except ImportError as error:
        yield Finding("screen", Severity.FAIL, f"no screen can be opened: {error}", "see the check of packages")
        return
    with closing(screen):
        yield _guarded("monitors", lambda: _monitors(screen))
        yield _guarded("scale", lambda: _scale(screen, server))
        yield _guarded("grab", lambda: _grab(screen))
        yield _guarded("pointer", lambda: _pointer(screen, server))
        # While the screen is open: an X server may reset itself once nobody is connected, and refuses connections then.
        yield _guarded("windows", lambda: _windows(server, screen.pixel_map))


def _wayland_checks() -> Iterator[Finding]:
    try:
        wire = connect_wlroots()
    except SweepbotError as error:
        yield Finding("wayland", Severity.FAIL, str(error), error.hint)
        return
    if wire is not None:
        yield Finding("wayland", Severity.OK, "the compositor lets programs look and click; no package is needed")
        yield _guarded("monitors", lambda: _wlr_monitors(wire))
        return
    yield _guarded("wayland", _packages_of_portal)
    yield _guarded("portal", _portal)
    yield _guarded("granted", _granted)


def _wlr_monitors(wire: Wire) -> _Unnamed:
    with open_wlroots(wire) as (screen, mouse):
        listed = ", ".join(f"{each.name} {each.region} at {each.scale:.0%}" for each in screen.monitors)
        return Severity.OK, f"{len(screen.monitors)} ({listed}); the pointer lands where it is put (by {mouse.way})"


def _packages_of_portal() -> _Unnamed:
    if absent := _versions(("jeepney", "pipewire-capture"))[1]:
        return Severity.FAIL, f"not installed: {', '.join(absent)}", missing_package(absent[0]).hint
    pipewire.load_library()
    way = "so is libei" if libei.is_available() else "python-libei is not: the portal's own calls are used"
    return Severity.OK, f"jeepney and pipewire-capture are installed; {way}"


def _portal() -> _Unnamed:
    with closing(Portal(Path(os.devnull))) as portal:
        remote_desktop, screen_cast = portal.versions()
    found = f"RemoteDesktop {remote_desktop}, ScreenCast {screen_cast}"
    found += ": consent is remembered" if remote_desktop >= KEEPS_TOKENS_VERSION else ": consent is not remembered"
    desktop = os.environ.get("XDG_CURRENT_DESKTOP", "")
    if "GNOME" not in desktop.split(":"):
        found += f"; {desktop or 'this desktop'} is not tested as fully as GNOME"
        advice = "before anything is clicked, sweepbot checks where the pointer lands; please report how it goes"
        return Severity.WARN, found, advice
    return Severity.OK, found


def _granted() -> _Unnamed:
    with reopen_portal(token_path()) as opened:
        if opened is None:
            return Severity.OK, "nothing yet: the desktop will ask when a game begins"
        screen, mouse = opened
        what = "a window" if screen.shared.is_window else "a monitor"
        seen = f"{what} of {screen.filled().width}x{screen.filled().height} pixels, at {screen.scale:.0%}"
        devices = ", ".join(screen.shared.devices)
        return Severity.OK, f"{seen}; {devices}; the pointer lands where it is put (by {mouse.way})"


def _xauthority() -> _Unnamed:
    named = os.environ.get("XAUTHORITY")
    file = Path(named) if named else Path(os.environ.get("HOME", os.devnull), ".Xauthority")
    if file.is_file():
        return Severity.OK, str(file)
    return Severity.OK, f"{file} does not exist: the display is opened without a password"


def _permissions(server: DisplayServer) -> _Unnamed:
    if server is DisplayServer.WINDOWS:
        return Severity.OK, "none needed; but if the client runs as administrator, sweepbot must too"
    if server is not DisplayServer.MACOS:
        return Severity.OK, "none needed on X11"
    granted = {
        "Screen Recording": _macos_grants("CoreGraphics", "CGPreflightScreenCaptureAccess"),
        "Accessibility": _macos_grants("ApplicationServices", "AXIsProcessTrusted"),
    }
    missing = [name for name, is_granted in granted.items() if not is_granted]
    if missing:
        advice = f"System Settings > Privacy & Security > {' and '.join(missing)}: allow your terminal, then restart it"
        return Severity.FAIL, f"not granted: {', '.join(missing)}", advice
    return Severity.OK, "Screen Recording and Accessibility are granted"


def _macos_grants(framework: str, function: str) -> bool:
    library = ctypes.CDLL(f"/System/Library/Frameworks/{framework}.framework/{framework}")
    ask = getattr(library, function)
    ask.restype = ctypes.c_bool
    return bool(ask())


def _monitors(screen: DesktopScreen) -> _Unnamed:
    listed = ", ".join(str(monitor) for monitor in screen.monitors)
    return Severity.OK, f"{len(screen.monitors)} ({listed}), together {screen.region}"


def _scale(screen: DesktopScreen, server: DisplayServer) -> _Unnamed:
    found = f"{screen.pixel_map.scale:g} (pixels per point of the pointer)"
    if server is DisplayServer.WINDOWS:
        dpi = int(getattr(ctypes, "windll").user32.GetDpiForSystem())  # noqa: B009  (only Windows has it)
        found += f"; windows are drawn at {dpi * 100 // _WINDOWS_DPI}%"
    found += "".join(f"; {name}={os.environ[name]}" for name in _SCALING if name in os.environ)
    return Severity.OK, found


def _grab(screen: DesktopScreen) -> _Unnamed:
    started = time.perf_counter()
    frame = screen.grab()
    elapsed = (time.perf_counter() - started) * 1000
    height, width = frame.image.shape[:2]
    found = f"{width}x{height} pixels in {elapsed:.1f} ms"
    if (frame.image == frame.image[0, 0]).all():
        advice = "if windows are open: unlock the screen, allow screen recording (macOS), or use Xorg, not Wayland"
        return Severity.WARN, f"{found}, all of one colour", advice
    return Severity.OK, found


def _windows(server: DisplayServer, pixel_map: PixelMap) -> _Unnamed:
    with open_windows(server, pixel_map) as windows:
        if windows is None:
            found = "not reported on this desktop: the client is recognised by its pixels alone"
            return Severity.WARN, found, "leave the client's window where it is, in front"
        shown = len(windows.shown())
        manager = windows.manager() if isinstance(windows, X11Windows) else server.value
    if manager is None:
        found = f"{shown} shown; there is no window manager, so that windows cannot be enlarged or closed"
        return Severity.WARN, found, "start one, such as openbox, if the client's board is too small"
    if server is DisplayServer.MACOS:
        return Severity.OK, f"{shown} shown; those of other programs are neither enlarged nor closed"
    return Severity.OK, f"{shown} shown, managed by {manager}"


def _pointer(screen: DesktopScreen, server: DisplayServer) -> _Unnamed:
    with open_mouse(server, screen, None) as mouse:
        at = mouse.position()
    return Severity.OK, f"at {at.x}, {at.y}"
