"""Measures the effect of each threshold of learning, raised and lowered by a fifth, on generated clients and traces.

    python -m tests.bench.threshold_sensitivity --traps 0,5,9 --skins 4,13 --traces

A threshold is a number in one of the frozen classes of `thresholds.py`, one for each stage of learning. Those that only
affect inference are tried on the clients' logs, which takes a moment each; the others by learning each client again. A
threshold without any effect is named at the end: it should be removed, or is there for a client that is not among
these. The exit code is 1 if a changed threshold has led to a wrong label, or to harm.
"""

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

from sweepbot.calibrate.labels.belief import Belief, infer
from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.thresholds import CHANGE, EVIDENCE, LIKENESS, PACE
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.trace import open_trace
from tests.skins import Skin, SkinDesktop, learn, looks, mislabelled
from tests.trap_clients import Kind, TrapDesktop

FACTORS = (0.8, 1.2)
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
STAGES = (LIKENESS, EVIDENCE, PACE, CHANGE)
INFERRED = {f"Evidence.{field.name}" for field in fields(EVIDENCE)} | {
    f"Likeness.{name}" for name in ("other_figure_levels",)
}
"""Thresholds that only affect what is inferred, and not what is observed."""

Outcome = dict[str, int | str]
"""A checksum of each thing that was learned, by name, and `wrong` or `harm` if there was any."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold of a stage.

    Attributes:
        stage: The thresholds of the stage.
        name: Its name there.
        index: Its index in a tuple of several, or -1.
    """

    stage: object
    name: str
    index: int

    def __str__(self) -> str:
        place = "" if self.index < 0 else f"[{self.index}]"
        return f"{type(self.stage).__name__}.{self.name}{place}"

    @property
    def value(self) -> float:
        """What it is."""
        value = getattr(self.stage, self.name)
        number: float = value if self.index < 0 else value[self.index]
        return number

    def varied(self, factor: float) -> float:
        """The value to try; for a whole number another whole one."""
        new = self.value * factor
        if isinstance(self.value, int):
            new = round(new) if round(new) != self.value else self.value + (1 if factor > 1 else -1)
        return new

    @contextmanager
    def tried(self, value: float) -> Iterator[None]:
        """Replace its value for a while."""
        before = getattr(self.stage, self.name)
        new = value if self.index < 0 else (*before[: self.index], value, *before[self.index + 1 :])
        object.__setattr__(self.stage, self.name, new)  # frozen for all others
        try:
            yield
        finally:
            object.__setattr__(self.stage, self.name, before)


def thresholds() -> Iterator[Threshold]:
    """All thresholds of all stages."""
    for stage in STAGES:
        for field in fields(stage):
            value = getattr(stage, field.name)
            for index in range(len(value)) if isinstance(value, tuple) else (-1,):
                yield Threshold(stage, field.name, index)


@dataclass(slots=True)
class Client:
    """A client that is learned, or a trace of one.

    Attributes:
        name: What it is called.
        start: Starts it again.
        log: What was observed at first.
        inferred: What was inferred from that.
        outcome: What was learned at first.
    """

    name: str
    start: Callable[[], SkinDesktop]
    log: Log
    inferred: Outcome
    outcome: Outcome

    @classmethod
    def of(cls, name: str, start: Callable[[], SkinDesktop]) -> "Client":
        """Learn it."""
        log = Log(PatchStore())

        def observe(entry: Entry, new: Sequence[Image]) -> None:
            for picture in new:
                log.patches.number(picture)
            log.entries.append(entry)

        outcome = learned(start(), observe)
        return cls(name, start, log, _told(infer(log.patches, log.entries)), outcome)


def learned(desktop: SkinDesktop, observe: Callable[[Entry, Sequence[Image]], None] = lambda _, __: None) -> Outcome:
    """What is learned about a client, and the harm done to it."""
    try:
        got = learn(desktop, 8, observe=observe)
    except SweepbotError as error:
        return {"refused": type(error).__name__}
    outcome: Outcome = {state: zlib.crc32(b"".join(map(Image.tobytes, shown))) for state, shown in looks(got).items()}
    outcome["behaviour"] = f"{got.behaviour.restart} {got.behaviour.dialogs} {got.behaviour.first_click} {got.levels}"
    dims = isinstance(desktop, TrapDesktop) and desktop.kind.end == "dimmed"
    if wrong := mislabelled(desktop, got, dims=dims):
        outcome["wrong"] = " ".join(wrong)
    if isinstance(desktop, TrapDesktop) and desktop.harm:
        outcome["harm"] = " ".join(desktop.harm)
    return outcome


def _told(meant: Belief) -> Outcome:
    outcome: Outcome = {state: str(sorted(pictures.items())) for state, pictures in meant.states.items()}
    return outcome | {"totals": str(meant.totals), "first click": str(meant.first_click)}


def felt_by(threshold: Threshold, value: float, clients: Sequence[Client], traces: Sequence[Path]) -> Iterator[str]:
    """The outcomes that differ with another value, by client."""
    is_inferred = str(threshold).partition("[")[0] in INFERRED
    with threshold.tried(value):
        for client in clients:
            was = client.inferred if is_inferred else client.outcome
            now = _told(infer(client.log.patches, client.log.entries)) if is_inferred else learned(client.start())
            differs = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
            if differs:
                yield f"{client.name}: {', '.join(differs)}"
        for trace in traces:
            replay = replay_by_step if is_inferred else replay_strictly
            if differences := replay(open_trace(trace)).differences:
                yield f"{trace.name}: {len(differences)} lines"


def _trap(seed: int) -> SkinDesktop:
    return TrapDesktop(Kind.of(seed))


def _skin(seed: int) -> SkinDesktop:
    return SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))


def _seeds(text: str) -> list[int]:
    return [int(seed) for seed in text.split(",") if seed]


def main() -> int:
    """Try each threshold, and print what it affects."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.threshold_sensitivity", description=main.__doc__)
    parser.add_argument("--traps", type=_seeds, default=list(range(12)), help="seeds of clients with traps")
    parser.add_argument("--skins", type=_seeds, default=list(range(12)), help="seeds of skins")
    parser.add_argument("--traces", action="store_true", help="replay the shipped traces of learning too")
    parser.add_argument("--only", default="", help="thresholds whose stage and name contain this")
    options = parser.parse_args()
    clients = [Client.of(f"trap {seed}", partial(_trap, seed)) for seed in options.traps]
    clients += [Client.of(f"skin {seed}", partial(_skin, seed)) for seed in options.skins]
    traces = sorted(TRACES.glob("*-learned")) if options.traces else []
    unfelt, is_harmed = [], False
    for threshold in (it for it in thresholds() if options.only in str(it)):
        felt = {value: list(felt_by(threshold, value, clients, traces)) for value in map(threshold.varied, FACTORS)}
        for value, by in felt.items():
            print(f"{threshold} = {threshold.value} -> {value:g}: {'; '.join(by) or 'nothing'}", flush=True)  # noqa: T201  (a bench reports)
            is_harmed = is_harmed or any("wrong" in what or "harm" in what for what in by)
        if not any(felt.values()):
            unfelt.append(str(threshold))
    print("nothing feels:", *unfelt, sep="\n  ")  # noqa: T201
    return int(is_harmed)


if __name__ == "__main__":
    sys.exit(main())
