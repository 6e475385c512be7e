"""Themes of clients that cannot run here and show another client's figures in other colours.

    python -m tools.drawing.recoloured    draws the templates of calibrations/minesweeper-online again

The figures are those of Windows XP's client as shipped; the colours were measured on the dark themes by people who
wrote programs for minesweeper.online. Unpublished colours are marked.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.vision.pictures.image import load_image
from tools.places import CALIBRATIONS

Picture = NDArray[np.uint8]
Rgb = tuple[int, int, int]


_FACE, _LIGHT, _SHADE = (192, 192, 192), (255, 255, 255), (128, 128, 128)
_BLACK, _RED = (0, 0, 0), (255, 0, 0)


@dataclass(frozen=True)
class Theme:
    """The colours of a theme.

    Attributes:
        name: The prefix of its templates' files.
        hidden: A hidden cell's face, its lit edges and its shaded ones.
        opened: The ground of an open cell, and the line between two.
        inks: The colours of 1 to 8.
        flag: A flag's cloth and its pole.
        mine: A mine's ball and its highlight.
        exploded: The ground of an exploded mine.
    """

    name: str
    hidden: tuple[Rgb, Rgb, Rgb]
    opened: tuple[Rgb, Rgb]
    inks: tuple[Rgb, ...]
    flag: tuple[Rgb, Rgb]
    mine: tuple[Rgb, Rgb]
    exploded: Rgb


DARK = Theme(
    "dark",
    hidden=((76, 84, 92), (112, 120, 128), (34, 42, 50)),
    opened=((56, 64, 72), (30, 38, 46)),
    inks=(
        (124, 199, 255),
        (102, 194, 102),
        (255, 119, 136),
        (238, 136, 255),
        (221, 170, 34),
        (102, 204, 204),
        (153, 153, 153),
        (208, 216, 224),
    ),
    flag=((247, 89, 89), (216, 224, 232)),
    mine=((16, 20, 24), (208, 216, 224)),  # black, nearly; the spot of light is not known
    exploded=(238, 102, 102),
)

GREY = Theme(
    "grey",
    hidden=((70, 70, 70), (104, 104, 104), (32, 32, 32)),  # not known: only that it is darker than the other
    opened=((50, 50, 50), (28, 28, 28)),  # not known
    inks=(
        (102, 164, 221),
        (80, 160, 80),
        (204, 102, 119),
        (187, 119, 221),
        (170, 153, 0),
        (85, 170, 170),
        (136, 136, 136),
        (204, 204, 204),
    ),
    flag=((221, 80, 80), (204, 204, 204)),
    mine=((16, 16, 16), (204, 204, 204)),
    exploded=(204, 102, 102),
)

THEMES = DARK, GREY
"""Those of minesweeper.online, beside the light one that looks as Windows XP's client does."""


def recoloured(theme: Theme) -> dict[str, Picture]:
    """A theme's templates by state: uint8 (height, width, 3), BGR."""
    shown = {name: _source(name) for name in map(str, range(9))}
    line = {_SHADE: theme.opened[1], _FACE: theme.opened[0]}
    templates = {}
    for name, picture in shown.items():
        figure = ~_is(picture, _FACE)
        figure[0], figure[:, 0] = False, False  # the line between cells may have the colour of a figure
        templates[name] = _painted(picture, line)
        if name != "0":
            templates[name][figure] = theme.inks[int(name) - 1]
    ball = {_BLACK: theme.mine[0], _LIGHT: theme.mine[1]}
    templates["mine"] = _painted(_source("mine"), line | ball)
    templates["wrong_flag"] = _painted(_source("wrong_flag"), line | ball | {_RED: theme.flag[0]})
    templates["exploded"] = _painted(_source("exploded"), line | ball | {_RED: theme.exploded})
    face = dict(zip((_FACE, _LIGHT, _SHADE), theme.hidden, strict=True))
    marks = {_RED: theme.flag[0], _BLACK: theme.flag[1]}
    for name in ("hidden", "flag", "question"):
        templates[name] = _painted(_source(name), face | marks)
    return {name: np.ascontiguousarray(picture[:, :, ::-1]) for name, picture in templates.items()}


def _source(name: str) -> Picture:
    """A template of Windows XP's client, RGB."""
    return np.asarray(load_image(CALIBRATIONS / "winxp" / f"{name}.png")[:, :, ::-1], dtype=np.uint8)


def _is(picture: Picture, colour: Rgb) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (picture == colour).all(axis=2)
    return same


def _painted(picture: Picture, colours: dict[Rgb, Rgb]) -> Picture:
    """A picture with the given colours replaced."""
    painted = picture.copy()
    for before, after in colours.items():
        painted[_is(picture, before)] = after
    return painted


if __name__ == "__main__":
    for theme in THEMES:
        for name, picture in recoloured(theme).items():
            cv2.imwrite(str(CALIBRATIONS / "minesweeper-online" / f"{theme.name}-{name}.png"), picture)
