"""Every picture that was read in a run, read again with today's eyes and decided by today's solver."""

from collections.abc import Iterator
from dataclasses import replace

from sweepbot.board import Board, Phase
from sweepbot.calibrate.apprentice import Apprentice
from sweepbot.clock import VirtualClock
from sweepbot.errors import NoBoardFoundError, TraceError
from sweepbot.player.player import with_first_click
from sweepbot.player.watcher import DoubtError, Position, Watcher
from sweepbot.replay.calibrated import calibration_of
from sweepbot.replay.result import Replayed
from sweepbot.replay.still import StillScreen
from sweepbot.sessions.lines import decision_line
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Decision, Solver
from sweepbot.trace import entries as lines
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.differences import Difference, differing, in_words
from sweepbot.trace.trace import Trace, scene_picture, show
from sweepbot.vision.calibration import Calibration
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
            if isinstance(entry, lines.Reading | lines.Scene):
                steps += 1
            differences += again.differences(entry, max(steps, 1))
        return Replayed(steps, differences)


class _Again:
    """Today's eyes and solver on the pictures of a trace."""

    def __init__(self, trace: Trace, calibration: Calibration) -> None:
        play = None if trace.run.command == "calibrate" else PlaySettings.of(trace.run.settings)
        self._region = None if play is None else play.place
        self._canvas = Canvas(trace.screen)
        self._pictures = trace.pictures()
        self._screen = StillScreen(self._canvas)
        self._reader = Reader(calibration, None if play is None else play.mines)
        learner = Apprentice(calibration, lambda _: None) if play is not None and play.learns else None
        self._watcher = Watcher(self._screen, self._reader, Solver(), lambda: None, learner, clock=VirtualClock())
        self._promise = calibration.manners.first_click
        self._place: Reading | None = None
        self._seen: tuple[Position | None, DoubtError | None] | None = None
        self._decision: Decision | None = None
        self._goes_on: set[tuple[int, int, str]] = set()

    def differences(self, entry: lines.Entry, step: int) -> Iterator[Difference]:
        """What is not as a line of the trace says."""
        show(entry, self._canvas, self._pictures)
        if isinstance(entry, lines.Rested):
            self._seen = None if self._place is None else self._examine(self._place)
        elif isinstance(entry, lines.Reading):
            yield from self._read_again(entry, step)
        elif isinstance(entry, lines.Decision):
            yield from self._decided_again(entry, step)
        elif isinstance(entry, lines.Scene):
            yield from self._scene_again(entry, step)

    def _read_again(self, was: lines.Reading, step: int) -> Iterator[Difference]:
        self._decision = None
        try:
            reading, doubt = self._read(was)
        except NoBoardFoundError as error:
            yield Difference(step, "reading", in_words(was), str(error))
            return
        rows = str(reading.board).splitlines()
        differing = _differing_cells(was.rows, rows)
        is_new = bool(differing - self._goes_on)
        if not differing and bool(doubt) != bool(was.doubt):
            is_new = (-1, -1, "doubt") not in self._goes_on
            differing = {(-1, -1, "doubt")}
        elif not differing and reading.phase.value != was.phase:
            is_new = (-1, -1, "phase") not in self._goes_on
            differing = {(-1, -1, "phase")}
        self._goes_on = differing
        if is_new:
            now = lines.Reading(t=0, rows=rows, phase=reading.phase.value, confidence=reading.confidence, doubt=doubt)
            yield Difference(step, "reading", in_words(was), in_words(now))

    def _read(self, was: lines.Reading) -> tuple[Reading, str]:
        """What the screen shows now, and what speaks against it.

        Raises:
            NoBoardFoundError: No board.
        """
        place = self._place or self._watcher.find(self._region)
        has_total = was.mines is not None and place.board.mines is None
        if has_total:  # the end of an earlier game had told
            place = replace(place, board=Board(place.board.cells, was.mines))
        has_moved = was.xs is not None  # then it was found by another look than the one that had come to rest
        if self._seen is None or has_total or has_moved:
            self._seen = self._examine(place)
        position, doubt = self._seen
        if position is not None:
            self._place = position.reading
            self._decision = position.decision
            return position.reading, ""
        if doubt is None:
            raise TraceError("a picture was neither read nor doubted", hint="this is a bug of sweepbot")
        self._place = place
        return doubt.reading, doubt.reason

    def _examine(self, place: Reading) -> tuple[Position | None, DoubtError | None]:
        around = place.grid.region.grown(1).intersection(self._screen.region) or place.grid.region
        return self._watcher.examine(self._screen.grab(around), place)

    def _decided_again(self, was: lines.Decision, step: int) -> Iterator[Difference]:
        if self._goes_on or was.cut_short or self._place is None:
            return
        decision = self._decision
        if decision is not None and self._place.phase is Phase.FRESH:
            decision = with_first_click(decision, self._place.board, self._promise)
        now = None if decision is None else decision_line(decision, 0)
        if now is None or differing(was, now):
            yield Difference(step, "decision", in_words(was), in_words(now))

    def _scene_again(self, was: lines.Scene, step: int) -> Iterator[Difference]:
        try:
            rows = str(self._reader.read(scene_picture(was, self._pictures)).board).splitlines()
        except NoBoardFoundError as error:
            yield Difference(step, "reading", in_words(was), str(error))
            return
        if any(now != _UNSETTLED for _, _, now in _differing_cells(was.rows, rows, unsettled=_UNSETTLED)):
            yield Difference(step, "reading", in_words(was), "/".join(rows))


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
