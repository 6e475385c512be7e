"""Pointer and keyboard by libei, a direct connection to the compositor. The only file that imports python-libei.

Requests get no answer to wait for; the compositor keeps their order. Places are right at any scale.
"""

import select
import time
from typing import Any

from sweepbot.desktop.keys import KeyCodes, keycode
from sweepbot.desktop.wayland.mouse import WaylandMouse
from sweepbot.desktop.wayland.pointing import Size, in_region
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region

_READY_S = 10.0  # within which the compositor must offer a pointer


def is_available() -> bool:
    """Whether python-libei and libei itself are installed."""
    try:
        from libei import ei  # noqa: PLC0415  (an extra that few need)
    except ImportError:
        return False
    return bool(ei.is_available())


class EiMouse(WaylandMouse):
    """The devices that the compositor offers.

    Args:
        descriptor: The connection, which is closed with this object.
        mapping: The mapping id of the shared monitor or window.
        frame: The size of a frame in pixels.

    Raises:
        DesktopError: There is no pointer and keyboard for it.
    """

    way = "libei"

    def __init__(self, descriptor: int, mapping: str, frame: Size) -> None:
        from libei import ei  # noqa: PLC0415

        self._ei: Any = ei
        self._connection: Any = ei.Sender.create_for_fd(descriptor, "sweepbot")
        self._mapping = mapping
        self._frame = frame
        self._pointer: Any = None
        self._region: Region  # of the desktop, in its units, as soon as there is a pointer
        self._keyboard: Any = None
        self._keymap = ""
        self._wait()

    def close(self) -> None:
        """Close the connection."""
        self._connection.release()

    def check(self) -> None:
        """Process the compositor's messages.

        Raises:
            StoppedByUserError: It has ended the session or taken the pointer away.
        """
        had_pointer = self._pointer is not None
        self._connection.dispatch()
        for event in self._connection.events:
            self._handle(event)
        if had_pointer and self._pointer is None:
            raise StoppedByUserError("stopped: the desktop has taken the pointer away from sweepbot")

    def put(self, to: Point) -> None:
        self.check()
        self._pointer.pointer_motion_absolute(*in_region(to, self._frame, self._region)).frame()

    def button(self, code: int, *, is_down: bool) -> None:
        self.check()
        self._pointer.button(code, is_down).frame()

    def key(self, key: KeyCodes, *, is_down: bool) -> None:
        self.check()
        self._wait()  # switching the layout replaces the keyboard
        self._keyboard.keyboard_key(keycode(key, self._keymap), is_down).frame()

    def _wait(self) -> None:
        """Wait until there are a pointer and a keyboard."""
        until = time.perf_counter() + _READY_S
        while self._pointer is None or self._keyboard is None:
            if not select.select([self._connection.fd], [], [], max(0.0, until - time.perf_counter()))[0]:
                raise DesktopError(
                    f"libei offered no pointer and keyboard for this monitor within {_READY_S:.0f} s",
                    hint="python3 -m pip uninstall python-libei, and the portal's own calls will be used",
                )
            self.check()

    def _handle(self, event: Any) -> None:  # noqa: ANN401
        kinds, abilities = self._ei.EventType, self._ei.DeviceCapability
        kind = event.event_type
        if kind == kinds.DISCONNECT:
            raise StoppedByUserError("stopped: the desktop has ended sweepbot's session")
        if kind == kinds.SEAT_ADDED:
            event.seat.bind((abilities.POINTER_ABSOLUTE, abilities.BUTTON, abilities.KEYBOARD))
        elif kind == kinds.DEVICE_RESUMED:
            self._use(event.device)
        elif kind in (kinds.DEVICE_PAUSED, kinds.DEVICE_REMOVED):
            self._pointer = None if event.device == self._pointer else self._pointer
            self._keyboard = None if event.device == self._keyboard else self._keyboard

    def _use(self, device: Any) -> None:  # noqa: ANN401
        abilities = self._ei.DeviceCapability
        for region in device.regions:
            if abilities.BUTTON in device.capabilities and region.mapping_id == self._mapping:
                self._pointer = device.start_emulating()
                self._region = Region(*region.position, *region.dimension)
        if abilities.KEYBOARD in device.capabilities and device.keymap is not None:
            with device.keymap.fd as file:
                self._keymap = file.read().decode("utf-8", errors="replace")
            self._keyboard = device.start_emulating()
