"""Running a whole session again on its trace: the same pictures must lead to the same clicks."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeGuard, TypeVar, cast

from sweepbot import errors
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import CalibrationError, SweepbotError, TraceError
from sweepbot.geometry import Image, Region
from sweepbot.replay.calibration import calibration_of
from sweepbot.replay.differences import Replayed, differing
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import Recording, finished
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.trace.desk import answered_desk
from sweepbot.trace.entries import AnyCall, Click, Entry, GaveUp, Glance, Grab, Log, Move, Pointer, Scene, WindowsCall
from sweepbot.trace.events import STEPS, Aside, Event, Finished, Interrupted, Shows, Thought, box
from sweepbot.trace.trace import SeenScreen, Trace

_Call = TypeVar("_Call", bound=AnyCall)

_DONE = ("focus", "place", "dismiss")
"""The calls that make windows do something; all others only ask."""

_ASKED_S = 0.0001  # that a question takes which the trace does not have: who waits for another answer would never end


class EndOfReplayError(Exception):
    """There is no answer: the call is not in the trace, or the trace ends, because its run was killed or stopped."""


class Replay(Recording):
    """Gives a run the answers of a trace, which must be repeatable, and compares what it reports with the trace.

    The clock of its desk shows the recorded time, so that nothing waits.

    Attributes:
        found: What was found so far.
        region: The whole screen.
        is_interrupted: Whether the run was, at the place that was reached.
    """

    def __init__(self, trace: Trace) -> None:
        self.region = trace.screen
        desk = answered_desk(self, self, knows_windows=trace.run.windows, latency_s=trace.run.latency_s)
        super().__init__(desk, whole_screen=True)  # the trace shows what the run saw
        self.found = Replayed()
        self.is_interrupted = False
        self._now_s = 0.0
        self._seen = SeenScreen(trace)
        self._left = self._to_repeat(trace.entries())
        self._peeked: list[Entry | None] = []
        self._answers: dict[tuple[object, ...], AnyCall] = {}

    def now(self) -> float:
        """The recorded time, in seconds since the run began."""
        return self._now_s

    def sleep(self, seconds: float) -> None:
        """Advance the recorded time without waiting."""
        self._now_s += seconds

    def deadline(self, seconds: float) -> Callable[[], bool]:  # noqa: ARG002  (the protocol's signature)
        """Whether it was reached in the recorded run, by how often it was checked."""
        asked = 0

        def ask() -> bool:
            nonlocal asked
            asked += 1
            return isinstance(self._next, GaveUp) and self._next.asked <= asked

        return ask

    def grab(self, region: Region | None = None) -> Frame:
        """Return the recorded picture. Raises what `answer` raises."""
        self.answer(Grab(region=None if region is None else box(region)))
        return self._seen.grab(region)

    def answer(self, asked: _Call, ask: Callable[[Desk], object] | None = None) -> _Call:
        """Return the recorded answer to a call.

        Raises:
            EndOfReplayError: The trace has another call here, or ends.
        """
        del ask
        if _is_question(asked) and _question(asked) not in self._answers:
            while _is_question(self._next) and differing(self._next, asked):
                self._pass(self._next)  # it may be asked later, and is remembered
        if _is_question(asked) and (not isinstance(self._next, AnyCall) or differing(self._next, asked)):
            self._expect_line()
            if (answer := self._answers.get(_question(asked))) is None:
                self._differ(None, asked)
                raise EndOfReplayError
            self._now_s += _ASKED_S
            return cast("_Call", answer)
        self._skip(thoughts=True, questions=not _is_question(asked))
        recorded = self._expect_line()
        if not isinstance(recorded, AnyCall) or differing(recorded, asked):
            self._differ(recorded, asked)
            raise EndOfReplayError
        if isinstance(recorded, Grab):
            self._seen.show(recorded)
        self._now_s = recorded.t / 1e6
        self._pass(recorded)
        if recorded.failed is not None:
            name, message = recorded.failed
            kind = getattr(errors, name, SweepbotError)
            raise (kind if isinstance(kind, type) and issubclass(kind, SweepbotError) else SweepbotError)(message)
        return cast("_Call", recorded)  # anything else would have been a difference

    def changed(self, seen: Frame, parts: Sequence[Region]) -> Sequence[bool]:  # noqa: ARG002  (the protocol's signature)
        """Return what a recorded glance has seen; that nothing had changed was not recorded."""
        self._skip(thoughts=False, questions=True)
        if not isinstance(recorded := self._next, Glance):
            return [False] * len(parts)
        return self.answer(recorded).changed

    def observe(self, event: Event, image: Image | None = None) -> None:  # noqa: ARG002  (the trace has the picture)
        """Compare an event with the recorded one."""
        if isinstance(event, Aside):
            return
        self.found.steps += isinstance(event, STEPS)
        self._skip(thoughts=False, questions=True)  # a search that was cut short is over
        recorded = self._expect_line()
        if not isinstance(recorded, Thought):
            self._differ(None, event)
            return
        if differing(recorded, event):
            self._differ(recorded, event)
        self._pass(recorded)

    def check_client(self, board: Region) -> None:
        """Nothing is clicked in a replay."""

    def finish(self, error: BaseException | None) -> None:
        """Compare the end of the session with the recorded end."""
        self._skip(thoughts=True, questions=True)
        now = finished(error)
        if self._next is not None and differing(self._next, now):
            self._differ(self._next, now)

    def _skip(self, *, thoughts: bool, questions: bool) -> None:
        """Skip lines that need not be repeated, and thoughts that should have been, which are differences."""
        while (
            isinstance(recorded := self._next, GaveUp)
            or (questions and _is_question(recorded))
            or (thoughts and isinstance(recorded, Thought) and not isinstance(recorded, Interrupted))
        ):
            if isinstance(recorded, Thought):
                self._differ(recorded, None)
            self._pass(recorded)

    def _expect_line(self) -> Entry:
        """Return the next line; raises EndOfReplayError at the end of the trace, KeyboardInterrupt where that came."""
        recorded = self._next
        if isinstance(recorded, Interrupted) and not self.is_interrupted:
            self.is_interrupted = True
            raise KeyboardInterrupt
        if recorded is None or (isinstance(recorded, Finished) and recorded.exit == _STOPPED):
            raise EndOfReplayError
        return recorded

    def _pass(self, entry: Entry) -> None:
        """Go past a line, and remember its answer."""
        if isinstance(entry, Move | Click):
            entry = Pointer(at=entry.to if isinstance(entry, Move) else entry.at)
        if _is_question(entry) and entry.failed is None:
            self._answers[_question(entry)] = entry
        self._peeked.clear()

    def _differ(self, was: Entry | None, now: Entry | None) -> None:
        kind = was if was is not None else now
        assert kind is not None  # noqa: S101  (one of them is there)
        self.found.differ(str(kind.__struct_config__.tag), was, now)

    @property
    def _next(self) -> Entry | None:
        """The next line; read as late as possible, since a line before it may reduce what is shown."""
        if not self._peeked:
            self._peeked.append(next(self._left, None))
        return self._peeked[0]

    def _to_repeat(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the lines that a replay has to repeat."""
        for entry in entries:
            if isinstance(entry, Shows):
                self.shown = Region(*entry.region)
            if isinstance(entry, Aside | Scene):
                self._seen.show(entry)
            elif not isinstance(entry, Log):
                yield entry


_STOPPED = errors.StoppedByUserError.exit_code


def _is_question(entry: Entry | None) -> TypeGuard[Pointer | WindowsCall]:
    """Whether a call only asks; then neither its order nor how often it is made matters."""
    return isinstance(entry, Pointer) or (isinstance(entry, WindowsCall) and entry.asked not in _DONE)


def _question(asked: Pointer | WindowsCall) -> tuple[object, ...]:
    return ("pointer",) if isinstance(asked, Pointer) else (asked.asked, *asked.about)


def replay_strictly(trace: Trace) -> Replayed:
    """Run a session that is repeatable again, up to the first picture or click to which the trace has no answer.

    Raises:
        TraceError: The trace is broken.
        CalibrationError: Its calibration is broken.
    """
    replay = Replay(trace)
    try:
        _play(trace, replay)
    except EndOfReplayError:
        pass
    except (TraceError, CalibrationError):
        raise
    except KeyboardInterrupt as error:
        if not replay.is_interrupted:
            raise
        replay.finish(error)
    except SweepbotError as error:
        replay.finish(error)
    else:
        replay.finish(None)
    return replay.found


def _play(trace: Trace, again: Recording) -> None:
    settings = PlaySettings.of(trace.run.settings)
    with calibration_of(trace) as calibration:
        evidence = Path(calibration.path.parent.parent, "evidence")
        with playing(again, named(calibration, settings), evidence=evidence) as player:
            player.play(settings.games, until_win=settings.until_win, max_seconds=settings.max_seconds)
