"""Tell whether a client is still in sight: whether its board, or what is above it, shows in a later picture.

Shades do not matter, as a page may be dimmed behind a message. A message may hide much, and a game changes much: a few
pieces of the board are enough. More is asked of what is above the board, which a dialog may leave alone.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Region
from sweepbot.vision.grid import Grid

_PIECE_PX = 16  # a side
_TELLING_LEVELS = 1.0  # least standard deviation of a piece that is compared
_ALIKE_CORRELATION = 0.8  # from which on two pieces are the same
_BOARD_LEFT_SHARE = 0.08  # of the board's pieces that must be the same
_ABOVE_LEFT_SHARE = 0.4  # of the pieces above it
_MIN_PIECES = 3  # that must be the same
_ABOVE_PX = 200  # above the board that belong to its window or page
_NEAREST_PIECES = 24  # above the board that are compared


class Landmarks:
    """What is remembered of a client to find out whether it is still in sight.

    Args:
        desktop: The whole desktop, uint8 array of shape (height, width, 3), with nothing in front of the board.
        board: Where the board is, in its pixels.
    """

    def __init__(self, desktop: Image, board: Grid) -> None:
        seen = Region.of(desktop)
        self._board = board.region.intersection(seen) or seen
        # Pieces are aligned with the board's edge: the nearest are the client's.
        top = max(0, self._board.y - _ABOVE_PX)
        top += (self._board.y - top) % _PIECE_PX
        above = Region(self._board.x, top, self._board.width, max(1, self._board.y - top))
        self._known = [(self._board, desktop[self._board.slices].copy(), _BOARD_LEFT_SHARE, 0)]
        if self._board.y - top >= _PIECE_PX:
            self._known.append((above, desktop[above.slices].copy(), _ABOVE_LEFT_SHARE, _NEAREST_PIECES))

    def holds(self, desktop: Image, later: Iterable[tuple[Region, Image]] = ()) -> bool:
        """Whether the client is in sight in another picture of the same desktop.

        Args:
            desktop: The picture.
            later: Later pictures of the board in full view, with their places in the desktop.
        """
        boards = [(region, image, _BOARD_LEFT_SHARE, 0) for region, image in later]
        return any(
            _shows(image, desktop[region.slices], least, nearest)
            for region, image, least, nearest in (*self._known, *boards)
        )


def _shows(before: Image, now: Image, least: float, nearest: int) -> bool:
    """Whether two pictures share at least `least` of their pieces, or of the lowest `nearest` ones if that is not 0."""
    pieces, others = _pieces(before), _pieces(now)
    telling = np.flatnonzero(pieces.std(axis=1) >= _TELLING_LEVELS)[-nearest:]
    pieces, others = pieces[telling], others[telling]
    strength = np.sqrt((pieces**2).sum(axis=1) * (others**2).sum(axis=1))
    same = (pieces * others).sum(axis=1) >= _ALIKE_CORRELATION * np.maximum(strength, 1.0)
    return int(same.sum()) >= max(_MIN_PIECES, least * len(telling))


def _pieces(image: Image) -> NDArray[np.float32]:
    """Cut a picture up from its top left into centred grey pieces, row after row: (pieces, pixels)."""
    rows, columns = image.shape[0] // _PIECE_PX, image.shape[1] // _PIECE_PX
    grey = image[: rows * _PIECE_PX, : columns * _PIECE_PX].astype(np.float32).mean(axis=2)
    pieces = grey.reshape(rows, _PIECE_PX, columns, _PIECE_PX).swapaxes(1, 2).reshape(rows * columns, _PIECE_PX**2)
    centred: NDArray[np.float32] = pieces - pieces.mean(axis=1, keepdims=True)
    return centred
