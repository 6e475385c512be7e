"""How the cells of a client may look, and what it takes to tell whether a lattice's cells look so.

A look is laid over a lattice in three steps, each dearer than the one before it: its shapes are compared with some of
the lattice's cells, then the same cells are read in full, and at last all of the board is fitted.
"""

from dataclasses import dataclass
from typing import Protocol

from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration, Theme
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.familiar import Familiarity
from sweepbot.vision.cells.ink import InkClassifier
from sweepbot.vision.detect.fit import COARSE_PX, rehearsed
from sweepbot.vision.detect.locate import Candidate, fitted_on, in_range
from sweepbot.vision.detect.painted import lined_on, lit_as, rehearsed_in_ink
from sweepbot.vision.lattices.align import Patterns, Sample
from sweepbot.vision.lattices.lattice import Lattice

_DENSITIES = 2.0, 0.5  # pixels to a unit of the desktop: on screens of high density, and in pictures made smaller


class Hypothesis(Protocol):
    """That the cells of a lattice have a look."""

    @property
    def patterns(self) -> Patterns:
        """The shapes of the look on that lattice."""

    def likelihood(self, sample: Sample) -> float:
        """The mean score of some of the lattice's cells in [0, 1], unreadable ones counted as 0."""

    def candidate(self, lattice: Lattice) -> Candidate | None:
        """The board as it is read so on the lattice, or one spaced alike; None where there is none."""


class Look(Protocol):
    """One way in which a client's cells may look."""

    @property
    def calibration(self) -> Calibration:
        """Of the client."""

    def on(self, image: Image, lattice: Lattice) -> Hypothesis | None:
        """That the cells of a lattice of a picture look so; None where they cannot."""


@dataclass(frozen=True, slots=True, eq=False)
class TemplateLook:
    """Cells that look as templates do, whatever the screen does to all of their colours."""

    calibration: Calibration
    classifier: Classifier

    def on(self, image: Image, lattice: Lattice) -> Hypothesis | None:
        """See `Look`."""
        return _InTemplates(image, lattice, self) if in_range(lattice.pitch) else None


class _InTemplates:
    def __init__(self, image: Image, lattice: Lattice, look: TemplateLook) -> None:
        self._image = image
        self._look = look
        self._coarse = look.classifier.for_pitch(lattice.pitch, COARSE_PX)
        self.patterns = self._coarse.patterns

    def likelihood(self, sample: Sample) -> float:
        return rehearsed(self._image, sample, self._coarse)

    def candidate(self, lattice: Lattice) -> Candidate | None:
        classifier = self._look.classifier
        found = fitted_on(self._image, lattice, self._look.calibration, classifier)
        # Where gaps are made thin, cells with nothing on them are as those of any table.
        return None if found is None or (classifier.density < 1 and found.is_untouched) else found


@dataclass(frozen=True, slots=True, eq=False)
class InkLook:
    """Cells that are told by ink and shape, between dark lines."""

    calibration: Calibration
    inks: InkClassifier

    def on(self, image: Image, lattice: Lattice) -> Hypothesis | None:
        """See `Look`."""
        lit = lit_as(image, lattice, self.inks) if in_range(lattice.pitch) else None
        return None if lit is None else _InInk(image, self.calibration, lit)


class _InInk:
    def __init__(self, image: Image, calibration: Calibration, lit: InkClassifier) -> None:
        self._image = image
        self._calibration = calibration
        self._lit = lit
        self.patterns = lit.patterns

    def likelihood(self, sample: Sample) -> float:
        return rehearsed_in_ink(self._image, sample, self._lit)

    def candidate(self, lattice: Lattice) -> Candidate | None:
        return lined_on(self._image, lattice, self._calibration, self._lit)


def looks_of(calibration: Calibration) -> list[Look]:
    """All that the cells of a client on a lattice may look like; none of one whose boards are found by their chequers.

    A gap does not grow with the cells, but with everything else on a dense screen.
    """
    if calibration.ground is not None:
        return [] if calibration.ground == "chequered" else [InkLook(calibration, inks_of(calibration))]
    familiarity = Familiarity(calibration.spread) if calibration.unmet else None
    themes = Theme(calibration.templates, calibration.native), *calibration.variants
    plain = [
        Classifier(
            theme.templates,
            gap=calibration.gap,
            native=theme.native,
            shades_vary=calibration.shades_vary,
            familiarity=familiarity,
        )
        for theme in themes
    ]
    denser = [one.with_density(density) for density in (_DENSITIES if calibration.gap else ()) for one in plain]
    return [TemplateLook(calibration, one) for one in (*plain, *denser)]


def inks_of(calibration: Calibration) -> InkClassifier:
    """What tells the cells of a client whose ground varies.

    Raises:
        ValueError: It does not.
    """
    if calibration.ground is None:
        raise ValueError(f"{calibration.name}: its cells are told by templates")
    return InkClassifier(calibration.templates, calibration.ground, after_win=calibration.open_after_win)
