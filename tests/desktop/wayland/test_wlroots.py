"""Wayland's protocol and the desktop built on it, with a scripted compositor."""

import os
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from sweepbot.desktop.wayland import protocols as wlr
from sweepbot.desktop.wayland.wire import Wire
from sweepbot.desktop.wayland.wlroots import WlrMonitor, WlrMouse, connect_wlroots
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Wayland needs Linux sockets")

DISPLAY, REGISTRY = 1, 2
OFFERS = {
    1: ("wl_shm", 1),
    2: ("zxdg_output_manager_v1", 3),
    3: ("zwlr_screencopy_manager_v1", 3),
    4: ("zwlr_virtual_pointer_manager_v1", 2),
    5: ("wl_output", 4),
    6: ("wl_seat", 7),
    7: ("zwp_virtual_keyboard_manager_v1", 1),
}
WIDTH, HEIGHT = 8, 4
MODIFIERS = ("keyboard", 2)
"""A request without a time."""
XRGB, XBGR = 1, int.from_bytes(b"XB24", "little")

Heard = Callable[["Compositor", int, int, bytes], None]


def message(number: int, opcode: int, *arguments: int | str) -> bytes:
    """A message in the protocol's encoding."""
    body = b""
    for argument in arguments:
        if isinstance(argument, int):
            body += struct.pack("=I", argument)
        else:
            text = argument.encode() + b"\0"
            body += struct.pack("=I", len(text)) + text + bytes(-len(text) % 4)
    return struct.pack("=IHH", number, opcode, 8 + len(body)) + body


class Compositor(threading.Thread):
    """A session's compositor that offers and does what the test says."""

    def __init__(self, runtime: Path, offers: dict[int, tuple[str, int]], hears: Heard) -> None:
        super().__init__(daemon=True)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(runtime / "wayland-7"))
        self._listening.listen()
        self._offers = offers
        self._hears = hears
        self.heard: list[bytes] = []
        self.descriptors: list[int] = []
        self.line: socket.socket | None = None

    def run(self) -> None:
        """Answer until the other side has gone."""
        self.line, _ = self._listening.accept()
        with self.line, self._listening, suppress(ConnectionError):  # the other side may leave before the answer
            waiting = b""
            while said := socket.recv_fds(self.line, 1 << 16, 4):
                if not said[0]:
                    return
                waiting += said[0]
                self.descriptors += said[1]
                while len(waiting) >= 8 and len(waiting) >= (size := struct.unpack_from("=H", waiting, 6)[0]):
                    self._hear(waiting[:size])
                    waiting = waiting[size:]

    def say(self, number: int, opcode: int, *arguments: int | str) -> None:
        """Send an event of an object."""
        assert self.line is not None
        self.line.sendall(message(number, opcode, *arguments))

    def _hear(self, whole: bytes) -> None:
        number, opcode, _ = struct.unpack_from("=IHH", whole)
        if (number, opcode) == (DISPLAY, 1):
            for name, (interface, version) in self._offers.items():
                self.say(REGISTRY, 0, name, interface, version)
        elif (number, opcode) == (DISPLAY, 0):
            (callback,) = struct.unpack_from("=I", whole, 8)
            assert self.line is not None
            # In one message, as compositors do: afterwards the number is free.
            self.line.sendall(message(callback, 0, 0) + message(DISPLAY, 1, callback))
        else:
            self.heard.append(whole)
            self._hears(self, number, opcode, whole[8:])


Start = Callable[..., Compositor]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a compositor for this session."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-7")
    started: list[Compositor] = []

    def begin(offers: dict[int, tuple[str, int]] = OFFERS, hears: Heard = lambda *_: None) -> Compositor:
        started.append(Compositor(tmp_path, offers, hears))
        started[-1].start()
        return started[-1]

    yield begin
    for compositor in started:
        compositor.join(5.0)
        for descriptor in compositor.descriptors:
            os.close(descriptor)


def test_requests_are_written_as_the_protocol_has_them(start: Start) -> None:
    """Numbers, zero-terminated padded strings, and objects with the next free number."""
    compositor = start()
    wire = Wire()
    output = wire.bind(wlr.OUTPUT)
    wire.sync()
    wire.close()
    bind = "0200000000002400050000000a000000776c5f6f75747075740000000200000003000000"
    assert compositor.heard == [bytes.fromhex(bind)]
    assert output.number == 3  # the number of the first `sync`, which the compositor has freed


def test_a_refusal_by_the_compositor_is_quoted(start: Start) -> None:
    """The error quotes the compositor."""
    start(hears=lambda compositor, number, *_: compositor.say(DISPLAY, 0, number, 3, "no such thing"))
    wire = Wire()
    wire.bind(wlr.OUTPUT)
    with pytest.raises(DesktopError, match="no such thing"):
        wire.sync()
    wire.close()


def test_the_end_of_a_compositor_is_noticed(start: Start) -> None:
    """It ends the run as stopped."""
    compositor = start()
    wire = Wire()
    assert compositor.line is not None
    compositor.line.shutdown(socket.SHUT_RDWR)
    with pytest.raises(StoppedByUserError, match="the desktop has ended"):
        wire.sync()
    wire.close()


@pytest.mark.parametrize("missing", [None, 3, 4])
def test_only_what_is_offered_is_used(start: Start, missing: int | None) -> None:
    """Only a compositor that allows both capture and pointer movement is used."""
    start(offers={number: offer for number, offer in OFFERS.items() if number != missing})
    wire = connect_wlroots()
    assert (wire is not None) is (missing is None)
    if wire is not None:
        wire.close()


def test_without_a_compositor_nothing_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compositor the portal is left to be asked."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert connect_wlroots() is None


class Monitor:
    """A compositor's side of one monitor: its pictures are numbered, until there are no more."""

    def __init__(self, pictures: int, *, is_taken_away: bool = True, pixels: int = XRGB) -> None:
        self._left = pictures
        self._format = pixels
        self._is_taken_away = is_taken_away
        self._of: dict[int, str] = {}
        self.told: list[tuple[str, int, tuple[int, ...]]] = []
        """Requests of pointer and keyboard: which one, the request's number, and its values except the time."""

    def hears(self, compositor: Compositor, number: int, opcode: int, body: bytes) -> None:
        """Answer a request."""
        words = struct.unpack(f"={len(body) // 4}I", body)
        if number == REGISTRY:
            self._of[words[-1]] = OFFERS[words[0]][0]
            if OFFERS[words[0]][0] == "wl_output":
                compositor.say(words[-1], 0, 0, 0, 0, 0, 0, "maker", "model", 0)
        elif self._of.get(number) == "zxdg_output_manager_v1":
            compositor.say(words[0], 1, WIDTH // 2, HEIGHT // 2)
            compositor.say(words[0], 3, "DP-1")
        elif self._of.get(number) == "zwlr_screencopy_manager_v1":
            self._of[words[0]] = "frame"
            compositor.say(words[0], 0, self._format, WIDTH, HEIGHT, 4 * WIDTH)
        elif self._of.get(number, "").startswith("zwlr_virtual_pointer_manager"):
            self._of[words[-1]] = "pointer"
        elif self._of.get(number, "").startswith("zwp_virtual_keyboard_manager"):
            self._of[words[-1]] = "keyboard"
        elif self._of.get(number) in {"pointer", "keyboard"}:
            what = self._of[number], opcode
            self.told.append((*what, words if what == MODIFIERS else words[1:]))
        elif self._of.get(number) == "frame" and opcode == 0:
            self._copy(compositor, number)
        elif self._of.get(number) == "frame":
            compositor.say(DISPLAY, 1, number)

    def _copy(self, compositor: Compositor, frame: int) -> None:
        if not self._left:
            compositor.say(frame, 3)
            if self._is_taken_away:
                compositor.say(REGISTRY, 1, 5)
            return
        pixels = np.full((HEIGHT, WIDTH, 4), (self._left, 20, 30, 0), np.uint8)
        os.pwrite(compositor.descriptors[0], pixels.tobytes(), 0)
        compositor.say(frame, 1, 0)
        compositor.say(frame, 2, 0, 0, 0)
        self._left -= 1


@pytest.mark.parametrize(("pixels", "order"), [(XRGB, 1), (XBGR, -1)])
def test_each_picture_is_a_new_one(start: Start, pixels: int, order: int) -> None:
    """Each look asks for a new picture in pixels, and is cut to the wanted part."""
    start(hears=Monitor(pictures=4, pixels=pixels).hears)
    wire = Wire()
    monitor = WlrMonitor(wire, 5, left=100)
    assert (monitor.name, monitor.region, monitor.scale) == ("DP-1", Region(100, 0, WIDTH, HEIGHT), 2.0)
    looks = [monitor.picture(Region(101, 1, 2, 1), with_pointer=False) for _ in range(3)]
    assert [look.tolist() for look in looks] == [[[[left, 20, 30][::order]] * 2] for left in (3, 2, 1)]
    wire.close()


@pytest.mark.parametrize(
    ("is_taken_away", "error", "words"),
    [(True, StoppedByUserError, "stopped: the monitor DP-1 is gone"), (False, DesktopError, "DP-1 gives no picture")],
)
def test_a_removed_monitor_stops_the_run(
    start: Start,
    is_taken_away: bool,  # noqa: FBT001
    error: type[Exception],
    words: str,
) -> None:
    """A removed monitor stops the run; one that is switched off is an error with advice."""
    start(hears=Monitor(pictures=1, is_taken_away=is_taken_away).hears)
    wire = Wire()
    monitor = WlrMonitor(wire, 5, left=0)
    with pytest.raises(error, match=words):
        monitor.picture(monitor.region, with_pointer=False)
    wire.close()


def test_an_unknown_format_is_refused(start: Start) -> None:
    """A picture in an unknown pixel format is an error."""
    start(hears=Monitor(pictures=1, pixels=int.from_bytes(b"XR30", "little")).hears)
    wire = Wire()
    with pytest.raises(DesktopError, match="DP-1 gives pictures in an unknown format"):
        WlrMonitor(wire, 5, left=0)
    wire.close()


def test_pointer_and_keys_are_sent(start: Start) -> None:
    """Positions are half pixels of the frame; a movement has two steps, as the first may be lost."""
    fake = Monitor(pictures=1)
    start(hears=fake.hears)
    wire = Wire()
    mouse = WlrMouse(wire, [WlrMonitor(wire, 5, left=100)])
    wire.sync()
    fake.told.clear()
    mouse.move(Point(103, 2))
    mouse.button(0x110, is_down=True)
    wire.sync()
    steps = [(6, 4, 16, 8), (7, 5, 16, 8)]
    moves = [told for step in steps for told in (("pointer", 1, step), ("pointer", 4, ()))]
    assert fake.told == [*moves, ("pointer", 2, (0x110, 1)), ("pointer", 4, ())]
    fake.told.clear()
    mouse.press("ctrl")
    wire.sync()
    down, up = (
        [("keyboard", 1, (29, 1)), (*MODIFIERS, (4, 0, 0, 0))],
        [("keyboard", 1, (29, 0)), (*MODIFIERS, (0,) * 4)],
    )
    assert fake.told == [*down, *up]
    wire.close()
