"""The windows of an X11 display, by the core protocol and EWMH. The only file that imports Xlib.

python-xlib comes with pyautogui. PyWinCtl would bring four packages more, and does not tell which window a click
goes to; that is a request or two here, of some hundredths of a millisecond each.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Concatenate, ParamSpec, TypeVar

from sweepbot.desktop.windows import Window, WindowId
from sweepbot.desktop.xlib_quirks import xlib_opening
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

_PAGER = 2  # EWMH's source indication: a request of the person's own, which window managers grant
_REMOVE = 0  # EWMH: take a state away
_DEEPEST = 4  # levels below a frame at which the window of the program is sought

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Xlib = Any
"""Xlib has no types."""


def _while_it_lasts(
    method: Callable[Concatenate["X11Windows", _Arguments], _Result],
) -> Callable[Concatenate["X11Windows", _Arguments], _Result]:
    """Turn the end of the display into an error of ours."""

    def asking(self: "X11Windows", /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        try:
            return method(self, *arguments, **named)
        except (self.error.ConnectionClosedError, OSError) as cause:
            raise DesktopError(f"the display has ended: {cause}", hint="start it and the client again") from cause

    return asking


class X11Windows:
    """The windows of the display that DISPLAY names.

    Raises:
        DesktopError: The display cannot be opened.
    """

    def __init__(self) -> None:
        with xlib_opening():
            from Xlib import X, display, error, protocol  # noqa: PLC0415  (late: few commands need it)

            self._x, self.error, self._events = X, error, protocol.event
            try:
                self._display: _Xlib = display.Display()
            except (error.DisplayError, error.XauthError, OSError) as cause:
                raise DesktopError(
                    f"the windows of this display cannot be seen: {cause}",
                    hint="`sweepbot doctor` looks for the reason",
                ) from cause
        # What is asked of a window that has just gone is of no effect, and no reason to talk.
        self._display.set_error_handler(lambda *_: None)
        self._root: _Xlib = self._display.screen().root
        self._inside: dict[WindowId, _Xlib] = {}

    def close(self) -> None:
        """Let go of the display."""
        with suppress(self.error.ConnectionClosedError, OSError):
            self._display.close()

    @_while_it_lasts
    def shown(self) -> list[Window]:
        """Every window that is not minimised, the one in front first."""
        return list(self._of_viewable(self._described))

    @_while_it_lasts
    def exists(self, window: WindowId) -> bool:
        """Whether a window is there, be it minimised. See `Windows.exists`."""
        with suppress(self.error.XError):
            return bool(self._window(window).get_attributes())
        return False

    @_while_it_lasts
    def manager(self) -> str | None:
        """The name of the window manager; None where there is none."""
        check = self._numbers(self._root, "_NET_SUPPORTING_WM_CHECK")
        with suppress(self.error.XError):
            return self._title(self._window(check[0])) or "one without a name" if check else None
        return None

    @_while_it_lasts
    def titled(self, words: Sequence[str]) -> list[WindowId]:
        """Those of the windows shown whose titles contain one of `words`, the one in front first."""
        titles = self._of_viewable(lambda window: (window.id, self._title(window)))
        return [number for number, title in titles if any(word in title for word in words)]

    @_while_it_lasts
    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        """Those of the windows shown whose programs' names contain one of `words`. See `Windows.of_programs`."""
        classes = self._of_viewable(lambda window: (window.id, " ".join(window.get_wm_class() or ()).lower()))
        return [number for number, name in classes if any(word in name for word in words)]

    @_while_it_lasts
    def under(self, pixel: Point) -> Window | None:
        """The window in front at a pixel. See `Windows.under`."""
        frame = self._root.translate_coords(self._root, pixel.x, pixel.y).child
        with suppress(self.error.XError):
            inside = self._inside_of(frame) if frame else None
            return None if inside is None else self._described(inside)
        return None

    @_while_it_lasts
    def with_keyboard(self) -> WindowId | None:
        """The window that keys go to. See `Windows.with_keyboard`."""
        focus = self._display.get_input_focus().focus
        if focus in (self._x.PointerRoot, self._root):
            focus = self._root.query_pointer().child
        with suppress(self.error.XError):
            inside = self._inside_of(self._outermost(focus)) if not isinstance(focus, int) else None
            return None if inside is None else int(inside.id)
        return None

    @_while_it_lasts
    def focus(self, window: WindowId) -> None:
        """Ask for the keyboard to go to a window. See `Windows.focus`."""
        if self.manager() is not None:
            self._ask_manager(window, "_NET_ACTIVE_WINDOW", _PAGER, self._x.CurrentTime, 0)
        else:
            self._window(window).set_input_focus(self._x.RevertToParent, self._x.CurrentTime)
        self._display.sync()

    @_while_it_lasts
    def place(self, window: WindowId, region: Region) -> None:
        """Ask for a window's inside to be at `region`. See `Windows.place`."""
        maximised = self._atoms("_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT")
        self._ask_manager(window, "_NET_WM_STATE", _REMOVE, *maximised, _PAGER)
        left, _, top, _ = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        self._window(window).configure(x=region.x - left, y=region.y - top, width=region.width, height=region.height)
        self._display.sync()

    @_while_it_lasts
    def dismiss(self, window: WindowId) -> None:
        """Ask a window to close. See `Windows.dismiss`."""
        protocols, delete = self._atoms("WM_PROTOCOLS", "WM_DELETE_WINDOW")
        self._window(window).send_event(self._message(window, protocols, delete, self._x.CurrentTime))
        self._display.sync()

    @_while_it_lasts
    def room(self, window: WindowId) -> Region:
        """The part of the desktop that the inside of a window may fill. See `Windows.room`."""
        geometry = self._root.get_geometry()
        whole = Region(0, 0, geometry.width, geometry.height)
        area = self._numbers(self._root, "_NET_WORKAREA")
        free = (Region(*area[:4]).intersection(whole) if area else None) or whole
        left, right, top, bottom = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        return Region(free.x + left, free.y + top, free.width - left - right, free.height - top - bottom)

    def _of_viewable(self, told: Callable[[_Xlib], _Result]) -> Iterator[_Result]:
        """Something told of each window that is not minimised, the one in front first; one may go while it is asked."""
        for frame in reversed(self._root.query_tree().children):
            with suppress(self.error.XError):
                attributes = frame.get_attributes()
                if attributes.map_state == self._x.IsViewable and attributes.win_class == self._x.InputOutput:
                    answer = told(self._inside_of(frame))
                    yield answer

    def _described(self, window: _Xlib) -> Window:
        owner = window.get_wm_transient_for()
        return Window(window.id, self._region_of(window), None if owner in (None, self._root) else owner.id)

    def _region_of(self, window: _Xlib) -> Region:
        origin = self._root.translate_coords(window, 0, 0)
        size = window.get_geometry()
        return Region(origin.x, origin.y, size.width, size.height)

    def _inside_of(self, frame: _Xlib) -> _Xlib:
        """The window that a window manager has put into a frame; one without frame itself, as menus are.

        Raises:
            XError: It is gone.
        """
        inside = self._inside.get(frame.id)
        if inside is None or not self._is_within(inside, frame):
            inside = self._inside[frame.id] = self._managed(frame) or frame
        return inside

    def _is_within(self, window: _Xlib, frame: _Xlib) -> bool:
        """Whether a window is still there, and in its frame."""
        with suppress(self.error.XError):
            return bool(window == frame or self._outermost(window) == frame)
        return False

    def _managed(self, frame: _Xlib) -> _Xlib | None:
        """The window at or below another that a window manager has marked as one of a program's."""
        state = self._display.intern_atom("WM_STATE")
        level = [frame]
        for _ in range(_DEEPEST):
            for window in level:
                if window.get_full_property(state, self._x.AnyPropertyType) is not None:
                    return window
            level = [child for window in level for child in window.query_tree().children]
        return None

    def _outermost(self, window: _Xlib) -> _Xlib:
        """The window right on the desktop that another one is within."""
        while (parent := window.query_tree().parent) not in (0, self._root):
            window = parent
        return window

    def _title(self, window: _Xlib) -> str:
        for name in ("_NET_WM_NAME", "WM_NAME"):
            found = window.get_full_property(self._display.intern_atom(name), self._x.AnyPropertyType)
            if found is not None and found.value:
                text = found.value if isinstance(found.value, bytes) else str(found.value).encode()
                return str(text.decode("utf-8", "replace"))
        return ""

    def _window(self, number: WindowId) -> _Xlib:
        return self._display.create_resource_object("window", number)

    def _numbers(self, window: _Xlib, name: str) -> Sequence[int]:
        """The value of a property; empty where there is none."""
        with suppress(self.error.XError):
            found = window.get_full_property(self._display.intern_atom(name), self._x.AnyPropertyType)
            return [] if found is None else [int(number) for number in found.value]
        return []

    def _atoms(self, *names: str) -> list[int]:
        return [self._display.intern_atom(name) for name in names]

    def _message(self, window: WindowId, kind: int, *values: int) -> _Xlib:
        padded = [*values, 0, 0, 0, 0, 0][:5]
        return self._events.ClientMessage(window=self._window(window), client_type=kind, data=(32, padded))

    def _ask_manager(self, window: WindowId, name: str, *values: int) -> None:
        """Send the window manager a request of EWMH."""
        (kind,) = self._atoms(name)
        mask = self._x.SubstructureRedirectMask | self._x.SubstructureNotifyMask
        self._root.send_event(self._message(window, kind, *values), event_mask=mask)
