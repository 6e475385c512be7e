"""Wayland's wire protocol: requests to the compositor and events from it. It needs no library.

A message is the number of its object, its own number and its length, then its arguments in words of four bytes.
"""

import os
import select
import socket
import struct
import time
from array import array
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweepbot.errors import DesktopError, StoppedByUserError

_ANSWER_S = 10.0  # within which the compositor must answer
_HEADER = struct.Struct("=II")
_MAX_BYTES = 1 << 16  # received at once


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface of objects, as a protocol declares it.

    Attributes:
        name: Its name in the protocol.
        requests: The names of its requests, in the order of their numbers, with a letter for each argument: `i` int,
            `u` unsigned int, `s` string, `o` object, `n` new object or `h` file descriptor.
        events: Its events, likewise.
        version: The version of it that is used.
    """

    name: str
    requests: dict[str, str]
    events: dict[str, str]
    version: int = 1


_DISPLAY = Interface("wl_display", {"sync": "n", "get_registry": "n"}, {"error": "ous", "delete_id": "u"})
_REGISTRY = Interface("wl_registry", {"bind": "usun"}, {"global": "usu", "global_remove": "u"})
_CALLBACK = Interface("wl_callback", {}, {"done": "u"})


class Remote:
    """An object of the compositor, which a request creates.

    Attributes:
        number: Its number on the wire, once a request has created it.
        interface: Its interface.
        received: For the name of each event, the arguments of each time that it came.
    """

    def __init__(self, wire: "Wire", interface: Interface, number: int = 0) -> None:
        self._wire = wire
        self.number = number
        self.interface = interface
        self.received: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def ask(self, request: str, *arguments: "int | str | Remote") -> None:
        """Send a request without waiting; the compositor keeps the order. See `Wire` for the errors raised."""
        self._wire.send(self, request, arguments)

    def wait(self, *events: str) -> None:
        """Wait until one of these events has come. See `Wire` for the errors raised."""
        until = time.perf_counter() + _ANSWER_S
        while not any(self.received[event] for event in events):
            left = until - time.perf_counter()
            if left < 0:
                raise DesktopError(
                    f"the compositor has not answered {self.interface.name} within {_ANSWER_S:.0f} s",
                    hint="is the desktop still running, and its monitor switched on?",
                )
            self._wire.listen(left)


class Wire:
    """A connection to this session's compositor.

    Raises:
        OSError: There is none.
        StoppedByUserError: (All methods) The compositor has ended.
        DesktopError: (All methods) It refused a request, or did not answer.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._unread = bytearray()
        self._display = Remote(self, _DISPLAY, number=1)
        self._registry = Remote(self, _REGISTRY)
        self._objects = {1: self._display}
        self._free: list[int] = []
        try:
            self._socket.connect(
                str(Path(os.environ.get("XDG_RUNTIME_DIR", ""), os.environ.get("WAYLAND_DISPLAY", "wayland-0")))
            )
            self._display.ask("get_registry", self._registry)
            self.sync()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, and with it all objects."""
        self._socket.close()

    def offered(self, interface: Interface) -> list[int]:
        """Return the numbers of the globals with an interface that the compositor offers now."""
        gone = {number for (number,) in self._registry.received["global_remove"]}
        return [
            number
            for number, name, version in self._registry.received["global"]
            if name == interface.name and version >= interface.version and number not in gone
        ]

    def bind(self, interface: Interface, number: int | None = None) -> Remote:
        """Bind a global of the compositor, by default the first with this interface."""
        if number is None:
            number = next(iter(self.offered(interface)), None)
        if number is None:
            raise DesktopError(
                f"the compositor does not offer {interface.name} in version {interface.version} or later",
                hint="please report which desktop this is; sway offers it",
            )
        remote = Remote(self, interface)
        self._registry.ask("bind", number, interface.name, interface.version, remote)
        return remote

    def sync(self) -> None:
        """Wait until all requests so far are done."""
        done = Remote(self, _CALLBACK)
        self._display.ask("sync", done)
        done.wait("done")

    def send(self, to: Remote, request: str, arguments: "tuple[int | str | Remote, ...]") -> None:
        """See `Remote.ask`."""
        body, descriptors = b"", array("i")
        for kind, argument in zip(to.interface.requests[request], arguments, strict=True):
            if isinstance(argument, str):
                text = argument.encode() + b"\0"
                body += struct.pack("=I", len(text)) + text.ljust(_padded(len(text)), b"\0")
            elif isinstance(argument, Remote):
                if kind == "n":
                    # The compositor only accepts the next number, or one that it has released.
                    argument.number = self._free.pop() if self._free else len(self._objects) + 1
                    self._objects[argument.number] = argument
                body += struct.pack("=I", argument.number)
            elif kind == "h":
                descriptors.append(argument)
            else:
                body += struct.pack("=i" if kind == "i" else "=I", argument)
        opcode = list(to.interface.requests).index(request)
        header = _HEADER.pack(to.number, (_HEADER.size + len(body)) << 16 | opcode)
        beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)] if descriptors else []
        try:
            self._socket.sendmsg([header, body], beside)
        except ConnectionError as cause:
            self.listen()  # the compositor may have said why
            raise _ended() from cause

    def listen(self, within_s: float = 0.0) -> None:
        """Read the compositor's messages, waiting up to `within_s` seconds for the first."""
        while select.select([self._socket], [], [], within_s)[0]:
            received = b""
            with suppress(ConnectionError):
                received = self._socket.recv(_MAX_BYTES)
            if not received:
                raise _ended()
            self._unread += received
            self._dispatch()
            within_s = 0.0

    def _dispatch(self) -> None:
        """Hand complete messages to their objects."""
        while len(self._unread) >= _HEADER.size:
            number, rest = _HEADER.unpack_from(self._unread)
            size, opcode = rest >> 16, rest & 0xFFFF
            if len(self._unread) < size:
                break
            remote = self._objects[number]
            event, kinds = list(remote.interface.events.items())[opcode]
            remote.received[event].append(_arguments(kinds, self._unread[_HEADER.size : size]))
            del self._unread[:size]
        for (number,) in self._display.received.pop("delete_id", []):
            self._free.append(number)
        for _, _, reason in self._display.received["error"]:
            raise DesktopError(f"the compositor refused a request: {reason}", hint="please report this")


def _ended() -> StoppedByUserError:
    return StoppedByUserError("stopped: the desktop has ended")


def _arguments(kinds: str, body: bytearray) -> tuple[Any, ...]:
    arguments: list[Any] = []
    at = 0
    for kind in kinds:
        (value,) = struct.unpack_from("=i" if kind == "i" else "=I", body, at)
        at += 4
        if kind == "s":
            arguments.append(body[at : at + value - 1].decode("utf-8", errors="replace"))
            at += _padded(value)
        else:
            arguments.append(value)
    return tuple(arguments)


def _padded(size: int) -> int:
    """Round a number of bytes up to a multiple of four."""
    return (size + 3) // 4 * 4
