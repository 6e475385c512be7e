"""What a person has said of looks, kept until a calibration is written: an interrupted session goes on where it was."""

import hashlib
from pathlib import Path

import msgspec

from sweepbot.errors import CalibrationError
from sweepbot.geometry import Image


class Answers(dict[str, str | None]):
    """Answers by the key of the picture that was asked about: names of `STATE_NAMES`, None for a look that is left out.

    Raises:
        CalibrationError: What is there cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if path.is_file():
            try:
                self |= msgspec.json.decode(path.read_bytes(), type=dict[str, str | None])
            except (OSError, msgspec.DecodeError) as error:
                raise CalibrationError(f"{path}: cannot be read: {error}", hint="delete it to begin anew") from error

    def save(self) -> None:
        """Keep them as they are now."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        finished = self._path.with_suffix(".new")
        finished.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=2))
        finished.replace(self._path)

    def forget(self) -> None:
        """They are no longer needed."""
        self._path.unlink(missing_ok=True)
        self.clear()


def key_of(picture: Image) -> str:
    """What a picture is known by: its size and its pixels."""
    return f"{picture.shape[1]}x{picture.shape[0]}-{hashlib.sha256(picture.tobytes()).hexdigest()[:24]}"
