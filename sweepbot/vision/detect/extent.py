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
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.cutting import cut, rectified, softened

_BEGUN = 3  # one part in so many of a cell, to be told from a frame: its upper and lower edges show in it too
_LEAST_CORRELATION = 0.8  # with what a cell begins like: of cells cut off 0.9 and more, of frames up to 0.87
_SAME = 16.0  # grey levels by which pixels may then differ on average: of cells cut off up to 9, of such frames 35
_FEATURELESS = 4.0  # grey levels that the pixels of a begun cell deviate at least: what is plain may be a page
_LEAST_BEGUN = 0.5  # of the rows or columns beside a board
_SHIFTS = (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)  # pixels to the right and down
_LIKE_CELLS = 0.89  # median score of a line beside a board that is one of its own: of others up to 0.86, of such 0.92
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
    wide, high = (max(3, side // _BEGUN) for side in classifier.cell)
    looks = classifier.looks
    begun = {
        "at the left": looks[:, :, -wide:],
        "at the right": looks[:, :, :wide],
        "at the top": looks[:, -high:],
        "at the bottom": looks[:, :high],
    }
    lines, parts = (
        _beside(image, grid, share) for share in ((1.0, 1.0), (wide / looks.shape[2], high / looks.shape[1]))
    )
    return [
        side
        for side, known in begun.items()
        if (side in lines and _is_one_more(image, lines[side], classifier))
        or (side in parts and _begins(image, parts[side], known))
    ]


def _beside(image: Image, grid: Grid, share: tuple[float, float]) -> dict[str, Grid]:
    """The strips beside a board that are within the picture, each as wide or high as a share of a cell."""
    across, down = grid.pitch[0] * share[0], grid.pitch[1] * share[1]
    strips = {}
    if grid.xs[0] >= across:
        strips["at the left"] = Grid((grid.xs[0] - across, grid.xs[0]), grid.ys)
    if grid.xs[-1] + across <= image.shape[1]:
        strips["at the right"] = Grid((grid.xs[-1], grid.xs[-1] + across), grid.ys)
    if grid.ys[0] >= down:
        strips["at the top"] = Grid(grid.xs, (grid.ys[0] - down, grid.ys[0]))
    if grid.ys[-1] + down <= image.shape[0]:
        strips["at the bottom"] = Grid(grid.xs, (grid.ys[-1], grid.ys[-1] + down))
    return strips


def _is_one_more(image: Image, line: Grid, classifier: Classifier) -> bool:
    """Whether a row or column beside a board agrees with its cells' looks nearly as cells do, if not as clearly."""
    shown = classifier.sketch(rectified(image, line, classifier.cell), (line.rows, line.columns))
    return bool(np.median(shown.scores) >= _LIKE_CELLS)


def _begins(image: Image, strip: Grid, looks: Image) -> bool:
    """Whether cells begin in a strip of one row or column of their parts, of which `looks` shows what they may be."""
    known = softened(np.ascontiguousarray(looks))
    known = known[known.astype(np.float32).std(axis=(1, 2)).max(axis=1) >= _FEATURELESS]
    if not len(known):
        return False
    part = looks.shape[2], looks.shape[1]
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
    """Cells less their mean colour and over their contrast, shape (cells, values): products are correlations."""
    centred = cells.astype(np.float32)
    centred -= centred.mean(axis=(1, 2), keepdims=True)  # of each channel: a tint that all share is no likeness
    flat = centred.reshape(len(cells), -1)
    relief: NDArray[np.float32] = flat / (np.linalg.norm(flat, axis=1, keepdims=True) + _FEATURELESS)
    return relief
