"""How well the states of a calibration can be told apart: each template held against all others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sweepbot.vision.calibration import STATE_NAMES, Template
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.pictures.cutting import MARGIN

CLOSE = 0.97
"""A rival that agrees with a template so well is close enough for a warning."""

_NAMES = {state: name for name, state in STATE_NAMES.items()}


@dataclass(frozen=True, slots=True)
class Confusion:
    """A template read as if it were a cell.

    Attributes:
        state: What it is a template of.
        read: What it is read as; None where it is refused.
        score: How well the best template agrees with it, in [0, 1].
        rival: The state that comes next.
        rival_score: How well that agrees.
    """

    state: str
    read: str | None
    score: float
    rival: str
    rival_score: float

    @property
    def right(self) -> bool:
        """Whether it is read as what it is."""
        return self.read == self.state

    @property
    def close(self) -> bool:
        """Whether the next state is so like it that a little noise may make one of the other."""
        return not self.right or (self.rival != self.state and self.rival_score >= CLOSE)

    def __str__(self) -> str:
        warning = "  <- close" if self.close else ""
        return f"{self.state:>10}  {self.score:.3f}   next {self.rival:>10}  {self.rival_score:.3f}{warning}"


def confusions(templates: Sequence[Template]) -> list[Confusion]:
    """Read every template with all of them, in their order."""
    row = np.concatenate([template.image for template in templates], axis=1)
    board = np.pad(row, ((MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)), mode="edge")
    size = 1, len(templates)
    # Held against every state in full: a glance is enough to tell a template, but names no rival of it.
    found = Classifier(templates).reconsider(board, size, np.arange(size[1])).shaped(*size)
    return [
        Confusion(
            _NAMES[template.state],
            _NAMES.get(int(found.states[0, index])),
            float(found.scores[0, index]),
            _NAMES[int(found.rivals[0, index])],
            float(found.rival_scores[0, index]),
        )
        for index, template in enumerate(templates)
    ]
