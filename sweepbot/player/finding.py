"""Finding the client: its window, if the system gives information on windows, and a size that shows its whole board."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sweepbot.board import State
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.page_zoom import PageZoom
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError, UntrustedReadingError
from sweepbot.geometry import Image, Region
from sweepbot.trace.events import Chosen, Observer, Resized, box
from sweepbot.vision.grid import MIN_UNKNOWN_CELLS
from sweepbot.vision.reading import Reading

_NAMED = 3  # problems of a reading that an error message names

_log = logging.getLogger("sweepbot.player")

_OPEN_A_CELL = "if it is a Minesweeper, give it a name, --client NAME; or open a cell of it, and start again"
_SMALLER = "show it smaller, if it has so few cells"
_MAX_FEW_PX = 100  # of a cell, where there are few: hardly any client draws them larger
_SHOW_ALL = "show the whole board: enlarge its window, or zoom out"


def first_of(problems: Sequence[str]) -> str:
    """Return the first problems of a reading, and how many more there are."""
    more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
    return "; ".join(problems[:_NAMED]) + more


@dataclass(frozen=True, slots=True)
class FoundClient:
    """A client, the reading of its board in pixels of the virtual desktop, and its window.

    `in_larger_window` enlarges the window until every cell of the board can be read, and returns that reading; None if
    no size of the window will do.
    """

    reading: Reading
    window: ClientWindow
    in_larger_window: Callable[[], Reading | None]


def read_frame(read: Callable[[Image], Reading], frame: Frame) -> Reading:
    """Read a frame as a reader of pictures does; the reading is in pixels of the virtual desktop."""
    return read(frame.image).moved(frame.region.origin)


class Finder:
    """Searches for a board.

    Args:
        desk: The desk.
        read: Reads the board in a frame, in pixels of the desktop; raises NoBoardFoundError if there is none.
        titles: Words in the titles of the clients' windows.
        region: The part of the screen to search; None for all of it.
        may_resize: Whether a window may be enlarged if its board is too small or cut off.
        observer: Called with the events.
        explain: Makes the error to raise from the NoBoardFoundError and the picture that was searched.
    """

    def __init__(
        self,
        desk: Desk,
        read: Callable[[Frame], Reading],
        *,
        titles: Sequence[str],
        region: Region | None,
        may_resize: bool,
        observer: Observer,
        explain: Callable[[NoBoardFoundError, Image], NoBoardFoundError],
    ) -> None:
        self._desk = desk
        self._explain = explain
        self._read = read
        self._titles = titles
        self._region = region
        self._observer = observer
        self._window = ClientWindow(desk)
        self._zoom = PageZoom(desk, self._window)
        self._may_resize = may_resize

    @contextmanager
    def find(self) -> Iterator[FoundClient]:
        """Find the client; a window that was resized, or zoomed out, is put back when the block is left.

        Raises:
            NoBoardFoundError: No board is in sight.
            UntrustedReadingError: The size of the board is doubtful.
        """
        with self._window.restored(), self._zoom:
            found = self._find()
            self._window.adopt(found.grid.region)
            reading = self._without_doubts(found)
            size = f"{reading.board.columns}x{reading.board.rows} cells"
            _log.info("found %s, %s, at %s", reading.client, size, reading.grid.region)
            shape = reading.board.cells.shape

            def is_legible(found: Reading) -> bool:
                return found.board.cells.shape == shape and not found.doubts and not found.board.count(State.UNKNOWN)

            yield FoundClient(reading, self._window, lambda: self._enlarge_until(is_legible))

    def _find(self) -> Reading:
        """Find the board, whose size may still be doubtful.

        Raises:
            ClientGoneError: A window that is titled like a client was closed meanwhile.
            NoBoardFoundError: There is none at any size of the windows that are titled like a client.
        """
        if self._region is None:
            for _ in self._window.adopt_titled(self._titles):
                reading = self._in_window() or self._behind_dialogs()
                if reading is not None:
                    if others := self._window.count_others(self._titles):
                        self._observer(Chosen(others=others))
                    return reading
        frame = self._desk.screen.grab(self._region)
        try:
            return self._read(frame)
        except NoBoardFoundError as error:
            self._window.check_titled()
            if self._region is None:
                for _ in self._window.adopt_titled(self._titles):
                    reading = self._enlarge_until(lambda _: True)
                    if reading is not None:
                        return reading
            error = self._explain(error, frame.image)
            if self._desk.windows is not None:
                error.hint = "; ".join(filter(None, (error.hint, self._unseen_hint())))
            raise error from None

    def _unseen_hint(self) -> str:
        """Say where a client may be that is not seen."""
        minimised = [] if self._region is not None else self._window.minimised(self._titles)
        if minimised:
            return f"minimised: {', '.join(repr(title) for title in minimised)}; show its window, and start again"
        return "a window that is behind others is not seen"

    def _without_doubts(self, reading: Reading) -> Reading:
        """Return the board's reading, in a larger window if its size is doubtful.

        Raises:
            UntrustedReadingError: It is doubtful at any size of the window.
        """
        size, side = f"{reading.grid.columns}x{reading.grid.rows} cells", max(reading.grid.pitch)
        if min(reading.grid.columns, reading.grid.rows) < MIN_UNKNOWN_CELLS and side > _MAX_FEW_PX:
            why = f"a board of {size} of {side:.0f} px may have more cells, each a part of these"
            raise UntrustedReadingError(why, hint=_SMALLER)
        doubts = (*reading.doubts, *self._beyond_the_screen(reading))
        if not doubts:
            return self._whole(reading)

        def is_whole(found: Reading) -> bool:
            return not found.doubts or self._has_not_grown(reading, found)

        better = self._enlarge_until(is_whole) or self._zoomed_out(is_whole)
        if better is not None:
            return better
        raise UntrustedReadingError(
            f"a board of {size} at {reading.grid.region} is doubtful: {first_of(doubts)}",
            hint=reading.hint or (_SHOW_ALL if reading.board.count(*range(State.HIDDEN)) else _OPEN_A_CELL),
        )

    def _has_not_grown(self, before: Reading, now: Reading) -> bool:
        """Whether a board that was not seen to end has as many cells in a larger view, with room around it."""
        seen, board, room = self._window.visible, now.grid.region, round(max(now.grid.pitch))
        has_room = seen is not None and seen.intersection(board.grown(room)) == board.grown(room)
        is_about_ends = before.may_end_unseen and now.may_end_unseen
        return is_about_ends and has_room and now.board.cells.shape == before.board.cells.shape

    def _whole(self, reading: Reading) -> Reading:
        """Return a board's reading, or that of the larger board of which it is a part, cut off at a cell's edge.

        A board whose number of mines is known, by its level or its counter, is a whole one.
        """
        if reading.board.mines is not None or not self._window.is_titled(self._titles):
            return reading
        before, cells = self._window.region, reading.board.cells.size
        larger = self._enlarge_until(lambda found: not found.doubts and found.board.cells.size > cells)
        if larger is not None or self._window.region == before:
            return larger or reading
        again = self._in_window()  # the window manager may have put it elsewhere
        is_as_good = again is not None and again.board.cells.size >= cells and not again.unread
        return again if again is not None and is_as_good else reading

    def _behind_dialogs(self) -> Reading | None:
        """Read the board in the window after closing the dialogs in front of it, such as that of an earlier game."""
        gone = [self._window.dismiss(dialog) for dialog in self._window.dialogs()]
        return self._in_window() if any(gone) else None

    def _beyond_the_screen(self, reading: Reading) -> Iterator[str]:
        """Yield the doubts about the size of a board that ends where its window leaves the screen."""
        window, seen, board = self._window.region, self._window.visible, reading.grid.region
        if window is None or seen is None or seen == window:
            return
        reach = max(reading.grid.pitch)
        ends = (
            ("left", board.x - seen.x < reach and seen.x > window.x),
            ("right", seen.right - board.right < reach and seen.right < window.right),
            ("top", board.y - seen.y < reach and seen.y > window.y),
            ("bottom", seen.bottom - board.bottom < reach and seen.bottom < window.bottom),
        )
        yield from (f"its window leaves the screen at the {side}" for side, is_cut in ends if is_cut)

    def _enlarge_until(self, is_enough: Callable[[Reading], bool]) -> Reading | None:
        """Enlarge the window until the board's reading is good enough; None, and put it back, if it never is."""
        before = self._window.region
        if not self._may_resize or before is None:
            return None
        for window in self._window.enlarge():
            reading = self._in_window()
            if reading is not None and is_enough(reading):
                self._observer(Resized(before=box(before), now=box(window)))
                return reading
        self._window.put_back(before)
        self._window.wait_until_redrawn()
        return None

    def _zoomed_out(self, is_enough: Callable[[Reading], bool]) -> Reading | None:
        """Zoom a browser's page out until its board's reading is good enough; None, and put it back, if it never is."""
        region = self._window.region
        if not self._may_resize or region is None:
            return None
        for _ in self._zoom.out():
            reading = self._in_window()
            if reading is not None and is_enough(reading):
                self._observer(Resized(before=box(region), now=box(region), is_zoomed=True))
                return reading
        self._zoom.put_back()
        self._window.wait_until_redrawn()
        return None

    def _in_window(self) -> Reading | None:
        """Read the board in the visible part of the window; None if there is none."""
        if self._window.visible is None:
            return None
        try:
            return self._read(self._desk.screen.grab(self._window.visible))
        except NoBoardFoundError:
            return None
