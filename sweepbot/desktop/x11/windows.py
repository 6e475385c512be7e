"""The windows of an X11 display, by the core protocol and EWMH.

PyWinCtl would need four more packages, and cannot say which window a click goes to.
"""

import math
import os
import select
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sweepbot.desktop.windows import Window, WindowId, Windows, named, with_words
from sweepbot.desktop.x11.connection import WINDOW_BITS, X11Connection, Xlib
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

_PAGER = 2  # EWMH's source indication of a request by the person, which window managers grant
_REMOVE = 0  # EWMH: remove a state
_HAS_GRAVITY, _GRAVITY = 1 << 9, 17  # ICCCM 4.1.2.3: the flag, and the place of the gravity in WM_NORMAL_HINTS
_MAX_DEPTH = 4  # levels below a frame that are searched for the program's window
_ANSWER_S = 5.0  # that a window manager may take to answer; 0.0001 is usual
_FRESH_S = 0.005  # that an answer stays valid: nobody moves a window within a burst, and asking costs 0.1 clicks


class X11Windows(X11Connection, Windows):
    """The windows of the display that DISPLAY names. See `Windows`.

    The server reports every change among them, so that what is known stays valid until then. But a window manager may
    still have to move a window when it is handed a click, which then lands where the window was: so `under` waits until
    the window manager has answered, too. The server reuses the numbers of windows that are gone; the numbers here
    are unique.

    Raises:
        DesktopError: The display cannot be opened.
    """

    def __init__(self) -> None:
        super().__init__()
        from Xlib.protocol import event  # noqa: PLC0415  (late: few commands need it)

        self._events = event
        self.root.change_attributes(event_mask=self.x.SubstructureNotifyMask)
        self._by_frame: dict[int, Window | None] = {}
        self._shown: list[Window] | None = None
        self._gone: Counter[int] = Counter()
        self._programs: dict[tuple[object, ...], int] = {}
        self._unowned: set[WindowId] = set()  # dialogs that name no owner, and windows without a frame that say nothing
        self._last_under: tuple[Point, int] | None = None
        depth = self.display.screen().root_depth
        self._own: Xlib = self.root.create_window(0, 0, 1, 1, 0, depth, event_mask=self.x.StructureNotifyMask)
        self._own_x = 0
        self._is_answered = False
        self._answered_s = -math.inf

    def shown(self) -> list[Window]:
        self.display.sync()
        return self.known()

    def known(self) -> list[Window]:
        self._process_changes()
        if self._shown is None:
            self._shown = self._with_owners(list(self._all_shown()))
        return self._shown

    def exists(self, window: WindowId) -> bool:
        with suppress(self.error.XError):
            self._window(window).get_attributes()  # an error if it has gone
            self._process_changes()
            return self._number(self._window(window)) == window
        return False

    def manager(self) -> str | None:
        """Return the name of the window manager; None if there is none."""
        for number in self._numbers(self.root, "_NET_SUPPORTING_WM_CHECK"):
            check = self._window(number)
            if self._numbers(check, "_NET_SUPPORTING_WM_CHECK"):  # else it was left by one that has ended
                return self._title(check) or "an unnamed one"
        return None

    def minimised(self, words: Sequence[str]) -> list[WindowId]:
        hidden = self.display.get_atom("_NET_WM_STATE_HIDDEN")
        windows = map(self._window, self._numbers(self.root, "_NET_CLIENT_LIST"))
        minimised = (self._number(it) for it in windows if hidden in self._numbers(it, "_NET_WM_STATE"))
        return named(words, minimised, self.title)

    def title(self, window: WindowId) -> str:
        return self._title(self._window(window))

    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        shown = (window.id for window in self.shown())
        return named(words, shown, lambda number: with_words(self._text(self._window(number), "WM_CLASS")))

    def under(self, pixel: Point) -> Window | None:
        """See `Windows.under`.

        Raises:
            DesktopError: The window manager does not answer.
        """
        if time.perf_counter() > self._answered_s + _FRESH_S:
            self._await_manager()
        frame = self.root.translate_coords(self.root, pixel.x, pixel.y).child
        self._last_under = (pixel, frame.id) if frame else None
        self._process_changes()
        with suppress(self.error.XError):
            return self._window_in(frame) if frame else None
        return None

    def frame_under(self, pixel: Point) -> int | None:
        """Return the server's number of the frame that `under` found, if it was last asked for this pixel."""
        return self._last_under[1] if self._last_under is not None and self._last_under[0] == pixel else None

    def note_manager_answer(self) -> None:
        """Note that the window manager has done everything asked of it, as when it has let a click through."""
        self._answered_s = time.perf_counter()

    def with_keyboard(self) -> WindowId | None:
        """See `Windows.with_keyboard`.

        Without a window manager keys go to the window under the pointer once a dialog has closed, but toolkits ignore
        them until they are given the focus: the keyboard counts as nobody's then.
        """
        focus = self.display.get_input_focus().focus
        if focus in (self.x.PointerRoot, self.root):
            focus = self.x.NONE if self.manager() is None else self.root.query_pointer().child
        self._process_changes()
        with suppress(self.error.XError):
            holder = None if isinstance(focus, int) else self._window_in(self._outermost(focus))
            return None if holder is None else holder.id
        return None

    def focus(self, window: WindowId) -> None:
        if self.manager() is not None:
            self._ask_manager(window, "_NET_ACTIVE_WINDOW", _PAGER, self.x.CurrentTime, 0)
        else:
            self._window(window).set_input_focus(self.x.RevertToParent, self.x.CurrentTime)
        self.display.sync()

    def place(self, window: WindowId, region: Region) -> None:
        """See `Windows.place`. Raises DesktopError if the window manager does not answer: nothing waits for it then."""
        self._await_manager()
        maximised = [self.display.get_atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("HORZ", "VERT")]
        self._ask_manager(window, "_NET_WM_STATE", _REMOVE, *maximised, _PAGER)
        left, _, top, _ = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        hints = self._numbers(self._window(window), "WM_NORMAL_HINTS")
        if len(hints) > _GRAVITY and hints[0] & _HAS_GRAVITY and hints[_GRAVITY] == self.x.StaticGravity:
            left = top = 0  # such a window is placed by its inside
        self._window(window).configure(x=region.x - left, y=region.y - top, width=region.width, height=region.height)
        self.display.sync()

    def dismiss(self, window: WindowId) -> None:
        delete = self.display.get_atom("WM_DELETE_WINDOW")
        self._window(window).send_event(self._message(window, "WM_PROTOCOLS", delete, self.x.CurrentTime))
        self.display.sync()

    def room(self, window: WindowId) -> Region:
        geometry = self.root.get_geometry()
        whole = Region(0, 0, geometry.width, geometry.height)
        area = self._numbers(self.root, "_NET_WORKAREA")
        free = (Region(*area[:4]).intersection(whole) if area else None) or whole
        left, right, top, bottom = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        return Region(free.x + left, free.y + top, free.width - left - right, free.height - top - bottom)

    def _process_changes(self) -> None:
        """Process the changes that the server has reported, and forget what they make invalid."""
        changed = False
        while self.display.pending_events():
            event = self.display.next_event()
            if event.type == self.x.ConfigureNotify and event.window == self._own:
                self._is_answered |= event.event == self._own  # the root window reports the same once more
                continue
            if event.type == self.x.DestroyNotify:
                self._gone[event.window.id] += 1
            changed = True
        if changed:
            self._by_frame.clear()
            self._shown = None

    def _await_manager(self) -> None:
        """Wait until the window manager has done everything that any program has asked of it so far.

        A window of our own, never shown, asks to be moved, and the manager must report its new place (ICCCM 4.1.5);
        without a manager the server does.
        """
        self._is_answered = False
        self._own_x = 1 - self._own_x
        self._own.configure(x=self._own_x)
        self.display.flush()
        until = time.perf_counter() + _ANSWER_S
        while True:
            self._process_changes()
            if self._is_answered:
                return self.note_manager_answer()
            if not select.select([self.display], [], [], max(until - time.perf_counter(), 0))[0]:
                raise DesktopError(
                    f"the window manager has not answered within {_ANSWER_S:.0f} s: nothing was clicked or moved",
                    hint="if it is stuck, restart it, and then the client",
                )

    def _all_shown(self) -> Iterator[Window]:
        for frame in reversed(self.root.query_tree().children):
            with suppress(self.error.XError):  # it may go in the meantime
                attributes = frame.get_attributes()
                if attributes.map_state == self.x.IsViewable and attributes.win_class == self.x.InputOutput:
                    window = self._window_in(frame)
                    if window is not None:
                        yield window

    def _with_owners(self, shown: list[Window]) -> list[Window]:
        """Return the windows with owners for dialogs that name none: another window of the same connection.

        That is the next one behind the dialog, or the frontmost if there is none behind it. A window without a frame
        that has one and says nothing of itself is a dialog, too: menus say that they are some.
        """
        owned = []
        for place, window in enumerate(shown):
            others = (*shown[place + 1 :], *shown[:place]) if window.id in self._unowned else ()
            client = self._connection(window)
            framed = (it for it in others if it.id not in self._unowned and not it.is_menu)
            found = next((it.id for it in framed if self._connection(it) == client), None)
            owned.append(window if found is None else replace(window, owner=found, is_menu=False))
        return owned

    def _connection(self, window: Window) -> int:
        """Return the part of a window's number that identifies the connection that created it."""
        return int(window.id % (1 << WINDOW_BITS) & ~self.display.display.info.resource_id_mask)

    def _window_in(self, frame: Xlib) -> Window | None:
        """Return the window in a window manager's frame, or `frame` itself if it is a window without one, like a menu.

        None if the frame is empty, like that of a window that is just being minimised, or if it is this very process's,
        whose only window is that of marks: clicks go through it, and pictures show what is beneath.

        Raises:
            XError: It is gone.
        """
        if frame.id not in self._by_frame:
            inside = self._managed(frame) or frame
            numbers = self._numbers(inside, "_NET_WM_PID")
            if os.getpid() in numbers:
                self._by_frame[frame.id] = None
                return None
            inside.change_attributes(event_mask=self.x.StructureNotifyMask)
            owner = inside.get_wm_transient_for()
            origin, size = self.root.translate_coords(inside, 0, 0), inside.get_geometry()
            region = Region(origin.x, origin.y, size.width, size.height)
            owner = None if owner in (None, self.root) else self._number(owner)
            process = (*numbers[:1], self._text(inside, "WM_CLASS"))
            # Old programs have no process number, and others that have none must not pass for the same program.
            program = self._programs.setdefault(process, len(self._programs) + 1) if numbers else 0
            dialog, hint = (self.display.get_atom(f"_NET_WM_WINDOW_TYPE_{it}") for it in ("DIALOG", "TOOLTIP"))
            kinds, attributes = self._numbers(inside, "_NET_WM_WINDOW_TYPE"), inside.get_attributes()
            is_frameless = bool(attributes.override_redirect)
            is_menu = is_frameless and hint not in kinds
            window = Window(self._number(inside), region, owner, self._with_border(frame), program, is_menu)
            if owner is None and (dialog in kinds or (is_frameless and not kinds and not numbers)):
                self._unowned.add(window.id)
            self._by_frame[frame.id] = window if attributes.map_state == self.x.IsViewable else None
        return self._by_frame[frame.id]

    def _managed(self, frame: Xlib) -> Xlib | None:
        """Return the window, at or below `frame`, that a window manager has marked as a program's; None if none is."""
        state = self.display.get_atom("WM_STATE")
        level = [frame]
        for _ in range(_MAX_DEPTH):
            for window in level:
                if window.get_full_property(state, self.x.AnyPropertyType) is not None:
                    return window
            level = [child for window in level for child in window.query_tree().children]
        return None

    def _title(self, window: Xlib) -> str:
        return self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME")

    def _text(self, window: Xlib, name: str) -> str:
        """Return the value of a text property; empty if it is not set."""
        value = self._property(window, name) or b""
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def _number(self, window: Xlib) -> WindowId:
        """Return the number of a window, unique even among windows that are gone."""
        number: WindowId = window.id + (self._gone[window.id] << WINDOW_BITS)
        return number

    def _numbers(self, window: Xlib, name: str) -> Sequence[int]:
        """Return the numbers in a property; empty if it is not set."""
        return [int(number) for number in self._property(window, name) or ()]

    def _property(self, window: Xlib, name: str) -> Any:  # noqa: ANN401  (python-xlib has no types)
        """Return the value of a property; None if it is not set, or the window is gone."""
        with suppress(self.error.XError):
            found = window.get_full_property(self.display.get_atom(name), self.x.AnyPropertyType)
            return None if found is None else found.value
        return None

    def _message(self, window: WindowId, name: str, *values: int) -> Xlib:
        kind, padded = self.display.get_atom(name), [*values, 0, 0, 0, 0, 0][:5]
        return self._events.ClientMessage(window=self._window(window), client_type=kind, data=(32, padded))

    def _ask_manager(self, window: WindowId, name: str, *values: int) -> None:
        """Send an EWMH request to the window manager."""
        mask = self.x.SubstructureRedirectMask | self.x.SubstructureNotifyMask
        self.root.send_event(self._message(window, name, *values), event_mask=mask)
