"""Fixtures, screenshots whose boards are known: finding and checking them, and making one from a step of a run."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sweepbot.board import Board
from sweepbot.calibrate.comparison import Comparison, compare
from sweepbot.errors import SweepbotError, TraceError, UsageError, refused_as
from sweepbot.render.files import save_image
from sweepbot.replacing import replace_file
from sweepbot.replay.steps import Step, steps_of
from sweepbot.trace.trace import Trace
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


def find_fixtures(path: Path) -> list[Path]:
    """Return the screenshots at `path`, a file or a folder and its subfolders, that have a board text beside them.

    Raises:
        SweepbotError: There is none.
    """
    candidates = [path] if path.is_file() else sorted(path.rglob("*.png"))
    fixtures = [image for image in candidates if image.with_suffix(".txt").is_file()]
    if not fixtures:
        raise SweepbotError(
            f"{path}: has no fixtures", hint="a fixture is NAME.png with its board in NAME.txt, in a folder CLIENT/"
        )
    return fixtures


def compare_all(fixtures: list[Path]) -> Iterator[Comparison]:
    """Read each fixture with the calibration that its folder is named after, and compare it with its board.

    Raises:
        CalibrationError: A folder is not named after a client.
        BoardTextError: A fixture's board text is broken.
    """
    reader_of = cache(lambda client: Reader(find_calibration(client)))
    for image in fixtures:
        yield compare(image, reader_of(image.resolve().parent.name))


def find_step(trace: Trace, number: int) -> Step:
    """Return a step of a run by its number, from 1.

    Raises:
        UsageError: There is no such step.
        TraceError: The trace is broken.
    """
    steps = 0
    for step in steps_of(trace):
        steps = step.number
        if steps == number:
            return step
    raise UsageError(f"{trace.folder}: there is no step {number}", hint=f"its steps are 1 to {steps}")


def write_fixture(trace: Trace, step: Step, board: Board, folder: Path) -> Path:
    """Write the picture of a step and its board; return the picture's path.

    The fixture goes into a subfolder of `folder` named after the client.

    Raises:
        TraceError: The fixture exists already, or cannot be written.
        ImageError: The picture cannot be written.
    """
    client = trace.run.client or "unknown"  # `open_trace` has checked that it is a plain name
    name = f"{_UNFIT.sub('_', trace.folder.resolve().name)}_{step.number}"
    picture = folder / client / f"{name}.png"
    if picture.exists():
        raise TraceError(f"{picture}: exists already", hint="move it away, or choose another folder: --fixtures DIR")
    with refused_as(TraceError, f"{picture}: cannot be written", "choose another folder: --fixtures DIR"):
        picture.parent.mkdir(parents=True, exist_ok=True)
        save_image(step.image, picture)
        replace_file(picture.with_suffix(".txt"), f"{board}\n".encode("ascii"))
    return picture
