"""What a learning has observed, out of its trace: what follows from it can be worked out again with no client."""

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.errors import TraceError
from sweepbot.trace import entries as lines
from sweepbot.trace.trace import Pictures

_KINDS = {kind.__name__.lower(): kind for kind in Entry.__args__}


def log_of(entries: Iterable[lines.Entry], pictures: Pictures) -> Log:
    """The log of a learning.

    Args:
        entries: The lines of its trace.
        pictures: The pictures of its trace.

    Raises:
        TraceError: A line is none that this version could have written.
    """
    log = Log(PatchStore())
    for entry in entries:
        if isinstance(entry, lines.Observed):
            if entry.picture is not None and entry.new > 0:
                for cell in np.split(pictures.picture(entry.picture), entry.new):
                    log.patches.number(cell)
            log.entries.append(_read(entry))
    return log


def _read(line: lines.Observed) -> Entry:
    try:
        read: Entry = msgspec.convert(line.data, _KINDS[line.what], dec_hook=_array)
    except (KeyError, ValueError) as error:
        raise TraceError(f"{line.what!r} was not observed by this version: {error}") from error
    return read


def _array(kind: Any, value: Any) -> Any:  # noqa: ANN401  (what a hook is given)
    """An array as it was before it was written: of numbers, or of what is so and what is not."""
    del kind
    return np.array(value)
