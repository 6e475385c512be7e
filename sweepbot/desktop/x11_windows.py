"""The windows of an X11 display, by the core protocol and EWMH.

PyWinCtl would bring four packages, and does not tell which window a click goes to.
"""

import math
import select
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from sweepbot.desktop.windows import Window, WindowId, named
from sweepbot.desktop.x11 import X11Connection, Xlib, while_it_lasts
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

_PAGER = 2  # EWMH's source indication: a request of the person's own, which window managers grant
_REMOVE = 0  # EWMH: take a state away
_BITS = 32  # of the server's own numbers of windows
_HAS_GRAVITY, _GRAVITY = 1 << 9, 17  # ICCCM 4.1.2.3: the flag, and the place of the gravity in WM_NORMAL_HINTS
_DEEPEST = 4  # levels below a frame searched for the program's own window
_ANSWER_S = 5.0  # that a window manager may take to answer; some 0.0001 s are usual
_IN_STEP_S = 0.005  # after an answer: no person moves a window between clicks of a burst, and to ask costs each a tenth


class X11Windows(X11Connection):
    """The windows of the display that DISPLAY names.

    The server tells of every change among them, and what it has not told of is as it was: an answer takes one trip.
    But a window manager may have yet to move a window when it is handed a click, which then lands where that window
    was: so it has to answer, too, before `under` does.
    It gives the numbers of windows that are gone to new ones: here those get other numbers.

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
        self._unowned: set[WindowId] = set()  # dialogs that say of no window that they belong to it
        self._told: tuple[Point, int] | None = None
        depth = self.display.screen().root_depth
        self._own: Xlib = self.root.create_window(0, 0, 1, 1, 0, depth, event_mask=self.x.StructureNotifyMask)
        self._own_x = 0
        self._is_answered = False
        self._answered_s = -math.inf

    @while_it_lasts
    def shown(self) -> list[Window]:
        """Every window that is not minimised, the one in front first."""
        self.display.sync()
        return self.known()

    @while_it_lasts
    def known(self) -> list[Window]:
        """The same as far as the server has told by now. See `Windows.known`."""
        self._forget_what_changed()
        if self._shown is None:
            self._shown = self._owned(list(self._all_shown()))
        return self._shown

    @while_it_lasts
    def exists(self, window: WindowId) -> bool:
        """Whether a window exists, also if it is minimised. See `Windows.exists`."""
        with suppress(self.error.XError):
            attributes = self._window(window).get_attributes()
            self._forget_what_changed()
            return bool(attributes) and self._number(self._window(window)) == window
        return False

    @while_it_lasts
    def manager(self) -> str | None:
        """The name of the window manager; None where there is none."""
        check = self._numbers(self.root, "_NET_SUPPORTING_WM_CHECK")
        with suppress(self.error.XError):
            return self._title(self._window(check[0])) or "one without a name" if check else None
        return None

    @while_it_lasts
    def titled(self, words: Sequence[str]) -> list[WindowId]:
        """Those of the windows shown whose titles contain one of `words`, the one in front first."""
        return named(words, self.shown(), lambda number: self._title(self._window(number)))

    @while_it_lasts
    def minimised(self, words: Sequence[str]) -> list[WindowId]:
        """The minimised windows whose titles contain one of `words`. See `Windows.minimised`."""
        (hidden,) = self._atoms("_NET_WM_STATE_HIDDEN")
        found = []
        for number in self._numbers(self.root, "_NET_CLIENT_LIST"):
            window = self._window(number)
            with suppress(self.error.XError):  # it may go while it is asked
                if hidden in self._numbers(window, "_NET_WM_STATE") and any(
                    word in self._title(window) for word in words
                ):
                    found.append(self._number(window))
        return found

    @while_it_lasts
    def title(self, window: WindowId) -> str:
        """The title of a window. See `Windows.title`."""
        with suppress(self.error.XError):
            return self._title(self._window(window))
        return ""

    @while_it_lasts
    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        """Those of the windows shown whose programs' names contain one of `words`. See `Windows.of_programs`."""
        return named(words, self.shown(), lambda number: self._text(self._window(number), "WM_CLASS").lower())

    @while_it_lasts
    def under(self, pixel: Point) -> Window | None:
        """The window in front at a pixel. See `Windows.under`.

        Raises:
            DesktopError: The window manager does not answer.
        """
        if time.perf_counter() > self._answered_s + _IN_STEP_S:
            self._await_manager()
        frame = self.root.translate_coords(self.root, pixel.x, pixel.y).child
        self._told = (pixel, frame.id) if frame else None
        self._forget_what_changed()
        with suppress(self.error.XError):
            return self._within(frame) if frame else None
        return None

    def frame_told(self, pixel: Point) -> int | None:
        """The server's number of the outermost window that `under` found at a pixel, if it was asked of that last."""
        return self._told[1] if self._told is not None and self._told[0] == pixel else None

    def manager_answered(self) -> None:
        """Note that the window manager has just done all that it was asked for, as where it let a click through."""
        self._answered_s = time.perf_counter()

    @while_it_lasts
    def with_keyboard(self) -> WindowId | None:
        """The window that keys go to. See `Windows.with_keyboard`.

        Without a window manager keys go to the window under the pointer once a dialog has closed, but toolkits pass
        over them until they are given the keyboard: then it counts as nobody's.
        """
        focus = self.display.get_input_focus().focus
        if focus in (self.x.PointerRoot, self.root):
            focus = self.x.NONE if self.manager() is None else self.root.query_pointer().child
        self._forget_what_changed()
        with suppress(self.error.XError):
            holder = None if isinstance(focus, int) else self._within(self._outermost(focus))
            return None if holder is None else holder.id
        return None

    @while_it_lasts
    def focus(self, window: WindowId) -> None:
        """Ask for the keyboard to go to a window. See `Windows.focus`."""
        if self.manager() is not None:
            self._ask_manager(window, "_NET_ACTIVE_WINDOW", _PAGER, self.x.CurrentTime, 0)
        else:
            self._window(window).set_input_focus(self.x.RevertToParent, self.x.CurrentTime)
        self.display.sync()

    @while_it_lasts
    def place(self, window: WindowId, region: Region) -> None:
        """Ask for a window's inside to be at `region`. See `Windows.place`."""
        maximised = self._atoms("_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT")
        self._ask_manager(window, "_NET_WM_STATE", _REMOVE, *maximised, _PAGER)
        left, _, top, _ = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        hints = self._numbers(self._window(window), "WM_NORMAL_HINTS")
        if len(hints) > _GRAVITY and hints[0] & _HAS_GRAVITY and hints[_GRAVITY] == self.x.StaticGravity:
            left = top = 0  # what such a window asks for is the place of its inside
        self._window(window).configure(x=region.x - left, y=region.y - top, width=region.width, height=region.height)
        self.display.sync()

    @while_it_lasts
    def dismiss(self, window: WindowId) -> None:
        """Ask a window to close. See `Windows.dismiss`."""
        protocols, delete = self._atoms("WM_PROTOCOLS", "WM_DELETE_WINDOW")
        self._window(window).send_event(self._message(window, protocols, delete, self.x.CurrentTime))
        self.display.sync()

    @while_it_lasts
    def room(self, window: WindowId) -> Region:
        """The part of the desktop that the inside of a window may fill. See `Windows.room`."""
        geometry = self.root.get_geometry()
        whole = Region(0, 0, geometry.width, geometry.height)
        area = self._numbers(self.root, "_NET_WORKAREA")
        free = (Region(*area[:4]).intersection(whole) if area else None) or whole
        left, right, top, bottom = self._numbers(self._window(window), "_NET_FRAME_EXTENTS") or (0, 0, 0, 0)
        return Region(free.x + left, free.y + top, free.width - left - right, free.height - top - bottom)

    def _forget_what_changed(self) -> None:
        """Take in what the server had told before it answered last."""
        changed = False
        while self.display.pending_events():
            event = self.display.next_event()
            if event.type == self.x.ConfigureNotify and event.window == self._own:
                self._is_answered |= event.event == self._own  # the root window tells the same once more
                continue
            if event.type == self.x.DestroyNotify:
                self._gone[event.window.id] += 1
            changed = True
        if changed:
            self._by_frame.clear()
            self._shown = None

    def _await_manager(self) -> None:
        """Wait until the window manager has done all that it was asked for so far, by whomever.

        A window that is never shown asks to be moved, and each manager has to say where it is then (ICCCM 4.1.5); the
        server itself does where there is none.
        """
        self._is_answered = False
        self._own_x = 1 - self._own_x
        self._own.configure(x=self._own_x)
        self.display.flush()
        until = time.perf_counter() + _ANSWER_S
        while True:
            self._forget_what_changed()
            if self._is_answered:
                return self.manager_answered()
            if not select.select([self.display], [], [], max(until - time.perf_counter(), 0))[0]:
                raise DesktopError(
                    f"the window manager has not answered within {_ANSWER_S:.0f} s: nothing was clicked",
                    hint="does it stand still? Start it anew, and then the client",
                )

    def _all_shown(self) -> Iterator[Window]:
        for frame in reversed(self.root.query_tree().children):
            with suppress(self.error.XError):  # it may go while it is asked
                attributes = frame.get_attributes()
                if attributes.map_state == self.x.IsViewable and attributes.win_class == self.x.InputOutput:
                    window = self._within(frame)
                    if window is not None:
                        yield window

    def _owned(self, shown: list[Window]) -> list[Window]:
        """The same windows; a dialog that names none that it belongs to does so to another of its program.

        That is the next one behind it, or where it has been left behind them the first in front. What one program has
        made the server numbers alike, whether or not it tells its process.
        """
        owned = []
        for place, window in enumerate(shown):
            others = (*shown[place + 1 :], *shown[:place]) if window.id in self._unowned else ()
            own = (it.id for it in others if it.id not in self._unowned and self._maker(it) == self._maker(window))
            owned.append(replace(window, owner=next(own, window.owner)))
        return owned

    def _maker(self, window: Window) -> int:
        """The part of a window's number that all have in common which came over one connection to the server."""
        return int(window.id % (1 << _BITS) & ~self.display.display.info.resource_id_mask)

    def _within(self, frame: Xlib) -> Window | None:
        """The window that a window manager has put into a frame; one without frame itself, as menus are.

        None where a frame is empty: of a window that is minimised the frame may slide out of sight a while longer.

        Raises:
            XError: It is gone.
        """
        if frame.id not in self._by_frame:
            inside = self._managed(frame) or frame
            inside.change_attributes(event_mask=self.x.StructureNotifyMask)
            owner = inside.get_wm_transient_for()
            origin, size = self.root.translate_coords(inside, 0, 0), inside.get_geometry()
            region = Region(origin.x, origin.y, size.width, size.height)
            owner = None if owner in (None, self.root) else self._number(owner)
            outside = frame.get_geometry()
            thick = 2 * outside.border_width
            around = Region(outside.x, outside.y, outside.width + thick, outside.height + thick)
            numbers = self._numbers(inside, "_NET_WM_PID")
            process = (*numbers[:1], self._text(inside, "WM_CLASS"))
            is_told = bool(numbers)  # old programs do not: another one in a window's place might be any
            program = self._programs.setdefault(process, len(self._programs) + 1) if is_told else 0
            window = Window(self._number(inside), region, owner, around, program)
            (dialog,) = self._atoms("_NET_WM_WINDOW_TYPE_DIALOG")
            if owner is None and dialog in self._numbers(inside, "_NET_WM_WINDOW_TYPE"):
                self._unowned.add(window.id)
            is_seen = inside.get_attributes().map_state == self.x.IsViewable
            self._by_frame[frame.id] = window if is_seen else None
        return self._by_frame[frame.id]

    def _managed(self, frame: Xlib) -> Xlib | None:
        """The window at or below another that a window manager has marked as one of a program's."""
        state = self.display.intern_atom("WM_STATE")
        level = [frame]
        for _ in range(_DEEPEST):
            for window in level:
                if window.get_full_property(state, self.x.AnyPropertyType) is not None:
                    return window
            level = [child for window in level for child in window.query_tree().children]
        return None

    def _outermost(self, window: Xlib) -> Xlib:
        """The window right on the desktop that another one is within."""
        while (parent := window.query_tree().parent) not in (0, self.root):
            window = parent
        return window

    def _title(self, window: Xlib) -> str:
        return self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME")

    def _text(self, window: Xlib, name: str) -> str:
        """The value of a property that is text; empty where there is none."""
        found = window.get_full_property(self.display.intern_atom(name), self.x.AnyPropertyType)
        if found is None or not found.value:
            return ""
        text = found.value if isinstance(found.value, bytes) else str(found.value).encode()
        return str(text.decode("utf-8", "replace"))

    def _window(self, number: WindowId) -> Xlib:
        return self.display.create_resource_object("window", number % (1 << _BITS))

    def _number(self, window: Xlib) -> WindowId:
        """The number of a window, which no other has had."""
        number: WindowId = window.id + (self._gone[window.id] << _BITS)
        return number

    def _numbers(self, window: Xlib, name: str) -> Sequence[int]:
        """The value of a property; empty where there is none."""
        with suppress(self.error.XError):
            found = window.get_full_property(self.display.intern_atom(name), self.x.AnyPropertyType)
            return [] if found is None else [int(number) for number in found.value]
        return []

    def _atoms(self, *names: str) -> list[int]:
        return [self.display.intern_atom(name) for name in names]

    def _message(self, window: WindowId, kind: int, *values: int) -> Xlib:
        padded = [*values, 0, 0, 0, 0, 0][:5]
        return self._events.ClientMessage(window=self._window(window), client_type=kind, data=(32, padded))

    def _ask_manager(self, window: WindowId, name: str, *values: int) -> None:
        """Send the window manager a request of EWMH."""
        (kind,) = self._atoms(name)
        mask = self.x.SubstructureRedirectMask | self.x.SubstructureNotifyMask
        self.root.send_event(self._message(window, kind, *values), event_mask=mask)
