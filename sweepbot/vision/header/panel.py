"""Read what a client shows above its board: the mines left, the time, and a face.

The digits of a counter are all of one width, like LEDs. Each counter is sought a few pixels around its place, since
clones of a client are laid out slightly differently; it is read where its digits together match the calibration's best.
A digit is believed like a cell: if it has a high score, and leads every other one by a fair share of their difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import cv2
import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sweepbot.board import Phase
from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

CHARACTERS = "0123456789-"
"""The characters in a picture of digits, side by side."""

_SLACK_PX = 9  # at scale 1 by which a counter or face may be off its place
_MIN_CORRELATION = 0.65  # of a digit or face that is believed
_MIN_LEAD_SHARE = 0.4  # of 1 - the correlation with each other template, by which the best leads it

Floats = NDArray[np.float32]
Offset = tuple[Annotated[int, Meta(ge=-1000, le=1000)], Annotated[int, Meta(ge=-1000, le=1000)]]
Pictures = Annotated[tuple[str, ...], Meta(min_length=1)]


class Counter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a counter is.

    Attributes:
        corner: The upper corner of the board from which its place is measured.
        at: The offset of its top left pixel from there, right and down, at scale 1.
        digits: The number of its digits.
    """

    corner: Literal["left", "right"]
    at: Offset
    digits: Annotated[int, Meta(ge=1, le=6)]


class Face(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the face is that shows the state of the game, and its pictures, all of one size.

    Attributes:
        at: The offset of its top left pixel from the middle of the board's upper edge, right and down, at scale 1.
        playing: Its pictures before and during a game.
        won: Its pictures after a win.
        lost: Its pictures after a loss.
    """

    at: Offset
    playing: Pictures
    won: Pictures
    lost: Pictures


class PanelPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of calibration.yaml about the panel.

    Attributes:
        digits: The picture of `CHARACTERS`.
        mines: The counter of mines left.
        clock: The counter of seconds.
        face: The face between them.
    """

    digits: str | None = None
    mines: Counter | None = None
    clock: Counter | None = None
    face: Face | None = None

    def __post_init__(self) -> None:
        if self.digits is None and (self.mines or self.clock):
            raise ValueError("a counter needs the picture of its `digits`")


class Panel(msgspec.Struct, frozen=True):
    """A client's panel, with its pictures.

    Attributes:
        places: Where counters and face are.
        digits: The pictures of `CHARACTERS`, of shape (11, height, width, 3); None if it has no counter.
        faces: The pictures of its face.
        phases: The phase that each of them stands for.
    """

    places: PanelPlaces
    digits: Image | None
    faces: tuple[Image, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What is shown around a board; None for what it does not show, or what is not read without doubt.

    Attributes:
        mines_left: Mines minus flags; negative if there are more flags than mines.
        clock: The seconds played.
        face: `PLAYING` (which a face of a fresh board also says), `WON` or `LOST`.
    """

    mines_left: int | None = None
    clock: int | None = None
    face: Phase | None = None


NOTHING = Header()
"""What a client without a panel shows."""


def read_panel(image: Image, grid: Grid, cell: tuple[int, int], panel: Panel) -> Header:
    """Read what is shown above a board.

    Args:
        image: The picture.
        grid: Where the board's cells are in it.
        cell: Width and height of a cell at scale 1.
        panel: The panel of its client.
    """
    places = panel.places
    scale = grid.pitch[0] / cell[0], grid.pitch[1] / cell[1]

    def around(right: float, at: Offset, size: tuple[int, int]) -> Image:
        """Cut out a place and its surroundings at scale 1, measured from the point `right` of the upper edge."""
        width, height = size[0] + 2 * _SLACK_PX, size[1] + 2 * _SLACK_PX
        corner = right + (at[0] - _SLACK_PX) * scale[0], grid.ys[0] + (at[1] - _SLACK_PX) * scale[1]
        return Grid.uniform(corner, (width * scale[0], height * scale[1]), 1, 1).rectify(image, (width, height))

    def number(counter: Counter | None) -> int | None:
        if counter is None or panel.digits is None:
            return None
        height, width = panel.digits.shape[1:3]
        right = grid.xs[0] if counter.corner == "left" else grid.xs[-1]
        return _number(around(right, counter.at, (counter.digits * width, height)), panel.digits, counter.digits)

    face = None
    if places.face is not None:
        height, width = panel.faces[0].shape[:2]
        middle = (grid.xs[0] + grid.xs[-1]) / 2
        face = _face(around(middle, places.face.at, (width, height)), panel.faces, panel.phases)
    return Header(number(places.mines), number(places.clock), face)


def _number(seen: Image, digits: Image, count: int) -> int | None:
    """Read the number whose `count` digits are somewhere in a picture."""
    width = digits.shape[2]
    agreement = _agreement(seen, digits)
    # The place of the first digit determines those of the others.
    places = agreement.shape[2] - (count - 1) * width
    together = sum(agreement.max(axis=0)[:, width * i : width * i + places] for i in range(count))
    y, x = np.unravel_index(int(np.argmax(together)), (agreement.shape[1], places))
    text = ""
    for i in range(count):
        which = _clearest(agreement[:, y, x + width * i], digits, range(len(digits)))
        if which is None:
            return None
        text += CHARACTERS[which]
    return int(text) if text.lstrip("-").isdigit() and "-" not in text[1:] else None


def _face(seen: Image, faces: Sequence[Image], phases: Sequence[Phase]) -> Phase | None:
    """Return the phase of the face that is somewhere in a picture."""
    looks = np.stack(faces)
    agreement = _agreement(seen, looks)
    _, y, x = np.unravel_index(int(np.argmax(agreement)), agreement.shape)
    which = _clearest(agreement[:, y, x], looks, [list(Phase).index(phase) for phase in phases])
    return None if which is None else phases[which]


def _agreement(seen: Image, templates: Image) -> Floats:
    """Return the correlation of each template at each place of a picture: (templates, height, width)."""
    # Blurred, as the dark segments of LEDs are stippled, which any interpolation blurs.
    soft, *patterns = (cv2.GaussianBlur(of, (3, 3), 0) for of in (seen, *templates))
    found = np.stack([cv2.matchTemplate(soft, pattern, cv2.TM_CCOEFF_NORMED) for pattern in patterns])
    # Without contrast the quotient is not defined.
    return np.where(np.isfinite(found) & (found <= 1.01), found, 0).astype(np.float32)  # noqa: PLR2004


def _clearest(scores: Floats, templates: Image, meanings: Sequence[int]) -> int | None:
    """Return the template with the best score, None if its lead over one of another meaning is too small."""
    best = int(scores.argmax())
    if scores[best] < _MIN_CORRELATION:
        return None
    apart = 1 - _agreement(templates[best], templates)[:, 0, 0]
    rivals = [other for other, meaning in enumerate(meanings) if meaning != meanings[best]]
    clear = all(scores[best] - scores[other] >= _MIN_LEAD_SHARE * apart[other] for other in rivals)
    return best if clear else None
