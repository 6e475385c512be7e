"""The calibration that a trace was played with, and the observations of a learning run."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from msgspec import structs

from sweepbot.calibrate.labels.belief import Belief, infer
from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.errors import TraceError, refused_as
from sweepbot.strangers import copy_calibration
from sweepbot.trace.entries import Entry as Line
from sweepbot.trace.events import Observed
from sweepbot.trace.trace import SeenScreen, Trace
from sweepbot.vision.calibration import Calibration, load_calibration

_KINDS = {kind.__name__.lower(): kind for kind in Entry.__args__}


@contextmanager
def calibration_of(trace: Trace) -> Iterator[Calibration]:
    """Load a temporary copy of the trace's calibration, beside which learning in play may write.

    Raises:
        TraceError: The trace has none.
        CalibrationError: It is broken.
    """
    if trace.calibration is None or trace.run.client is None:
        raise TraceError(
            f"{trace.folder}: the run ended before its client was known", hint="nothing in it can be replayed"
        )
    with tempfile.TemporaryDirectory(prefix="sweepbot-replay-") as temporary:
        folder = Path(temporary, trace.run.client)
        recorded = load_calibration(trace.calibration)
        with refused_as(TraceError, f"{folder}: cannot be written", "free some space"):
            folder.mkdir()
            copy_calibration(recorded.files, folder, TraceError)
        files = tuple(folder / file.name for file in recorded.files)
        yield structs.replace(recorded, name=folder.name, path=files[0], files=files)


def inferred_again(entries: Iterable[Line], seen: SeenScreen) -> Belief:
    """Infer again, with today's code, from the observations of a learning run in the lines and pictures of its trace.

    Raises:
        TraceError: A line is not one that this version could have written, or does not fit the others.
    """
    log = Log(PatchStore())
    for entry in (entry for entry in entries if isinstance(entry, Observed)):
        try:
            if entry.picture is not None:
                for cell in np.split(seen.picture(entry.picture), entry.new):
                    log.patches.number(cell)
            kind = _KINDS[entry.what]
            log.entries.append(msgspec.convert(entry.data, kind, dec_hook=lambda _, value: np.array(value)))
        except (ArithmeticError, KeyError, ValueError) as error:
            raise TraceError(f"{seen.lines}: {entry.what!r} is not an observation of this version: {error}") from error
    try:
        return infer(log)
    except (IndexError, KeyError, ValueError) as error:
        raise TraceError(
            f"{seen.lines}: the observations contradict each other: {error!r}", hint="the trace is damaged"
        ) from error
