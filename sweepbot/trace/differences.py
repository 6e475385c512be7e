"""What differs between a run and its replay."""

import msgspec

from sweepbot.trace.entries import Entry
from sweepbot.trace.events import Decided, Read

_SAME_CHANCE = 1e-3  # two chances that differ by less are the same: a trace rounds them


class Difference(msgspec.Struct, frozen=True):
    """Something that is not as it was, in a step counted from 1.

    `kind` is a kind of line: `look`, `click`, `reading`, `decision` or another; `was` is what the trace says of it in
    words, `now` what comes out today, and either may be empty.
    """

    step: int
    kind: str
    was: str
    now: str


class Replayed(msgspec.Struct, frozen=True):
    """A replay: how many steps of the run were reached, and what was not as it was then."""

    steps: int
    differences: list[Difference]


def differing(was: Entry, now: Entry) -> bool:
    """Whether two lines differ, apart from their times and what is not compared."""
    if type(was) is not type(now):
        return True
    if isinstance(was, Decided) and isinstance(now, Decided) and _chances_differ(was, now):
        return True
    if isinstance(was, Read) and isinstance(now, Read) and bool(was.doubt) != bool(now.doubt):
        return True  # whether it is trusted counts, not in which words it is not
    fields = (field for field in was.__struct_fields__ if field not in ("t", *was.UNCOMPARED))
    # As JSON, in which a list and a tuple are the same.
    return any(msgspec.json.encode(getattr(was, name)) != msgspec.json.encode(getattr(now, name)) for name in fields)


def _chances_differ(was: Decided, now: Decided) -> bool:
    pairs = (pair for rows in zip(was.chances, now.chances, strict=False) for pair in zip(*rows, strict=False))
    return any(
        one is not other if one is None or other is None else abs(one - other) > _SAME_CHANCE for one, other in pairs
    )
