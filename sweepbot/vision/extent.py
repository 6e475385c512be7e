"""What speaks against the size of a board: cells that go on beyond it, and a counter that tells of another size.

A size is what everything rests on. Where a window scrolls or a picture was cropped, the next column begins and does not
end; where several cells were taken for one, or a frame for a column, the number of mines is that of another level.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.vision.cells import cut, rectified, softened
from sweepbot.vision.classify import Classifier
from sweepbot.vision.grid import Grid

_BEGUN = 3  # one part in so many of a cell, to be told from a frame: its upper and lower edges show in it too
_LEAST_CORRELATION = 0.8  # with what a cell begins like: of cells cut off 0.9 and more, of frames up to 0.87
_SAME = 16.0  # grey levels by which pixels may then differ on average: of cells cut off up to 9, of such frames 35
_FEATURELESS = 4.0  # grey levels that the pixels of a begun cell deviate at least: what is plain may be a page
_LEAST_BEGUN = 0.5  # of the rows or columns beside a board
_SHIFTS = (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)  # pixels to the right and down
_NEAR = 2  # rows or columns: a frame or two may be taken for so many


def of_other_level(board: Board, mines_left: int | None, levels: Iterable[Level]) -> Iterator[str]:
    """What the counter says against the size of a board, in words: that it is of another level, taken for this size.

    Args:
        board: The position.
        mines_left: What the counter shows, None where it was not read.
        levels: Those of the client.
    """
    if mines_left is None or board.count(State.UNKNOWN):
        return
    mines, size = mines_left + board.count(State.FLAG), (board.columns, board.rows)
    sizes = [(level.columns, level.rows) for level in levels if level.mines == mines]
    for of_level in sizes if size not in sizes else ():
        near = all(abs(side - of) <= _NEAR for side, of in zip(size, of_level, strict=True))
        several = all(of % side == 0 for side, of in zip(size, of_level, strict=True))
        if near or several:
            yield f"{size[0]}x{size[1]} cells, but {mines} mines as on {of_level[0]}x{of_level[1]}"


def cut_off(image: Image, grid: Grid, classifier: Classifier) -> list[str]:
    """On which sides of a board a further row or column of cells begins: "at the left", "at the top" and so on."""
    return [side for side, begun in _beside(image, grid, classifier) if begun]


def _beside(image: Image, grid: Grid, classifier: Classifier) -> Iterator[tuple[str, bool]]:
    width, height = classifier.cell
    across, down = grid.pitch
    wide, high = max(3, width // _BEGUN), max(3, height // _BEGUN)
    looks = classifier.looks
    left, right = grid.xs[0] - across * wide / width, grid.xs[-1] + across * wide / width
    top, bottom = grid.ys[0] - down * high / height, grid.ys[-1] + down * high / height
    upright, level = (wide, height), (width, high)
    if left >= 0:
        yield "at the left", _begins(image, Grid((left, grid.xs[0]), grid.ys), upright, looks[:, :, -wide:])
    if right <= image.shape[1]:
        yield "at the right", _begins(image, Grid((grid.xs[-1], right), grid.ys), upright, looks[:, :, :wide])
    if top >= 0:
        yield "at the top", _begins(image, Grid(grid.xs, (top, grid.ys[0])), level, looks[:, -high:])
    if bottom <= image.shape[0]:
        yield "at the bottom", _begins(image, Grid(grid.xs, (grid.ys[-1], bottom)), level, looks[:, :high])


def _begins(image: Image, strip: Grid, part: tuple[int, int], looks: Image) -> bool:
    """Whether cells begin in a strip of one row or column of their parts, of which `looks` shows what they may be."""
    known = softened(np.ascontiguousarray(looks))
    known = known[known.astype(np.float32).std(axis=(1, 2)).max(axis=1) >= _FEATURELESS]
    if not len(known):
        return False
    board, size = rectified(image, strip, part), (strip.rows, strip.columns)
    everyone = np.arange(strip.rows * strip.columns)
    begun = np.zeros(len(everyone), dtype=np.bool_)
    # Where cells are no whole number of pixels wide, some of them begin a pixel beside the others.
    for shift in _SHIFTS:
        parts = softened(cut(board, size, everyone, shift))
        cells, which = np.nonzero(_relief(parts) @ _relief(known).T >= _LEAST_CORRELATION)
        apart = np.abs(parts[cells].astype(np.float32) - known[which]).mean(axis=(1, 2, 3))
        begun[cells[apart <= _SAME]] = True
    return bool(begun.mean() >= _LEAST_BEGUN)


def _relief(cells: Image) -> NDArray[np.float32]:
    """Cells less their mean and over their contrast, shape (cells, pixels): products are correlations."""
    flat = cells.reshape(len(cells), -1).astype(np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    relief: NDArray[np.float32] = flat / (np.linalg.norm(flat, axis=1, keepdims=True) + _FEATURELESS)
    return relief
