"""Running a whole session again on its trace: the same pictures must lead to the same clicks."""

from pathlib import Path

from sweepbot.errors import CalibrationError, SweepbotError, TraceError
from sweepbot.geometry import Image, Region
from sweepbot.replay.recorded import calibration_of
from sweepbot.sessions.learn import board_in_view, learn
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import LearnSettings, PlaySettings
from sweepbot.sessions.target import named
from sweepbot.trace.differences import Replayed
from sweepbot.trace.events import Event
from sweepbot.trace.replaying import EndOfReplayError, Replay
from sweepbot.trace.trace import Trace


class _ReplayedRun(Recording):
    """Compares what a run reports with its trace."""

    def __init__(self, replay: Replay) -> None:
        super().__init__(replay.desk)
        self._replay = replay

    @property
    def shown(self) -> Region | None:
        return self._replay.shown

    def observe(self, event: Event, image: Image | None = None) -> None:
        del image
        self._replay.note(event)


def replay_strictly(trace: Trace) -> Replayed:
    """Run a session again, up to the first look or click that differs, as the trace has no answer to it.

    Raises:
        TraceError: The trace has only the end of its run, or is broken.
    """
    if not trace.run.complete:
        raise TraceError(
            f"{trace.folder}: has only the last minute of a run, which cannot be run again without its beginning",
            hint="to read its pictures again: --by-step",
        )
    if trace.run.command == "assist":
        raise TraceError(
            f"{trace.folder}: a person has played this, and their clicks cannot be run again",
            hint="to read its pictures again: --by-step; to grade the game: sweepbot review",
        )
    replay = Replay(trace)
    try:
        exit_code = (_learn if trace.run.command == "calibrate" else _play)(trace, _ReplayedRun(replay))
    except EndOfReplayError:
        pass
    except (TraceError, CalibrationError):
        raise
    except SweepbotError as error:
        replay.finish(error.exit_code, str(error))
    else:
        replay.finish(exit_code, "")
    return Replayed(replay.steps, replay.differences)


def _play(trace: Trace, again: Recording) -> int:
    settings = PlaySettings.of(trace.run.settings)
    with calibration_of(trace) as calibration:
        evidence = Path(calibration.path.parent.parent, "evidence")
        with playing(again, named(calibration, settings), settings, evidence=evidence) as player:
            player.play(settings.games, until_win=settings.until_win, max_seconds=settings.max_seconds)
    return 0


def _learn(trace: Trace, again: Recording) -> int:
    settings = LearnSettings.of(trace.run.settings)
    with board_in_view(again.desk, settings) as board:
        learned = learn(again, board, settings)
    return 0 if learned.stuck is None else learned.stuck.exit_code
