"""A session of the desktop's portal, in which one monitor or window may be seen, clicked and typed on.

The only file that uses D-Bus, by jeepney. The calls are those of xdg-desktop-portal's RemoteDesktop and ScreenCast.
"""

import secrets
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.replacing import replace_file

_BUS = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_REMOTE, _CAST = "org.freedesktop.portal.RemoteDesktop", "org.freedesktop.portal.ScreenCast"

_STORE = "org.freedesktop.impl.portal.PermissionStore"
_STORE_PATH = "/org/freedesktop/impl/portal/PermissionStore"

_BACKENDS = "org.freedesktop.impl.portal."
"""The prefix of the names of the portal's backends, and of their interfaces."""

_LOCKS = ("org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver")
"""Interfaces by which desktops report that the screen was locked."""

KEEPS_TOKENS_VERSION = 2
"""The first version of RemoteDesktop that remembers consent."""

_KEYBOARD, _POINTER = 1, 2
_DEVICES = {_POINTER: "pointer", _KEYBOARD: "keyboard"}
"""Types of devices."""

_MONITOR, _WINDOW = 1, 2
"""Types of sources, of which the person picks one."""

_EMBEDDED = 2
"""The pointer is drawn into the picture, which shows where it lands. Mutter 43 sometimes loses the last picture of a
change if it is asked for the pointer's place instead."""

_UNTIL_REVOKED = 2
_CONSENT_S = 300.0  # within which the dialog must be answered
_RESTORED_S = 3.0  # within which remembered consent is given again, without a dialog
_ANSWER_S = 10.0  # within which the portal must answer
_CANCELLED = 1


@dataclass(frozen=True, slots=True)
class SharedSource:
    """The monitor or window that is shared.

    Attributes:
        node: The number of its PipeWire stream.
        size: Its width and height in the desktop's units; a window has those of its monitor.
        devices: The names of the devices that were granted with it.
        is_window: Whether it is a window instead of a monitor.
        mapping: Its mapping id in libei; None if the portal has no libei.
    """

    node: int
    size: tuple[int, int]
    devices: tuple[str, ...]
    is_window: bool = False
    mapping: str | None = None


class Portal:
    """A connection to the portal, and the session on it.

    Args:
        token: The file that remembers consent, if the portal can do that.

    Raises:
        DesktopError: jeepney is missing, or there is no portal.
    """

    def __init__(self, token: Path) -> None:
        self._token = token
        try:
            import jeepney  # noqa: PLC0415  (an extra that few need)
            from jeepney.io.blocking import open_dbus_connection  # noqa: PLC0415
        except ImportError as cause:
            raise missing_package("jeepney", cause) from cause
        self._jeepney = jeepney
        try:
            self._bus: Any = open_dbus_connection(bus="SESSION", enable_fds=True)
        except (OSError, KeyError) as cause:
            raise DesktopError(
                f"there is no session bus, by which a Wayland desktop is asked: {cause!r}",
                hint="run this in a terminal of your desktop session",
            ) from cause
        self._session = ""  # its object path, once it has begun
        self._closed: deque[Any] = deque()
        self._locks: deque[Any] = deque()

    def close(self) -> None:
        """End the session."""
        self._end_session()
        self._bus.close()

    def versions(self) -> tuple[int, int]:
        """Return the versions of RemoteDesktop and ScreenCast, the interfaces of the portal that are used.

        Raises:
            DesktopError: It lacks one of them.
        """
        return self._version(_REMOTE), self._version(_CAST)

    def restore(self) -> SharedSource | None:
        """Start without a dialog if consent is remembered; None if the desktop would have to ask. See `start`."""
        if not self._token.is_file():
            return None
        known = self._ask((_STORE, _STORE_PATH, _STORE), "Lookup", "ss", ("remote-desktop", self._saved_token))
        if self._is_refusal(known):  # the desktop has forgotten the answer that the token stands for
            return None
        try:
            return self.start(_RESTORED_S)
        except (_UnansweredError, NothingSharedError):  # the shared source is gone; the session's end closes a dialog
            return None

    def start(self, within_s: float = _CONSENT_S) -> SharedSource:
        """Request a monitor or a window, and devices; the desktop asks the person, or remembers the answer.

        The answer must come within `within_s` seconds.

        Raises:
            LookOnlyError: The person allowed looking, but not clicking.
            NothingSharedError: The remembered monitor no longer exists.
            StoppedByUserError: The person refused.
            DesktopError: The portal failed.
        """
        self._end_session()
        stream = self._open(within_s)
        if _DEVICES[_POINTER] not in stream.devices:
            self._token.unlink(missing_ok=True)
            raise LookOnlyError(
                "the desktop allows sweepbot to look, but not to click",
                hint='start again, and switch on "Allow Remote Interaction" in the dialog',
            )
        return stream

    def open_pipewire(self) -> int:
        """Return the descriptor of a connection to PipeWire, which the caller closes."""
        reply = self._call(_PATH, _CAST, "OpenPipeWireRemote", "oa{sv}", (self._session, {}))
        return int(reply.body[0].to_raw_fd())

    def connect_to_ei(self) -> int:
        """Return the descriptor of libei's connection, which libei closes; from then on the calls below are refused."""
        reply = self._call(_PATH, _REMOTE, "ConnectToEIS", "oa{sv}", (self._session, {}))
        return int(reply.body[0].to_raw_fd())

    def move(self, stream: SharedSource, x: float, y: float) -> None:
        """Put the pointer on a place in the stream."""
        self.notify("PointerMotionAbsolute", "udd", stream.node, x, y)

    def notify(self, what: str, signature: str, *arguments: float) -> None:
        """Make the call of RemoteDesktop `Notify` and `what`, with these arguments of its own."""
        self.check()
        self._call(_PATH, _REMOTE, f"Notify{what}", f"oa{{sv}}{signature}", (self._session, {}, *arguments))

    def check(self) -> None:
        """Check that the session has not ended and the screen is not locked.

        Raises:
            StoppedByUserError: One of them has happened.
        """
        with suppress(TimeoutError):
            while True:
                self._bus.recv_messages(timeout=0)
        if self._closed:
            raise StoppedByUserError("stopped: the desktop has ended sweepbot's session")
        if any(is_locked for (is_locked,) in (message.body for message in self._locks)):
            raise StoppedByUserError("stopped: the screen was locked")

    def _end_session(self) -> None:
        with suppress(OSError, DesktopError, StoppedByUserError):
            if self._session and not self._closed:
                self._call(self._session, "org.freedesktop.portal.Session", "Close")
        self._session = ""
        self._closed.clear()

    def _open(self, within_s: float) -> SharedSource:
        remote_desktop, _ = self.versions()
        created = self._request(_REMOTE, "CreateSession", "a{sv}", (), {"session_handle_token": ("s", _new_token())})
        self._session = str(created["session_handle"][1])
        self._listen(self._session)
        options: dict[str, tuple[str, Any]] = {"types": ("u", _KEYBOARD | _POINTER)}
        if remote_desktop >= KEEPS_TOKENS_VERSION:
            options["persist_mode"] = ("u", _UNTIL_REVOKED)
            if self._token.is_file():
                options["restore_token"] = ("s", self._saved_token)
        self._request(_REMOTE, "SelectDevices", "oa{sv}", (self._session,), options)
        sources = {"types": ("u", _MONITOR | _WINDOW), "multiple": ("b", False), "cursor_mode": ("u", _EMBEDDED)}
        self._request(_CAST, "SelectSources", "oa{sv}", (self._session,), sources)
        answer = self._request(_REMOTE, "Start", "osa{sv}", (self._session, ""), {}, within_s=within_s)
        if "restore_token" in answer:
            self._save_token(str(answer["restore_token"][1]))
        streams = answer["streams"][1] if "streams" in answer else []
        if not streams:
            self._token.unlink(missing_ok=True)
            raise NothingSharedError(
                "the desktop shows nothing to sweepbot",
                hint="start again, and choose a monitor or a window in the dialog",
            )
        node, about = streams[0]
        width, height = about["size"][1]
        return SharedSource(
            int(node),
            (int(width), int(height)),
            devices=tuple(name for kind, name in _DEVICES.items() if answer["devices"][1] & kind),
            is_window="source_type" in about and about["source_type"][1] == _WINDOW,
            mapping=about["mapping_id"][1] if "mapping_id" in about else None,
        )

    @property
    def _saved_token(self) -> str:
        return self._token.read_text(encoding="utf-8").strip()

    def _save_token(self, token: str) -> None:
        """Save a token for the next time, readable by this user only."""
        self._token.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._token, token.encode(), is_private=True)

    def _listen(self, session: str) -> None:
        """Watch for the end of the session or of the portal's programs, and for the screen being locked."""
        rule = self._jeepney.MatchRule
        closed = rule(type="signal", interface="org.freedesktop.portal.Session", member="Closed", path=session)
        rules = [(closed, self._closed)]
        for name in (_BUS, *self._backends()):
            gone = rule(type="signal", interface="org.freedesktop.DBus", member="NameOwnerChanged")
            gone.add_arg_condition(0, name)
            rules.append((gone, self._closed))
        locks = [rule(type="signal", interface=interface, member="ActiveChanged") for interface in _LOCKS]
        rules += [(lock, self._locks) for lock in locks]
        for each, queue in rules:
            self._add(each)
            self._bus.filter(each, queue=queue)

    def _backends(self) -> list[str]:
        """Return the portal's backends that can do remote control; with several desktops installed, not all can."""
        listed = self._bus.send_and_get_reply(self._jeepney.message_bus.ListNames(), timeout=_ANSWER_S)
        names = [name for name in listed.body[0] if name.startswith(_BACKENDS)]
        return [name for name in names if self._property(name, f"{_BACKENDS}RemoteDesktop", "version") is not None]

    def _add(self, rule: Any) -> None:  # noqa: ANN401  (jeepney has no types)
        self._bus.send_and_get_reply(self._jeepney.message_bus.AddMatch(rule), timeout=_ANSWER_S)

    def _request(  # noqa: PLR0917  (a call, its arguments, and how long it may take)
        self,
        interface: str,
        member: str,
        signature: str,
        arguments: tuple[Any, ...],
        options: dict[str, tuple[str, Any]],
        within_s: float = _ANSWER_S,
    ) -> dict[str, Any]:
        """Make a call that is answered by a signal.

        Raises:
            StoppedByUserError: The person cancelled it.
            DesktopError: It failed.
        """
        token = _new_token()
        sender = self._bus.unique_name[1:].replace(".", "_")
        rule = self._jeepney.MatchRule(
            type="signal",
            interface="org.freedesktop.portal.Request",
            member="Response",
            path=f"{_PATH}/request/{sender}/{token}",
        )
        self._add(rule)  # before the call: its answer may come before the call returns
        with self._bus.filter(rule) as answers:
            self._call(_PATH, interface, member, signature, (*arguments, {"handle_token": ("s", token), **options}))
            try:
                answer = self._bus.recv_until_filtered(answers, timeout=within_s)
            except TimeoutError as cause:
                raise _UnansweredError(
                    f"the desktop's portal has not answered {member} within {within_s:.0f} s",
                    hint="is its dialog still open? `sweepbot doctor` shows which portal there is",
                ) from cause
        code, results = answer.body
        if code == _CANCELLED:
            raise StoppedByUserError("stopped: you did not allow sweepbot to see and click")
        if code:
            raise DesktopError(f"the desktop's portal refused {member}", hint="run `sweepbot doctor`")
        return dict(results)

    def _call(
        self, path: str, interface: str, member: str, signature: str = "", arguments: tuple[Any, ...] = ()
    ) -> Any:  # noqa: ANN401
        reply = self._ask((_BUS, path, interface), member, signature, arguments)
        if self._is_refusal(reply):
            self.check()
            raise DesktopError(
                f"the desktop's portal refused {member}: {reply.body[0] if reply.body else 'no reason given'}",
                hint="`sweepbot doctor` shows which portal there is",
            )
        return reply

    def _version(self, interface: str) -> int:
        version = self._property(_BUS, interface, "version")
        if version is None:
            name = interface.rpartition(".")[2]
            raise DesktopError(f"this desktop's portal has no {name}", hint=_INSTALL)
        return int(version)

    def _property(self, owner: str, interface: str, name: str) -> Any:  # noqa: ANN401
        """Return a property of the portal or one of its backends; None if it has none of that name."""
        reply = self._ask((owner, _PATH, "org.freedesktop.DBus.Properties"), "Get", "ss", (interface, name))
        return None if self._is_refusal(reply) else reply.body[0][1]

    def _ask(self, to: tuple[str, str, str], member: str, signature: str, arguments: tuple[Any, ...]) -> Any:  # noqa: ANN401
        """Call a member of a program on the bus, given by its name, object path and interface; return the reply."""
        owner, path, interface = to
        address = self._jeepney.DBusAddress(path, bus_name=owner, interface=interface)
        call = self._jeepney.new_method_call(address, member, signature or None, arguments)
        try:
            return self._bus.send_and_get_reply(call, timeout=_ANSWER_S)
        except (OSError, TimeoutError) as cause:
            hint = _INSTALL if member == "Get" else "is the desktop still running?"
            raise DesktopError(f"the desktop's portal does not answer {member}: {cause!r}", hint=hint) from cause

    def _is_refusal(self, reply: Any) -> bool:  # noqa: ANN401
        return bool(reply.header.message_type == self._jeepney.MessageType.error)


_INSTALL = (
    "install your desktop's portal, xdg-desktop-portal-gnome or xdg-desktop-portal-kde, and log in again; "
    "on sway set WAYLAND_DISPLAY instead: its portal has no pointer, so sweepbot asks sway itself"
)


class _UnansweredError(DesktopError):
    """The portal did not answer in time."""


class NothingSharedError(DesktopError):
    """The desktop granted something that no longer exists."""


class LookOnlyError(StoppedByUserError):
    """The person allowed looking, but not clicking."""


def missing_package(package: str, cause: ImportError | None = None) -> DesktopError:
    """Make the error for a package of the extra `wayland` that cannot be imported."""
    return DesktopError(
        f"playing on Wayland needs {package}: {cause or 'it is not installed'}",
        hint="python3 -m pip install 'sweepbot[wayland]'; pipewire-capture also needs libpipewire-0.3",
    )


def _new_token() -> str:
    return f"sweepbot_{secrets.token_hex(8)}"
