"""The whole run again on its trace: the same looks are given to the same code, and must bring about the same clicks."""

from collections.abc import Callable
from pathlib import Path

from sweepbot.desktop.desk import Desk
from sweepbot.errors import SweepbotError, TraceError
from sweepbot.player import Event
from sweepbot.replay.calibrated import calibration_of
from sweepbot.replay.result import Replayed
from sweepbot.sessions.learn import board_in_view, learn
from sweepbot.sessions.lines import EventLines, learned_line, observed_line, scene_line
from sweepbot.sessions.play import playing
from sweepbot.sessions.settings import LearnSettings, PlaySettings
from sweepbot.sessions.sought import named
from sweepbot.solver import Solver
from sweepbot.trace.entries import Lesson
from sweepbot.trace.replaying import DivergedError, EndOfTraceError, Replay
from sweepbot.trace.trace import Trace
from sweepbot.vision.calibration import Calibration


def replay_strictly(trace: Trace) -> Replayed:
    """Run a session again; it ends at the first look or click that differs, as there is no answer to it.

    Raises:
        TraceError: The trace shows the end of its run only, or is broken.
    """
    if not trace.run.complete:
        raise TraceError(
            f"{trace.folder}: shows the last minute of a run, which cannot be run again without what came before",
            hint="read its pictures again: --by-step",
        )
    replay = Replay(trace)
    desk = Desk(replay.screen, replay.mouse, replay.windows, replay.clock, trace.run.latency_s)
    if trace.run.command == "calibrate":
        settings = LearnSettings.of(trace.run.settings)
        _run(replay, lambda: _learn(settings, replay, desk))
    else:
        with calibration_of(trace) as calibration:
            play = PlaySettings.of(trace.run.settings)
            _run(replay, lambda: _play(play, calibration, replay, desk))
    return Replayed(replay.steps, replay.differences)


def _run(replay: Replay, session: Callable[[], int]) -> None:
    """Run a session until it ends, or differs, or the trace does."""
    try:
        exit_code = session()
    except (DivergedError, EndOfTraceError):
        pass
    except TraceError:
        raise
    except SweepbotError as error:
        replay.finish(error.exit_code, str(error))
    else:
        replay.finish(exit_code, "")


def _play(settings: PlaySettings, calibration: Calibration, replay: Replay, desk: Desk) -> int:
    lines = EventLines()

    def observe(event: Event) -> None:
        if (line := lines.line(event, 0)) is not None:
            replay.note(line)

    evidence = Path(calibration.path.parent.parent, "evidence")
    sought = named(calibration, settings)
    with playing(
        desk,
        sought,
        settings,
        Solver(),
        observe,
        tell=lambda _: None,
        evidence=evidence,
        shown=lambda: replay.shown,
    ) as player:
        player.play(settings.games, until_win=settings.until_win, max_seconds=settings.max_seconds)
    return 0


def _learn(settings: LearnSettings, replay: Replay, desk: Desk) -> int:
    with board_in_view(desk, settings) as board:
        learned = learn(
            desk,
            board,
            settings,
            tell=lambda text: replay.note(Lesson(t=0, text=text)),
            observe=lambda entry, new: replay.note(observed_line(entry, new, 0)[0]),
        )
    for fixture in learned.fixtures:
        replay.note(scene_line(fixture, 0))
    replay.note(learned_line(learned, 0))
    return 0 if learned.stuck is None else learned.stuck.exit_code
