"""Measures which constants of vision matter, by making each a fifth smaller and larger, on some frozen pictures.

    python -m tests.bench.vision_constants --every 9 cells.grounds cells.flags

Without names all modules of `sweepbot.vision` are tried, which takes hours. For each constant the pictures that are
read differently are named, and whether that is worse. A constant without any effect is named at the end: it should be
removed, or a picture that needs it is missing. The exit code is 1 if a changed constant leads to a wrong board that is
trusted.
"""

import argparse
import importlib
import inspect
import multiprocessing
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import NamedTuple

import sweepbot.vision
from sweepbot.vision import calibration, identify
from tests.bench.frozen_eyes import Answer, Case, answer, of_drawings, of_fixtures, say, verdict

FACTORS = 0.8, 1.2
_COMPARED = "client", "rows", "trusted"

Value = float | tuple[float, ...]


class Constant(NamedTuple):
    """A constant of a module of `sweepbot.vision`: a number or several."""

    module: str
    name: str
    value: Value

    def times(self, factor: float) -> Value:
        """The constant multiplied by a factor; a whole number changes by at least one."""
        if isinstance(self.value, tuple):
            return tuple(_scaled(number, factor) for number in self.value)
        return _scaled(self.value, factor)


def modules(wanted: Sequence[str]) -> Iterator[ModuleType]:
    """The modules of vision, or those with the given names, such as `cells.grounds`."""
    package = sweepbot.vision.__name__
    for info in pkgutil.walk_packages(sweepbot.vision.__path__, f"{package}."):
        if not info.ispkg and (not wanted or info.name.removeprefix(f"{package}.") in wanted):
            yield importlib.import_module(info.name)


def constants(module: ModuleType) -> Iterator[Constant]:
    """The constants that a module defines, without those that it imports."""
    for name, value in vars(module).items():
        numbers = value if isinstance(value, tuple) else (value,)
        is_number = numbers and all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
        if name.isupper() and is_number and _defines(module, name):
            yield Constant(module.__name__, name, value)


def read_with(constant: Constant | None, factor: float, cases: Sequence[tuple[str, Case]]) -> dict[str, Answer]:
    """How pictures are read with a changed constant; for a process of its own, as nothing is restored."""
    if constant is not None:
        changed = constant.times(factor)
        for module in modules(()):
            if vars(module).get(constant.name) == constant.value and (
                module.__name__ == constant.module or not constant.name.startswith("_")
            ):
                setattr(module, constant.name, changed)
    for kept in (calibration._loaded, identify._reader):  # noqa: SLF001  (computed from the unchanged constants)
        kept.cache_clear()
    return dict(map(answer, cases))


def _scaled(number: float, factor: float) -> float:
    if isinstance(number, int):
        scaled = round(number * factor)
        return scaled if scaled != number else number + (1 if factor > 1 else -1)
    return number * factor


def _defines(module: ModuleType, name: str) -> bool:
    """Whether a module assigns a constant, rather than importing it."""
    targets = (line.partition("=")[0].partition(":")[0] for line in inspect.getsource(module).splitlines())
    return any(name in (target.strip() for target in line.split(",")) for line in targets)


def main() -> int:
    """Print a line for each constant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--every", type=int, default=9, help="use one picture in this many")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    cases = [*of_fixtures(), *of_drawings()][:: asked.every]
    tried = [constant for module in modules(asked.modules) for constant in constants(module)]
    jobs = [(constant, factor) for constant in tried for factor in FACTORS]
    context = multiprocessing.get_context("fork")
    with context.Pool(1, maxtasksperchild=1) as pool:
        before = pool.apply(read_with, (None, 1.0, cases))
    felt, wrong = set[str](), 0
    with context.Pool(asked.jobs, maxtasksperchild=1) as pool:
        found = pool.imap(partial(_job, cases), jobs)
        for (constant, factor), answers in zip(jobs, found, strict=True):
            changed = [name for name in before if any(before[name][key] != answers[name][key] for key in _COMPARED)]
            wrong += sum("WRONG" in verdict(answers[name]) and "WRONG" not in verdict(before[name]) for name in changed)
            label = f"{constant.module.removeprefix('sweepbot.vision.')} {constant.name}"
            felt |= {label} if changed else set()
            told = (f"{name}: {verdict(before[name])} -> {verdict(answers[name])}" for name in changed)
            say(f"{label} = {constant.value} x {factor}: {len(changed)} of {len(cases)} otherwise", "; ".join(told))
    say(
        "not felt:",
        ", ".join(sorted({f"{one.module.removeprefix('sweepbot.vision.')} {one.name}" for one in tried} - felt)),
    )
    return 1 if wrong else 0


def _job(cases: Sequence[tuple[str, Case]], job: tuple[Constant, float]) -> dict[str, Answer]:
    return read_with(*job, cases)


if __name__ == "__main__":
    sys.exit(main())
