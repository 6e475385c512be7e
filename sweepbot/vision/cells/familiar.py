"""Refuse states that a calibration has never met.

A classifier decides between the states that it knows. If it does not know all, that is not enough: an 8 that was never
met may be most similar to a 2, with a clear lead. So a cell must also look like those from which its state was learned.
It is reduced to a few fields, and the field that differs most from the template counts: an extra stroke shows there,
however small its share of the cell. It may differ by no more than the learned cells did, or by a quarter of the
difference between the two most similar known figures: an unmet figure is hardly so near to a known one. The rim, where
neighbours show, is left out.

On a board smaller than the learned one, a pixel of the screen is several of a template's, and a figure may be off its
place by as much: a field may have any value that it has in a template moved so little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import BLANK, Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.pictures.patches import SHIFTS_PX, Indices, Patches, reduced, softened

_FIELDS = 8  # a side
_RIM_PART = 16  # of a cell's side
_MOVED_PART = 20  # of a cell's side: most by which a figure may have moved
_APART_SHARE = 0.25  # of the difference between the two most similar known figures
_SLACK_LEVELS = 6.0  # by which a cell may differ more than the learned ones

Floats = NDArray[np.float32]
Ranges = tuple[Floats, Floats]


def only_familiar(
    classifier: Classifier, spread: Mapping[int, float], patches: Patches, found: Classified, scale: float
) -> Classified:
    """Refuse cells that differ too much from what they were read as.

    Args:
        classifier: What read them.
        spread: For each state, the most grey levels by which its learned cells differed from its templates.
        patches: The cells.
        found: What was read.
        scale: The size of a cell in the picture, as a multiple of the calibration's.
    """
    pixel = round(1 / scale)
    ranges, apart = _known(classifier, min(pixel, min(classifier.cell) // _MOVED_PART) if pixel > 1 else 0)
    strange = np.zeros(found.states.size, dtype=np.bool_)
    gain = min(1.0, classifier.brightness)
    for state in np.unique(classifier.of_template).tolist():
        which = np.flatnonzero(found.states == state)
        limit = gain * max(apart, spread.get(state, 0.0) + _SLACK_LEVELS)
        of_state = [ranges[index] for index in np.flatnonzero(classifier.of_template == state)]
        strange[which] = _are_strange(classifier, patches, which, of_state, limit)
    states = np.where(strange.reshape(found.states.shape), np.uint8(State.UNKNOWN), found.states)
    return replace(found, states=states)


@lru_cache(maxsize=4)
def _known(classifier: Classifier, reach: int) -> tuple[list[Ranges], float]:
    """Return the ranges of each template, and how far a cell may differ without being another state's."""
    ranges = [_ranges(classifier.looks[[template]], reach) for template in range(len(classifier.of_template))]
    return ranges, _APART_SHARE * _least_gap(classifier.images, classifier.of_template)


def _are_strange(
    classifier: Classifier, patches: Patches, which: Indices, ranges: Sequence[Ranges], limit: float
) -> NDArray[np.bool_]:
    """Return which cells, at their place or a pixel beside it, differ too much from all templates of a state."""
    strange = np.ones(len(which), dtype=np.bool_)
    for shift in ((0, 0), *SHIFTS_PX):
        left = np.flatnonzero(strange)
        if not left.size:
            break
        differences = _differences(_fields(classifier.cells(patches, which[left], shift)), ranges)
        strange[left] = differences.min(axis=1) > limit
    return strange


def largest_differences(cells: Image, looks: Image) -> Floats:
    """Return the largest difference of any field, in grey levels: float32 of shape (cells, looks)."""
    return _differences(_fields(cells), [(known, known) for known in _fields(looks)])


def _fields(cells: Image) -> Floats:
    """Reduce cells, without their rims, to fields: float32 of shape (cells, fields * 3)."""
    rim = max(1, min(cells.shape[1:3]) // _RIM_PART)
    fields: Floats = reduced(softened(cells[:, rim:-rim, rim:-rim]), _FIELDS)
    return fields


def _ranges(look: Image, reach: int) -> Ranges:
    """Return the least and greatest value of each field of a template that is moved by up to `reach` pixels."""
    height, width = look.shape[1:3]
    padded = np.pad(look, ((0, 0), (reach, reach), (reach, reach), (0, 0)), mode="edge")
    moved = [padded[:, y : y + height, x : x + width] for y in range(2 * reach + 1) for x in range(2 * reach + 1)]
    fields = _fields(np.concatenate(moved))
    return fields.min(axis=0), fields.max(axis=0)


def _differences(fields: Floats, ranges: Sequence[Ranges]) -> Floats:
    """Return how far the worst field of each cell is outside its range: float32 of shape (cells, ranges)."""
    outside = [np.maximum(least - fields, fields - greatest).max(axis=1) for least, greatest in ranges]
    differences: Floats = np.maximum(np.stack(outside, axis=1), 0).astype(np.float32)
    return differences


def _least_gap(images: Image, of_template: NDArray[np.uint8]) -> float:
    """Return the difference between the two most similar templates of different states, not both blank."""
    gaps = largest_differences(images, images)
    figure = ~np.isin(of_template, BLANK)
    apart = (of_template[:, None] != of_template) & (figure[:, None] | figure)
    return float(gaps[apart].min(initial=255.0))
