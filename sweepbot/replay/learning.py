"""What a learning run observed, from its trace: what follows from that can be worked out again with no client."""

from collections.abc import Iterable

import msgspec
import numpy as np

from sweepbot.calibrate.labels.belief import Belief, infer
from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.errors import TraceError
from sweepbot.trace.entries import Entry as Line
from sweepbot.trace.events import Observed
from sweepbot.trace.trace import SeenScreen

_KINDS = {kind.__name__.lower(): kind for kind in Entry.__args__}


def log_of(entries: Iterable[Line], seen: SeenScreen) -> Log:
    """The log of a learning run, from the lines and the pictures of its trace.

    Raises:
        TraceError: A line is none that this version could have written.
    """
    log = Log(PatchStore())
    for entry in entries:
        if isinstance(entry, Observed):
            try:
                if entry.picture is not None:
                    for cell in np.split(seen.picture(entry.picture), entry.new):
                        log.patches.number(cell)
                kind = _KINDS[entry.what]
                log.entries.append(msgspec.convert(entry.data, kind, dec_hook=lambda _, value: np.array(value)))
            except (ArithmeticError, KeyError, ValueError) as error:
                raise TraceError(f"{entry.what!r} was not observed by this version: {error}") from error
    return log


def inferred_again(entries: Iterable[Line], seen: SeenScreen) -> Belief:
    """What today's code infers from what a learning run observed. See `log_of`.

    Raises:
        TraceError: A line is none that this version could have written, or does not fit to the others.
    """
    log = log_of(entries, seen)
    try:
        return infer(log)
    except (IndexError, KeyError, ValueError) as error:
        raise TraceError(f"what was observed does not fit together: {error!r}", hint="the trace is damaged") from error
