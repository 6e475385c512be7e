"""Finding the client: its window first, where the system knows windows, and a size at which its board can be read."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sweepbot.board import State
from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError, UntrustedReadingError
from sweepbot.geometry import Image, Region
from sweepbot.trace.events import Chosen, Observer, Resized, box
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

_WHOLE = "show the whole board: make its window larger, or end its zoom"


@dataclass(frozen=True, slots=True)
class FoundClient:
    """A client whose board can be read, in pixels of the virtual desktop, and its window, as far as one is known.

    `in_larger_window` finds the same board, every cell of it readable, in a window that it makes larger for that; None
    where no size of the window will do.
    """

    reading: Reading
    window: ClientWindow
    in_larger_window: Callable[[], Reading | None] = lambda: None


def on_desktop(read: Callable[[Image], Reading]) -> Callable[[Frame], Reading]:
    """Make a reader of pictures one of frames, whose readings are in pixels of the virtual desktop."""
    return lambda frame: read(frame.image).moved(frame.region.origin)


class Finder:
    """Looks for a board.

    Args:
        desk: Where.
        read: Reads the board in a frame, in pixels of the desktop; raises NoBoardFoundError where there is none.
        titles: What the titles of the clients' windows contain.
        region: The only part of the screen to look at; None for all of it.
        may_resize: Whether a window may be made larger whose board is too small or cut off.
        observer: Told of what is found and changed.
        explained: Given the error that no board was found and the picture searched, the error that is raised for it.
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
        explained: Callable[[NoBoardFoundError, Image], NoBoardFoundError] = lambda error, _: error,
    ) -> None:
        self._desk = desk
        self._explained = explained
        self._read = read
        self._titles = titles
        self._region = region
        self._observer = observer
        self._window = ClientWindow(desk)
        self._may_resize = may_resize

    @contextmanager
    def found(self) -> Iterator[FoundClient]:
        """Find the client; its window is put back, if its size was changed, when the block is left.

        Raises:
            NoBoardFoundError: No board is in sight.
            UntrustedReadingError: Something speaks against the size of the one that is.
        """
        try:
            reading = self._trusted(self._find())
            size = f"{reading.board.columns}x{reading.board.rows} cells"
            _log.info("found %s, %s, at %s", reading.client, size, reading.grid.region)
            shape = reading.board.cells.shape

            def is_legible(found: Reading) -> bool:
                return found.board.cells.shape == shape and not found.doubts and not found.board.count(State.UNKNOWN)

            yield FoundClient(reading, self._window, lambda: self._enlarged(is_legible))
        finally:
            self._window.put_back()

    def _find(self) -> Reading:
        """The board, wherever it is; its size may still be doubtful.

        Raises:
            NoBoardFoundError: There is none at any size of the windows that look like a client's by their titles.
        """
        if self._region is None:
            for _ in self._window.titled(self._titles):
                reading = self._in_window() or self._behind_dialogs()
                if reading is not None:
                    adopted = self._adopted(reading)
                    if others := self._window.count_titled(self._titles) - 1:
                        self._observer(Chosen(others=others))
                    return adopted
        frame = self._desk.screen.grab(self._region)
        try:
            return self._adopted(self._read(frame))
        except NoBoardFoundError as error:
            if self._region is None:
                for _ in self._window.titled(self._titles):
                    reading = self._enlarged(lambda _: True)
                    if reading is not None:
                        return self._adopted(reading)
            error = self._explained(error, frame.image)
            if self._desk.windows is not None:
                error.hint = "; ".join(filter(None, (error.hint, self._unseen())))
            raise error from None

    def _unseen(self) -> str:
        """Where a client may be that is not seen."""
        minimised = [] if self._region is not None else self._window.minimised(self._titles)
        if minimised:
            return f"minimised: {', '.join(repr(title) for title in minimised)}; show its window, and start again"
        return "a window that is behind others is not seen"

    def _trusted(self, reading: Reading) -> Reading:
        """The board, in a window large enough that nothing speaks against the board's size.

        Raises:
            UntrustedReadingError: There is none.
        """
        doubts = (*reading.doubts, *self._beyond_the_screen(reading))
        if not doubts:
            return self._whole(reading)
        better = self._enlarged(lambda found: not found.doubts)
        if better is not None:
            return better
        raise UntrustedReadingError(
            f"a board of {reading.grid.columns}x{reading.grid.rows} cells at {reading.grid.region} is not to be"
            f" trusted: {'; '.join(doubts)}",
            hint=reading.hint or _WHOLE,
        )

    def _whole(self, reading: Reading) -> Reading:
        """A board, or the larger one that it is a part of: what scrolls may be cut off just where a cell ends.

        Where it has as many mines as a level of its size, or its counter was read, that speaks for its size already.
        """
        if reading.board.mines is not None or not self._window.is_titled(self._titles):
            return reading
        larger = self._enlarged(lambda found: not found.doubts and found.board.cells.size > reading.board.cells.size)
        return larger or self._in_window() or reading

    def _behind_dialogs(self) -> Reading | None:
        """The board in the window, once the dialogs in front of it are closed, as the box of an earlier game's end."""
        gone = [self._window.dismiss(dialog) for dialog in self._window.dialogs()]
        return self._in_window() if any(gone) else None

    def _beyond_the_screen(self, reading: Reading) -> Iterator[str]:
        """What speaks against a board's size if it ends where its window leaves the screen."""
        window, seen, board = self._window.region, self._window.seen, reading.grid.region
        if window is None or seen is None or seen == window:
            return
        reach = max(reading.grid.pitch)
        ends = (
            ("left", board.x - seen.x < reach and seen.x > window.x),
            ("right", seen.right - board.right < reach and seen.right < window.right),
            ("top", board.y - seen.y < reach and seen.y > window.y),
            ("bottom", seen.bottom - board.bottom < reach and seen.bottom < window.bottom),
        )
        yield from (f"its window leaves the screen at the {side}" for side, is_so in ends if is_so)

    def _enlarged(self, is_enough: Callable[[Reading], bool]) -> Reading | None:
        """The board at the first larger size of the window at which it can be read; None where there is none."""
        before = self._window.region
        if not self._may_resize or before is None:
            return None
        for window in self._window.enlarged():
            reading = self._in_window()
            if reading is not None and is_enough(reading):
                self._observer(Resized(before=box(before), now=box(window)))
                return reading
        self._window.put_back()
        return None

    def _in_window(self) -> Reading | None:
        """The board in that part of the window which is on the screen."""
        if self._window.seen is None:
            return None
        try:
            return self._read(self._desk.screen.grab(self._window.seen))
        except NoBoardFoundError:
            return None

    def _adopted(self, reading: Reading) -> Reading:
        self._window.adopt(reading.grid.region)
        return reading
