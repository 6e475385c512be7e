"""Calibrations: how the cells of a client look (its skin), and what it does (its behaviour).

A calibration is a folder that holds `calibration.yaml` and PNG templates. The file is data only: it is read with a safe
YAML loader, and it cannot name a file outside its folder, so that a stranger's calibration can be tried without fear.
"""

import difflib
import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import platformdirs
from msgspec import Meta
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour
from sweepbot.board import Phase, State
from sweepbot.calibration_files import Pictures, read_yaml
from sweepbot.errors import CalibrationError, UnknownClientError, UsageError, refused_as
from sweepbot.level import Level
from sweepbot.replacing import restore, restore_all
from sweepbot.vision.header.panel import CHARACTERS, Panel, PanelPlaces

FILE = "calibration.yaml"

SAME_WIDTH_PX = 1.0
"""Pixels by which the measured width of cells may differ from that of templates of their size."""

_log = logging.getLogger("sweepbot.vision")

STATE_NAMES: dict[str, int] = {str(number): number for number in range(9)} | {
    state.name.lower(): int(state) for state in State if state is not State.UNKNOWN
}
"""The states by their names in a calibration: `0` to `8`, `hidden`, `flag`, `question`, `mine`, and so on."""

NAME_OF_STATE = {state: name for name, state in STATE_NAMES.items()}


_States = dict[str, Annotated[tuple[str, ...], Meta(min_length=1)]]
"""Pictures by the names of their states."""

_Native = dict[Annotated[int, Meta(ge=8, le=200)], _States]
"""Pictures by the width of a cell in pixels, then by the names of their states."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The schema of calibration.yaml."""

    description: str
    titles: tuple[str, ...]
    levels: dict[str, Annotated[str, Meta(pattern=r"^\d+x\d+/\d+$")]] | Literal["varying"]
    manners: Behaviour
    skin: Annotated[str, Meta(pattern=r"^[\w-]*$")] = ""
    cell: tuple[Annotated[int, Meta(ge=8, le=128)], Annotated[int, Meta(ge=8, le=128)]] | None = None
    states: _States = {}
    variants: dict[str, _States] = {}
    gap: Annotated[int, Meta(ge=0, le=16)] = 0
    open_after_win: tuple[str, ...] = ()
    asks_before_play: str = ""
    native: _Native = {}
    native_variants: dict[str, _Native] = {}
    panel: PanelPlaces | None = None
    unmet: tuple[str, ...] = ()
    ground: Any = None
    written: Any = None
    spread: Any = None
    scales: Any = None
    fonts: Any = None
    shades: Any = None
    """The last six have no effect; older calibrations have them."""


class Template(msgspec.Struct, frozen=True):
    """A picture of a cell in `state`: uint8 of shape (height, width, 3), blue, green, red."""

    state: int
    image: NDArray[uint8]


class Theme(msgspec.Struct, frozen=True):
    """One look of all cells of a board.

    Attributes:
        templates: Pictures of its cells at scale 1, several per state.
        native: Pictures in other sizes, as the client itself draws them, by their width in pixels.
    """

    templates: tuple[Template, ...]
    native: dict[int, tuple[Template, ...]] = {}


class Calibration(msgspec.Struct, frozen=True, eq=False):
    """A client that sweepbot can read and play. Compared by identity, as pictures have no hash.

    Attributes:
        name: The name of its folder, as `--client` takes it.
        path: Its calibration.yaml.
        description: Which program this is, in a sentence.
        titles: Parts of its windows' titles.
        cell: Width and height of a cell in pixels, at scale 1.
        templates: Pictures of its cells at scale 1, several per state.
        variants: Each other look of all its cells, as with a client's colours turned off.
        levels: Its levels by name.
        files: All files that it consists of: its calibration.yaml, and the pictures beside it that this names.
        totals_vary: Whether boards of one size differ in their number of mines; `levels: varying` in the file.
        behaviour: What it does; `manners` in the file.
        gap: Width in pixels of the gap around the picture in a cell, which does not grow with the cell.
        skin: The name of the shipped calibration whose pictures it shares; empty if they are in its own folder.
        own_looks: Its variants that its skin does not have.
        open_after_win: Pictures of open cells that the client paints over after a win.
        asks_before_play: What a person must agree to before it is played; empty if nothing.
        native: Pictures of cells in other sizes, as the client itself draws them, by their width in pixels.
        panel: Its counters and face above the board; None if unknown.
        unmet: States that the client may show but that were not met yet: they are read at first sight.
    """

    name: str
    path: Path
    description: str
    titles: tuple[str, ...]
    cell: tuple[int, int]
    templates: tuple[Template, ...]
    variants: tuple[Theme, ...]
    levels: dict[str, Level]
    behaviour: Behaviour
    gap: int = 0
    skin: str = ""
    own_looks: tuple[Theme, ...] = ()
    open_after_win: tuple[NDArray[uint8], ...] = ()
    asks_before_play: str = ""
    native: dict[int, tuple[Template, ...]] = {}
    panel: Panel | None = None
    unmet: tuple[int, ...] = ()
    totals_vary: bool = False
    files: tuple[Path, ...] = ()

    @property
    def is_shipped(self) -> bool:
        """Whether it came with sweepbot, and is not a user's own."""
        return shipped_calibrations().resolve() in self.path.resolve().parents

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the cells in its pictures, in pixels."""
        return self.cell[0], *self.native

    def shows_width(self, pixels: float) -> bool:
        """Whether its pictures show cells of this width."""
        return any(abs(width - pixels) <= SAME_WIDTH_PX for width in self.widths)

    def cell_of_width(self, width: int) -> tuple[int, int]:
        """Return width and height of its cells if they are `width` pixels wide."""
        return _cell_of_width(self.cell, width)

    def cell_at(self, pitch: tuple[float, float]) -> tuple[int, int]:
        """Return the size of the cells in its pictures for a board of `pitch`; `cell` if none has that width."""
        nearest = min(self.widths, key=lambda width: abs(width - pitch[0]))
        return self.cell_of_width(nearest) if self.shows_width(pitch[0]) else self.cell

    def level_of_size(self, columns: int, rows: int) -> Level | None:
        """Return the level of this size, None if there is none."""
        same_size = (level for level in self.levels.values() if (level.columns, level.rows) == (columns, rows))
        return next(same_size, None)


def load_calibration(folder: Path) -> Calibration:
    """Read the calibration in `folder`.

    Raises:
        CalibrationError: A file is missing or broken, a key is unknown, a value is out of range, or a template has
            another size than `cell`. The message names the file, and the key where there is one.
    """
    path, file = folder / FILE, _read_file(folder / FILE)
    if file.skin:
        return _in_skin(folder, path, file)
    if file.cell is None:
        raise CalibrationError(
            f"{path}: missing required field `cell`", hint="say how many pixels wide and high a template is"
        )
    _check_states(path, file)
    if 2 * file.gap >= min(file.cell):
        raise CalibrationError(f"{path}: gap: {file.gap} pixels leave nothing of a cell", hint="it is a few pixels")
    pictures = Pictures(path, file.cell)
    calibration = Calibration(
        name=folder.resolve().name,
        path=path,
        description=file.description,
        titles=file.titles,
        cell=file.cell,
        templates=tuple(_load_templates(pictures, "states", file.states, file.cell)),
        variants=tuple(
            Theme(
                tuple(_load_templates(pictures, f"variants.{name}", file.states | states, file.cell)),
                _load_native(pictures, f"native_variants.{name}", file.native_variants.get(name, {}), file.cell),
            )
            for name, states in file.variants.items()
        ),
        levels=dict(_load_levels(path, file)),
        behaviour=file.manners,
        gap=file.gap,
        open_after_win=tuple(
            _load_template(pictures, "open_after_win", name, file.cell) for name in file.open_after_win
        ),
        asks_before_play=file.asks_before_play,
        native=_load_native(pictures, "native", file.native, file.cell),
        panel=None if file.panel is None else _load_panel(pictures, file.panel),
        unmet=tuple(_state(path, "unmet", name) for name in file.unmet),
        totals_vary=file.levels == "varying",
    )
    return msgspec.structs.replace(calibration, files=_files(pictures))


def _files(pictures: Pictures) -> tuple[Path, ...]:
    return pictures.path, *(pictures.path.parent / name for name in pictures.names)


def _read_file(path: Path) -> _File:
    try:
        return msgspec.convert(read_yaml(path), _File, strict=True)
    except msgspec.ValidationError as error:
        raise CalibrationError(
            f"{path}: {error}",
            hint="`$` stands for the whole file; `sweepbot help calibration` says what each key may be",
        ) from error


def _in_skin(folder: Path, path: Path, file: _File) -> Calibration:
    """Load a client that shares the pictures of another and has its own behaviour."""
    base = shipped_calibrations() / file.skin
    if file.cell is not None or file.states or file.native or file.native_variants:
        raise CalibrationError(
            f"{path}: skin: {file.skin!r} has the pictures",
            hint="take out the file's own but for its `variants`, or `skin`",
        )
    if not (base / FILE).is_file():
        raise CalibrationError(
            f"{path}: skin: no calibration that is shipped is called {file.skin!r}", hint="mend its name"
        )
    skin = load_calibration(base)
    pictures = Pictures(path, skin.cell)
    own_looks = tuple(
        Theme(
            (
                *(template for template in skin.templates if template.state not in map(STATE_NAMES.get, states)),
                *_load_templates(pictures, f"variants.{name}", states, skin.cell),
            )
        )
        for name, states in file.variants.items()
    )
    return msgspec.structs.replace(
        skin,
        variants=skin.variants + own_looks,
        own_looks=own_looks,
        name=folder.resolve().name,
        path=path,
        description=file.description,
        titles=file.titles,
        levels=dict(_load_levels(path, file)),
        totals_vary=file.levels == "varying",
        behaviour=file.manners,
        skin=file.skin,
        asks_before_play=file.asks_before_play,
        files=_files(pictures),
    )


def _state(path: Path, key: str, name: str) -> int:
    if name not in STATE_NAMES:
        raise CalibrationError(f"{path}: {key}: {name!r} is no state", hint=f"states are {', '.join(STATE_NAMES)}")
    return STATE_NAMES[name]


def _load_levels(path: Path, file: _File) -> Iterator[tuple[str, Level]]:
    for name, text in file.levels.items() if isinstance(file.levels, dict) else ():
        try:
            yield name, Level.parse(text)
        except UsageError as error:
            raise CalibrationError(f"{path}: levels.{name}: {error}", hint=error.hint) from error


def _load_templates(
    pictures: Pictures, key: str, states: dict[str, tuple[str, ...]], cell: tuple[int, int]
) -> Iterator[Template]:
    for name, images in states.items():
        state = _state(pictures.path, key, name)
        for image_name in images:
            yield Template(state, _load_template(pictures, f"{key}.{name}", image_name, cell))


def _load_native(
    pictures: Pictures, key: str, native: _Native, cell: tuple[int, int]
) -> dict[int, tuple[Template, ...]]:
    return {
        width: tuple(_load_templates(pictures, f"{key}.{width}", states, _cell_of_width(cell, width)))
        for width, states in native.items()
    }


def _cell_of_width(cell: tuple[int, int], width: int) -> tuple[int, int]:
    return width, round(width * cell[1] / cell[0])


def _check_states(path: Path, file: _File) -> None:
    for name in file.unmet:
        if name in file.states:
            raise CalibrationError(f"{path}: unmet: {name!r} has pictures", hint="take it out of `unmet`")
    for name in file.native_variants:
        if name not in file.variants:
            raise CalibrationError(f"{path}: native_variants: there is no variant {name!r}", hint="mend its name")
    for needed in ("hidden", "0", "1"):
        if needed not in file.states:
            raise CalibrationError(f"{path}: states: {needed!r} is missing", hint="no board can be read without it")


def _load_template(pictures: Pictures, key: str, name: str, cell: tuple[int, int]) -> NDArray[uint8]:
    image = pictures.load(key, name)
    height, width = image.shape[:2]
    if (width, height) != cell:
        raise CalibrationError(
            f"{pictures.path}: {key}: {name} has {width}x{height} pixels, a cell has {cell[0]}x{cell[1]}",
            hint="a template shows exactly one cell",
        )
    return image


def _load_panel(pictures: Pictures, places: PanelPlaces) -> Panel:
    digits = None
    if places.digits is not None:
        row = pictures.load("panel.digits", places.digits)
        if row.shape[1] % len(CHARACTERS):
            raise CalibrationError(
                f"{pictures.path}: panel.digits: {places.digits} is {row.shape[1]} pixels wide, not"
                f" {len(CHARACTERS)} characters",
                hint=f"it shows {CHARACTERS} side by side, each as wide as the others",
            )
        digits = np.stack(np.hsplit(row, len(CHARACTERS)))
    looks = (
        {}
        if places.face is None
        else {Phase.PLAYING: places.face.playing, Phase.WON: places.face.won, Phase.LOST: places.face.lost}
    )
    faces = [(pictures.load(f"panel.face.{phase.value}", name), phase) for phase in looks for name in looks[phase]]
    sizes = {image.shape[:2] for image, _ in faces}
    if len(sizes) > 1:
        raise CalibrationError(
            f"{pictures.path}: panel.face: the pictures differ in size", hint="make them all of one size"
        )
    return Panel(places, digits, tuple(image for image, _ in faces), tuple(phase for _, phase in faces))


def calibration_folders() -> dict[str, Path]:
    """Return the folders of all calibrations by name; the user's own replace shipped ones."""
    found: dict[str, Path] = {}
    with refused_as(CalibrationError, f"{user_calibrations()}: cannot be put in order"):
        restore_all(user_calibrations())
    for parent in (user_calibrations(), shipped_calibrations()):
        for file in sorted(parent.glob(f"[!.]*/{FILE}")):
            found.setdefault(file.parent.name, file.parent)
    return found


def known_calibrations(skin: str | None = None) -> list[Calibration]:
    """Load every calibration that is in order; the others are named in the log and left out.

    Args:
        skin: The name of a shipped one, to load only those that share its pictures.
    """
    known = []
    for folder in calibration_folders().values():
        try:
            if skin is None or _read_file(folder / FILE).skin == skin:  # loading all pictures takes a second
                known.append(_loaded(folder, (folder / FILE).stat().st_mtime_ns))
        except CalibrationError as error:
            _say_left_out(str(error))
    return known


@lru_cache(maxsize=64)
def _say_left_out(error: str) -> None:
    """Say once why a calibration is left out."""
    _log.warning("left out: %s", error)


@lru_cache(maxsize=64)
def _loaded(folder: Path, _changed_ns: int) -> Calibration:
    """Return the calibration in a folder, loaded again only if it has changed."""
    return load_calibration(folder)


def find_calibration(name: str) -> Calibration:
    """Load the calibration called `name`, or the one in the folder `name` if that is a path.

    Raises:
        UnknownClientError: There is none of that name; the nearest ones are named.
        CalibrationError: It is broken.
    """
    with refused_as(CalibrationError, f"{name}: cannot be put back"):
        restore(Path(name))
    if (Path(name) / FILE).is_file():
        return load_calibration(Path(name))
    folders = calibration_folders()
    if name not in folders:
        near = near_names(name)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(sorted(folders))}"
        raise UnknownClientError(f"no client is called {name!r}", hint=hint)
    return load_calibration(folders[name])


def near_names(name: str) -> list[str]:
    """Return the names of calibrations for which another name may have been meant."""
    folders = calibration_folders()
    return [known for known in folders if name and name in known] or difflib.get_close_matches(name, folders, n=3)


def user_calibrations() -> Path:
    """Return the folder of the user's own calibrations."""
    return platformdirs.user_config_path("sweepbot", appauthor=False) / "calibrations"


@lru_cache(maxsize=1)
def shipped_calibrations() -> Path:
    """Return the folder of the shipped calibrations: in an installed package, else at the top of the tree."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "calibrations"
    return installed if installed.is_dir() else package.parent / "calibrations"
