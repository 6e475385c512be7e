"""Whether two pictures of cells show one thing, be it drawn anew, framed, dimmed or on another ground."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.labels.looks import core
from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.geometry import Image
from sweepbot.vision.pictures.difference import difference


def same_figure(one: Image, other: Image) -> bool:
    """Whether two pictures of one open cell show the same figure on the same ground, drawn up to a pixel apart.

    Browsers set text anew where it was moved, and not always in the same place. This tells a figure from what may come
    in front of it; it does not tell one figure from another.
    """
    cores = [core(picture).astype(np.int16) for picture in (one, other)]
    grounds = [_ground(picture) for picture in cores]
    inks = [np.abs(picture - grounds[0]).max(axis=2) for picture in cores]
    strongest = [picture.reshape(-1, 3)[ink.argmax()] for picture, ink in zip(cores, inks, strict=True)]
    if max(ink.max() for ink in inks) <= LIKENESS.distinct_levels:  # no figure on either
        return bool(difference(core(one), core(other)).max() <= LIKENESS.same_levels)
    return (
        np.abs(grounds[0] - grounds[1]).max() <= LIKENESS.same_levels
        and np.abs(strongest[0] - strongest[1]).max() <= LIKENESS.other_figure_levels
        and _same_strokes(*inks, most_px=LIKENESS.stray_px)
    )


def same_shape(one: Image, other: Image) -> bool:
    """Whether two pictures show a figure of the same shape, drawn up to a pixel apart, on whatever ground."""
    cores = [core(picture, LIKENESS.relief_px).astype(np.int16) for picture in (one, other)]
    inks = [np.abs(picture - _ground(picture)).max(axis=2) for picture in cores]
    least = LIKENESS.off_shape_share * min(np.count_nonzero(ink > LIKENESS.distinct_levels) for ink in inks)
    return bool(least > 0) and _same_strokes(*inks, most_px=least)


def is_same_cell(one: Image, other: Image) -> bool:
    """Whether two pictures show the same figure, drawn up to a pixel apart, or only one of them with a thin frame.

    Some clients frame what was clicked last, which the keyboard would then act on.
    """
    return same_figure(one, other) or differ_by_frame(one, other)


def differ_by_frame(one: Image, other: Image) -> bool:
    """Whether all that differs lies on the outline of a rectangle, and is much of it."""
    differs = difference(one, other) > LIKENESS.same_levels
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not rows.size or min(np.ptp(rows), np.ptp(columns)) < LIKENESS.smallest_frame_px:
        return False
    box = differs[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    sides = (box[0], box[-1], box[:, 0], box[:, -1])
    return not box[1:-1, 1:-1].any() and all(side.mean() >= LIKENESS.drawn_share for side in sides)


def shows_through(picture: Image, other: Image) -> bool:
    """Whether a picture may be another one beneath something of one colour that light shines through, or a plain one.

    Such a thing changes all colours in one way: each channel becomes a multiple of what it was and something added.
    """
    inner, beneath = (core(of).reshape(-1, 3).astype(np.float64) for of in (picture, other))
    inner, beneath = inner - inner.mean(axis=0), beneath - beneath.mean(axis=0)
    strength = float((inner * beneath).sum()) / max(1.0, float((beneath * beneath).sum()))
    return bool(np.abs(inner - strength * beneath).max() <= LIKENESS.distinct_levels)


def _ground(picture: NDArray[np.int16]) -> NDArray[np.float64]:
    return np.asarray(np.median(picture.reshape(-1, 3), axis=0))


def _same_strokes(one: NDArray[np.int16], other: NDArray[np.int16], *, most_px: float) -> bool:
    """Whether what is drawn in each of two inks is drawn in the other or beside it, but for so many pixels."""
    drawn = [ink > LIKENESS.distinct_levels for ink in (one, other)]
    return all(np.count_nonzero(here & ~_thickened(there)) <= most_px for here, there in (drawn, drawn[::-1]))


def _thickened(drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is drawn, and all pixels beside it."""
    padded = np.pad(drawn, 1)
    tall = padded[:-2] | padded[1:-1] | padded[2:]
    thick: NDArray[np.bool_] = tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:]
    return thick
