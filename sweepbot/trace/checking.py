"""Whether a line of a trace could have been written by a run: a trace may come from a stranger, or be damaged.

The decoder has checked the types, which say what each number may be. Here is what must fit together.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from sweepbot.board import Board, Phase
from sweepbot.geometry import Region
from sweepbot.trace import events
from sweepbot.trace.entries import Again, Click, Entry, Grab, Pointer, Scene, Start, WindowsCall

_MAX_RUN_US = 4 * 10**12  # of a run: 46 days, the most that replays of other programs can tell
_MAX_BACK_US = 60_000_000  # by which a line may be older than the one before: repeated calls are written later
_MIN_CELL_PX = 2  # no lines are closer together in any trace


class LineChecker:
    """Checks one line after another; the size of the board is known from those before it.

    Args:
        screen: The whole screen.
    """

    def __init__(self, screen: Region) -> None:
        self._screen = screen
        self._last_us = self._last_click_us = 0
        self._size: tuple[int, ...] | None = None
        """Rows and columns of the last board; None before the first, as in a trace of the end of a run."""
        boards = dict.fromkeys((events.Found, events.Read, events.FollowUp), self._check_board)
        scenes = dict.fromkeys((Scene, Start), lambda entry: self._check_seen(*(patch[:4] for patch in entry.patches)))
        self._checks: dict[type, Callable[[Any], None]] = (
            _CHECKS
            | boards
            | scenes
            | {
                Grab: lambda entry: self._check_seen(entry.region, *(patch[:4] for patch in entry.patches)),
                events.Shows: lambda entry: self._check_seen(entry.region),
                events.Moved: self._check_lines,
                Click: self._check_click,
                events.Decided: self._check_decision,
                events.HandedOver: lambda entry: self._check_cells([entry.cell]),
                events.Unnoticed: lambda entry: self._check_cells(entry.cells),
            }
        )

    def check(self, entry: Entry) -> None:
        """Check the next line.

        Raises:
            ValueError: No run could have written it here.
            UsageError: The same, in words of a board.
        """
        if not max(0, self._last_us - _MAX_BACK_US) <= entry.t <= _MAX_RUN_US:
            raise ValueError(f"t: {entry.t} cannot follow {self._last_us}")
        self._last_us = entry.t
        if check := self._checks.get(type(entry)):
            check(entry)

    def _check_board(self, entry: events.Found | events.Read | events.FollowUp) -> None:
        self._size = Board.parse(entry.rows, getattr(entry, "mines", None)).cells.shape
        match entry:
            case events.Read():
                Phase(entry.phase)
                self._check_lines(entry)
            case events.Found():
                self._check_lines(entry)
            case events.FollowUp(safe=safe):
                self._check_cells(safe)
                if not safe:
                    raise ValueError("safe: no cell is")

    def _check_lines(self, entry: events.Found | events.Read | events.Moved) -> None:
        """Check the lines of a grid; a reading has none if they have not changed."""
        rows, columns = self._size or (len(entry.ys) - 1, len(entry.xs) - 1)
        for name, lines, cells in (("xs", entry.xs, columns), ("ys", entry.ys, rows)):
            if isinstance(entry, events.Read) and not (entry.xs or entry.ys):
                return
            if not lines or len(lines) != cells + 1:
                raise ValueError(f"{name}: {len(lines)} lines around {cells} cells")
            if any(after - before < _MIN_CELL_PX for before, after in pairwise(lines)):
                raise ValueError(f"{name}: cells of less than {_MIN_CELL_PX} pixels")

    def _check_seen(self, *boxes: Sequence[int] | None) -> None:
        for box in filter(None, boxes):
            if Region(*box).intersection(self._screen) != Region(*box):
                raise ValueError(f"{list(box)} is not on the screen, which is {self._screen}")

    def _check_click(self, entry: Click) -> None:
        if entry.t < self._last_click_us:
            raise ValueError(f"t: {entry.t} is before the last click")
        self._last_click_us = entry.t

    def _check_decision(self, entry: events.Decided) -> None:
        self._check_cells([*entry.safe, *entry.mines, *([] if entry.best is None else [entry.best])])
        if self._size is not None and [self._size[1]] * self._size[0] != [len(row) for row in entry.chances]:
            raise ValueError("chances: not of the size of the board")

    def _check_cells(self, cells: Iterable[Sequence[int]]) -> None:
        for cell in cells:
            if self._size is not None and not all(0 <= at < most for at, most in zip(cell, self._size, strict=True)):
                raise ValueError(f"{list(cell)} is no cell of a board of {self._size[1]}x{self._size[0]} cells")


def _check_pointer(entry: Pointer) -> None:
    if entry.at is None and entry.failed is None:
        raise ValueError("at: is missing")


def _check_windows(entry: WindowsCall) -> None:
    for name, described in (("programs", entry.programs), ("frames", entry.frames)):
        if described and len(described) != len(entry.windows):
            raise ValueError(f"{name}: {len(described)} for {len(entry.windows)} windows")


def _check_repeated(entry: Again) -> None:
    if len(entry.after) != len(entry.calls) - 1:
        raise ValueError(f"{len(entry.calls)} calls, but {len(entry.after)} times after the first")


def _check_end(entry: events.Ended) -> None:
    if entry.clicks < (entry.three_bv is not None):
        raise ValueError(f"clicks: {entry.clicks} cannot win")
    if entry.board:
        Board.parse(entry.board, entry.total)


_CHECKS: dict[type, Callable[[Any], None]] = {
    Pointer: _check_pointer,
    WindowsCall: _check_windows,
    Again: _check_repeated,
    events.Ended: _check_end,
}
"""The checks of lines that need no other line."""
