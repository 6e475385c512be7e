"""Every picture that a run has read, read again by today's reader and decided by today's solver."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sweepbot.board import Board, Phase, State
from sweepbot.calibrate.memory import Memory
from sweepbot.clock import VirtualClock
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import NoMouse
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Region
from sweepbot.plan import as_promised
from sweepbot.player.as_events import decided_event, read_event
from sweepbot.player.examining import Examiner, keeping_total
from sweepbot.player.states import Examined, Position
from sweepbot.replay.calibration import calibration_of
from sweepbot.replay.differences import Replayed, differing
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.trace.entries import Entry, Grab
from sweepbot.trace.events import STEPS, Decided, FollowUp, Moved, Read, Rested
from sweepbot.trace.trace import SeenScreen, Trace
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader

if TYPE_CHECKING:
    from sweepbot.vision.reading import Reading

_UNREAD = "."
_INSIDE_PX = 2  # from the lines between cells, so that a cover of one cell covers no other


def replay_by_step(trace: Trace) -> Replayed:
    """Read and decide each step again, whatever was clicked then.

    A difference that persists from step to step is reported once.

    Raises:
        TraceError: The trace is broken.
        CalibrationError: Its calibration is broken.
    """
    with calibration_of(trace) as calibration:
        again = _Comparison(trace, calibration)
        for entry in trace.entries():
            again.compare(entry)
        return again.found


class _Comparison:
    """Compares today's readings and decisions with those in a trace."""

    def __init__(self, trace: Trace, calibration: Calibration) -> None:
        settings = PlaySettings.of(trace.run.settings)
        self.region = trace.screen
        self._wanted = settings.place
        self._screen = SeenScreen(trace)
        self._reader = Reader(calibration, settings.mines)
        learner = Memory(calibration, lambda _: None) if settings.learns else None
        desk = Desk(self, NoMouse(self._screen), clock=VirtualClock())
        self._window = ClientWindow(desk)
        controls = Controls(desk, self._window, calibration.behaviour.settle)
        self._examiner = Examiner(controls, self._reader, Solver(), learner, settings.style)
        self._behaviour = calibration.behaviour
        self.found = Replayed()
        self._place: Reading | None = None
        self._at_rest: Frame | None = None
        self._searched: Region | None = None  # where the run has searched for a board since then
        self._seen: Examined | None = None
        self._grid: Grid | None = None
        self._known_differences: set[tuple[int, int, str]] = set()

    def compare(self, entry: Entry) -> None:
        """Compare the next line of the trace with what is seen and decided now."""
        self._screen.show(entry)
        self.found.steps += isinstance(entry, STEPS)
        if isinstance(entry, Rested):
            self._at_rest, self._searched = self._look(), None
        elif isinstance(entry, Grab):
            self._searched = self.region if entry.region is None else Region(*entry.region)
        elif isinstance(entry, Moved):
            self._follow(Grid(entry.xs, entry.ys))
        elif isinstance(entry, Read):
            self._read_again(entry)
        elif isinstance(entry, Decided):
            self._decided_again(entry)
        elif isinstance(entry, FollowUp):
            self._follow_up_again(entry)

    def grab(self, region: Region | None = None) -> Frame:
        """Return what the trace shows, by default of what the run has searched. See `Screen.grab`."""
        return self._screen.grab(region or self._searched)

    def _follow(self, grid: Grid) -> None:
        """Follow a board whose window was moved or resized, as the run did."""
        place, self._grid = self._place, grid
        if place is not None and grid.pitch == place.grid.pitch:
            self._place = replace(place, grid=grid)
        elif place is not None:
            with suppress(NoBoardFoundError):
                self._place = keeping_total(self._examiner.find(self.grab(), place), place)

    def _look(self) -> Frame | None:
        """Return the picture of the board, in its last place; None if none has been found."""
        try:
            self._place = self._place or self._examiner.find(self._screen.grab(self._wanted))
        except NoBoardFoundError:
            return None
        return self._screen.grab(self._examiner.region_of(self._place))

    def _read_again(self, was: Read) -> None:
        """Compare a reading with today's of the same picture at rest, including any search for a moved board."""
        if was.mines is not None and self._place is not None and self._place.board.mines is None:
            # The number of mines was known from the end of an earlier game.
            self._place = self._place.with_mines(was.mines)
        # A trace's pictures do not tell what was in front of the cells around which the run has played.
        left_out = () if was.doubt or was.phase == Phase.WON.value else Board.parse(was.rows).where(State.UNKNOWN)
        self._window.around = tuple(Grid(was.xs, was.ys).region_of(cell).grown(-_INSIDE_PX) for cell in left_out)
        self._seen = seen = self._examined()
        if isinstance(seen, Position):
            self._place = seen.reading
        last, self._grid = self._grid, Grid(was.xs, was.ys)
        if last not in (None, self._grid) and self._place is not None:
            self._place = replace(self._place, grid=self._grid)  # the run has followed the board there
        now = None if seen is None else read_event(seen)
        differs = _reading_differences(was, now)
        if self._is_new(differs):
            self.found.differ("read", was, now or "no board is found")

    def _is_new(self, differs: set[tuple[int, int, str]]) -> bool:
        """Whether there is a difference that the step before did not have."""
        is_new, self._known_differences = bool(differs - self._known_differences), differs
        return is_new

    def _examined(self) -> Examined | None:
        """Return today's reading of the picture at rest; None if it shows no board."""
        if self._at_rest is None or self._place is None:
            return None
        reading = self._examiner.read(self._at_rest, self._place)
        return self._examiner.examine(self._at_rest, reading, searches=self._searched is not None)

    def _decided_again(self, was: Decided) -> None:
        if self._known_differences or was.cut_short or self._place is None:
            return
        if was.mines_left is not None and self._place.board.mines is None:
            # It was known from the end of an earlier game, though not yet when this board was first read.
            self._place = self._place.with_mines(was.mines_left + self._place.board.count(State.FLAG))
            self._seen = self._examined()
        now, place = None, self._place
        seen = self._seen and self._examiner.in_part(self._seen)
        if isinstance(seen, Position) and seen.decision is not None:
            now = decided_event(as_promised(seen.decision, place.board, place.phase, self._behaviour), None)
        if now is None or differing(was, now):
            self.found.differ("decided", was, now)

    def _follow_up_again(self, was: FollowUp) -> None:
        """Compare the cells at rest, and the safe cells that follow from them, with today's."""
        frame = self._look()
        if frame is None or self._place is None:
            return
        self._place = self._examiner.read(frame, self._place)  # as the run reads the pictures after it along with it
        now = self._place.board
        differs = _cell_differences(was.rows, now.lines(), _UNREAD)
        if self._is_new(differs):
            self.found.differ("read", "/".join(was.rows), "/".join(now.lines()))
        elif not differs:
            safe = self._examiner.plainly_safe(Board.parse(was.rows))
            if not set(was.safe) <= set(safe):
                self.found.differ("decided", was, FollowUp(rows=was.rows, safe=safe))


def _reading_differences(was: Read, now: Read | None) -> set[tuple[int, int, str]]:
    """Return in what a reading differs: (row, column, text now) of each cell, or (-1, -1, what) for anything else.

    Where the run did not trust its reading, what is unread in either is no difference, nor is trust now: it may have
    been misled by pictures on the way to this one, such as the flash of a win, or by the client's dialog.
    """
    if now is None:
        return {(-1, -1, "no board")}
    cells = _cell_differences(was.rows, now.rows, _UNREAD if was.doubt else "")
    if was.doubt:
        return {cell for cell in cells if cell[2] != _UNREAD}
    if cells:
        return cells
    if now.doubt:
        return {(-1, -1, "trust")}
    return {(-1, -1, "phase")} if now.phase != was.phase else set()


def _cell_differences(was: list[str], now: list[str], unread: str) -> set[tuple[int, int, str]]:
    """Return (row, column, text now) of each cell in which two boards differ, without those that were `unread`."""
    if [len(row) for row in was] != [len(row) for row in now]:
        return {(-1, -1, "size")}
    return {
        (row, column, here)
        for row, (before, after) in enumerate(zip(was, now, strict=True))
        for column, (there, here) in enumerate(zip(before, after, strict=True))
        if there not in (here, unread)
    }
