"""The calibration that a trace was played with, and the observations of a learning run."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from msgspec import structs

from sweepbot.calibrate.labels.belief import Belief, infer
from sweepbot.calibrate.labels.log import Entry
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.errors import TraceError, refused_as
from sweepbot.strangers import copy_calibration
from sweepbot.trace.events import Observed
from sweepbot.trace.trace import SeenScreen, Trace
from sweepbot.vision.calibration import FILE, Calibration, load_calibration
from sweepbot.vision.reader import unknown_client

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
        if not (trace.calibration / FILE).is_file() and trace.run.settings.get("learns_as") is not None:
            yield structs.replace(unknown_client(trace.run.client), path=folder / FILE)
            return
        recorded = load_calibration(trace.calibration)
        with refused_as(TraceError, f"{folder}: cannot be written", "free some space"):
            folder.mkdir()
            copy_calibration(recorded.files, folder, TraceError)
        files = tuple(folder / file.name for file in recorded.files)
        yield structs.replace(recorded, name=folder.name, path=files[0], files=files)


def inferred_again(observed: Iterable[tuple[int, Observed]], seen: SeenScreen) -> Belief:
    """Infer again, with today's code, from the observations of a learning run and the pictures of its trace.

    Args:
        observed: The observations, each with the number of its line.
        seen: The pictures.

    Raises:
        TraceError: A line is not one that this version could have written, or does not fit those before it.
    """
    patches, where = PatchStore(), str(seen.lines)

    def entries() -> Iterator[Entry]:
        nonlocal where
        for number, line in observed:
            where = f"{seen.lines}: line {number}"
            try:
                if line.picture is not None:
                    for cell in np.split(seen.picture(line.picture), line.new):
                        patches.number(cell)
                entry: Entry = msgspec.convert(line.data, _KINDS[line.what], dec_hook=lambda _, value: np.array(value))
            except (ArithmeticError, KeyError, ValueError) as error:
                raise TraceError(f"{where}: {line.what!r} is not an observation of this version: {error}") from error
            yield entry

    try:
        return infer(patches, entries())
    except (IndexError, KeyError, ValueError) as error:
        raise TraceError(
            f"{where}: the observations up to here contradict each other: {error!r}", hint="the trace is damaged"
        ) from error
