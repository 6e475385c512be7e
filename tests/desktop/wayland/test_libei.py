"""Pointer and keyboard by libei, with a scripted compositor."""

import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from types import SimpleNamespace
from typing import Any, Self

import pytest

from sweepbot.desktop.wayland.libei import EiMouse
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot wait for a pipe")

KEYMAP = b"""xkb_keycodes { <FK02> = 68; <LCTL> = 37; };
xkb_symbols { key <FK02> { [ F2 ] }; key <LCTL> { [ Control_L ] }; };"""

Kind = IntEnum("Kind", "DISCONNECT SEAT_ADDED DEVICE_RESUMED DEVICE_PAUSED DEVICE_REMOVED")
Ability = IntEnum("Ability", "POINTER_ABSOLUTE BUTTON KEYBOARD")


@dataclass(eq=False)
class Device:
    """A device that records what it is sent."""

    capabilities: tuple[Ability, ...]
    regions: tuple[Any, ...] = ()
    keymap: Any = None
    told: list[tuple[Any, ...]] = field(default_factory=list)

    def start_emulating(self) -> Self:
        return self

    def frame(self) -> None:
        self.told.append(("frame",))

    def pointer_motion_absolute(self, x: float, y: float) -> Self:
        self.told.append(("move", x, y))
        return self

    def button(self, code: int, is_down: bool) -> Self:  # noqa: FBT001  (as libei has it)
        self.told.append(("button", code, is_down))
        return self

    def keyboard_key(self, code: int, is_down: bool) -> Self:  # noqa: FBT001
        self.told.append(("key", code, is_down))
        return self


class Line:
    """A connection with a list of events to come."""

    def __init__(self) -> None:
        self.fd, self._end = os.pipe()
        os.write(self._end, b".")
        self.to_say: list[Any] = []

    def say(self, kind: Kind, device: Device | None = None) -> None:
        """Say something when somebody listens next."""
        self.to_say.append(SimpleNamespace(event_type=kind, device=device, seat=SimpleNamespace(bind=lambda _: None)))

    def dispatch(self) -> None: ...

    @property
    def events(self) -> Iterator[Any]:
        said, self.to_say = self.to_say, []
        return iter(said)

    def release(self) -> None:
        os.close(self.fd)
        os.close(self._end)


def region(name: str, x: int) -> SimpleNamespace:
    """A monitor of 1280x960 units."""
    return SimpleNamespace(mapping_id=name, position=(x, 0), dimension=(1280, 960))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """A connection to a compositor, as python-libei gives it."""
    line = Line()
    sender = SimpleNamespace(create_for_fd=lambda *_: line)
    ei = SimpleNamespace(Sender=sender, EventType=Kind, DeviceCapability=Ability)
    monkeypatch.setitem(sys.modules, "libei", SimpleNamespace(ei=ei))
    yield line
    line.release()


@pytest.fixture
def pointer() -> Device:
    """A pointer for two monitors."""
    return Device((Ability.POINTER_ABSOLUTE, Ability.BUTTON), (region("left", 0), region("right", 1280)))


@pytest.fixture
def keyboard() -> Device:
    """A keyboard with two keys."""
    return Device((Ability.KEYBOARD,), keymap=SimpleNamespace(fd=io.BytesIO(KEYMAP)))


@pytest.fixture
def mouse(line: Line, pointer: Device, keyboard: Device) -> EiMouse:
    """The mouse for the right monitor, whose frames have 1600x1200 pixels."""
    line.say(Kind.SEAT_ADDED)
    line.say(Kind.DEVICE_RESUMED, pointer)
    line.say(Kind.DEVICE_RESUMED, keyboard)
    return EiMouse(0, "right", (1600, 1200))


def test_pixels_are_sent_in_the_streams_region(mouse: EiMouse, pointer: Device) -> None:
    """Of several monitors the stream's is used; each event is sent at once."""
    mouse.move(Point(800, 0))
    mouse.button(0x110, is_down=True)
    assert pointer.told == [("move", 1920.4, pytest.approx(0.4)), ("frame",), ("button", 0x110, True), ("frame",)]


def test_key_codes_come_from_the_keymap(mouse: EiMouse, keyboard: Device) -> None:
    """Key codes come from the keyboard's keymap."""
    mouse.press("f2")
    assert keyboard.told == [("key", 60, True), ("frame",), ("key", 60, False), ("frame",)]


@pytest.mark.parametrize(
    ("keys", "told"),
    [("ctrl+n", [("key", 29, True), ("frame",), ("key", 29, False), ("frame",)]), ("ctrl+hyper", [])],
    ids=["not on this keyboard", "on none"],
)
def test_no_key_stays_held_where_another_is_missing(
    mouse: EiMouse, keyboard: Device, keys: str, told: list[tuple[Any, ...]]
) -> None:
    """Of keys that are pressed together one may be missing: the others are released, or not pressed at all."""
    with pytest.raises(DesktopError, match="no key"):
        mouse.press(keys)
    assert keyboard.told == told


@pytest.mark.parametrize("kind", [Kind.DEVICE_PAUSED, Kind.DEVICE_REMOVED, Kind.DISCONNECT])
def test_a_pointer_that_is_taken_away_stops(mouse: EiMouse, line: Line, pointer: Device, kind: Kind) -> None:
    """If the desktop takes the pointer or ends the session, nothing more is sent, and the run ends."""
    line.say(kind, pointer)
    with pytest.raises(StoppedByUserError, match="stopped: the desktop has"):
        mouse.move(Point(0, 0))
    assert pointer.told == []
