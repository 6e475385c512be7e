import ctypes
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from types import ModuleType, SimpleNamespace

import pytest

from sweepbot.desktop import doctor
from sweepbot.desktop.doctor import Finding, Severity, examine, playable
from sweepbot.desktop.server import DisplayServer
from sweepbot.geometry import PixelMap
from tests.standins.fake_desktop import FakeMachine, break_import, monitor, together
from tools.places import PROJECT


def findings(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Finding]:
    """The doctor's findings on this machine, by name."""
    machine.install(monkeypatch)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return {check.name: check for check in examine()}


def linux(refuses: str = "") -> FakeMachine:
    """One ordinary monitor on X11."""
    return FakeMachine("Linux", together([monitor(0, 0, 160, 120)]), refuses=refuses)


def without(library: str, error: ImportError, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make importing a library fail."""
    ordinary = importlib.import_module

    def attempt(name: str, package: str | None = None) -> ModuleType:
        if name == library:
            raise error
        return ordinary(name, package)

    monkeypatch.setattr(importlib, "import_module", attempt)


def test_a_healthy_machine_can_be_played_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a display, a picture and a pointer nothing fails, and each finding says what was found."""
    found = findings(linux(), monkeypatch)
    assert playable(list(found.values()))
    assert found["display"].found == "X11 on DISPLAY=:0"
    assert found["monitors"].found == "1 (160x120+0+0), together 160x120+0+0"
    assert found["grab"].found.startswith("160x120 pixels in ")
    assert found["pointer"].found == "at 500, 500"


def test_no_display_is_the_last_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a display the doctor says so with advice, and stops."""
    found = findings(linux(), monkeypatch, DISPLAY="")
    assert not playable(list(found.values()))
    assert "DISPLAY is not set" in found["display"].found
    assert "xvfb-run" in found["display"].advice
    assert "grab" not in found


@pytest.mark.skipif(sys.platform != "linux", reason="Wayland and its extra are for Linux only")
def test_on_wayland_the_packages_and_the_portal_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Wayland the doctor reports a missing package, and a missing bus."""
    ordinary = metadata.version

    def version(name: str) -> str:
        if name == "pipewire-capture":
            raise metadata.PackageNotFoundError(name)
        return ordinary(name)

    monkeypatch.setattr(metadata, "version", version)
    nowhere = {"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}
    found = findings(linux(), monkeypatch, **nowhere)
    assert not playable(list(found.values()))
    assert "pipewire-capture" in found["wayland"].found
    assert "sweepbot[wayland]" in found["wayland"].advice
    assert "bus" in found["portal"].found


def test_a_display_that_refuses_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A display that cannot be opened is a finding, not an exception."""
    found = findings(linux(refuses="no such display"), monkeypatch)
    assert found["screen"].verdict is Severity.FAIL
    assert "no such display" in found["screen"].found


def test_opencvs_desktop_build_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV's desktop build fails on a bare server; the advice is the headless one."""
    without("cv2", ImportError("libGL.so.1: cannot open shared object file: No such file or directory"), monkeypatch)
    check = findings(linux(), monkeypatch)["opencv"]
    assert check.verdict is Severity.FAIL
    assert "libGL.so.1" in check.found
    assert check.advice.endswith("python3 -m pip install --force-reinstall opencv-python-headless")


@pytest.mark.parametrize("system", ["Linux", "Windows"])
def test_without_tkinter_only_the_demos_window_is_missing(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    """Nothing but the demo's window needs tkinter."""
    without("tkinter", ImportError("No module named '_tkinter'"), monkeypatch)
    machine = linux()
    machine.system = system
    monkeypatch.setattr(
        ctypes, "windll", SimpleNamespace(user32=SimpleNamespace(GetDpiForSystem=lambda: 96)), raising=False
    )
    assert findings(machine, monkeypatch)["tkinter"].verdict is Severity.WARN


def test_the_scale_of_windows_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows the display scale is given in percent."""
    machine = FakeMachine("Windows", together([monitor(0, 0, 160, 120)]))
    monkeypatch.setattr(
        ctypes, "windll", SimpleNamespace(user32=SimpleNamespace(GetDpiForSystem=lambda: 144)), raising=False
    )
    assert "150%" in findings(machine, monkeypatch)["scale"].found


@pytest.mark.parametrize("granted", [True, False])
def test_macos_permissions_are_asked_for(monkeypatch: pytest.MonkeyPatch, granted: bool) -> None:  # noqa: FBT001
    """On macOS both permissions are checked; where one is missing, the advice says where to grant it."""
    machine = FakeMachine("Darwin", together([monitor(0, 0, 160, 120)]), scale=2.0)

    def framework(path: str) -> SimpleNamespace:
        assert path.startswith("/System/Library/Frameworks/")
        answer = lambda: granted  # noqa: E731  (a C function, whose types may be set)
        return SimpleNamespace(CGPreflightScreenCaptureAccess=answer, AXIsProcessTrusted=answer)

    monkeypatch.setattr(ctypes, "CDLL", framework)
    found = findings(machine, monkeypatch)
    assert (found["permissions"].verdict is Severity.OK) is granted
    assert ("Screen Recording and Accessibility" in found["permissions"].advice) is not granted
    assert found["scale"].found.startswith("2 ")


def test_a_picture_of_one_colour_is_suspicious(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of one colour may be a locked screen: a warning, not a failure."""
    found = findings(FakeMachine("Linux", together([monitor(0, 0, 1, 1)])), monkeypatch)
    assert found["grab"].verdict is Severity.WARN
    assert playable(list(found.values()))


def test_the_display_has_somebody_connected_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """An X server that starts over when the last program leaves would refuse the next one for a moment."""
    machine = linux()

    @contextmanager
    def open_windows(_: DisplayServer, __: PixelMap) -> Iterator[None]:
        machine.log.append("windows")
        yield

    monkeypatch.setattr(doctor, "open_windows", open_windows)
    findings(machine, monkeypatch)
    assert machine.log.index("windows") < machine.log.index("closed")


def test_every_dependency_is_checked() -> None:
    """The doctor looks for each package that pyproject.toml names; for OpenCV, which has several, in its own way."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[>;]", line)[0].lower() for line in project["dependencies"]}
    checked = {name.lower() for name in (*doctor.PACKAGES, *doctor.NOT_ON_WINDOWS)}
    assert needed == checked | {"opencv-python-headless"}


def test_the_doctor_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a library raises is a finding."""
    break_import(monkeypatch, "Xlib", RuntimeError("boom"))
    found = findings(linux(), monkeypatch)
    assert found["pointer"].verdict is Severity.FAIL
    assert "boom" in found["pointer"].found
