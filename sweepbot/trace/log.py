"""The lines of the log in the trace."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sweepbot.trace.entries import Log
from sweepbot.trace.recorder import Recorder


class _Handler(logging.Handler):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def emit(self, record: logging.LogRecord) -> None:
        """Record a line."""
        self._recorder.tell(Log(level=record.levelname, logger=record.name, text=record.getMessage()))


@contextmanager
def log_recorded(recorder: Recorder) -> Iterator[None]:
    """Record what is logged until the block is left."""
    handler = _Handler(recorder)
    logger = logging.getLogger("sweepbot")
    level = logger.level
    logger.addHandler(handler)
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
