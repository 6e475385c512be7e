"""The looks that a client's cells may have, and how to check whether the cells of a lattice have one of them.

A look is compared with a lattice in three steps, each more costly than the one before: its shapes with a sample of the
lattice's cells, then the same cells in full, and at last the whole board is fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration, Template, Theme
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.grounds import Grounds, some_pixels
from sweepbot.vision.detect.fit import COARSE_PX, Fitted, fit, fit_on, sample_score, shown_as_drawn
from sweepbot.vision.detect.locate import aspect, is_board
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.align import Sample
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.light import WARMTH_SHARES, light, possible_warmths

_DIMMED_FACTORS = np.array([1.0, 0.8, 0.62, 0.48], dtype=np.float32)  # the brightness of a page that may be dimmed
_LEAST_GROUNDS_SHARE = 0.3  # of a lattice's pixels that must have the colour of a ground
_DENSITY_FACTORS = 2.0, 0.5  # pixels per unit of the desktop: on screens of high density, and in reduced pictures


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One way in which a client draws its cells, apart from what the screen does to all colours.

    Attributes:
        calibration: The client's calibration.
        classifier: A classifier with the templates of this look.
    """

    calibration: Calibration
    classifier: Classifier

    def on(self, lattice: Lattice, sample: Sample) -> "Hypothesis | None":
        """Make the hypothesis that the cells of a lattice, of which a sample is given, have this look; None if not."""
        classifier, grounds = self.classifier, self.classifier.grounds
        lit = classifier if grounds is None else _lit(sample.image, lattice, classifier, grounds)
        return None if lit is None else Hypothesis(lattice, sample, Look(self.calibration, lit))


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """The hypothesis that the cells of a lattice have a look.

    Attributes:
        lattice: The lattice.
        sample: A sample of it.
        look: The look, in the light of the lattice if grounds vary.
        likelihood: How likely the sample makes it, in [0, 1].
    """

    lattice: Lattice
    sample: Sample
    look: Look
    likelihood: float = 0.0

    @cached_property
    def _coarse(self) -> Classifier:
        return self.look.classifier.for_pitch(self.sample.pitch, COARSE_PX)

    @property
    def correlation(self) -> float:
        """The mean correlation of the sample with the shapes of the look."""
        return self.sample.correlation(self._coarse.patterns)

    @cached_property
    def as_drawn(self) -> Classified:
        """What the sample shows if the screen changes nothing: on whole pixels, in the client's own colours."""
        return shown_as_drawn(self.sample, self._coarse)

    def score(self, *, as_drawn: bool) -> float:
        """Return the mean score of the sample, `as_drawn` or in its light, in [0, 1]; unreadable cells count as 0."""
        return self.as_drawn.confidence if as_drawn else sample_score(self.sample, self._coarse)

    def found(self, settled: Grid | None) -> "Found":
        """Fit the look to the lattice, or read the board whose lines another has settled."""
        classifier, sample = self.look.classifier, self.sample
        fitted = fit(sample, classifier) if settled is None else fit_on(sample, settled, classifier)
        return Found(self, fitted, is_board(fitted, sample, aspect(self.look.calibration)))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was found by fitting a hypothesis: a board, or a near miss."""

    hypothesis: Hypothesis
    fitted: Fitted
    is_board: bool

    @property
    def is_settled(self) -> bool:
        """Whether this is a board that was read without doubt."""
        return self.is_board and self.fitted.classified.is_settled


def _lit(image: Image, lattice: Lattice, classifier: Classifier, grounds: Grounds) -> Classifier | None:
    """Return the classifier in the light of a lattice, at its own warmth.

    None if the picture cannot have this warmth, or shows too little of the grounds.
    """
    tint = classifier.light / classifier.light.max()
    if not any(np.allclose(tint, light(1, warmth)) for warmth in possible_warmths(image)):
        return None
    pixels = some_pixels(image, lattice.grid.region)
    if not pixels.size:
        return None
    lights = [brightness * tint for brightness in _DIMMED_FACTORS]
    shares = [grounds.share(pixels, one) for one in lights]
    best = int(np.argmax(shares))
    return classifier.in_light(lights[best]) if shares[best] >= _LEAST_GROUNDS_SHARE else None


def looks_of(calibration: Calibration) -> list[Look]:
    """Return all looks of a client.

    If grounds vary, they do not show how warm the light is: each warmth is then a look of its own.
    """
    classifiers = classifiers_of(calibration)
    if calibration.ground_varies:
        classifiers = [one.in_light(light(1, warmth)) for warmth in WARMTH_SHARES for one in classifiers]
    return [Look(calibration, one) for one in classifiers]


def classifiers_of(calibration: Calibration) -> list[Classifier]:
    """Return the classifiers of a client, one for each of its themes and densities.

    A gap does not grow with the cells, but does with the density of the screen.
    """
    spread = calibration.spread if calibration.unmet else None
    themes = [Theme(calibration.templates, calibration.native), *calibration.variants]
    grounds = None
    if calibration.ground_varies:
        grounds = Grounds(calibration.templates, calibration.open_after_win)
        themes = [_levelled(theme, grounds) for theme in themes]
    plain = [
        Classifier(theme.templates, gap=calibration.gap, native=theme.native, spread=spread, grounds=grounds)
        for theme in themes
    ]
    denser = [one.with_density(density) for density in (_DENSITY_FACTORS if calibration.gap else ()) for one in plain]
    return [*plain, *denser]


def _levelled(theme: Theme, grounds: Grounds) -> Theme:
    """Bring all templates of a theme to one ground."""

    def level(templates: Sequence[Template]) -> tuple[Template, ...]:
        return tuple(Template(one.state, grounds.levelled(one.image[None])[0]) for one in templates)

    return Theme(level(theme.templates), {width: level(native) for width, native in theme.native.items()})
