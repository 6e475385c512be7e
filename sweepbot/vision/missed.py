"""Explain what a picture without a readable board shows, so that a person knows what to change."""

from dataclasses import replace

import cv2
import numpy as np

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.detect.locate import READ_SIZES
from sweepbot.vision.grid import Grid
from sweepbot.vision.identify import read_with_all
from sweepbot.vision.lattices.lattice import STRICTLY_PERIODIC_SCORE, CellSizes, find_lattices
from sweepbot.vision.lattices.tiles import find_tilings
from sweepbot.vision.reader import Reader, read_with
from sweepbot.vision.reading import Reading

_OFF_SIZE_FACTOR = 2  # by which cells may be too large or too small and still be noticed
_LEAST_CONFIDENCE = 0.75  # boards of known clients have more, even in resized pictures
_FEWEST_CELLS = 6  # a side of what is called a board
_SMALLEST_WINDOW_PX = 100  # a side of the smallest client's window, without its frame
_BLACK_SHARE = 0.99  # of such a window's pixels: a pointer may be in front of it, and a terminal shows some text
_MOST_ENLARGED_PIXELS = 1_000_000  # of a picture: enlarging more would take too long


def explained(error: NoBoardFoundError, image: Image, named: Reader | None) -> NoBoardFoundError:
    """Add to an error what the picture shows instead, and what to do about that.

    Args:
        error: What was raised.
        image: The picture: uint8 of shape (height, width, 3), blue, green, red.
        named: The reader of the client that was searched for; None for all clients.
    """
    for look in (_of_large_cells, _of_another_client, _of_small_cells, _unknown, _black):
        told = look(image, named)
        if told is not None:
            words, hint = told
            return NoBoardFoundError(f"{error}; there is {words}", hint=hint)
    return error


def _of_large_cells(image: Image, named: Reader | None) -> tuple[str, str] | None:
    """Find a board whose cells are too large, in the picture at half its size."""
    largest = READ_SIZES.largest
    reading = _read_resized(image, named, 1 / _OFF_SIZE_FACTOR, CellSizes(largest / _OFF_SIZE_FACTOR, largest))
    if reading is None:
        return None
    return _of_size(reading, f"more than the {largest:.0f}"), "make the client's window smaller"


def _of_another_client(image: Image, named: Reader | None) -> tuple[str, str] | None:
    """Find a board of a client that was not asked for."""
    reading = None if named is None else _read(image, None, READ_SIZES)
    if reading is None:
        return None
    return f"a board of {reading.client}", f"name that client, or none: --client {reading.client}"


def _of_small_cells(image: Image, named: Reader | None) -> tuple[str, str] | None:
    """Find a board whose cells are too small, in the picture at twice its size."""
    small = image.shape[0] * image.shape[1] <= _MOST_ENLARGED_PIXELS
    smallest = READ_SIZES.smallest
    sizes = CellSizes(smallest, smallest * _OFF_SIZE_FACTOR)
    reading = _read_resized(image, named, _OFF_SIZE_FACTOR, sizes) if small else None
    if reading is None:
        return None
    hint = "make the client's window larger, or take the screenshot at its full size"
    return _of_size(reading, f"less than the {smallest:.0f}"), hint


def _unknown(image: Image, named: Reader | None) -> tuple[str, str] | None:
    """Find what repeats itself as the cells of a board do."""
    words = _unknown_board(image)
    if not words:
        return None
    if named is not None and not named.calibration.is_shipped:
        name = named.calibration.name
        return f"{words} that {name} does not know", f"`sweepbot calibrate {name} --live` learns cells of another size"
    return f"{words} that no calibration knows", "`sweepbot calibrate NAME --live` learns it in about a minute"


def _black(image: Image, named: Reader | None) -> tuple[str, str] | None:  # noqa: ARG001  (one of several alike)
    """Find a black area: some systems show a window so that keeps itself from being captured."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((image.max(axis=2) == 0).astype(np.uint8), connectivity=4)
    _, _, width, height, area = max(stats[1:].tolist(), key=lambda one: one[-1], default=(0,) * 5)
    if min(width, height) < _SMALLEST_WINDOW_PX or area < _BLACK_SHARE * width * height:
        return None
    return (
        f"a black area of {width}x{height} px, as which a window is shown that keeps itself from being captured",
        "if the client is there, it must be told not to: `sweepbot help troubleshooting`",
    )


def _read_resized(image: Image, named: Reader | None, factor: float, sizes: CellSizes) -> Reading | None:
    """Read the board in a picture that is resized for that; its grid is in pixels of the picture itself.

    Args:
        image: The picture.
        named: The reader of the client to search for; None for all clients.
        factor: By which the picture is resized.
        sizes: The sizes of cells to search for in the resized picture.
    """
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(image, None, fx=factor, fy=factor, interpolation=how)
    reading = _read(np.asarray(resized, dtype=np.uint8), named, sizes)
    return None if reading is None else replace(reading, grid=reading.grid.scaled(1 / factor, 1 / factor))


def _of_size(reading: Reading, limit: str) -> str:
    """Describe a board whose cells are beyond a limit."""
    return f"a board of {reading.client} with cells of {reading.grid.pitch[0]:.0f} px, {limit} that are read"


def _read(image: Image, named: Reader | None, sizes: CellSizes) -> Reading | None:
    """Read the board in a picture, whole or not; None if there is none."""
    readings = read_with_all(image, sizes) if named is None else read_with([named], image, sizes)[0]
    reading = next(iter(readings), None)  # the likeliest
    return reading if reading is not None and reading.confidence >= _LEAST_CONFIDENCE else None


def _unknown_board(image: Image) -> str:
    """Describe the largest thing in a picture that may be a board; empty if there is none.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
    """
    lattices = find_lattices(image, READ_SIZES.smallest, READ_SIZES.largest)
    grids = [lattice.grid for lattice in lattices if lattice.score >= STRICTLY_PERIODIC_SCORE]
    grids = [grid for grid in (*(tiling.grid for tiling in find_tilings(image)), *grids) if _like_a_board(grid)]
    if not grids:
        return ""
    largest = max(grids, key=lambda grid: grid.cells)
    return f"a board of {largest.columns}x{largest.rows} cells of {largest.pitch[0]:.0f} px"


def _like_a_board(grid: Grid) -> bool:
    """Whether equal pieces in rows and columns are as many, as large and as square as the cells of a board."""
    width, height = grid.pitch
    return min(grid.rows, grid.columns) >= _FEWEST_CELLS and abs(width - height) <= 1 and READ_SIZES.include(grid.pitch)
