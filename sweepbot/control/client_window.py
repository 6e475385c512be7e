"""The client's window, if the system gives information on windows: its place, what covers it, what belongs to it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sweepbot.control.program_kinds import BROWSERS, EDITORS, TERMINALS, is_of
from sweepbot.control.watching import watch
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import Window, WindowId, Windows, belongs, in_front_of
from sweepbot.errors import ClientCoveredError, ClientGoneError, ClientMovedError, DesktopError
from sweepbot.geometry import Point, Region
from sweepbot.vision.grid import Grid

_GRANTED_S = 1.0
"""Seconds that a window manager may take to act on a request."""

_POLL_S = 0.01  # between two looks whether it has

_GROWTH_FACTOR = 1.5  # by which a window's width and height grow in one step
_RESTS_S = 0.3  # a resized window that looks the same for this long counts as redrawn
_MAX_REDRAWING_S = 3.0  # the most that redrawing may take
_REDRAWN_POLL_S = 0.02  # between two looks meanwhile

_MAX_COVERED_SHARE = 0.5  # of a board: if more is covered, it is not played around what covers it

_HINT_PX = (150, 60)
"""Width and height below which a window is a tooltip, not one that a click has opened."""

_SOUGHT = "while its board was searched for"


class Obstruction(Enum):
    """Why the pixels in the board's place may not be the board."""

    MINIMISED = "its window is minimised, or on another workspace"
    ROLLED_UP = "its window is rolled up"
    COVERED = "another program's window is in front of the board"
    MENU = "a menu is open"
    ASKING = "another window of the client's own is in front of the board"
    MOVED = "its window was moved or resized"
    OFF_SCREEN = "part of its board is off the screen"


class ClientWindow:
    """The window that contains the board.

    If the system gives no information on windows, it is unknown, and no obstruction is ever reported.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._windows = desk.windows
        self._screen = desk.screen.region
        self._clock = desk.clock
        self._window: Window | None = None
        self._titled: Sequence[WindowId] = ()
        self._original: Region | None = None  # before it was made larger
        self._open_before: frozenset[WindowId] = frozenset()
        self.was_replaced = False
        """Whether the client has replaced its window with another since `remember`."""
        self.around: tuple[Region, ...] = ()
        """The parts of the board that are covered and played around, see `play_around`."""

    @property
    def region(self) -> Region | None:
        """Its client area when last checked; None if it is unknown."""
        return None if self._window is None else self._window.region

    @property
    def visible(self) -> Region | None:
        """The part of `region` that is on the screen; None if it is off the screen or unknown."""
        return None if self._window is None else self._window.region.intersection(self._screen)

    @property
    def is_known(self) -> bool:
        """Whether there is information on it."""
        return self._window is not None

    @property
    def is_browser(self) -> bool:
        """Whether it is a web browser's, which takes some keys for itself; False if it is unknown."""
        return self._windows is not None and self.id in self._windows.of_programs(BROWSERS)

    @property
    def takes_text(self) -> bool:
        """Whether its program is a terminal or an editor, where any key may do harm; False if it is unknown."""
        return self._windows is not None and is_of(self.id, (*TERMINALS, *EDITORS), self._windows)

    @property
    def id(self) -> WindowId | None:
        """Its number; None if it is unknown."""
        return None if self._window is None else self._window.id

    @property
    def title(self) -> str:
        """Its title; empty if it is unknown."""
        return "" if self._windows is None or self._window is None else self._windows.title(self._window.id)

    def _shown(self) -> Sequence[Window]:
        """All windows, frontmost first; none if this one is unknown."""
        return [] if self._windows is None or self._window is None else self._windows.shown()

    def adopt(self, board: Region) -> None:
        """Take the window that contains a board as the client's."""
        self._window = under = None if self._windows is None else self._windows.under(board.centre)
        if under is not None:  # a dialog in front of the board's centre is not its window
            self._window = next((window for window in self._shown() if window.id == under.owner), under)
        self._open_before = frozenset()

    def adopt_titled(self, words: Sequence[str]) -> Iterator[Region]:
        """Take each window whose title contains one of `words` as the client's in turn, and yield its region."""
        if self._windows is None:
            return
        self._titled = self._windows.titled(words)
        for number in self._titled:
            self._window = next((window for window in self._windows.shown() if window.id == number), None)
            if self._window is not None:
                yield self._window.region
        self._window = None

    def check_titled(self) -> None:
        """Raise `ClientGoneError` if a window that `adopt_titled` has found was closed."""
        if self._windows is not None and not all(map(self._windows.exists, self._titled)):
            raise ClientGoneError(f"the client's window was closed {_SOUGHT}", hint="start it again")

    def count_others(self, words: Sequence[str]) -> int:
        """Count the other windows whose titles contain one of `words`; raises what `check_titled` raises."""
        titled = () if self._windows is None else self._windows.titled(words)
        if not titled:
            self.check_titled()
        return max(0, len(titled) - 1)

    def minimised(self, words: Sequence[str]) -> list[str]:
        """Return the titles of minimised windows that contain one of `words`."""
        return [] if self._windows is None else [self._windows.title(it) for it in self._windows.minimised(words)]

    def is_titled(self, words: Sequence[str]) -> bool:
        """Whether its title contains one of `words`."""
        return self._windows is not None and self.id in self._windows.titled(words)

    def remember(self) -> None:
        """Remember which windows are open now, so that those that the end of a game opens can be told apart."""
        self._open_before = frozenset(window.id for window in self._shown())
        self.was_replaced = False

    def obstruction(self, board: Region) -> Obstruction | None:
        """Return what keeps the screen from showing the board, given where it was last; None if nothing does.

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
        inside = board.intersection(mine.region)  # its lines may be found a few pixels beside it
        if inside is not None and inside.intersection(mine.outside) != inside:
            return Obstruction.ROLLED_UP
        if (inside or board).intersection(self._screen) != (inside or board):
            return Obstruction.OFF_SCREEN
        return self._cover(mine, shown, board)

    def _cover(self, mine: Window, shown: Sequence[Window], board: Region) -> Obstruction | None:
        in_front = self._in_front(shown, board)
        menus = [window for window in in_front if window.is_menu]
        if any(belongs(menu, mine.id, shown) or 0 != menu.program == mine.program for menu in menus):
            return Obstruction.MENU
        if self._hidden_by_others(in_front, shown, board) != self.around:
            self.around = ()
            return Obstruction.COVERED
        return Obstruction.ASKING if any(belongs(window, mine.id, shown) for window in in_front) else None

    def play_around(self, board: Region, max_share: float = _MAX_COVERED_SHARE) -> bool:
        """Take what now covers the board for a part of it that cannot be seen, and no longer for an obstruction.

        Once it is elsewhere, or gone, it is an obstruction again.

        Returns:
            Whether anything covers it, and no more than `max_share` of it.
        """
        shown = self._shown()
        hidden = self._hidden_by_others(self._in_front(shown, board), shown, board)
        area = sum(part.width * part.height for part in hidden)
        if area <= max_share * board.width * board.height:
            self.around = hidden
        return bool(self.around)

    def hidden_cells(self, grid: Grid) -> NDArray[np.bool_]:
        """Return which cells of a board are behind what is played around: an array of shape (rows, columns)."""
        hidden = np.zeros((grid.rows, grid.columns), dtype=np.bool_)
        (left, right), (top, bottom) = ((np.array(lines[:-1]), np.array(lines[1:])) for lines in (grid.xs, grid.ys))
        for cover in self.around:
            hidden |= np.outer((top < cover.bottom) & (bottom > cover.y), (left < cover.right) & (right > cover.x))
        return hidden

    def _in_front(self, shown: Sequence[Window], board: Region) -> list[Window]:
        return [window for window in in_front_of(self.id, shown) if self._covers(window, board)]

    def _hidden_by_others(
        self, in_front: Sequence[Window], shown: Sequence[Window], board: Region
    ) -> tuple[Region, ...]:
        """Return the parts of a board that windows in front of it hide, without those of the client's own."""
        others = (window for window in in_front if not belongs(window, self.id, shown))
        return tuple(part for it in others if (part := it.outside.intersection(board)) is not None)

    def follow(self) -> Point | None:
        """Update the window's place and return its displacement in pixels; None if its size has changed too.

        Raises:
            ClientGoneError: It was closed.
        """
        before, now = self._window, self._current()
        if before is None or now is None:  # minimised: its place is unchanged
            return Point(0, 0)
        self._window = now
        same_size = (now.region.width, now.region.height) == (before.region.width, before.region.height)
        return now.region.origin - before.region.origin if same_size else None

    def owns(self, at: Point) -> bool:
        """Whether a click on a pixel goes to the client or to one of its dialogs; True if the window is unknown."""
        if self._windows is None or self._window is None:
            return True
        under, mine = self._windows.under(at), self._window.id
        return under is not None and (under.id == mine or belongs(under, mine, self._windows.shown()))

    def check_spot(self, at: Point, *, is_button: bool = False) -> None:
        """Check that a click on a pixel goes to the client's window, and that this is where it was.

        Args:
            at: The pixel.
            is_button: Whether a button is clicked, which may be in one of the client's dialogs.

        Raises:
            ClientGoneError: The window was closed.
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
                hint="close it, or move it away from the board",
            )
        if under.region != self._window.region:
            raise ClientMovedError(
                f"the client's window was moved or resized, from {self._window.region} to {under.region}"
            )

    def take_keyboard(self) -> None:
        """Give the keyboard focus to the client's window, or to one of its dialogs if it has any open.

        Raises:
            ClientGoneError: The window was closed.
            ClientCoveredError: It does not get the focus.
        """
        if self._windows is None or self._window is None:
            return
        if self._has_keyboard():
            asking = self.dialogs()
            if asking and self._keyboard_holder() == self.id:  # keys are for the dialog, if it takes the focus
                self._windows.focus(asking[0])
                self._wait_until(lambda: self._keyboard_holder() != self.id)
            return
        self._replaced()
        asking = self.dialogs()
        self._windows.focus(asking[0] if asking else self._window.id)
        if not self._wait_until(self._has_keyboard):
            raise ClientCoveredError(
                "the keyboard belongs to another window than the client's: no key was pressed",
                hint="click into the client's window, so that it gets the keyboard",
            )

    def dialogs(self) -> list[WindowId]:
        """Return the client's windows that have opened since `remember`, frontmost first."""
        shown = self._shown()
        new = (window for window in shown if window.id not in self._open_before and not window.is_menu)
        return [window.id for window in new if belongs(window, self.id, shown)]

    def others(self) -> frozenset[WindowId]:
        """Return the windows that are not the client's, without tooltips."""
        shown = self._shown()
        large = [it for it in shown if it.region.width >= _HINT_PX[0] and it.region.height >= _HINT_PX[1]]
        return frozenset(it.id for it in large if it.id != self.id and not belongs(it, self.id, shown))

    def dismiss(self, dialog: WindowId) -> bool:
        """Ask one of the client's windows to close; return whether it did."""
        if self._windows is None:
            return False
        self._windows.dismiss(dialog)
        return self.wait_until_closed(dialog)

    def wait_until_closed(self, dialog: WindowId) -> bool:
        """Wait for one of the client's dialogs to close; return whether it did."""
        return self._wait_until(lambda: dialog not in self.dialogs())

    def room(self) -> Region:
        """Return the part of the desktop that its client area may fill."""
        if self._windows is None or self._window is None:
            return self._screen
        return self._windows.room(self._window.id)

    def enlarge(self) -> Iterator[Region]:
        """Move it on to the screen, then enlarge it step by step until it cannot grow; yield its region each time."""
        while (before := self.region) is not None:
            room = self.room()
            larger = _within(before, room)
            if larger == before:
                grown = (round(_GROWTH_FACTOR * side) for side in (before.width, before.height))
                larger = _within(Region(before.x, before.y, *grown), room)
            if larger == before:
                return
            self._original = self._original or before
            self.place(larger)
            if self.region in (None, before):
                return
            self.wait_until_redrawn()
            yield self.region

    def wait_until_redrawn(self) -> None:
        """Wait until the client has redrawn its window after a change of its size."""
        if self.visible is not None:
            looks = watch(self._desk, self.visible, lambda: None, _REDRAWN_POLL_S)
            next(look for look in looks if look.rests_s >= _RESTS_S or look.since_s >= _MAX_REDRAWING_S)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Put it back when the block is left; an error that ends the block counts more than what fails then."""
        try:
            yield
        except BaseException:
            with suppress(DesktopError):
                self.put_back()
            raise
        self.put_back()

    def put_back(self, to: Region | None = None) -> None:
        """Restore its place and size from before `enlarge`, or those of `to` from between, if it still exists."""
        region = to or self._original
        self._original = None if region == self._original else self._original
        if region not in (None, self.region):
            with suppress(ClientGoneError):
                self.place(region)

    def place(self, region: Region) -> None:
        """Request a region for the window's client area, and note which one it gets."""
        if self._windows is None or self._window is None:
            return
        before = self._window
        self._windows.place(before.id, region)
        self._wait_until(lambda: self._current() != before)
        self._window = self._current() or before

    def _current(self) -> Window | None:
        """Return the window as it is now; None if it is minimised.

        Raises:
            ClientGoneError: It was closed.
        """
        now = next((window for window in self._shown() if window.id == self.id), None)
        return self._current() if now is None and self._replaced() else now

    def _replaced(self) -> bool:
        """If the client has replaced the window, take the new one, as one that has moved; return whether it has.

        Raises:
            ClientGoneError: It was closed.
        """
        if self._windows is None or self._window is None or self._windows.exists(self._window.id):
            return False
        if not self._wait_until(lambda: self._replacement() is not None):
            raise ClientGoneError("the client's window was closed", hint="start it again")
        self._window, self.was_replaced = replace(self._replacement() or self._window, region=self._window.region), True
        return True

    def _replacement(self) -> Window | None:
        """Return the window that the same program has opened in this one's place since `remember`."""
        if self._window is None or not self._window.program:
            return None
        middle, program = self._window.region.centre, self._window.program
        new = (window for window in self._shown() if window.id not in self._open_before and middle in window.region)
        return next((window for window in new if window.program == program), None)

    def _covers(self, other: Window, board: Region) -> bool:
        """Whether a window in front hides part of the board; one that lets clicks through hides nothing."""
        common = other.outside.intersection(board)
        if common is None or self._windows is None:
            return False
        corners = (common.origin, Point(common.right - 1, common.bottom - 1))
        under = (self._windows.under(pixel) for pixel in (common.centre, *corners))
        return any(window is None or window.id == other.id for window in under)

    def _keyboard_holder(self) -> WindowId | None:
        return None if self._windows is None else self._windows.with_keyboard()

    def _has_keyboard(self) -> bool:
        holder = self._keyboard_holder()
        if holder is not None and holder == self.id:
            return True
        shown = self._shown()
        return any(window.id == holder and belongs(window, self.id, shown) for window in shown)

    def _wait_until(self, condition: Callable[[], bool]) -> bool:
        until = self._clock.now() + _GRANTED_S
        while not condition():
            if self._clock.now() >= until:
                return False
            self._clock.sleep(_POLL_S)
        return True


def check_still_shown(windows: Windows, before: Sequence[Window], at: Point) -> None:
    """Check that a pixel shows the same window as `before`, or one that belongs to it.

    Raises:
        ClientGoneError: That window was closed.
        ClientMovedError: It is elsewhere now, minimised, or behind another one.
    """
    shown = windows.shown()
    was, now = (next((window for window in them if at in window.outside), None) for them in (before, shown))
    if was is None or (now is not None and (now.id == was.id or belongs(now, was.id, shown))):
        return
    if not windows.exists(was.id):
        raise ClientGoneError(f"the client's window was closed {_SOUGHT}", hint="start it again")
    raise ClientMovedError(f"the client's window was moved, minimised or covered {_SOUGHT}", hint="leave it in sight")


def _within(window: Region, room: Region) -> Region:
    """Return a window's region moved, and made smaller if needed, to lie within `room`."""
    width, height = min(window.width, room.width), min(window.height, room.height)
    x = min(max(window.x, room.x), room.right - width)
    y = min(max(window.y, room.y), room.bottom - height)
    return Region(x, y, width, height)
