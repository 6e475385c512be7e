"""What a person has said of looks, kept until a calibration is written: an interrupted session goes on where it was."""

import hashlib
from pathlib import Path

import msgspec

from sweepbot.errors import CalibrationError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES


class Answers:
    """Answers by the picture that was asked about.

    Raises:
        CalibrationError: What is there cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, str | None] = {}
        if path.is_file():
            try:
                self._known = msgspec.json.decode(path.read_bytes(), type=dict[str, str | None])
            except (OSError, msgspec.DecodeError) as error:
                raise CalibrationError(f"{path}: cannot be read: {error}", hint="delete it to begin anew") from error

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, picture: Image) -> bool:
        return _key(picture) in self._known

    def __getitem__(self, picture: Image) -> str | None:
        return self._known[_key(picture)]

    def keep(self, picture: Image, state: str | None) -> None:
        """Keep an answer: a name of `STATE_NAMES`, None for a look that is left out."""
        if state is not None and state not in STATE_NAMES:
            raise ValueError(f"{state!r} is no state")
        self._known[_key(picture)] = state
        self._save()

    def take_back(self, picture: Image) -> None:
        """Keep an answer no longer."""
        del self._known[_key(picture)]
        self._save()

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        finished = self._path.with_suffix(".new")
        finished.write_bytes(msgspec.json.format(msgspec.json.encode(self._known), indent=2))
        finished.replace(self._path)

    def forget(self) -> None:
        """They are no longer needed."""
        self._path.unlink(missing_ok=True)
        self._known = {}


def _key(picture: Image) -> str:
    return f"{picture.shape[1]}x{picture.shape[0]}-{hashlib.sha256(picture.tobytes()).hexdigest()[:24]}"
