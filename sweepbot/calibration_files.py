"""Read the files of a calibration, which may be a stranger's: text that is data only, pictures of a reasonable size."""

import os
from pathlib import Path

import yaml
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import CalibrationError, ImageError
from sweepbot.strangers import MAX_CALIBRATION_BYTES, picture, read_file

_MAX_BYTES = 256_000  # of a calibration.yaml
_DEEPEST_NESTING = 8  # a calibration has six levels
_MAX_NODES = 20_000  # values of a calibration.yaml: the largest that is shipped has fewer than 1,000
_LARGEST_PICTURE_CELLS = 64  # across and down
_LARGEST_AREA_PX = 4_000_000  # of all pictures together

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Both are safe; the C one, ten times as fast, is there if PyYAML was built with libyaml, as its wheels are."""


def read_yaml(path: Path) -> object:
    """Read a YAML file.

    Raises:
        CalibrationError: It cannot be read, is no YAML, or is larger, deeper or more tangled than a calibration is.
    """
    data = read_file(path, _MAX_BYTES, CalibrationError, "is this the folder of a calibration?", is_within=True)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{path}: is no text: {error}", hint="it is text in UTF-8") from error
    try:
        _check_shape(path, text, _LOADER)
        return yaml.load(text, _LOADER)  # noqa: S506  (a safe one)
    except yaml.YAMLError as broken:
        told = broken
        try:
            _check_shape(path, text, yaml.SafeLoader)  # it says where exactly
        except yaml.YAMLError as exact:
            told = exact
        raise CalibrationError(f"{path}: no valid YAML: {told}", hint="mend the line named above") from broken


def _check_shape(path: Path, text: str, loader: type[yaml.SafeLoader | yaml.CSafeLoader]) -> None:
    """Refuse nesting that would exhaust the stack, and aliases, by which a few lines may stand for gigabytes."""
    depth = 0
    for nodes, event in enumerate(yaml.parse(text, loader), 1):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        found = {
            "an alias (*)": isinstance(event, yaml.AliasEvent),
            f"more than {_DEEPEST_NESTING} levels of nesting": depth > _DEEPEST_NESTING,
            f"more than {_MAX_NODES:,} values": nodes > _MAX_NODES,
        }
        for problem in filter(found.get, found):
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
        self.names: dict[str, None] = {}
        """The names of those that were loaded, each once."""
        self._largest = _LARGEST_PICTURE_CELLS * cell[0], _LARGEST_PICTURE_CELLS * cell[1]
        self._left, self._bytes_left = _LARGEST_AREA_PX, MAX_CALIBRATION_BYTES - _MAX_BYTES

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

        if Path(name).name != name:
            raise CalibrationError(
                f"{self.path}: {key}: {name!r} is outside the folder", hint="put the picture itself beside the file"
            )
        file = self.path.parent / name
        if not os.path.lexists(file):
            raise CalibrationError(
                f"{self.path}: {key}: there is no file {name!r} beside it", hint="add it or mend its name"
            )
        try:
            data = read_file(file, self._bytes_left, ImageError, "add it or mend its name", is_within=True)
            self._bytes_left -= 0 if name in self.names else len(data)
            self.names[name] = None
            return picture(data, str(file), check)
        except ImageError as error:
            raise CalibrationError(f"{self.path}: {key}: {error}", hint=error.hint) from error
