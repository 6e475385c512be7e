"""Every picture that was read in a run, read again with today's eyes and decided by today's solver."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NoReturn

import numpy as np

from sweepbot.board import Board, Phase
from sweepbot.calibrate.in_play import InPlayLearner
from sweepbot.clock import VirtualClock
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError
from sweepbot.plan import with_first_click
from sweepbot.player.as_events import decided, read
from sweepbot.player.looking import Looker
from sweepbot.player.sight import Eyes
from sweepbot.player.states import DoubtError, Position
from sweepbot.replay.recorded import calibration_of, inferred_again
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Decision, Solver
from sweepbot.trace.desk import answered_desk
from sweepbot.trace.differences import Difference, Replayed, differing
from sweepbot.trace.entries import AnyCall, Entry
from sweepbot.trace.events import STEPS, Decided, FollowUp, Learned, Observed, Read, Rested, Scene
from sweepbot.trace.trace import SeenScreen, Trace
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader, Reading

_UNSETTLED = "."


def replay_by_step(trace: Trace) -> Replayed:
    """Read and decide each step again, whatever was clicked then.

    A difference that goes on from step to step is reported where it begins.

    Raises:
        TraceError: The trace is broken.
        CalibrationError: Its calibration is.
    """
    with calibration_of(trace) as calibration:
        steps = 0
        differences: list[Difference] = []
        again = _Again(trace, calibration)
        for entry in trace.entries():
            if isinstance(entry, STEPS):
                steps += 1
            differences += again.differences(entry, max(steps, 1))
        return Replayed(steps, differences)


class _Screen(SeenScreen):
    """A screen that shows what had been seen so far, and of which nothing else is asked."""

    def answer(self, call: AnyCall, ask: Callable[[Desk], object]) -> NoReturn:  # noqa: ARG002  (the protocol's)
        raise AssertionError(f"reading only looks: {call}")


class _Again:
    """Today's eyes and solver on the pictures of a trace."""

    def __init__(self, trace: Trace, calibration: Calibration) -> None:
        play = None if trace.run.command == "calibrate" else PlaySettings.of(trace.run.settings)
        self._region = None if play is None else play.place
        self._screen = _Screen(trace)
        self._reader = Reader(calibration, None if play is None else play.mines)
        learner = InPlayLearner(calibration, lambda _: None) if play is not None and play.learns else None
        desk = answered_desk(self._screen, VirtualClock(), knows_windows=False, latency_s=0.0)
        controls = Controls.of(desk, ClientWindow(desk), calibration.behaviour.settle)
        self._solver = Solver()
        self._eyes = Eyes(controls, self._reader, learner)
        self._looker = Looker(controls, self._eyes, self._solver)
        self._promise = calibration.behaviour.first_click
        self._place: Reading | None = None
        self._at_rest: Frame | None = None
        self._doubted: Frame | None = None
        self._decision: Decision | None = None
        self._grid: Grid | None = None
        self._goes_on: set[tuple[int, int, str]] = set()
        self._observed: list[Observed] = []

    def differences(self, entry: Entry, step: int) -> Iterator[Difference]:
        """The differences from a line of the trace."""
        self._screen.show(entry)
        if isinstance(entry, Rested):
            self._at_rest = self._look()
        elif isinstance(entry, Read):
            yield from self._read_again(entry, step)
        elif isinstance(entry, Decided):
            yield from self._decided_again(entry, step)
        elif isinstance(entry, FollowUp):
            yield from self._follow_up_again(entry, step)
        elif isinstance(entry, Scene):
            yield from self._scene_again(entry, step)
        elif isinstance(entry, Observed):
            self._observed.append(entry)
        elif isinstance(entry, Learned) and self._observed:
            # A state that was inferred may have been left out as doubtful.
            states = inferred_again(self._observed, self._screen).states
            if not entry.states.keys() <= states.keys():
                yield Difference(step, "learned", ", ".join(entry.states), ", ".join(states))

    def _look(self) -> Frame | None:
        """The picture of the board, where it was last; None where it was nowhere."""
        try:
            self._place = self._place or self._eyes.find(self._screen.grab(self._region))
        except NoBoardFoundError:
            return None
        board = self._place.grid.region
        return self._screen.grab(board.grown(1).intersection(self._screen.region) or board)

    def _read_again(self, was: Read, step: int) -> Iterator[Difference]:
        """Compare a reading with today's: of the picture at rest and, as then, of what was looked at because of it."""
        if was.mines is not None and self._place is not None and self._place.board.mines is None:
            # The end of an earlier game had told how many mines there are.
            self._place = replace(self._place, board=Board(self._place.board.cells, was.mines))
        seen = self._seen()
        self._decision = seen.decision if isinstance(seen, Position) else None
        if isinstance(seen, Position):
            self._place = seen.reading
        last, self._grid = self._grid, Grid(tuple(was.xs), tuple(was.ys))
        if last not in (None, self._grid) and self._place is not None:
            self._place = replace(self._place, grid=self._grid)  # the run has followed it there
        now = None if seen is None else read(seen.reading, seen.reason if isinstance(seen, DoubtError) else "")
        differs = _differing(was, now)
        if self._is_new(differs):
            yield Difference(step, "reading", str(was), str(now or "no board is found"))

    def _is_new(self, differs: set[tuple[int, int, str]]) -> bool:
        """Whether this is a new difference, not one that goes on from the step before."""
        is_new, self._goes_on = bool(differs - self._goes_on), differs
        return is_new

    def _seen(self) -> Position | DoubtError | None:
        """Today's reading of the picture at rest; None if it shows no board."""
        if self._at_rest is None or self._place is None:
            return None
        # As then: what cannot be read is looked for elsewhere the second time that the same picture is examined.
        is_again = self._doubted is not None and np.array_equal(self._doubted.image, self._at_rest.image)
        reading = self._eyes.read(self._at_rest, self._place)
        seen = self._looker.examine(self._at_rest, reading, searches=is_again)
        self._doubted = self._at_rest if isinstance(seen, DoubtError) else None
        return seen

    def _decided_again(self, was: Decided, step: int) -> Iterator[Difference]:
        if self._goes_on or was.cut_short or self._place is None:
            return
        decision = self._decision
        if decision is not None and self._place.phase is Phase.FRESH:
            decision = with_first_click(decision, self._place.board, self._promise)
        now = None if decision is None else decided(decision, None)
        if now is None or differing(was, now):
            yield Difference(step, "decision", str(was), str(now or ""))

    def _follow_up_again(self, was: FollowUp, step: int) -> Iterator[Difference]:
        """Compare the cells at rest, and what they made certain, with today's."""
        frame = self._look()
        if frame is None or self._place is None:
            return
        now = self._eyes.read(frame, self._place).board
        differs = _differing_cells(was.rows, now.lines(), unsettled=_UNSETTLED)
        if self._is_new(differs):
            yield Difference(step, "reading", "/".join(was.rows), "/".join(now.lines()))
        elif not differs:
            safe = self._solver.plainly_safe(Board.parse("\n".join(was.rows)))
            if not set(was.safe) <= set(safe):
                yield Difference(step, "decision", str(was), str(FollowUp(rows=was.rows, safe=safe)))

    def _scene_again(self, was: Scene, step: int) -> Iterator[Difference]:
        try:
            rows = str(self._reader.read(self._screen.picture(was.picture)).board).splitlines()
        except NoBoardFoundError as error:
            yield Difference(step, "reading", str(was), str(error))
            return
        if any(now != _UNSETTLED for _, _, now in _differing_cells(was.rows, rows, unsettled=_UNSETTLED)):
            yield Difference(step, "reading", str(was), "/".join(rows))


def _differing(was: Read, now: Read | None) -> set[tuple[int, int, str]]:
    """In what a reading differs: cells with what they show now, or the size, the trust, or the phase.

    In the run a picture was read by what had been seen on the way to it, as in the flash of a win. By itself it may be
    read where it was not trusted then; that counts for nothing, as long as no cell contradicts what was read.
    """
    if now is None:
        return {(-1, -1, "no board")}
    cells = _differing_cells(was.rows, now.rows, _UNSETTLED if was.doubt and not now.doubt else "")
    if was.doubt and not now.doubt:
        return cells
    if not cells and bool(now.doubt) != bool(was.doubt):
        return {(-1, -1, "trust")}
    return cells or ({(-1, -1, "phase")} if now.phase != was.phase else set())


def _differing_cells(was: list[str], now: list[str], unsettled: str = "") -> set[tuple[int, int, str]]:
    """The cells in which two boards differ, with what they show now; those that were not settled are left out."""
    if [len(row) for row in was] != [len(row) for row in now]:
        return {(-1, -1, "size")}
    return {
        (row, column, here)
        for row, (before, after) in enumerate(zip(was, now, strict=True))
        for column, (there, here) in enumerate(zip(before, after, strict=True))
        if there not in (here, unsettled)
    }
