"""What a client shows above its board: how many mines are left, the time, and a face.

Counters are of digits that are all of one width, as LEDs are. Each is sought a few pixels around its place, since
clones of a client are laid out a little otherwise; where its digits together agree best with the calibration's, it is
read. A digit is believed as a cell is: where it agrees, and leads every other one by a fair part of what sets the two
apart.
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
"""What a picture of digits shows, side by side."""

_SLACK = 9  # pixels at scale 1 by which a thing may be beside its place
_LEAST_SCORE = 0.65  # correlation with its template that anything needs to be believed
_LEAST_LEAD = 0.4  # over each other template, as a share of what sets the two apart

Floats = NDArray[np.float32]
Offset = tuple[Annotated[int, Meta(ge=-1000, le=1000)], Annotated[int, Meta(ge=-1000, le=1000)]]
Pictures = Annotated[tuple[str, ...], Meta(min_length=1)]


class Counter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a counter is.

    Attributes:
        corner: The upper corner of the board that its place is measured from.
        at: Its top left pixel, right and down from there, at scale 1.
        digits: How many it has.
    """

    corner: Literal["left", "right"]
    at: Offset
    digits: Annotated[int, Meta(ge=1, le=6)]


class Face(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a face is that tells how the game goes, and the pictures of its looks, all of one size.

    Attributes:
        at: Its top left pixel at scale 1, right and down from the middle of the board's upper edge.
        playing: How it looks before and in a game.
        won: How it looks after one that was won.
        lost: How it looks after one that was lost.
    """

    at: Offset
    playing: Pictures
    won: Pictures
    lost: Pictures


class PanelPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of calibration.yaml that tells of the panel.

    Attributes:
        digits: The picture that shows `CHARACTERS`.
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
    """What is known of a client's panel, with its pictures.

    Attributes:
        places: Where its things are.
        digits: The pictures of `CHARACTERS`, shape (11, height, width, 3); None where it has no counter.
        faces: The looks of its face.
        phases: What each of them tells.
    """

    places: PanelPlaces
    digits: Image | None
    faces: tuple[Image, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a panel shows; None where it has no such thing, or where that is not read without doubt.

    Attributes:
        mines_left: Mines less flags; negative where there are more flags than mines.
        clock: The seconds played.
        face: `PLAYING` (which a face of a fresh board also says), `WON` or `LOST`.
    """

    mines_left: int | None = None
    clock: int | None = None
    face: Phase | None = None


NOTHING = Shown()
"""What a client without a panel shows."""


def read_panel(image: Image, grid: Grid, cell: tuple[int, int], panel: Panel) -> Shown:
    """Read what is shown above a board.

    Args:
        image: The picture.
        grid: Where the board's cells are in it.
        cell: Width and height of a cell at scale 1.
        panel: What is known of it.
    """
    places = panel.places
    scale = grid.pitch[0] / cell[0], grid.pitch[1] / cell[1]

    def around(right: float, at: Offset, size: tuple[int, int]) -> Image:
        """What is at a place, and around it, at scale 1; `right` is where on the upper edge it is measured from."""
        width, height = size[0] + 2 * _SLACK, size[1] + 2 * _SLACK
        corner = right + (at[0] - _SLACK) * scale[0], grid.ys[0] + (at[1] - _SLACK) * scale[1]
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
    return Shown(number(places.mines), number(places.clock), face)


def _number(seen: Image, digits: Image, count: int) -> int | None:
    """The number whose `count` digits are somewhere in a picture."""
    width = digits.shape[2]
    agreement = _agreement(seen, digits)
    # The places of the first digit, for each of which that of every other digit is known.
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
    """What the face somewhere in a picture tells."""
    looks = np.stack(faces)
    agreement = _agreement(seen, looks)
    _, y, x = np.unravel_index(int(np.argmax(agreement)), agreement.shape)
    which = _clearest(agreement[:, y, x], looks, [list(Phase).index(phase) for phase in phases])
    return None if which is None else phases[which]


def _agreement(seen: Image, templates: Image) -> Floats:
    """How far each template correlates with each place of a picture: shape (templates, height, width)."""
    # Segments that do not glow are of single pixels, which any interpolation blurs.
    soft, *patterns = (cv2.GaussianBlur(of, (3, 3), 0) for of in (seen, *templates))
    found = np.stack([cv2.matchTemplate(soft, pattern, cv2.TM_CCOEFF_NORMED) for pattern in patterns])
    # Where a picture has no contrast the quotient is any number or none.
    return np.where(np.isfinite(found) & (found <= 1.01), found, 0).astype(np.float32)  # noqa: PLR2004


def _clearest(scores: Floats, templates: Image, meanings: Sequence[int]) -> int | None:
    """The template with the best score, None where it leads those of another meaning by too little."""
    best = int(scores.argmax())
    if scores[best] < _LEAST_SCORE:
        return None
    apart = 1 - _agreement(templates[best], templates)[:, 0, 0]
    rivals = [other for other, meaning in enumerate(meanings) if meaning != meanings[best]]
    clear = all(scores[best] - scores[other] >= _LEAST_LEAD * apart[other] for other in rivals)
    return best if clear else None
