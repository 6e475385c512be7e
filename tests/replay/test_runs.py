"""Replaying traces: the same run without a screen, with each picture read again."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.clock import SystemClock
from sweepbot.desktop.screen import Frame, MaskedScreen
from sweepbot.errors import SweepbotError
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.solver import Solver
from sweepbot.trace import entries, events
from sweepbot.trace.trace import Trace, open_trace
from tools.recording.demo import Lines, changed, record_demo, record_learning

STEPS = ("read", "follow_up")
"""Lines of the trace of a game that are a step."""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Two games of the demo."""
    folder = tmp_path_factory.mktemp("trace") / "games"
    record_demo(folder, games=2, level="16x16/40", seed=5)
    return open_trace(folder)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Two games in which the demo is learned."""
    return record_learning(tmp_path_factory.mktemp("trace") / "lesson")


@pytest.mark.parametrize("replay", [replay_strictly, replay_by_step])
def test_a_replay_is_the_same_run_again(games: Trace, replay: Callable[[Trace], object]) -> None:
    """Strictly and by step, every step is reached and nothing differs."""
    replayed = replay_strictly(games) if replay is replay_strictly else replay_by_step(games)
    readings = sum(
        1 for line in (games.folder / "events.jsonl").read_text().splitlines() if json.loads(line)["do"] in STEPS
    )
    assert replayed.differences == []
    assert replayed.steps == readings > 10


def test_no_guess_changes_messages_and_no_click(tmp_path: Path) -> None:
    """With --no-guess the clicks are the same, each guess says that it should not be needed, and it replays."""
    clicks, reasons = [], []
    for promised in (False, True):
        folder = tmp_path / str(promised)
        record_demo(folder, level="expert", seed=4, no_guess=promised)
        lines = list(open_trace(folder).entries())
        clicks.append([line.at for line in lines if isinstance(line, entries.Click)])
        decided = [line for line in lines if isinstance(line, events.Decided) and not line.safe and line.best]
        reasons.append([line.reason for line in decided[1:]])
    assert clicks[0] == clicks[1]
    assert reasons[1]
    assert reasons[1] == [
        f"{reason}; though the client should deal only boards that need none" for reason in reasons[0]
    ]
    assert replay_strictly(open_trace(tmp_path / "True")).differences == []


def test_learning_is_replayed(lesson: Trace) -> None:
    """Replaying the learning of a client comes to the same looks by the same clicks."""
    replayed = replay_strictly(lesson)
    assert replayed.differences == []
    assert replayed.steps > 0


def test_another_decision_is_found(games: Trace, tmp_path: Path) -> None:
    """Both kinds of replay report the step with another decision."""

    def decide_otherwise(lines: Lines) -> None:
        decisions = [line for line in lines if line["do"] == "decided" and line.get("safe")]
        decisions[0]["safe"] = [[0, 0]]

    trace = open_trace(changed(games.folder, tmp_path / "trace", decide_otherwise))
    found = [replay_strictly(trace).differences, replay_by_step(trace).differences]
    for differences in found:
        assert [(difference.kind, difference.was) for difference in differences] == [("decided", "open (0,0)")]
    assert found[0][0].step == found[1][0].step


def test_a_number_painted_over_is_found(games: Trace, tmp_path: Path) -> None:
    """A picture damaged by hand differs at exactly its step, though later ones show the same cell."""
    folder = tmp_path / "trace"
    steps = 0
    target: dict[str, int] = {}

    def paint(lines: Lines) -> None:
        nonlocal steps
        pictures = bytearray((folder / "pictures.bin").read_bytes())
        for line in lines:
            if line["do"] in STEPS:
                steps += 1
            for patch in line.get("patches", ()):
                width, height, offset, length = patch[2:]
                if steps < 4 or target or (width, height) != (16, 16):
                    continue
                png = np.frombuffer(bytes(pictures[offset : offset + length]), np.uint8)
                image = cv2.imdecode(png, cv2.IMREAD_COLOR)
                assert image is not None
                image[2:14, 2:14] = (255, 0, 255)
                new = cv2.imencode(".png", image)[1].tobytes()
                patch[4:] = len(pictures), len(new)
                pictures += new
                target["step"] = steps + 1
        (folder / "pictures.bin").write_bytes(pictures)

    trace = open_trace(changed(games.folder, folder, paint))
    assert [difference.step for difference in replay_by_step(trace).differences] == [target["step"]]


def test_a_trace_cut_off_is_replayed_as_far_as_it_goes(games: Trace, tmp_path: Path) -> None:
    """Missing lines at the end, and half a line, are no difference."""
    shutil.copytree(games.folder, tmp_path / "trace")
    path = tmp_path / "trace" / "events.jsonl"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    replayed = replay_strictly(open_trace(tmp_path / "trace"))
    assert replayed.differences == []
    assert 0 < replayed.steps < replay_strictly(games).steps


def set_format(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(run | {"format": 99, "sweepbot": "9.1"}))


def name_a_place_outside(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(run | {"client": "../../x"}))


def cut_pictures_off(folder: Path) -> None:
    (folder / "pictures.bin").write_bytes(b"")


def break_a_line(folder: Path) -> None:
    path = folder / "events.jsonl"
    path.write_text('{"do":"dance","t":1}\n' + path.read_text())


def paint_beside_the_screen(folder: Path) -> None:
    path = folder / "events.jsonl"
    path.write_text('{"do":"grab","t":1,"patches":[[99999,0,16,16,0,9]]}\n' + path.read_text())


def template_outside(folder: Path) -> None:
    path = folder / "calibration" / "calibration.yaml"
    path.write_text(path.read_text().replace("hidden.png", "../../x.png"))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (set_format, "format 99, written by sweepbot 9.1"),
        (name_a_place_outside, "'../../x' is no name of a client"),
        (cut_pictures_off, "has 0 bytes, and no picture at"),
        (break_a_line, "events.jsonl: line 1: .*dance"),
        (paint_beside_the_screen, "is not on the screen"),
        (template_outside, "outside the folder"),
        (lambda folder: (folder / "run.json").unlink(), "run.json: cannot be read"),
        (lambda folder: (folder / "run.json").write_text('{"format": 1'), "run.json: Input data was truncated"),
        (lambda folder: (folder / "events.jsonl").unlink(), "events.jsonl: is missing"),
    ],
)
def test_a_broken_trace_is_refused(games: Trace, tmp_path: Path, harm: Callable[[Path], None], said: str) -> None:
    """An unreadable trace, or one with places outside it, is an error that says where and what."""
    folder = tmp_path / "trace"
    shutil.copytree(games.folder, folder)
    harm(folder)
    for replay in (replay_strictly, replay_by_step):
        with pytest.raises(SweepbotError, match=said):
            replay(open_trace(folder))


def test_the_end_of_a_run_alone_is_not_run_again(games: Trace, tmp_path: Path) -> None:
    """A trace without its beginning is read by step."""
    shutil.copytree(games.folder, tmp_path / "trace")
    run = json.loads((tmp_path / "trace" / "run.json").read_text())
    (tmp_path / "trace" / "run.json").write_text(json.dumps(run | {"complete": False}))
    assert games.is_repeatable
    assert not open_trace(tmp_path / "trace").is_repeatable


def test_a_hasty_decision_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a decision left out for lack of time, a replay leaves out too."""
    monkeypatch.setattr("sweepbot.player.examining.THINKING_S", 0.0)
    record_demo(tmp_path / "trace", level="9x9/20", seed=2, games=2, solver=Solver(), clock=SystemClock())
    monkeypatch.undo()
    trace = open_trace(tmp_path / "trace")
    hasty = [entry for entry in trace.entries() if isinstance(entry, events.Decided) and entry.cut_short]
    assert any(decision.safe for decision in hasty)
    assert any(not decision.safe for decision in hasty)
    assert replay_strictly(trace).differences == []
    assert replay_by_step(trace).differences == []


def test_a_run_ended_by_ctrl_c_is_the_same_again(tmp_path: Path) -> None:
    """Whenever it comes, the replay is interrupted in the same place, and differs in nothing."""

    def record(at_look: int) -> int:
        """Press Ctrl-C at this look; return how many there were."""
        looks = 0

        def interrupted(frame: Frame) -> Frame:
            nonlocal looks
            looks += 1
            if looks == at_look:
                raise KeyboardInterrupt
            return frame

        record_demo(tmp_path / str(at_look), seed=4, watch_screen=partial(MaskedScreen, masked=interrupted))
        return looks

    looks = record(0)
    results = []
    for at_look in (looks // 3, looks // 2, looks - 1, looks):
        with pytest.raises(KeyboardInterrupt):
            record(at_look)
        trace = open_trace(tmp_path / str(at_look))
        assert replay_strictly(trace).differences == []
        results += [entry.result for entry in trace.entries() if isinstance(entry, events.Ended)]
    assert "won" in results
