"""The calibration that a run was played with, as a copy that a replay may change."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sweepbot.errors import TraceError, refused_as
from sweepbot.trace.trace import Trace
from sweepbot.vision.calibration import Calibration, load_calibration


@contextmanager
def calibration_of(trace: Trace) -> Iterator[Calibration]:
    """A copy of the trace's calibration, until the block is left: what is learned in play is written beside it.

    Raises:
        TraceError: The trace has none.
        CalibrationError: It is broken.
    """
    if trace.calibration is None or trace.run.client is None:
        raise TraceError(
            f"{trace.folder}: the run ended before its client was known", hint="there is nothing to replay"
        )
    with tempfile.TemporaryDirectory(prefix="sweepbot-replay-") as temporary:
        folder = Path(temporary, trace.run.client)
        with refused_as(TraceError, f"{trace.calibration}: cannot be read", "copy the whole trace"):
            shutil.copytree(trace.calibration, folder, symlinks=True)
        yield load_calibration(folder)
