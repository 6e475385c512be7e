"""Figures within rims that nobody has seen: neighbours may show there, or a line between hidden and open cells.

A client that draws such lines shows each figure within as many rims as there are sets of neighbours. Those that were
calibrated cannot be all; so a cell that was refused is believed all the same where everything but its rim is, to the
pixel, a figure of one state and of no other. Where cells are no whole number of pixels wide, their own lines come and
go as well. What shows no figure is believed then if it has lines as its template has: a plain patch may be anything.
"""

from dataclasses import replace

import numpy as np

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import Classified, Templates

_RIM = 16  # one pixel in so many of a cell's side, one and a half at least
_SAME = 3  # grey levels by which pixels of the same thing may differ
_FIGURE = 8.0  # grey levels that the pixels of what shows a figure, or lines, deviate
_LINED = 0.5  # of its template's relief: what a cell that shows no figure has, if it has lines


def within_other_rims(classifier: Templates, board: Image, size: tuple[int, int], found: Classified) -> Classified:
    """What the cells of a rectified board show, those believed whose figure is one that is known, to the pixel.

    Args:
        classifier: What they were read by.
        board: The board with its margin, as `cells.rectified` gives it.
        size: Its rows and columns.
        found: What was read.
    """
    unknown = np.flatnonzero(found.states == State.UNKNOWN)
    if not unknown.size:
        return found
    rim = max(2, min(classifier.cell) // _RIM)
    looks = classifier.looks[:, rim:-rim, rim:-rim].astype(np.int16)
    lined = classifier.looks.std(axis=(1, 2)).max(axis=1) >= _FIGURE
    in_relief = (found.reliefs >= _LINED) & lined[found.templates]
    states = found.states.copy()
    for number, cell in zip(unknown, classifier.cells(board, size, unknown), strict=True):
        inner = cell[rim:-rim, rim:-rim].astype(np.int16)
        if inner.std(axis=(0, 1)).max() >= _FIGURE or in_relief.ravel()[number]:
            alike = np.abs(looks - inner).max(axis=(1, 2, 3)) <= _SAME
            shown = np.unique(classifier.of_template[alike])
            if len(shown) == 1:
                states.ravel()[number] = shown[0]
    return replace(found, states=states)
