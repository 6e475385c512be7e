"""Writing a calibration, a folder of pictures and a commented calibration.yaml, atomically."""

import itertools
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, Fixture, Label, Learned
from sweepbot.calibrate.writing.editing import entry, today, with_entry, with_pictures
from sweepbot.errors import CalibrationError, refused_as
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.render.files import save_image
from sweepbot.render.sheet import contact_sheet
from sweepbot.replacing import replace_file, replace_folder, restore
from sweepbot.strangers import copy_calibration
from sweepbot.trace.canvas import encode
from sweepbot.vision.calibration import (
    FILE,
    NAME_OF_STATE,
    STATE_NAMES,
    Calibration,
    Template,
    load_calibration,
    user_calibrations,
)
from sweepbot.vision.grid import Grid

SHEET = "contact-sheet.png"

_MAX_ASKEW_PX = 1  # by which the height of cells of the same client may differ through rounding


def check_writable(folder: Path, *, force: bool) -> None:
    """Check, before a game is played, that its result may be written.

    Raises:
        CalibrationError: The folder exists without `force`, or has no calibration in it, or cannot be made.
    """
    with refused_as(CalibrationError, f"{folder} cannot be put back"):
        restore(folder)
    if folder.exists() and force and not (folder / FILE).is_file():
        raise CalibrationError(f"{folder} is no calibration, and is not replaced", hint="choose another NAME")
    if folder.exists() and not force:
        raise CalibrationError(f"{folder} exists already", hint="choose another NAME, or replace it with --force")
    with refused_as(CalibrationError, f"{folder.parent} cannot be made", "choose another folder: --output DIR"):
        folder.parent.mkdir(parents=True, exist_ok=True)


def write(learned: Learned, folder: Path, description: str, *, force: bool) -> Calibration:
    """Write a calibration, and read it back.

    `description` says in a sentence what the client is and how this was learned. With `force` an existing folder, named
    after the client, is replaced.

    Raises:
        CalibrationError: The folder exists already or cannot be written, or the calibration is not valid.
    """
    check_writable(folder, force=force)

    def fill(made: Path) -> None:
        lines = _lines(learned, _save_pictures(made, learned.labels), description)
        known = ((STATE_NAMES[label.state], label.pictures) for label in learned.labels)
        _save_sheet(made, [Template(state, picture) for state, pictures in known for picture in pictures])
        (made / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return _replace(folder, fill, keeps=True)


def add(calibration: Calibration, labels: Sequence[Label], folder: Path | None = None, source: str = "") -> Calibration:
    """Add states, and further looks of states, to a calibration, leaving the rest of its file as it is.

    All pictures are new and of one of the calibration's sizes. The completed calibration goes into a folder, by default
    the user's own, to which a shipped one is copied; `source` says in the head of the file what they were learned from.

    Raises:
        CalibrationError: It cannot be written.
    """
    width = labels[0].pictures[0].shape[1]

    def change(made: Path, text: str) -> str:
        if width != calibration.cell[0]:
            return with_pictures(text, labels, _save_pictures(made, labels, f"-at-{width}"), source, width)
        return with_pictures(text, labels, _save_pictures(made, labels), source)

    return _change(calibration, folder, change)


def complete(calibration: Calibration, learned: Learned, folder: Path | None = None) -> Calibration:
    """Add to a calibration what it lacks: looks of cells of any size, and a level; not the behaviour.

    The completed calibration goes into a folder as by `add`.

    Raises:
        CalibrationError: The cells have other proportions than the calibration's, or it cannot be written.
    """
    if not learned.labels:
        return calibration
    width, height = learned.cell
    size = calibration.cell_of_width(width)
    if abs(height - size[1]) > _MAX_ASKEW_PX:
        raise CalibrationError(
            f"cells of {width}x{height} pixels are not those of {calibration.path}, {size[0]}x{size[1]} at that width",
            hint="if it is another client, choose another NAME",
        )
    labels = [replace(it, pictures=[_resized(one, size) for one in it.pictures]) for it in learned.labels]
    calibration = add(calibration, labels, folder, learned.source)
    columns, rows = learned.place.columns, learned.place.rows
    if calibration.totals_vary or calibration.level_of_size(columns, rows) is not None or not learned.levels:
        return calibration
    return add_level(calibration, Level.parse(next(iter(learned.levels.values()))))


def _resized(picture: Image, size: tuple[int, int]) -> Image:
    height, width = picture.shape[:2]
    return Grid((0.0, float(width)), (0.0, float(height))).rectify(picture, size)


def add_level(calibration: Calibration, level: Level) -> Calibration:
    """Add a level to the user's own calibration, to which a shipped one is copied first.

    Raises:
        CalibrationError: It cannot be written.
    """
    name = f"{level.columns}x{level.rows}"
    return _change(calibration, None, lambda _, text: with_entry(text, name, str(level), section="levels"))


def own_folder(calibration: Calibration) -> Path:
    """Return the folder in which a calibration can be changed: its own, or the user's copy of a shipped one."""
    return user_calibrations() / calibration.name if calibration.is_shipped else calibration.path.parent


def _change(calibration: Calibration, folder: Path | None, change: Callable[[Path, str], str]) -> Calibration:
    """Write a copy of a calibration, with its text changed, to a folder, by default the user's own; return it.

    Only the files that it consists of are copied: if there are others, the old folder is kept.
    """
    known = {SHEET, *(file.name for file in calibration.files)}

    def fill(made: Path) -> None:
        copy_calibration(calibration.files, made, CalibrationError)
        text = (made / FILE).read_text(encoding="utf-8")
        (made / FILE).write_text(change(made, text), encoding="utf-8")
        _save_sheet(made, load_calibration(made).templates)

    folder = folder or own_folder(calibration)
    return _replace(folder, fill, keeps=folder.exists() and any(file.name not in known for file in folder.iterdir()))


def _replace(folder: Path, fill: Callable[[Path], None], *, keeps: bool) -> Calibration:
    """Replace a folder with what `fill` writes, once that can be loaded. See `replace_folder`.

    Raises:
        CalibrationError: It cannot be written, or is not a valid calibration.
    """
    with refused_as(CalibrationError, f"{folder} cannot be written", "choose another folder"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".sweepbot-") as temporary:
            made = Path(temporary, folder.name)
            made.mkdir()
            fill(made)
            load_calibration(made)
            replace_folder(made, folder, keeps=keeps)
    return load_calibration(folder)


def write_fixtures(fixtures: Iterable[Fixture], folder: Path) -> None:
    """Write pictures and the boards that they show, for `sweepbot replay`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, fixture in enumerate(fixtures, 1):
        save_image(fixture.image, folder / f"{fixture.name}-{number:02}.png")
        replace_file(folder / f"{fixture.name}-{number:02}.txt", f"{fixture.board}\n".encode("ascii"))


def _save_sheet(folder: Path, templates: Iterable[Template]) -> None:
    sheet = contact_sheet([(NAME_OF_STATE[it.state], it.image) for it in templates])
    (folder / SHEET).write_bytes(encode(sheet))


def _save_pictures(folder: Path, labels: Iterable[Label], suffix: str = "") -> dict[str, list[str]]:
    """Write the pictures of states under names that are free; return these for each state."""
    names: dict[str, list[str]] = {}
    for label in labels:
        numbered = (f"{label.state}{suffix}-{number}.png" for number in itertools.count(2))
        all_names = itertools.chain([f"{label.state}{suffix}.png"], numbered)
        free = (name for name in all_names if not (folder / name).exists())
        names[label.state] = list(itertools.islice(free, len(label.pictures)))
        for name, picture in zip(names[label.state], label.pictures, strict=True):
            (folder / name).write_bytes(encode(picture))
    return names


def _lines(learned: Learned, names: dict[str, list[str]], description: str) -> Iterable[str]:
    place = learned.place
    yield f"# Made by `sweepbot calibrate` on {today()} from {learned.source},"
    yield f"# of a board of {place.columns}x{place.rows} cells, {learned.cell[0]}x{learned.cell[1]} pixels each."
    yield f"# What it looks like: {SHEET}"
    yield from (f"# {question}" for question in learned.open_questions)
    if learned.stuck is not None:
        yield f"# Learned in part: {learned.stuck}"
    yield entry("description", description)
    yield entry("titles", list(learned.titles), "words in the titles of its windows, by which play finds them")
    yield entry("cell", list(learned.cell))
    yield "\nstates:"
    for label in learned.labels:
        yield f"  # {label.why}"
        yield f"  {entry(label.state, names[label.state])}"
    if learned.unmet:
        yield "\n# States not met yet: read at first sight, and learned in play. Remove those that never appear."
        yield entry("unmet", learned.unmet)
    if len(learned.totals) > 1:
        counted = ", ".join(map(str, learned.totals))
        yield "\n" + entry("levels", "varying", f"from game to game: {counted} mines; play assumes no total")
    else:
        yield "\n" + entry("levels", learned.levels)
    yield "\nmanners:"
    for key, value in msgspec.to_builtins(learned.behaviour).items():
        is_unknown = value in (None, (), [], DEAL_INTERVAL_MS)
        yield f"  {entry(key, value, _NOTES.get(key, '') if is_unknown else '')}"


_NOTES = {
    "restart": "no way to start a new game was found: give a key or a click",
    "first_click": "safe, open or none: unknown from the games played",
    "flags_to_win": "no win was seen: cells left hidden at the end are flagged, in case a win needs it",
    "deal_interval_ms": "not tried: within a second some clients deal the same mines again",
}
"""Comments for values that are unknown."""
