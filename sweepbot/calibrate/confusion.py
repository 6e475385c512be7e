"""How well pictures of states can be told apart, which had better not enter a calibration, and whether one is sound."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.learned import Label
from sweepbot.geometry import Image
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration, Template
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.familiar import largest_differences
from sweepbot.vision.comparison import Comparison, compare
from sweepbot.vision.pictures.cutting import MARGIN
from sweepbot.vision.reader import Reader

_CLOSE = 0.97  # a rival that agrees with a template so well is close enough for a warning
_MOST_PICTURES = 12  # of one state: a gradient has no more faces than that to tell, a pattern with lines has some more
_WORTH_KEEPING = 6  # grey levels by which a further picture of a state differs from those that are kept


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
        return not self.right or (self.rival != self.state and self.rival_score >= _CLOSE)

    def __str__(self) -> str:
        warning = "  <- close" if self.close else ""
        return f"{self.state:>10}  {self.score:.3f}   next {self.rival:>10}  {self.rival_score:.3f}{warning}"


def confusions(templates: Sequence[Template], cells: Sequence[Template] | None = None) -> list[Confusion]:
    """Read templates, in their order, by some others, or each by all of them."""
    cells = templates if cells is None else cells
    row = np.concatenate([template.image for template in cells], axis=1)
    board = np.pad(row, ((MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)), mode="edge")
    size = 1, len(cells)
    # Held against every state in full: a glance is enough to tell a template, but names no rival of it.
    found = Classifier(templates).reconsider(board, size, np.arange(size[1])).shaped(*size)
    return [
        Confusion(
            NAME_OF_STATE[template.state],
            NAME_OF_STATE.get(int(found.states[0, index])),
            float(found.scores[0, index]),
            NAME_OF_STATE.get(int(found.rivals[0, index]), ""),
            float(found.rival_scores[0, index]),
        )
        for index, template in enumerate(cells)
    ]


def misleading(templates: Sequence[Template]) -> list[int]:
    """The templates that all others together read as another state than theirs, by their place.

    One that is its state's only picture tells nothing so: without it nobody knows that state.
    """
    states = Counter(template.state for template in templates)
    found = []
    for index, template in enumerate(templates):
        if states[template.state] > 1:
            (alone,) = confusions([*templates[:index], *templates[index + 1 :]], [template])
            found += [index] if alone.read not in (None, alone.state) else []
    return found


def labels_of(
    patches: PatchStore, states: Mapping[str, Counter[int]], why: Mapping[str, str], known: Sequence[Template] = ()
) -> list[Label]:
    """The labels of states, in the order of `STATE_NAMES`, without what is known already or doubtful.

    Args:
        patches: Where the pictures are.
        states: How many cells showed each picture, by the state that it shows.
        why: The evidence for each of these, in words.
        known: What the calibration holds already.
    """
    had = {template.image.tobytes() for template in known}
    labels = []
    for name in (name for name in STATE_NAMES if name in states):
        same = [patches.number(template.image) for template in known if template.state == STATE_NAMES[name]]
        kept = _representatives(patches, states[name], same)
        everything = np.stack([patches[picture] for picture in states[name]])
        spread = float(largest_differences(everything, np.stack(kept)).min(axis=1).max())
        new = [picture for picture in kept if picture.tobytes() not in had]
        labels += [Label(name, new, why[name], spread)] if new else []
    return without_doubtful(labels, known)


def _representatives(patches: PatchStore, pictures: Counter[int], known: Sequence[int]) -> list[Image]:
    """The commonest picture, then again and again the one that is least like those chosen, then those drawn otherwise.

    Those that are `known` to stand for the same come first, in the place of the commonest.
    """
    numbers = [number for number, _ in pictures.most_common()]
    chosen = [*known] or numbers[:1]
    while len(chosen) < _MOST_PICTURES:
        distance = np.min([patches.distances(number, numbers) for number in chosen], axis=0)
        if distance.max() <= _WORTH_KEEPING:
            break
        chosen.append(numbers[int(distance.argmax())])
    others = [picture for number in chosen for picture in patches.variants(number)]
    return [*(patches[number] for number in chosen), *others][:_MOST_PICTURES]


def without_doubtful(labels: Sequence[Label], known: Sequence[Template] = ()) -> list[Label]:
    """The labels without pictures that all others read as another state, and without states that look the same.

    What most cells of a state have shown is not left out for another state's sake. Where two have it in common one of
    them is wrong, and nobody can tell which.
    """
    new = [Template(STATE_NAMES[label.state], picture) for label in labels for picture in label.pictures]
    doubtful = set(misleading([*known, *new]))
    patches = PatchStore()
    commonest = [patches.number(label.pictures[0]) for label in labels]
    kept, first = [], len(known)
    for label, number in zip(labels, commonest, strict=True):
        places = enumerate(label.pictures, first)
        pictures = [picture for place, picture in places if place == first or place not in doubtful]
        kept += [replace(label, pictures=pictures)] if commonest.count(number) == 1 else []
        first += len(label.pictures)
    return kept


@dataclass(frozen=True, slots=True)
class Check:
    """What a check has found.

    Attributes:
        confusions: One for each template, in the order of the file.
        misleading: The numbers of those templates that all others read as another state.
        fixtures: How each picture was read.
    """

    confusions: list[Confusion]
    misleading: list[int]
    fixtures: list[Comparison]

    @property
    def sound(self) -> bool:
        """Whether every template is read as what it is, also without it, and no cell of a fixture is misread."""
        misread = any(done.wrong for done in self.fixtures)
        return all(confusion.right for confusion in self.confusions) and not self.misleading and not misread


def check(calibration: Calibration, fixtures: Path | None) -> Check:
    """Check a calibration that could be loaded; without a folder, on the pictures in `fixtures/` beside it.

    Raises:
        ImageError: A picture cannot be read.
        BoardTextError: A board cannot be read.
    """
    reader = Reader(calibration)
    texts = sorted((fixtures or calibration.path.parent / "fixtures").glob("*.txt"))
    templates = calibration.templates
    compared = [compare(text.with_suffix(".png"), reader) for text in texts]
    return Check(confusions(templates), misleading(templates), compared)
