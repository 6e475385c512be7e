"""Refusing what a calibration was never shown: strictness while some states have not been met.

A classifier asks which of the states that it knows a cell shows. Where it does not know them all, that is not enough:
an 8 that was never met may be most like a 2, and unlike everything else by far. So a cell must also look as those did
from which its state was learned. It is seen as a few fields, and the field that differs most from the template counts:
a stroke too many shows there, however small its share of the cell. It may differ by no more than the cells learned
from did, or by a fourth of what sets the two most alike known figures apart: a figure that was never met may be nearer
to a known one than those are to each other, but hardly so near. The rim is left out, where the neighbours show.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells import MARGIN, Image, cut, reduced, softened
from sweepbot.vision.classify import Classified, Classifier

_FIELDS = 8  # a side
_RIM = 16  # one pixel in so many of a cell's side
_SHARE = 0.25  # of what sets the two most alike known figures apart
_SLACK = 6.0  # grey levels by which a cell may differ more than those learned from
_SHIFTS = tuple((x, y) for y in range(-MARGIN, MARGIN + 1) for x in range(-MARGIN, MARGIN + 1) if (x, y) != (0, 0))
_BLANK = (0, int(State.HIDDEN))  # states that show no figure

Floats = NDArray[np.float32]


class Familiarity:
    """Tells which cells look as those did from which a calibration was learned.

    Args:
        calibration: The calibration; only one in which states are `unmet` calls for this.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._of_template = np.array([template.state for template in calibration.templates])
        images = np.stack([template.image for template in calibration.templates])
        spread = np.array([calibration.spread.get(int(state), 0.0) for state in self._of_template])
        self._limits = np.maximum(_SHARE * _least_gap(images, self._of_template), spread + _SLACK)

    def only_familiar(
        self, classifier: Classifier, board: Image, size: tuple[int, int], found: Classified
    ) -> Classified:
        """What the cells of a rectified board show, those refused that differ too much from what they were read as."""
        strange = np.zeros(found.states.size, dtype=np.bool_)
        gain = min(1.0, classifier.colours.gain)
        for template, state in enumerate(self._of_template):
            if not (self._of_template[:template] == state).any():
                of_state = self._of_template == state
                which = np.flatnonzero(found.states == state)
                limit = gain * self._limits[of_state]
                strange[which] = self._strange(board, size, which, classifier.looks[of_state], limit)
        states = np.where(strange.reshape(found.states.shape), np.uint8(State.UNKNOWN), found.states)
        return replace(found, states=states)

    def _strange(
        self, board: Image, size: tuple[int, int], which: NDArray[np.intp], looks: Image, limits: Floats
    ) -> NDArray[np.bool_]:
        """Which of some cells differ too much from all looks of a state, be it a pixel beside their place."""
        strange = np.ones(len(which), dtype=np.bool_)
        for shift in ((0, 0), *_SHIFTS):
            left = np.flatnonzero(strange)
            if not left.size:
                break
            differences = largest_differences(cut(board, size, which[left], shift), looks)
            strange[left] = (differences > limits).all(axis=1)
        return strange


def largest_differences(cells: Image, looks: Image) -> Floats:
    """By how many grey levels the field of each cell differs that differs most: float32 of shape (cells, looks)."""
    rim = max(1, min(looks.shape[1:3]) // _RIM)
    seen, known = (reduced(softened(of[:, rim:-rim, rim:-rim]), _FIELDS) for of in (cells, looks))
    differences = [np.abs(seen - one).max(axis=1) for one in known]
    return np.stack(differences, axis=1).astype(np.float32)


def _least_gap(images: Image, of_template: NDArray[np.intp]) -> float:
    """What sets the two most alike templates of different states apart, blank ones not held against each other."""
    gaps = largest_differences(images, images)
    figure = ~np.isin(of_template, _BLANK)
    apart = (of_template[:, None] != of_template) & (figure[:, None] | figure)
    return float(gaps[apart].min(initial=255.0))
