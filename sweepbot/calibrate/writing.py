"""Writing a calibration: a folder of pictures and a commented calibration.yaml, whole or not at all."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import yaml

from sweepbot.calibrate.confusion import Confusion, confusions
from sweepbot.calibrate.learned import Fixture, Learned
from sweepbot.calibrate.place import Image
from sweepbot.errors import CalibrationError
from sweepbot.render.files import save_image
from sweepbot.render.sheet import contact_sheet
from sweepbot.vision.calibration import (
    FILE,
    STATE_NAMES,
    Calibration,
    Template,
    load_calibration,
    shipped_calibrations,
    user_calibrations,
)

SHEET = "contact-sheet.png"


def check_writable(folder: Path, *, force: bool) -> None:
    """Find out before a game is played whether its result may be written.

    Raises:
        CalibrationError: The folder is there already and `force` is not given, or it cannot be made.
    """
    if folder.exists() and not force:
        raise CalibrationError(f"{folder} exists already", hint="give another NAME, or --force to write over it")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CalibrationError(f"{folder.parent} cannot be made: {error.strerror}", hint="give --output DIR") from error


def write(learned: Learned, folder: Path, description: str, *, force: bool) -> Calibration:
    """Write a calibration, and read it back.

    Args:
        learned: What was learned.
        folder: Where to; its name is the client's.
        description: What the client is and how this was learned, in a sentence.
        force: Write over what is there.

    Raises:
        CalibrationError: The folder is there already, cannot be written, or does not hold what a calibration needs.
    """
    check_writable(folder, force=force)
    return _replaced(folder, lambda made: _write_into(made, learned, description))


def add_state(calibration: Calibration, state: str, picture: Image, why: str) -> Calibration:
    """Add a state that was not met to the user's own copy of a calibration; one that is shipped is copied first.

    Args:
        calibration: The calibration, as it was loaded.
        state: The name of the state.
        picture: How it looks: uint8 array of shape (height, width, 3).
        why: How that is known, in words.

    Raises:
        CalibrationError: It cannot be written.
    """
    source = calibration.path.parent
    shipped = shipped_calibrations().resolve() in source.resolve().parents
    folder = user_calibrations() / calibration.name if shipped else source

    def fill(made: Path) -> None:
        shutil.copytree(source, made, dirs_exist_ok=True)
        save_image(picture, made / f"{state}.png")
        text = (made / FILE).read_text(encoding="utf-8")
        (made / FILE).write_text("\n".join(_with_state(text.splitlines(), state, why)) + "\n", encoding="utf-8")
        templates = load_calibration(made).templates
        names = {number: name for name, number in STATE_NAMES.items()}
        save_image(contact_sheet([(names[of.state], of.image) for of in templates]), made / SHEET)

    folder.parent.mkdir(parents=True, exist_ok=True)
    return _replaced(folder, fill)


def _replaced(folder: Path, fill: Callable[[Path], None]) -> Calibration:
    """Put a calibration in the place of a folder, once it is whole and can be read.

    Args:
        folder: Where it shall be.
        fill: Writes it into an empty folder.

    Raises:
        CalibrationError: It cannot be written, or is none.
    """
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".sweepbot-") as temporary:
            made = Path(temporary, folder.name)
            made.mkdir()
            fill(made)
            load_calibration(made)
            if folder.exists():
                shutil.move(folder, Path(temporary, "replaced"))
            made.replace(folder)
    except OSError as error:
        raise CalibrationError(f"{folder} cannot be written: {error}", hint="give another folder") from error
    return load_calibration(folder)


def _with_state(lines: list[str], state: str, why: str) -> Iterator[str]:
    """The lines of a calibration with one more state that has one picture."""
    for line in lines:
        if line.startswith("unmet:"):
            left = [name for name in yaml.safe_load(line)["unmet"] if name != state]
            yield _value({"unmet": left})
            continue
        yield line
        if line.startswith("states:"):
            yield f"  # {why}"
            yield f"  {_value({state: [f'{state}.png']})}"


def templates_of(learned: Learned) -> list[Template]:
    """The pictures of all states, as a classifier takes them."""
    return [Template(STATE_NAMES[label.state], picture) for label in learned.labels for picture in label.pictures]


def write_fixtures(fixtures: Iterable[Fixture], folder: Path) -> None:
    """Write pictures and the boards that they show, as `sweepbot replay` takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, fixture in enumerate(fixtures, 1):
        save_image(fixture.image, folder / f"{fixture.name}-{number:02}.png")
        (folder / f"{fixture.name}-{number:02}.txt").write_text(f"{fixture.board}\n", encoding="ascii")


def _write_into(folder: Path, learned: Learned, description: str) -> None:
    names: dict[str, list[str]] = {}
    for label in learned.labels:
        for number, picture in enumerate(label.pictures):
            name = f"{label.state}.png" if number == 0 else f"{label.state}-{number + 1}.png"
            save_image(picture, folder / name)
            names.setdefault(label.state, []).append(name)
    save_image(
        contact_sheet([(label.state, picture) for label in learned.labels for picture in label.pictures]),
        folder / SHEET,
    )
    text = "\n".join(_lines(folder.name, learned, names, description, confusions(templates_of(learned))))
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def scales_for(cell: tuple[int, int]) -> tuple[float, float]:
    """The scales at which a client is looked for that was learned with cells of (width, height) pixels.

    Those of a calibration that says nothing, and as far beyond as it takes for cells of 12 to 60 pixels, within what a
    calibration may say.
    """
    smallest, largest = 12 / min(cell), 60 / max(cell)
    return max(0.15, min(0.7, round(smallest, 2))), min(4.0, max(3.5, round(largest, 2)))


def _lines(
    name: str, learned: Learned, names: dict[str, list[str]], description: str, table: list[Confusion]
) -> Iterable[str]:
    place = learned.place
    source = f"{learned.games} games" if learned.games else f"{len(learned.fixtures)} pictures"
    yield f"# Made by `sweepbot calibrate` on {date.today():%Y-%m-%d} from {source},"  # noqa: DTZ011  (a person's calendar)
    yield f"# of a board of {place.columns}x{place.rows} cells, {learned.cell[0]}x{learned.cell[1]} pixels each."
    yield f"# What it looks like: {SHEET}"
    yield from (f"# {question}" for question in learned.open_questions)
    if learned.stuck is not None:
        yield f"# Learned in part: {learned.stuck}; mend `restart` below."
    yield _value({"description": description})
    yield _value({"titles": [name]})
    yield _value({"cell": list(learned.cell)})
    yield _value({"scales": list(scales_for(learned.cell))})
    if learned.gap:
        yield f"{_value({'gap': learned.gap})}  # between tiles; taken to be so at every size"
    yield ""
    yield "states:"
    for label in learned.labels:
        yield f"  # {label.why}"
        yield f"  {_value({label.state: names[label.state]})}"
    yield ""
    if learned.unmet:
        yield "# States not met: while there are any, a cell unlike those learned from is refused, not guessed."
        yield "# Numbers are learned when they first appear in play; take out what the client never shows."
        yield _value({"unmet": learned.unmet})
        yield ""
    yield "# Grey levels by which cells of a state differed from its pictures at most."
    yield _value({"spread": {label.state: float(np.ceil(label.spread)) for label in learned.labels}})
    yield ""
    yield _value({"levels": learned.levels})
    yield ""
    yield "manners:"
    for key, value in msgspec.to_builtins(learned.manners).items():
        for line in _manner(key, value):
            yield f"  {line}"
    yield ""
    yield "# Each template, how well it agrees with itself, and the state that comes nearest to it:"
    yield from (f"# {confusion}" for confusion in table)


def _manner(key: str, value: Any) -> Iterable[str]:  # noqa: ANN401  (whatever a manner is)
    if key == "restart":
        yield "restart:"
        for way in value:
            yield f"  - {_value({name: given for name, given in way.items() if given is not None})}"
    elif key == "dialogs" and value:
        yield "dialogs:"
        for dialog in value:
            yield f"  - after: {dialog['after']}"
            yield f"    keys: {_flow(dialog['keys'])}"
            if dialog["lasts_ms"]:
                yield f"    lasts_ms: {dialog['lasts_ms']:g}"
    elif key == "deal_interval_ms" and value:
        yield f"deal_interval_ms: {value:g}  # not tried: within a second some clients deal the same mines again"
    elif key == "flags_to_win" and value is None:
        yield f"{_value({key: value})}  # no win was seen: what is left hidden at the end is flagged, in case it is so"
    else:
        yield _value({key: value})


def _value(pair: dict[str, Any]) -> str:
    ((key, value),) = pair.items()
    quoted = f'"{key}"' if key.isdigit() else key
    return f"{quoted}: {_flow(value)}"


def _flow(value: Any) -> str:  # noqa: ANN401  (any data that YAML can say)
    return str(yaml.safe_dump(value, default_flow_style=True, width=1000)).strip().removesuffix("...").strip()
