"""The client's window, as far as the system knows windows: where it is, what is in front of it, what belongs to it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum

from sweepbot.control.watching import watch
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import Window, WindowId, belongs
from sweepbot.errors import ClientCoveredError, ClientGoneError, ClientMovedError
from sweepbot.geometry import Point, Region

_GRANTED_S = 1.0
"""Seconds that a window manager may take to do what it was asked for."""

_POLL_S = 0.01

_STEP = 1.5  # the factor by which a window's width and height grow in one step
_RESTS_S = 0.3  # for which a resized window must look the same to count as redrawn
_LONGEST_S = 3.0  # the longest that redrawing may take
_REDRAWN_POLL_S = 0.02

BROWSERS = ("firefox", "navigator", "chrom", "brave", "edge", "opera", "vivaldi", "safari", "epiphany", "librewolf")
"""Parts of the names of programs that show pages."""


TEXT_PROGRAMS = (
    *("term", "console", "konsole", "conhost", "rxvt", "kitty", "alacritty", "foot", "ghostty", "tilix", "ptyxis"),
    *("kgx", "cmd", "powershell", "vim", "emacs", "code", "edit", "kate", "kwrite", "mousepad", "notepad", "pluma"),
)
"""Parts of the names of terminals and editors: keys that are pressed in one are commands, or change a text."""

_HINT_PX = (150, 60)
"""Width and height below which a window is a hint at the pointer, and no place that a click leads to."""


class Obstruction(Enum):
    """Why what is seen in the board's place may not be the board."""

    MINIMISED = "its window is minimised"
    COVERED = "another program's window is in front of the board"
    ASKING = "another window of the client's own is in front of the board"
    MOVED = "its window was moved or resized"
    OFF_SCREEN = "a part of its board is beyond the edge of the screen"


class ClientWindow:
    """The window that a board was found in.

    Where the system gives no information on windows there is none, and nothing is reported as an obstruction.

    Args:
        desk: What is played on.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._windows = desk.windows
        self._screen = desk.screen.region
        self._clock = desk.clock
        self._window: Window | None = None
        self._first: Region | None = None  # where it was before it was made larger
        self._calm: frozenset[WindowId] = frozenset()
        self.was_replaced = False
        """Whether the client has replaced its window by another one since `remember`."""

    @property
    def region(self) -> Region | None:
        """Where its inside was when last checked; None if no window is known."""
        return None if self._window is None else self._window.region

    @property
    def seen(self) -> Region | None:
        """The part of that which is on the screen; None where none is, or no window is known."""
        return None if self._window is None else self._window.region.intersection(self._screen)

    @property
    def is_known(self) -> bool:
        """Whether the system gives information on it."""
        return self._window is not None

    @property
    def is_browser(self) -> bool:
        """Whether it shows a page, in a browser, some of whose keys lead elsewhere; False if windows are not known."""
        return self._windows is not None and self.id in self._windows.of_programs(BROWSERS)

    @property
    def takes_text(self) -> bool:
        """Whether its program is a terminal or an editor, where keys have effects; False if windows are not known."""
        return self._windows is not None and self.id in self._windows.of_programs(TEXT_PROGRAMS)

    @property
    def id(self) -> WindowId | None:
        """Its number; None where no window is known."""
        return None if self._window is None else self._window.id

    @property
    def title(self) -> str:
        """Its title; empty where no window is known."""
        return "" if self._windows is None or self._window is None else self._windows.title(self._window.id)

    def _shown(self) -> Sequence[Window]:
        """All windows, the one in front first; none where this one is not known."""
        return [] if self._windows is None or self._window is None else self._windows.shown()

    def adopt(self, board: Region) -> None:
        """Take the window in which a board is seen for the client's."""
        under = None if self._windows is None else self._windows.under(board.centre)
        if under is not None and self._windows is not None:
            shown = self._windows.shown()
            owner = next((window for window in shown if window.id == under.owner), None)
            under = owner or under  # a dialog in front of the board's middle is not its window
        self._window = under
        self._calm = frozenset()

    def titled(self, words: Sequence[str]) -> Iterator[Region]:
        """The windows whose titles contain one of `words`, each taken for the client's: where it is."""
        if self._windows is None:
            return
        for number in self._windows.titled(words):
            self._window = next((window for window in self._windows.shown() if window.id == number), None)
            if self._window is not None:
                yield self._window.region
        self._window = None

    def count_titled(self, words: Sequence[str]) -> int:
        """How many windows have a title that contains one of `words`."""
        return 0 if self._windows is None else len(self._windows.titled(words))

    def minimised(self, words: Sequence[str]) -> list[str]:
        """The titles of the minimised windows whose titles contain one of `words`."""
        return [] if self._windows is None else [self._windows.title(it) for it in self._windows.minimised(words)]

    def is_titled(self, words: Sequence[str]) -> bool:
        """Whether its title contains one of `words`."""
        return self._windows is not None and self.id in self._windows.titled(words)

    def remember(self) -> None:
        """Remember the windows that are open now, as ones that no end of a game has opened."""
        self._calm = frozenset(window.id for window in self._shown())
        self.was_replaced = False

    def obstruction(self, board: Region) -> Obstruction | None:
        """What keeps a picture from showing the board, which was last seen at a region; None where nothing does.

        Raises:
            ClientGoneError: The window was closed.
        """
        if self._windows is None or self._window is None:
            return None
        shown = list(self._windows.shown())
        mine = next((window for window in shown if window.id == self._window.id), None)
        if mine is None:
            return Obstruction.MOVED if self._replaced() else Obstruction.MINIMISED
        if mine.region != self._window.region:
            return Obstruction.MOVED
        if board.intersection(self._screen) != board:
            return Obstruction.OFF_SCREEN
        in_front = [window for window in shown[: shown.index(mine)] if self._covers(window, board)]
        if not in_front:
            return None
        belongs = all(self._belongs(window, shown) for window in in_front)
        return Obstruction.ASKING if belongs else Obstruction.COVERED

    def follow(self) -> Point | None:
        """Update where the window is, and return by how much it moved; None if its size has changed too.

        Raises:
            ClientGoneError: It was closed.
        """
        before, now = self._window, self._current()
        if before is None or now is None:  # minimised: it is nowhere else yet
            return Point(0, 0)
        self._window = now
        same_size = (now.region.width, now.region.height) == (before.region.width, before.region.height)
        return now.region.origin - before.region.origin if same_size else None

    def owns(self, at: Point) -> bool:
        """Whether a click on a pixel goes to the client or to one of its dialogs; True if windows are not known."""
        if self._windows is None or self._window is None:
            return True
        under = self._windows.under(at)
        return under is not None and (under.id == self._window.id or self._belongs(under, self._windows.shown()))

    def check_spot(self, at: Point, *, is_button: bool = False) -> None:
        """Make sure that a click on a pixel goes to the client, and that the client is where it was.

        Args:
            at: The pixel.
            is_button: Whether it is a button, which a dialog of the client's own may have.

        Raises:
            ClientGoneError: It is not there any more.
            ClientCoveredError: Another window is in front of it there.
            ClientMovedError: It was moved or resized.
        """
        if self._windows is None or self._window is None:
            return
        under = self._windows.under(at)
        if under is not None and is_button and under.id != self._window.id and self.owns(at):
            return
        if under is None or under.id != self._window.id:
            self._replaced()
            raise ClientCoveredError(
                f"another window is in front of the client at {at}: nothing was clicked there",
                hint="take it away, or move it beside the board",
            )
        if under.region != self._window.region:
            raise ClientMovedError(
                f"the client's window was moved or resized, from {self._window.region} to {under.region}"
            )

    def take_keyboard(self) -> None:
        """Give the keyboard to the client, or to a dialog of its own that asks for it.

        Raises:
            ClientGoneError: It is not there any more.
            ClientCoveredError: It does not get the keyboard.
        """
        if self._windows is None or self._window is None:
            return
        if self._has_keyboard():
            asking = self.dialogs()
            if asking and self._keyboard_holder() == self.id:  # keys are for who asks, where that takes them
                self._windows.focus(asking[0])
                self._wait_until(lambda: self._keyboard_holder() != self.id)
            return
        self._replaced()
        asking = self.dialogs()
        self._windows.focus(asking[0] if asking else self._window.id)
        if not self._wait_until(self._has_keyboard):
            raise ClientCoveredError(
                "the keyboard belongs to another window than the client's: no key was pressed",
                hint="click into the client's window, so that keys go there",
            )

    def dialogs(self) -> list[WindowId]:
        """The windows of the client's that have come up since `remember`, the one in front first."""
        shown = self._shown()
        return [window.id for window in shown if window.id not in self._calm and self._belongs(window, shown)]

    def others(self) -> frozenset[WindowId]:
        """The windows that neither are the client's nor belong to it, without hints at the pointer."""
        shown = self._shown()
        large = [it for it in shown if it.region.width >= _HINT_PX[0] and it.region.height >= _HINT_PX[1]]
        return frozenset(it.id for it in large if it.id != self.id and not self._belongs(it, shown))

    def dismiss(self, dialog: WindowId) -> bool:
        """Ask a window of the client's to close; return whether it did."""
        if self._windows is None:
            return False
        self._windows.dismiss(dialog)
        return self.goes(dialog)

    def goes(self, dialog: WindowId) -> bool:
        """Wait for a window of the client's that was answered; return whether it went."""
        return self._wait_until(lambda: dialog not in self.dialogs())

    def room(self) -> Region:
        """The part of the desktop that its inside may fill."""
        if self._windows is None or self._window is None:
            return self._screen
        return self._windows.room(self._window.id)

    def enlarged(self) -> Iterator[Region]:
        """Make it larger step by step; where it is after each: first moved on to the screen, until it cannot grow."""
        while (before := self.region) is not None:
            room = self.room()
            larger = _within(before, room)
            if larger == before:
                larger = _within(
                    Region(before.x, before.y, round(_STEP * before.width), round(_STEP * before.height)), room
                )
            if larger == before:
                return
            self._first = self._first or before
            self.place(larger)
            if self.region in (None, before):
                return
            if self.seen is not None:
                looks = watch(self._desk, self.seen, lambda: None, _REDRAWN_POLL_S)
                next(look for look in looks if look.rests_s >= _RESTS_S or look.since_s >= _LONGEST_S)
            yield self.region

    def put_back(self) -> None:
        """Restore the place and the size that it had before it was made larger, if it still exists."""
        first, self._first = self._first, None
        if first is not None:
            with suppress(ClientGoneError):
                self.place(first)

    def place(self, region: Region) -> None:
        """Ask for the window's inside to be at a region, and take in where it is then."""
        if self._windows is None or self._window is None:
            return
        before = self._window
        self._windows.place(before.id, region)
        self._wait_until(lambda: self._current() != before)
        self._window = self._current() or before

    def _current(self) -> Window | None:
        """The window as it is now; None where it is minimised.

        Raises:
            ClientGoneError: It was closed.
        """
        now = next((window for window in self._shown() if window.id == self.id), None)
        return self._window if now is None and self._replaced() else now

    def _replaced(self) -> bool:
        """Whether the window is gone and the client has replaced it; then the new one is followed.

        Raises:
            ClientGoneError: It was closed.
        """
        if self._windows is None or self._window is None or self._windows.exists(self._window.id):
            return False
        if not self._wait_until(lambda: self._replacement() is not None):
            raise ClientGoneError("the client's window was closed", hint="start it again")
        self._window, self.was_replaced = self._replacement() or self._window, True
        return True

    def _replacement(self) -> Window | None:
        """The window of the same program that has replaced this one since `remember`."""
        if self._window is None or not self._window.program:
            return None
        middle, program = self._window.region.centre, self._window.program
        new = (window for window in self._shown() if window.id not in self._calm and middle in window.region)
        return next((window for window in new if window.program == program), None)

    def _covers(self, other: Window, board: Region) -> bool:
        """Whether a window that is higher up hides a part of the board: what lets clicks through hides nothing."""
        common = other.region.intersection(board)
        if common is None or self._windows is None or self._window is None:
            return False
        corners = (common.origin, Point(common.right - 1, common.bottom - 1))
        under = (self._windows.under(pixel) for pixel in (common.centre, *corners))
        return any(window is None or window.id != self._window.id for window in under)

    def _belongs(self, window: Window, shown: Sequence[Window]) -> bool:
        """Whether a window is one of the client's own: owned by its window, or by another that is."""
        return self._window is not None and belongs(window, self._window.id, shown)

    def _keyboard_holder(self) -> WindowId | None:
        return None if self._windows is None else self._windows.with_keyboard()

    def _has_keyboard(self) -> bool:
        holder = self._keyboard_holder()
        if holder is not None and holder == self.id:
            return True
        shown = self._shown()
        return any(window.id == holder and self._belongs(window, shown) for window in shown)

    def _wait_until(self, is_so: Callable[[], bool]) -> bool:
        until = self._clock.now() + _GRANTED_S
        while not is_so():
            if self._clock.now() >= until:
                return False
            self._clock.sleep(_POLL_S)
        return True


def _within(window: Region, room: Region) -> Region:
    """A window moved, and made smaller if need be, to lie within the room that there is."""
    width, height = min(window.width, room.width), min(window.height, room.height)
    x = min(max(window.x, room.x), room.right - width)
    y = min(max(window.y, room.y), room.bottom - height)
    return Region(x, y, width, height)
