"""What each threshold of learning matters: a fifth more and a fifth less of it, over generated clients and traces.

    python -m tests.bench.threshold_sensitivity --traps 0,5,9 --skins 4,13 --traces

A threshold is a number in capitals, or one of a few together, at the head of a file below `sweepbot/calibrate`. Those
that matter to what is inferred alone are tried on the clients' logs, which takes a moment each; the others by learning
each client again. One that nothing feels either way is named at the end: it should be left out, or is there for a
client that is not among these. Exit code 1 where a changed threshold has led to a wrong label, or to harm.
"""

import argparse
import ast
import enum
import importlib
import pkgutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

import sweepbot.calibrate
from sweepbot.calibrate.labels.inference import Inference, infer
from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.trace import open_trace
from tests.skins import Skin, SkinDesktop, learn, mislabelled
from tests.trap_clients import Kind, TrapDesktop

FACTORS = (0.8, 1.2)
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
INFERRED = ("covered_endings", "disturbed", "endings", "inference", "marks")
"""Files of `labels/` whose thresholds matter to what is inferred alone, and not to what is observed."""

CODES = {"UNOPENED", "UNDECIDED", "SAFE", "MINE", "ALL_NUMBERS", "_FIRST_LOOK"}
"""Numbers that stand for something, and measure nothing."""

Outcome = dict[str, int | str]
"""Of what was learned, by name, a checksum; with `wrong` or `harm` where there was any."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number in a file.

    Attributes:
        file: The last part of the module's name.
        name: What it is called there.
        index: Which of several together it is, -1 where it is alone.
    """

    module: str
    name: str
    index: int

    def __str__(self) -> str:
        place = "" if self.index < 0 else f"[{self.index}]"
        return f"{self.module.removeprefix('sweepbot.calibrate.')}.{self.name}{place} = {self.value}"

    @property
    def value(self) -> float:
        """What it is."""
        value = getattr(sys.modules[self.module], self.name)
        number: float = value if self.index < 0 else value[self.index]
        return number

    def varied(self, factor: float) -> float:
        """What it is tried as: where it is a whole number, another one."""
        new = self.value * factor
        if isinstance(self.value, int):
            new = round(new) if round(new) != self.value else self.value + (1 if factor > 1 else -1)
        return new

    @contextmanager
    def tried(self, value: float) -> Iterator[None]:
        """Let all files that know it take it for something else for a while."""
        before = getattr(sys.modules[self.module], self.name)
        new = value if self.index < 0 else (*before[: self.index], value, *before[self.index + 1 :])
        is_own = self.name.startswith("_")
        named = [module for module in modules() if module.__dict__.get(self.name) is before]
        knowing = [module for module in named if module.__name__ == self.module or not is_own]
        for module in knowing:
            setattr(module, self.name, new)
        try:
            yield
        finally:
            for module in knowing:
                setattr(module, self.name, before)


def modules() -> list[ModuleType]:
    """All files of the room."""
    package = sweepbot.calibrate
    return [importlib.import_module(at.name) for at in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]


def thresholds() -> Iterator[Threshold]:
    """All numbers in capitals, each where it is defined: numbers that say what bits mean are none."""
    for module in modules():
        for name in _assigned(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))):
            value = getattr(module, name)
            values = value if isinstance(value, tuple) else (value,)
            is_number = all(isinstance(number, int | float) and not isinstance(number, enum.Enum) for number in values)
            if name.isupper() and name not in CODES and is_number:
                for index in range(len(values)):
                    yield Threshold(module.__name__, name, index if isinstance(value, tuple) else -1)


def _assigned(tree: ast.Module) -> Iterator[str]:
    """The names that a file gives to something at its head."""
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


@dataclass(slots=True)
class Client:
    """Something that is learned.

    Attributes:
        name: What it is called.
        start: Starts it anew.
        log: What was observed of it at first.
        inferred: What follows from that.
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
        return cls(name, start, log, _told(infer(log)), outcome)


def learned(desktop: SkinDesktop, observe: Callable[[Entry, Sequence[Image]], None] = lambda _, __: None) -> Outcome:
    """What is learned of a client, and what was done to it."""
    try:
        got = learn(desktop, 8, observe=observe)
    except SweepbotError as error:
        return {"refused": type(error).__name__}
    labels = {label.state: label.pictures for label in got.labels}
    outcome: Outcome = {state: zlib.crc32(b"".join(map(Image.tobytes, pictures))) for state, pictures in labels.items()}
    outcome["behaviour"] = f"{got.behaviour.restart} {got.behaviour.dialogs} {got.behaviour.first_click} {got.levels}"
    dims = isinstance(desktop, TrapDesktop) and desktop.kind.end == "dimmed"
    if wrong := mislabelled(desktop, got.place, labels, dims=dims):
        outcome["wrong"] = " ".join(wrong)
    if isinstance(desktop, TrapDesktop) and desktop.harm:
        outcome["harm"] = " ".join(desktop.harm)
    return outcome


def _told(meant: Inference) -> Outcome:
    outcome: Outcome = {state: str(sorted(pictures.items())) for state, pictures in meant.states.items()}
    return outcome | {"totals": str(meant.totals), "first click": str(meant.first_click)}


def felt_by(threshold: Threshold, value: float, clients: Sequence[Client], traces: Sequence[Path]) -> Iterator[str]:
    """What comes out otherwise with another value, client by client."""
    is_inferred = threshold.module.rpartition(".")[2] in INFERRED
    with threshold.tried(value):
        for client in clients:
            was = client.inferred if is_inferred else client.outcome
            now = _told(infer(client.log)) if is_inferred else learned(client.start())
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
    """Try each threshold; tells what feels it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.threshold_sensitivity", description=main.__doc__)
    parser.add_argument("--traps", type=_seeds, default=list(range(12)), help="seeds of clients with traps")
    parser.add_argument("--skins", type=_seeds, default=list(range(12)), help="seeds of skins")
    parser.add_argument("--traces", action="store_true", help="replay the shipped traces of learning too")
    parser.add_argument("--only", default="", help="thresholds whose file and name contain this")
    options = parser.parse_args()
    clients = [Client.of(f"trap {seed}", partial(_trap, seed)) for seed in options.traps]
    clients += [Client.of(f"skin {seed}", partial(_skin, seed)) for seed in options.skins]
    traces = sorted(TRACES.glob("*-learned")) if options.traces else []
    unfelt, is_harmed = [], False
    for threshold in (it for it in thresholds() if options.only in str(it)):
        felt = {value: list(felt_by(threshold, value, clients, traces)) for value in map(threshold.varied, FACTORS)}
        for value, by in felt.items():
            print(f"{threshold} -> {value:g}: {'; '.join(by) or 'nothing'}", flush=True)  # noqa: T201  (a bench reports)
            is_harmed = is_harmed or any("wrong" in what or "harm" in what for what in by)
        if not any(felt.values()):
            unfelt.append(str(threshold))
    print("nothing feels:", *unfelt, sep="\n  ")  # noqa: T201
    return int(is_harmed)


if __name__ == "__main__":
    sys.exit(main())
