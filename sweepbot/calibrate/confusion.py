"""How well the pictures of states can be told apart: choosing them for a calibration, and checking one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sweepbot.calibrate.beliefs.patches import PatchStore
from sweepbot.calibrate.comparison import Comparison, compare
from sweepbot.calibrate.learned import Label
from sweepbot.geometry import Image
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration, Template
from sweepbot.vision.known.looks import Look, as_cells, trust_of
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader

_CLOSE_SCORE = 0.97  # from which on a rival is close enough for a warning
_MAX_PICTURES = 12  # of one state, enough for the shades of a gradient and for the cells of most patterns
_WORTH_KEEPING_LEVELS = 6  # by which another picture of a state must differ from those that are kept


@dataclass(frozen=True, slots=True)
class Confusion:
    """The result of reading a template as if it were a cell.

    Attributes:
        state: The state that it is a template of.
        read: The state that it is read as; None if it is refused.
        score: How well the best template matches it, in [0, 1].
        rival: The second-best state.
        rival_score: How well that matches it.
    """

    state: str
    read: str | None
    score: float
    rival: str
    rival_score: float

    @property
    def right(self) -> bool:
        """Whether it is read correctly."""
        return self.read == self.state

    @property
    def close(self) -> bool:
        """Whether the second-best state is so similar that a little noise may confuse them."""
        return not self.right or (self.rival != self.state and self.rival_score >= _CLOSE_SCORE)

    def __str__(self) -> str:
        warning = "  <- close" if self.close else ""
        return f"{self.state:>10}  {self.score:.3f}   next {self.rival:>10}  {self.rival_score:.3f}{warning}"


def confusions(templates: Sequence[Template], cells: Sequence[Template] | None = None) -> list[Confusion]:
    """Read `cells`, the templates themselves by default, by `templates`; return the results in order."""
    cells = templates if cells is None else cells
    look = Look(UNKNOWN_CLIENT, 0, templates[0].image.shape[1], tuple(templates))
    found = look.match(as_cells([template.image for template in cells]))
    score, rival_score = found.trust, trust_of(found.rival_errors)
    return [
        Confusion(
            NAME_OF_STATE[template.state],
            NAME_OF_STATE.get(int(found.states[index])),
            float(score[index]),
            NAME_OF_STATE.get(int(found.rivals[index]), ""),
            float(rival_score[index]),
        )
        for index, template in enumerate(cells)
    ]


def misleading(templates: Sequence[Template]) -> list[int]:
    """Return the indices of the templates that all others together read as another state.

    A state's only picture is never among them, as without it the state is unknown.
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
    """Make the labels of states, in the order of `STATE_NAMES`, without known and doubtful pictures.

    Args:
        patches: The pictures.
        states: For each state, how many cells showed each of its pictures.
        why: The evidence for each state, in words.
        known: The templates that the calibration has already.
    """
    had = {template.image.tobytes() for template in known}
    labels = []
    for name in (name for name in STATE_NAMES if name in states):
        same = [patches.number(template.image) for template in known if template.state == STATE_NAMES[name]]
        kept = _representatives(patches, states[name], same)
        new = [picture for picture in kept if picture.tobytes() not in had]
        labels += [Label(name, new, why[name])] if new else []
    return without_doubtful(labels, known)


def _representatives(patches: PatchStore, pictures: Counter[int], known: Sequence[int]) -> list[Image]:
    """Choose the commonest picture, then repeatedly the one least like those chosen, then variants of these.

    Pictures that are `known` for the state come first, instead of the commonest.
    """
    numbers = [number for number, _ in pictures.most_common()]
    chosen = [*known] or numbers[:1]
    while len(chosen) < _MAX_PICTURES:
        distance = np.min([patches.distances(number, numbers) for number in chosen], axis=0)
        if distance.max() <= _WORTH_KEEPING_LEVELS:
            break
        chosen.append(numbers[int(distance.argmax())])
    others = [picture for number in chosen for picture in patches.variants(number)]
    return [*(patches[number] for number in chosen), *others][:_MAX_PICTURES]


def without_doubtful(labels: Sequence[Label], known: Sequence[Template] = ()) -> list[Label]:
    """Return labels without the pictures that all others read as another state, and without states that look alike.

    The commonest picture of a state is kept in any case. If two states share it, one of them is wrong, and since it is
    unknown which, both are left out.
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
    """The result of checking a calibration.

    Attributes:
        confusions: One for each template, in the order of the file.
        misleading: The indices of the templates that all others read as another state.
        fixtures: How each fixture was read.
    """

    confusions: list[Confusion]
    misleading: list[int]
    fixtures: list[Comparison]

    @property
    def sound(self) -> bool:
        """Whether every template is read correctly, even by the others alone, and no cell of a fixture is misread."""
        misread = any(done.wrong for done in self.fixtures)
        return all(confusion.right for confusion in self.confusions) and not self.misleading and not misread


def check(calibration: Calibration, fixtures: Path | None) -> Check:
    """Check a calibration, on the fixtures in a folder, by default on those in `fixtures/` beside its file.

    Raises:
        ImageError: A picture cannot be read.
        BoardTextError: A board cannot be read.
    """
    reader = Reader(calibration)
    texts = sorted((fixtures or calibration.path.parent / "fixtures").glob("*.txt"))
    templates = calibration.templates
    compared = [compare(text.with_suffix(".png"), reader) for text in texts]
    return Check(confusions(templates), misleading(templates), compared)
