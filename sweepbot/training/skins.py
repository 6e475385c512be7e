"""A skin: how all cells of one board are drawn."""

import random
from dataclasses import dataclass, field

import numpy as np

from sweepbot.board import State
from sweepbot.training.colours import Colour, any_colour, grey, near, seen_on, shaded
from sweepbot.training.figures import Lettering, Size, cross, laid, lettering, nothing, text
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.tiles import Floats, Painter, rounded

SMALLEST_PX, LARGEST_PX = 12, 52  # sides of drawn cells; larger ones look the same once they are reduced
_ALIKE_LEVELS = 24  # by which the grounds of hidden and open cells may differ and be taken for each other
_OPEN = "open"
_HIDDEN = "hidden"


@dataclass(slots=True)
class Tile:
    """A plain cell.

    Attributes:
        colour: Of its ground.
        painters: What paints it over, in turn.
        chequer: Grey levels that are added in every other cell.
        radius: Of its corners, as a share of its side; 0 for none.
    """

    colour: Colour
    painters: list[Painter]
    chequer: float
    radius: float


@dataclass(slots=True)
class Skin:
    """How the cells of a board are drawn.

    Attributes:
        size: Of a cell.
        tiles: Plain cells, by name.
        gap_px: Between cells.
        back: The colour behind them.
        grounds: The tile of each state.
        figures: The figure of each state that has one.
    """

    size: Size
    tiles: dict[str, Tile]
    gap_px: int
    back: Colour
    grounds: dict[int, str] = field(default_factory=dict)
    figures: dict[int, Floats] = field(default_factory=dict)

    def cell(self, state: int, odd: int) -> Floats:
        """Draw a cell; `odd` is 1 for those that are darker or lighter on a chequered board."""
        ground = self._ground(self.tiles[self.grounds[state]], odd)
        figure = self.figures.get(state)
        return ground if figure is None else laid(ground, figure)

    def _ground(self, tile: Tile, odd: int) -> Floats:
        whole = np.empty((self.size.height, self.size.width, 3))
        whole[:] = self.back
        start = self.gap_px // 2
        face = whole[start : start + self.size.height - self.gap_px, start : start + self.size.width - self.gap_px]
        face[:] = shaded(tile.colour, odd * tile.chequer)
        for paint in tile.painters:
            paint(face)
        if tile.radius:
            rounded(face, self.back, tile.radius)
        return whole


def skin(rng: random.Random, kinds: Kinds) -> Skin:
    """Draw a skin."""
    size = _size(rng)
    dark = rng.random() < 0.3
    opened = any_colour(rng, 0.05, 0.4) if dark else any_colour(rng, 0.6, 1.0, (0, 0.35))
    if rng.random() < 0.3:
        opened = grey(rng.uniform(15, 90) if dark else rng.uniform(170, 255))
    hidden: Colour = kinds.one(rng, "hidden and open")(rng, opened)
    gap = min(size.side // 5, rng.choice((0, 0, 0, 1, 1, 2, max(1, round(size.side * rng.uniform(0.03, 0.14))))))
    nearby = shaded(rng.choice((hidden, opened)), rng.choice((-1, -1, 1)) * rng.uniform(15, 110))
    drawn = Skin(size, {}, gap, any_colour(rng) if rng.random() < 0.4 else nearby)
    _tiles(rng, kinds, drawn, hidden, opened)
    _numbers(rng, kinds, drawn, opened, dark=dark)
    _marks(rng, kinds, drawn)
    return drawn


def _size(rng: random.Random) -> Size:
    height = round(SMALLEST_PX * (LARGEST_PX / SMALLEST_PX) ** rng.random())
    aspect = 1.0 if rng.random() < 0.88 else rng.choice((rng.uniform(0.6, 1), rng.uniform(1, 1.7)))
    width = max(10, round(height * aspect))
    return Size(width, height, hard=min(width, height) >= 14 and rng.random() < 0.3)


@kind("hidden and open", 25)
def told_by_rims(rng: random.Random, opened: Colour) -> Colour:
    """Hidden and open cells have one ground, and differ by their rims alone."""
    return opened.copy()


@kind("hidden and open", 25)
def told_by_shade(rng: random.Random, opened: Colour) -> Colour:
    """Hidden cells are a shade lighter or darker than open ones."""
    return near(rng, tuple(shaded(opened, rng.choice((-1, 1)) * rng.uniform(10, 50))), 8)


@kind("hidden and open", 50)
def told_by_colour(rng: random.Random, opened: Colour) -> Colour:
    """Hidden cells have a colour of their own."""
    return any_colour(rng, 0.1, 1.0)


def _chequer(rng: random.Random, chance: float) -> float:
    return rng.choice((-1, 1)) * rng.uniform(4, 22) if rng.random() < chance else 0.0


def _tiles(rng: random.Random, kinds: Kinds, drawn: Skin, hidden: Colour, opened: Colour) -> None:
    """Draw how hidden and open cells look."""
    side = drawn.size.side
    radius = rng.choice((0.08, 0.12, 0.2, 0.3, 0.5)) if rng.random() < 0.25 else 0.0
    layers = rng.choices((1, 2, 3), (55, 32, 13))[0]
    over = [kinds.one(rng, "hidden tiles")(rng, side, hidden) for _ in range(layers)]
    if np.abs(hidden - opened).max() < _ALIKE_LEVELS:  # only a rim can tell them apart
        over.append(kinds.one(rng, "raised rims")(rng, side, hidden))
    chequer = _chequer(rng, 0.3)
    drawn.tiles[_HIDDEN] = Tile(hidden, over, chequer, radius)
    own_radius = radius if rng.random() < 0.6 else 0.0
    sunken = [kinds.one(rng, "open tiles")(rng, side, opened)]
    drawn.tiles[_OPEN] = Tile(opened, sunken, _chequer(rng, 1 if chequer and rng.random() < 0.5 else 0.2), own_radius)


@kind("zeros", 92)
def empty(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Cells without mines around them are empty."""
    return None


@kind("zeros", 5)
def a_zero(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Such cells show the digit 0."""
    return text(size, "0", style, colour)


@kind("zeros", 3)
def a_dot(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Such cells show a dot."""
    return text(size, rng.choice("·.-"), style, colour)


def _numbers(rng: random.Random, kinds: Kinds, drawn: Skin, opened: Colour, *, dark: bool) -> None:
    """Draw open cells and what is on them."""
    style = lettering(rng, drawn.size, opened)
    least = rng.choice((35, 55, 80))
    inks = [seen_on(ink, opened, least) for ink in kinds.one(rng, "palettes of numbers")(rng, dark=dark)]
    of_number = kinds.one(rng, "numbers")
    own_grounds = rng.random() < 0.08
    for number in range(1, 9):
        ink = inks[number - 1]
        drawn.grounds[number] = _OPEN
        if own_grounds:
            drawn.grounds[number] = f"number {number}"
            opened_tile = drawn.tiles[_OPEN]
            colour = opened * 0.6 + ink * 0.4 if rng.random() < 0.7 else ink
            ink = seen_on(grey(rng.choice((0, 255))) if rng.random() < 0.5 else ink, colour, least)
            drawn.tiles[f"number {number}"] = Tile(colour, opened_tile.painters, 0, opened_tile.radius)
        drawn.figures[number] = of_number(rng, drawn.size, number, style, ink)
    drawn.grounds[0] = _OPEN
    zero = kinds.one(rng, "zeros")(rng, drawn.size, style, seen_on(any_colour(rng), opened, 30))
    if zero is not None:
        drawn.figures[0] = zero


def _own_tile(rng: random.Random, drawn: Skin, name: str, colour: Colour | None = None) -> str:
    """Add a tile of a strong colour of its own, and return its name."""
    like = drawn.tiles[_HIDDEN if rng.random() < 0.4 else _OPEN]
    colour = any_colour(rng, 0.4, 1, (0.4, 1)) if colour is None else colour
    drawn.tiles[name] = Tile(colour, like.painters, like.chequer, like.radius)
    return name


def _marks(rng: random.Random, kinds: Kinds, drawn: Skin) -> None:
    """Draw what hidden cells may bear, and what a lost game shows."""
    hidden = drawn.tiles[_HIDDEN].colour
    drawn.grounds[State.HIDDEN] = _HIDDEN
    flagged = rng.choices((_HIDDEN, _OPEN, "flag"), (84, 6, 10))[0]
    drawn.grounds[State.FLAG] = _own_tile(rng, drawn, "flag") if flagged == "flag" else flagged
    flag = kinds.one(rng, "flags")(rng, drawn.size, drawn.tiles[drawn.grounds[State.FLAG]].colour)
    drawn.figures[State.FLAG] = nothing(drawn.size) if flagged == "flag" and rng.random() < 0.1 else flag
    asked = rng.random() < 0.08
    drawn.grounds[State.QUESTION] = _own_tile(rng, drawn, "question") if asked else _HIDDEN
    ink = seen_on(grey(0) if rng.random() < 0.5 else any_colour(rng), drawn.tiles[drawn.grounds[State.QUESTION]].colour)
    drawn.figures[State.QUESTION] = text(drawn.size, "?", lettering(rng, drawn.size, hidden), ink)
    under = rng.choices((_OPEN, _HIDDEN, "mine"), (60, 20, 20))[0]
    drawn.grounds[State.MINE] = _own_tile(rng, drawn, "mine") if under == "mine" else under
    mine = kinds.one(rng, "mines")(rng, drawn.size, drawn.tiles[drawn.grounds[State.MINE]].colour)
    drawn.figures[State.MINE] = drawn.figures[State.EXPLODED] = mine
    red = near(rng, (25, 30, 232), 35) if rng.random() < 0.75 else None
    drawn.grounds[State.EXPLODED] = _own_tile(rng, drawn, "exploded", red)
    kinds.one(rng, "wrong flags")(rng, drawn, mine, flag)


@kind("wrong flags", 45)
def crossed_mine(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A mine with a cross."""
    _crossed(rng, drawn, mine, drawn.grounds[State.MINE])


@kind("wrong flags", 25)
def crossed_flag(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A flag with a cross."""
    _crossed(rng, drawn, flag, drawn.grounds[State.FLAG])


@kind("wrong flags", 15)
def flag_on_another_ground(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A flag on a ground of its own, as on pink at minesweeper.online."""
    hidden = drawn.tiles[_HIDDEN].colour
    pink = hidden * 0.5 + np.array((128, 128, 255.0)) * 0.5
    drawn.grounds[State.WRONG_FLAG] = _own_tile(rng, drawn, "wrong", pink if rng.random() < 0.5 else None)
    drawn.figures[State.WRONG_FLAG] = flag


@kind("wrong flags", 15)
def bare_cross(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A cross alone, on a hidden or an open cell."""
    _crossed(rng, drawn, nothing(drawn.size), rng.choice((_HIDDEN, _OPEN)))


def _crossed(rng: random.Random, drawn: Skin, figure: Floats, ground: str) -> None:
    colour = near(rng, (20, 20, 230), 30) if rng.random() < 0.7 else any_colour(rng)
    lines = cross(rng, drawn.size, seen_on(colour, drawn.tiles[ground].colour, 40), rng.uniform(0.6, 1.0))
    drawn.grounds[State.WRONG_FLAG] = ground
    opacity = np.maximum(figure[..., 3], lines[..., 3])
    drawn.figures[State.WRONG_FLAG] = np.dstack([laid(figure[..., :3], lines), opacity])
