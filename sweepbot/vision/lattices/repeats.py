"""Find fresh boards whose cells have a pattern, where `tiles` finds no pieces: by the picture that repeats itself.

Each pixel of such a board equals the one a cell to the right and the one a cell below, up to the last column and row.
That ends abruptly beside the board, so that the lines are exact to the pixel.
"""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import MIN_CELLS, Grid
from sweepbot.vision.lattices.tiles import SAME_BOARD_SHARE

_SMALLEST_CELL_PX, _LARGEST_CELL_PX = 10, 165  # a side of a cell
_ROW_STEP_PX = 8  # every eighth row of pixels shows at which distances they repeat themselves
_SIDES_TRIED = 6  # of cells, those at which most pixels do
_WINDOW_CELLS = 2  # a side of the window in which all pixels must repeat, as those of text do not
_SAME_PIXEL_LEVELS = 6  # by which a pixel may differ from its repetition, as over a gradient
_ALIKE_SHARE = 0.5  # of the board's pixels that repeat: some cells may be open
_WIDEST_GAP_SHARE = 0.25  # of a cell's side, between cells: it may look like what is around the board
_FLAT_LEVELS = 3.0  # largest standard deviation of an empty surface


def find_repeats(image: Image) -> list[Grid]:
    """Find the boards in a picture, a uint8 array of shape (height, width, 3), the largest first."""
    if min(image.shape[:2]) < MIN_CELLS * _SMALLEST_CELL_PX:
        return []
    green = np.ascontiguousarray(image[:, :, 1])
    kept: list[Grid] = []
    for side in sorted(_likely_sides(green)):
        # What repeats itself after a cell does so after two or three as well.
        kept += [grid for grid in _boards_of(green, side) if not any(_is_of_several(grid, finer) for finer in kept)]
    return sorted(kept, key=lambda grid: -grid.cells * grid.pitch[0] ** 2)


def _is_of_several(grid: Grid, finer: Grid) -> bool:
    """Whether each cell of a board is several of another one in its place."""
    return grid.pitch[0] % finer.pitch[0] == 0 and grid.region.overlap(finer.region) > SAME_BOARD_SHARE


def _likely_sides(image: NDArray[np.uint8]) -> list[int]:
    """Return the distances at which most of what is drawn is repeated to the right, with its surroundings."""
    some = image[::_ROW_STEP_PX]
    drawn = cv2.absdiff(some[:, 1:], some[:, :-1]) > _FLAT_LEVELS
    repeated = {}
    for side in range(_SMALLEST_CELL_PX, min(_LARGEST_CELL_PX, min(image.shape) // MIN_CELLS) + 1):
        around = _WINDOW_CELLS * side, 1 + _WINDOW_CELLS * side // _ROW_STEP_PX
        again = cv2.boxFilter(_alike(some[:, side:], some[:, :-side]), cv2.CV_32S, around, normalize=False)
        repeated[side] = int((again[:, 1:] == around[0] * around[1])[drawn[:, :-side]].sum())
    likely = [side for side in repeated if repeated[side]]
    return sorted(likely, key=lambda side: -repeated[side])[:_SIDES_TRIED]


def _boards_of(image: NDArray[np.uint8], side: int) -> Iterator[Grid]:
    """Yield the boards with cells of `side` pixels."""
    again = _alike(image[:-side, side:], image[:-side, :-side]) & _alike(image[side:, :-side], image[:-side, :-side])
    # Gaps may connect a board with what is around it: what is as narrow as a gap is removed.
    rim = int(_WIDEST_GAP_SHARE * side / 2)
    inner = cv2.erode(again, np.ones((2 * rim + 1, 2 * rim + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(inner, dtype=np.uint8), connectivity=4)
    for *inside, area in stats[1:].tolist():
        left, top, width, height = inside[0] - rim, inside[1] - rim, inside[2] + 2 * rim, inside[3] + 2 * rim
        columns, rows = 1 + round(width / side), 1 + round(height / side)
        over = width + side - columns * side, height + side - rows * side  # half a gap on each side repeats itself too
        is_board = min(columns, rows) >= MIN_CELLS and max(map(abs, over)) <= _WIDEST_GAP_SHARE * side
        if is_board and area >= _ALIKE_SHARE * width * height and image[top:, left:][:side, :side].std() > _FLAT_LEVELS:
            corner = left + over[0] // 2, top + over[1] // 2
            yield Grid.uniform(corner, (side, side), rows, columns)


def _alike(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    alike: NDArray[np.uint8] = (cv2.absdiff(one, other) <= _SAME_PIXEL_LEVELS).astype(np.uint8)
    return alike
