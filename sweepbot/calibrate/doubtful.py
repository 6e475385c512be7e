"""Pictures that had better not enter a calibration: all its other pictures read them as another state."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.calibrate.learned import Label
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES, Template
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.pictures.cutting import MARGIN


def misleading(templates: Sequence[Template]) -> list[int]:
    """The templates that all others together read as another state than theirs, by their place.

    One that is its state's only picture tells nothing so: without it nobody knows that state.
    """
    states = [template.state for template in templates]
    found = []
    for index, template in enumerate(templates):
        others = [other for number, other in enumerate(templates) if number != index]
        if states.count(template.state) > 1 and _read(others, template) not in (None, template.state):
            found.append(index)
    return found


def without_doubtful(labels: Sequence[Label], known: Sequence[Template] = ()) -> list[Label]:
    """The labels without such pictures, and without states whose commonest pictures are the same.

    What most cells of a state have shown is not left out for another state's sake. Where two have it in common one of
    them is wrong, and nobody can tell which.

    Args:
        labels: The states, with the pictures that shall enter, the commonest first.
        known: What the calibration holds already.
    """
    new = [(number, place) for number, label in enumerate(labels) for place in range(len(label.pictures))]
    templates = [Template(STATE_NAMES[labels[number].state], labels[number].pictures[place]) for number, place in new]
    out = {new[index - len(known)] for index in misleading([*known, *templates]) if index >= len(known)}
    patches = PatchStore()
    commonest = [patches.number(label.pictures[0]) for label in labels]

    def kept(number: int) -> list[Image]:
        pictures = labels[number].pictures
        return [picture for place, picture in enumerate(pictures) if place == 0 or (number, place) not in out]

    return [
        replace(label, pictures=kept(number))
        for number, label in enumerate(labels)
        if commonest.count(commonest[number]) == 1
    ]


def labels_of(patches: PatchStore, states: Mapping[str, Counter[int]], why: Mapping[str, str]) -> list[Label]:
    """The labels of states, in the order of `STATE_NAMES`, without what is doubtful.

    Args:
        patches: Where the pictures are.
        states: How many cells showed each picture, by the name of the state.
        why: The evidence for each, in words.
    """
    return without_doubtful(
        [Label.of(name, patches, states[name], why[name]) for name in STATE_NAMES if name in states]
    )


def _read(templates: Sequence[Template], cell: Template) -> int | None:
    """What templates read a cell as; None where they refuse it."""
    board = np.pad(cell.image, ((MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)), mode="edge")
    found = Classifier(templates).reconsider(board, (1, 1), np.arange(1))
    state = int(found.states.ravel()[0])
    return state if state in STATE_NAMES.values() else None
