"""Differences between a run and its replay."""

import msgspec

from sweepbot.trace.entries import Entry
from sweepbot.trace.events import Decided, Read

_SAME_CHANCE = 1e-3  # chances that differ by less count as equal: a trace rounds them


class StepDifference(msgspec.Struct, frozen=True):
    """A difference in a step, counted from 1.

    `kind` is the kind of line: `grab`, `click`, `read`, `decided` or another. `was` is the line of the trace in
    words, `now` that of the replay; either may be empty.
    """

    step: int
    kind: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.kind}\n  was: {self.was or 'nothing'}\n  now: {self.now or 'nothing'}"


class Replayed(msgspec.Struct):
    """What a replay has found so far: how many steps of the run were reached, and the differences."""

    steps: int = 0
    differences: list[StepDifference] = []

    def differ(self, kind: str, was: object, now: object) -> None:
        """Add a difference in the present step; `was` and `now` are put into words, None into none."""
        self.differences.append(StepDifference(max(1, self.steps), kind, str(was or ""), str(now or "")))


def differing(was: Entry, now: Entry) -> bool:
    """Whether two lines differ, apart from their times and the fields that are not compared."""
    if type(was) is not type(now):
        return True
    if isinstance(was, Decided) and isinstance(now, Decided) and _chances_differ(was, now):
        return True
    if isinstance(was, Read) and isinstance(now, Read) and bool(was.doubt) != bool(now.doubt):
        return True  # whether it is trusted counts, not the wording of the doubt
    fields = (field for field in was.__struct_fields__ if field not in ("t", *was.UNCOMPARED))
    # Compared as JSON, in which lists and tuples are the same.
    return any(msgspec.json.encode(getattr(was, name)) != msgspec.json.encode(getattr(now, name)) for name in fields)


def _chances_differ(was: Decided, now: Decided) -> bool:
    pairs = (pair for rows in zip(was.chances, now.chances, strict=False) for pair in zip(*rows, strict=False))
    return any(
        one is not other if one is None or other is None else abs(one - other) > _SAME_CHANCE for one, other in pairs
    )
