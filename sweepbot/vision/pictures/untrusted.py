"""Read files that come from a stranger: text that is data only, and pictures of a reasonable size."""

import os
from pathlib import Path

import yaml
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import CalibrationError, ImageError
from sweepbot.vision.pictures.files import read_at_most
from sweepbot.vision.pictures.image import load_image

_MOST_BYTES = 256_000  # of a calibration.yaml
_DEEPEST_NESTING = 8  # a calibration has six levels
_MOST_NODES = 20_000  # values of a calibration.yaml: the largest that is shipped has fewer than 1,000
_LARGEST_PICTURE_CELLS = 64  # across and down
_LARGEST_AREA_PX = 4_000_000  # of all pictures together

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Both are safe; the C one, ten times as fast, is there if PyYAML was built with libyaml, as its wheels are."""


def read_yaml(path: Path) -> object:
    """Read a YAML file.

    Raises:
        CalibrationError: It cannot be read, is no YAML, or is larger, deeper or more tangled than a calibration is.
    """
    try:
        data = read_at_most(path, _MOST_BYTES)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"{path}: cannot be read: {error}", hint="is this the folder of a calibration?"
        ) from error
    if len(data) > _MOST_BYTES:
        raise CalibrationError(f"{path}: is larger than {_MOST_BYTES:,} bytes", hint="a calibration is far smaller")
    try:
        _check_shape(path, text)
        return yaml.load(text, _LOADER)  # noqa: S506  (a safe one)
    except yaml.YAMLError as broken:
        told = _told_exactly(text, broken)
        raise CalibrationError(f"{path}: no valid YAML: {told}", hint="mend the line named above") from broken


def _told_exactly(text: str, error: yaml.YAMLError) -> yaml.YAMLError:
    """Return the same error from the loader that says where exactly; neither recurses."""
    try:
        for _ in yaml.parse(text, yaml.SafeLoader):
            pass
    except yaml.YAMLError as exact:
        return exact
    return error


def _check_shape(path: Path, text: str) -> None:
    """Refuse nesting that would exhaust the stack, and aliases, by which a few lines may stand for gigabytes."""
    depth = 0
    for nodes, event in enumerate(yaml.parse(text, _LOADER), 1):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        problem = (
            "an alias (*)"
            if isinstance(event, yaml.AliasEvent)
            else f"more than {_DEEPEST_NESTING} levels of nesting"
            if depth > _DEEPEST_NESTING
            else f"more than {_MOST_NODES:,} values"
            if nodes > _MOST_NODES
            else ""
        )
        if problem:
            line = event.start_mark.line + 1 if event.start_mark is not None else 1
            raise CalibrationError(f"{path}: line {line}: {problem}", hint="a calibration needs none: write it out")


class Pictures:
    """The pictures beside a calibration.yaml, up to a limit on the size of all together.

    Args:
        path: The file.
        cell: Width and height of a cell in pixels.
    """

    def __init__(self, path: Path, cell: tuple[int, int]) -> None:
        self.path = path
        with os.scandir(path.parent) as entries:  # a single call, as each may take a millisecond under a virus scanner
            self._entries = {entry.name: entry for entry in entries}
        self._largest = _LARGEST_PICTURE_CELLS * cell[0], _LARGEST_PICTURE_CELLS * cell[1]
        self._left = _LARGEST_AREA_PX

    def load(self, key: str, name: str) -> NDArray[uint8]:
        """Load a picture as a uint8 array of shape (height, width, 3).

        Args:
            key: The key that names it, for errors.
            name: The name of its file.

        Raises:
            CalibrationError: It is missing, a link, not beside the file, no picture or too large.
        """

        def check(width: int, height: int) -> None:
            self._left -= width * height
            if width > self._largest[0] or height > self._largest[1] or self._left < 0:
                raise CalibrationError(
                    f"{self.path}: {key}: {name} has {width}x{height} pixels",
                    hint=f"at most {self._largest[0]}x{self._largest[1]}, and {_LARGEST_AREA_PX:,} of all together",
                )

        try:
            return load_image(self._beside(key, name), check)
        except ImageError as error:
            raise CalibrationError(f"{self.path}: {key}: {error}", hint=error.hint) from error

    def _beside(self, key: str, name: str) -> Path:
        entry = self._entries.get(name)
        if Path(name).name != name or (entry is not None and entry.is_symlink()):
            raise CalibrationError(
                f"{self.path}: {key}: {name!r} is outside the folder", hint="put the picture itself beside the file"
            )
        if entry is None or not entry.is_file():
            raise CalibrationError(
                f"{self.path}: {key}: there is no file {name!r} beside it", hint="add it or mend its name"
            )
        return self.path.parent / name
