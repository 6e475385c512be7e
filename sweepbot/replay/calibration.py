"""The calibration that a trace was played with."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from sweepbot.errors import TraceError, refused_as
from sweepbot.strangers import copy_calibration
from sweepbot.trace.trace import Trace
from sweepbot.vision.calibration import FILE, Calibration, load_calibration
from sweepbot.vision.reader import unknown_client


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
        if not (trace.calibration / FILE).is_file():
            yield structs.replace(unknown_client(trace.run.client), path=folder / FILE)
            return
        recorded = load_calibration(trace.calibration)
        with refused_as(TraceError, f"{folder}: cannot be written"):
            folder.mkdir()
            copy_calibration(recorded.files, folder, TraceError)
        files = tuple(folder / file.name for file in recorded.files)
        yield structs.replace(recorded, name=folder.name, path=files[0], files=files)
