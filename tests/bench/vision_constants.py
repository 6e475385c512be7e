"""Measures which constants of vision matter, by making each a fifth smaller and larger, on some frozen pictures.

    python -m tests.bench.vision_constants --every 3 cells.grounds cells.numbers

Without names all modules of `sweepbot.vision` are tried, which takes half an hour. Constants are changed in groups at
first; those of a group with any effect are then changed one by one, on the pictures that were read differently. These
are named, and whether that is worse. A constant without any effect is named at the end: it should be removed, or a
picture that needs it is missing. The exit code is 1 if a changed constant leads to a wrong board that is
trusted.
"""

import argparse
import importlib
import inspect
import multiprocessing
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

import cv2

import sweepbot.vision
from sweepbot.board import State
from sweepbot.vision import calibration, identify
from tests.bench.frozen_eyes import Answer, Case, answer, of_drawings, of_fixtures, say, verdict

FACTORS = 0.8, 1.2
_COMPARED = "client", "rows", "trusted"
_GROUP = 5
"""Constants changed at once: most have no effect on most pictures."""

Value = float | tuple[float, ...]


class Constant(NamedTuple):
    """A constant of a module of `sweepbot.vision`: a number or several."""

    module: str
    name: str
    value: Value

    def __str__(self) -> str:
        return f"{self.module.removeprefix('sweepbot.vision.')} {self.name}"

    def times(self, factor: float) -> Value:
        """The constant multiplied by a factor; a whole number changes by at least one."""
        if isinstance(self.value, tuple):
            return tuple(_scaled(number, factor) for number in self.value)
        return _scaled(self.value, factor)


_Job = tuple[Sequence[Constant], float, Sequence[tuple[str, Case]]]
"""Constants to change, by which factor, and the pictures to read."""


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
        is_number = numbers and all(
            isinstance(one, int | float) and not isinstance(one, bool | State) for one in numbers
        )
        if name.isupper() and is_number and _defines(module, name):
            yield Constant(module.__name__, name, value)


def read_with(changed: Sequence[Constant], factor: float, cases: Sequence[tuple[str, Case]]) -> dict[str, Answer]:
    """How pictures are read with changed constants; for a process of its own, as nothing is restored."""
    for constant in changed:
        value = constant.times(factor)
        for module in modules(()):
            if vars(module).get(constant.name) == constant.value and (
                module.__name__ == constant.module or not constant.name.startswith("_")
            ):
                setattr(module, constant.name, value)
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
    """Print a line for each constant that is felt, and at the end those that are not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--every", type=int, default=3, help="use one picture in this many")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    cases = dict([*of_fixtures(), *of_drawings()][:: asked.every])
    tried = [constant for module in modules(asked.modules) for constant in constants(module)]
    groups = [tried[start : start + _GROUP] for start in range(0, len(tried), _GROUP)]
    context = multiprocessing.get_context("fork")
    with context.Pool(asked.jobs, maxtasksperchild=1) as pool:
        before = pool.apply(read_with, ((), 1.0, list(cases.items())))
        say(len(tried), "constants,", len(cases), "pictures")

        def changed(jobs: Sequence[_Job]) -> Iterator[tuple[_Job, dict[str, Answer]]]:
            for job, answers in zip(jobs, pool.imap(_run, jobs), strict=True):
                others = {
                    name: of for name, of in answers.items() if any(before[name][key] != of[key] for key in _COMPARED)
                }
                if others:
                    yield job, others

        together = [(group, factor, list(cases.items())) for group in groups for factor in FACTORS]
        single = [
            ([constant], factor, [(name, cases[name]) for name in others])
            for (group, factor, _), others in changed(together)
            for constant in group
        ]
        felt, wrong = set[Constant](), 0
        for ((constant,), factor, _), others in changed(single):
            felt.add(constant)
            wrong += sum("WRONG" in verdict(of) and "WRONG" not in verdict(before[name]) for name, of in others.items())
            told = (f"{name}: {verdict(before[name])} -> {verdict(of)}" for name, of in others.items())
            say(f"{constant} = {constant.value} x {factor}: {len(others)} otherwise;", "; ".join(told))
    say(len(felt), "felt; not felt:", ", ".join(map(str, sorted(set(tried) - felt))))
    return 1 if wrong else 0


def _run(job: _Job) -> dict[str, Answer]:
    """Return how pictures are read; an error counts as read otherwise, such as that of a percentile beyond 100."""
    try:
        return read_with(*job)
    except (ArithmeticError, LookupError, ValueError, cv2.error) as error:
        return {name: {"client": repr(error), "rows": [], "trusted": False, "truth": None} for name, _ in job[2]}


if __name__ == "__main__":
    sys.exit(main())
