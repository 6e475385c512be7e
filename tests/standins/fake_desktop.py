"""Stand-ins for mss, pyautogui, Xlib and Win32 that behave like the real ones on other machines."""

import builtins
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest

from sweepbot.desktop.win32.api import Handle, Input, Win32
from sweepbot.desktop.win32.windows import Win32Windows
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

Box = dict[str, int]

MAPPING_CHANGED = 34
"""The kind of the event that an X11 display sends when its buttons were swapped."""


Told = dict[str, Any]
"""What Quartz tells of a window."""


class ScreenShotError(Exception):
    """Raised by mss."""


class FailSafeError(Exception):
    """Raised by pyautogui."""


@dataclass(slots=True)
class FakeMachine:
    """A desktop: its monitors in the system's own units, and the pixels per unit of a picture.

    The first monitor is the bounding box of all, as in mss. A picture's blue and green channels are the pixel's x and y
    from the desktop's top left, modulo 256, so that a picture shows where it was taken.
    """

    system: str
    monitors: list[Box]
    scale: float = 1.0
    refuses: str = ""
    """Its error instead of opening the display."""
    hides: str = ""
    """Its error instead of a picture."""
    pointer: tuple[int, int] = (500, 500)
    buttons: tuple[int, int, int] = (1, 2, 3)
    """The buttons that act as left, middle and right."""
    takes_input: bool = True
    """Whether Windows accepts input."""
    lacks: str = ""
    """An extension that the X11 display lacks."""
    holds: int = 0
    """How many questions for the pointer find the last click of an X11 display still held back."""
    events: list[SimpleNamespace] = field(default_factory=list)
    """What an X11 display has yet to tell."""
    log: list[str] = field(default_factory=list)
    """Imports and actions, in order."""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Replace the real machine by this one, and return it."""
        monkeypatch.setattr(platform, "system", lambda: self.system)
        for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("DISPLAY", ":0")
        monkeypatch.setenv("TMPDIR", os.environ["XDG_STATE_HOME"])  # other tests have a display :0, too
        monkeypatch.setitem(sys.modules, "mss", SimpleNamespace(MSS=self._mss, ScreenShotError=ScreenShotError))
        monkeypatch.setitem(sys.modules, "pyautogui", self._pyautogui())
        for name in ("Quartz", "AppKit"):
            monkeypatch.setitem(sys.modules, name, FakeQuartz([]))
        monkeypatch.setitem(sys.modules, "tkinter", SimpleNamespace())
        monkeypatch.setattr("sweepbot.desktop.session.Win32", lambda: FakeWin32(self))
        monkeypatch.setattr("sweepbot.desktop.session.Win32Windows", NoWin32Windows)
        for name, module in self._xlib().items():
            monkeypatch.setitem(sys.modules, name, module)
        return self

    def _mss(self, backend: str = "default") -> SimpleNamespace:
        self.log.append("mss" if backend == "default" else f"mss by {backend}")
        if self.refuses:
            raise ScreenShotError(self.refuses)
        close = lambda: self.log.append("closed")  # noqa: E731
        return SimpleNamespace(monitors=self.monitors, grab=self._grab, close=close)

    def _grab(self, box: Box) -> SimpleNamespace:
        self.log.append("grab {left},{top} {width}x{height}".format(**box))
        if self.hides:
            raise ScreenShotError(self.hides)
        desktop = self.monitors[0]
        width, height = round(box["width"] * self.scale), round(box["height"] * self.scale)
        x = np.arange(width) + round((box["left"] - desktop["left"]) * self.scale)
        y = np.arange(height) + round((box["top"] - desktop["top"]) * self.scale)
        pixels = np.zeros((height, width, 4), dtype=np.uint8)
        pixels[:, :, 0] = (x % 256)[None, :]
        pixels[:, :, 1] = (y % 256)[:, None]
        pixels[:, :, 2:] = 7, 255
        return SimpleNamespace(raw=bytearray(pixels.tobytes()), width=width, height=height)

    def _pyautogui(self) -> SimpleNamespace:
        fake = SimpleNamespace(PAUSE=0.1, FAILSAFE_POINTS=[(0, 0)], FailSafeException=FailSafeError)

        def done(what: str, to: tuple[int, int] | None = None) -> None:
            if self.pointer in fake.FAILSAFE_POINTS:
                raise FailSafeError
            self.pointer = to or self.pointer
            self.log.append(what)

        fake.position = lambda: self.pointer
        fake.moveTo = lambda x, y: done(f"move {x},{y}", (x, y))
        fake.click = lambda x, y, button: done(f"{button} {x},{y}", (x, y))
        fake.hotkey = lambda *keys: done(f"keys {'+'.join(keys)}")
        return fake

    def _xlib(self) -> dict[str, SimpleNamespace]:
        """python-xlib on a display without windows, whose window manager may hold back clicks."""
        motion, press, release = 6, 4, 5

        def fake_input(kind: int, detail: int = 0, x: int = 0, y: int = 0) -> None:
            if kind == motion:
                self.pointer = (x, y)
                self.log.append(f"move {x},{y}")
            elif kind == press:
                self.log.append(f"{('left', 'middle', 'right')[self.buttons.index(detail)]} click")

        def query_pointer() -> SimpleNamespace:
            is_held = self.holds > 0
            if is_held:
                self.holds -= 1
                self.log.append("held")
            return SimpleNamespace(root_x=self.pointer[0], root_y=self.pointer[1], mask=is_held << 8)

        def root() -> SimpleNamespace:
            return SimpleNamespace(
                query_pointer=query_pointer,
                query_tree=lambda: SimpleNamespace(children=[]),
                get_full_property=lambda *_: None,
                change_attributes=lambda **_: None,
                create_window=lambda *_, **__: SimpleNamespace(),
            )

        display = SimpleNamespace(
            screen=lambda: SimpleNamespace(root=root(), root_depth=24),
            set_error_handler=lambda _: None,
            get_atom=lambda _: 1,
            has_extension=lambda name: name not in self.lacks,
            xtest_fake_input=fake_input,
            get_pointer_mapping=lambda: [self.buttons.index(number) + 1 for number in sorted(self.buttons)],
            sync=lambda: None,
            flush=lambda: None,
            grab_server=lambda: None,
            ungrab_server=lambda: None,
            pending_events=lambda: len(self.events),
            next_event=lambda: self.events.pop(0),
            close=lambda: None,
        )
        codes = {
            "MotionNotify": motion,
            "ButtonPress": press,
            "ButtonRelease": release,
            "KeyPress": 2,
            "KeyRelease": 3,
            "MappingNotify": MAPPING_CHANGED,
            "Button1Mask": 1 << 8,
            "StructureNotifyMask": 1 << 17,
            "SubstructureNotifyMask": 1 << 19,
        }
        errors = {name: type(name, (Exception,), {}) for name in ("DisplayError", "XauthError", "XError")}
        return {
            "Xlib": SimpleNamespace(
                X=SimpleNamespace(AnyPropertyType=0, **codes),
                display=SimpleNamespace(Display=lambda: display),
                error=SimpleNamespace(ConnectionClosedError=ConnectionError, **errors),
            ),
            "Xlib.protocol": SimpleNamespace(event=SimpleNamespace()),
        }


def break_import(monkeypatch: pytest.MonkeyPatch, broken: str, error: Exception) -> None:
    """Make importing a module fail in a way of its own."""
    ordinary = builtins.__import__

    def imported(name: str, *rest: Any) -> object:  # noqa: ANN401  (as Python calls it)
        if name == broken:
            raise error
        return ordinary(name, *rest)

    monkeypatch.setattr(builtins, "__import__", imported)


class NoWin32Windows(Win32Windows):
    """A Windows desktop without any window."""

    def __init__(self) -> None: ...

    def windows(self) -> list[Handle]:
        return []


class FakeWin32(Win32):
    """Windows itself; it moves the pointer of a machine and writes to its log."""

    def __init__(self, machine: FakeMachine) -> None:
        self._machine = machine

    def pointer(self) -> Point:
        return Point(*self._machine.pointer)

    def virtual_screen(self) -> Region:
        desktop = self._machine.monitors[0]
        return Region(desktop["left"], desktop["top"], desktop["width"], desktop["height"])

    def has_swapped_buttons(self) -> bool:
        return self._machine.buttons == (3, 2, 1)

    def scan_code(self, virtual_key: int) -> int:
        """Some number that identifies the key."""
        return virtual_key + 100

    def send(self, inputs: Sequence[Input]) -> None:
        """Act as Windows does: an absolute movement counts in 65536ths of all monitors together."""
        if not self._machine.takes_input:
            raise DesktopError("Windows takes no click")
        buttons = {0: "move", 2: "left", 4: "left up", 8: "right", 16: "right up", 32: "middle", 64: "middle up"}
        absolute = 0xC001
        for one in inputs:
            if one.kind:
                up = " up" if one.key.flags else ""
                self._machine.log.append(f"key {one.key.virtual_key:#x} at {one.key.scan_code}{up}")
            else:
                assert one.mouse.flags & absolute == absolute
                screen = self.virtual_screen()
                x, y = (one.mouse.dx * screen.width >> 16) + screen.x, (one.mouse.dy * screen.height >> 16) + screen.y
                self._machine.pointer = (x, y)
                self._machine.log.append(f"{buttons[one.mouse.flags - absolute]} {x},{y}")


class FakeQuartz:
    """The two modules of a Mac, with the windows that it tells."""

    def __init__(self, shown: list[Told] | None, away: list[Told] | None = None) -> None:
        vars(self).update(kCGWindowListOptionAll=0, kCGWindowListOptionOnScreenOnly=1)
        vars(self).update(kCGWindowListExcludeDesktopElements=16, kCGNullWindowID=0)
        self.shown, self.away = shown, away or []
        self.activated: list[int] = []
        self.NSRunningApplication = SimpleNamespace(runningApplicationWithProcessIdentifier_=self._running)

    def CGWindowListCopyWindowInfo(self, options: int, _: int) -> list[Told] | None:  # noqa: N802  (Apple's name)
        return self.shown if self.shown is None or options & 1 else [*self.shown, *self.away]

    def _running(self, process: int) -> SimpleNamespace:
        return SimpleNamespace(activateWithOptions_=lambda _: self.activated.append(process))


def monitor(left: int, top: int, width: int, height: int) -> Box:
    """A monitor as mss lists it."""
    return {"left": left, "top": top, "width": width, "height": height}


def together(monitors: Iterable[Box]) -> list[Box]:
    """The list of monitors as mss gives it: first the bounding box of all."""
    boxes = list(monitors)
    left, top = min(box["left"] for box in boxes), min(box["top"] for box in boxes)
    right = max(box["left"] + box["width"] for box in boxes)
    bottom = max(box["top"] + box["height"] for box in boxes)
    return [monitor(left, top, right - left, bottom - top), *boxes]
