"""Whether a client is still in sight: what was seen of its board, and right above it, shows in a later picture too.

Shades do not matter, as a page may be dimmed behind a message, nor does it what a message hides or a game changes: a
few pieces of the board are enough. Of what is above the board, which a dialog may leave alone, it takes more.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Region
from sweepbot.vision.grid import Grid

_PIECE = 16  # pixels: the side of a piece
_FIGURE = 1.0  # grey levels that the pixels of a piece deviate in which there is something to see
_ALIKE = 0.8  # correlation from which on two pieces show the same
_BOARD_LEFT = 0.08  # of the board's pieces: a board of which so much shows is there
_ABOVE_LEFT = 0.4  # the same of the pieces above it
_FEWEST = 3  # pieces that must show
_ABOVE = 200  # pixels above the board in which a piece belongs to its window, or its page
_NEAREST = 24  # pieces above the board that are looked at, the nearest ones


class Sight:
    """What a client looks like.

    Args:
        desktop: A picture of everything, uint8 array of shape (height, width, 3), in which nothing covers the board.
        board: Where the board is, in its pixels.
    """

    def __init__(self, desktop: Image, board: Grid) -> None:
        seen = Region(0, 0, desktop.shape[1], desktop.shape[0])
        self._board = board.region.intersection(seen) or seen
        # Pieces are counted from the board's edge upwards: the nearest are the client's.
        top = max(0, self._board.y - _ABOVE)
        top += (self._board.y - top) % _PIECE
        above = Region(self._board.x, top, self._board.width, max(1, self._board.y - top))
        self._known = [(self._board, _part(desktop, self._board), _BOARD_LEFT, 0)]
        if self._board.y - top >= _PIECE:
            self._known.append((above, _part(desktop, above), _ABOVE_LEFT, _NEAREST))

    def holds(self, desktop: Image, later: Iterable[tuple[Region, Image]] = ()) -> bool:
        """Whether the client is in sight in another picture of the same desktop.

        Args:
            desktop: The picture.
            later: Other pictures of the board with it in full view, and their places in the desktop.
        """
        boards = [(region, image, _BOARD_LEFT, 0) for region, image in later]
        return any(
            _shows(image, _part(desktop, region), least, nearest)
            for region, image, least, nearest in (*self._known, *boards)
        )


def _part(image: Image, region: Region) -> Image:
    return image[region.y : region.bottom, region.x : region.right].copy()


def _shows(before: Image, now: Image, least: float, nearest: int) -> bool:
    """Whether a picture shows such a share of what another one did; of its lowest pieces only where told so."""
    pieces, others = _pieces(before), _pieces(now)
    telling = np.flatnonzero(pieces.std(axis=1) >= _FIGURE)[-nearest:]
    pieces, others = pieces[telling], others[telling]
    strength = np.sqrt((pieces**2).sum(axis=1) * (others**2).sum(axis=1))
    same = (pieces * others).sum(axis=1) >= _ALIKE * np.maximum(strength, 1.0)
    return int(same.sum()) >= max(_FEWEST, least * len(telling))


def _pieces(image: Image) -> NDArray[np.float32]:
    """A picture cut up from its top left: shape (pieces, pixels), grey levels about their mean, row after row."""
    rows, columns = image.shape[0] // _PIECE, image.shape[1] // _PIECE
    grey = image[: rows * _PIECE, : columns * _PIECE].astype(np.float32).mean(axis=2)
    pieces = grey.reshape(rows, _PIECE, columns, _PIECE).swapaxes(1, 2).reshape(rows * columns, _PIECE**2)
    centred: NDArray[np.float32] = pieces - pieces.mean(axis=1, keepdims=True)
    return centred
