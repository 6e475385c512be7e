"""A skin: how all cells of one board are drawn."""

import random
from dataclasses import dataclass, field, replace

import numpy as np

from sweepbot.board import State
from sweepbot.training.colours import Colour, any_colour, brightness, grey, near, seen_on, shaded
from sweepbot.training.figures import Lettering, Size, cross, emoji, flames, laid, lettering, nothing, text
from sweepbot.training.kinds import Kinds, kind
from sweepbot.training.tiles import Floats, Painter, rounded

SMALLEST_PX, LARGEST_PX = 12, 52  # sides of drawn cells; larger ones look the same once they are reduced
_ALIKE_LEVELS = 24  # by which the grounds of hidden and open cells may differ and be taken for each other
_TOLD_LEVELS = 6  # from which on these grounds may do without rims all the same
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

    def part(self, picture: Floats, row: int, column: int) -> Floats:
        """Return the part of a board's picture that a cell takes, for changing it in place."""
        top, left = row * self.size.height, column * self.size.width
        return picture[top : top + self.size.height, left : left + self.size.width]

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
    gap: int = kinds.one(rng, "gaps")(rng, size.side)
    nearby = shaded(rng.choice((hidden, opened)), rng.choice((-1, -1, 1)) * rng.uniform(15, 110))
    drawn = Skin(size, {}, gap, any_colour(rng) if rng.random() < 0.4 else nearby)
    _tiles(rng, kinds, drawn, hidden, opened)
    _numbers(rng, kinds, drawn, dark=dark)
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
    return near(rng, tuple(shaded(opened, rng.choice((-1, 1)) * rng.uniform(7, 50))), 5)


@kind("hidden and open", 38)
def told_by_colour(rng: random.Random, opened: Colour) -> Colour:
    """Hidden cells have a colour of their own."""
    return any_colour(rng, 0.1, 1.0)


@kind("hidden and open", 12)
def told_by_strong_colour(rng: random.Random, opened: Colour) -> Colour:
    """Hidden cells have a strong colour, as a lawn or a sea."""
    return any_colour(rng, 0.3, 1.0, (0.6, 1))


@kind("hidden and open", 7)
def told_by_light(rng: random.Random, opened: Colour) -> Colour:
    """Hidden cells are nearly white on dark open ones, or nearly black on pale ones."""
    level = rng.uniform(190, 255) if brightness(opened) < 128 else rng.uniform(5, 70)
    return near(rng, (level,) * 3, 12)


@kind("gaps", 45)
def none(rng: random.Random, side: int) -> int:
    """Cells touch."""
    return 0


@kind("gaps", 36)
def thin(rng: random.Random, side: int) -> int:
    """A pixel or two."""
    return rng.choice((1, 1, 2))


@kind("gaps", 14)
def in_proportion(rng: random.Random, side: int) -> int:
    """A share of the cell, as pages have it."""
    return max(1, round(side * rng.uniform(0.03, 0.14)))


@kind("gaps", 5)
def wide(rng: random.Random, side: int) -> int:
    """So wide that cells stand alone, as buttons of a toolkit."""
    return round(side * rng.uniform(0.14, 0.32))


def _chequer(rng: random.Random, chance: float) -> float:
    return rng.choice((-1, 1)) * rng.uniform(4, 22) if rng.random() < chance else 0.0


def _tiles(rng: random.Random, kinds: Kinds, drawn: Skin, hidden: Colour, opened: Colour) -> None:
    """Draw how hidden and open cells look."""
    side = drawn.size.side
    radius = rng.choice((0.08, 0.12, 0.2, 0.3, 0.5)) if rng.random() < 0.25 else 0.0
    layers = rng.choices((1, 2, 3), (55, 32, 13))[0]
    over = [kinds.one(rng, "hidden tiles")(rng, side, hidden) for _ in range(layers)]
    apart = np.abs(hidden - opened).max()
    if apart < _TOLD_LEVELS or (apart < _ALIKE_LEVELS and rng.random() < 0.7):  # only a rim can tell them apart
        over.append(kinds.one(rng, "raised rims")(rng, side, hidden))
    drawn.tiles[_HIDDEN] = Tile(hidden, over, _chequer(rng, 0.3), radius)
    drawn.tiles[_OPEN] = kinds.one(rng, "grounds of open cells")(rng, kinds, drawn, opened)


@kind("grounds of open cells", 88)
def of_their_own(rng: random.Random, kinds: Kinds, drawn: Skin, opened: Colour) -> Tile:
    """Open cells are flat, or sunk."""
    hidden = drawn.tiles[_HIDDEN]
    radius = hidden.radius if rng.random() < 0.6 else 0.0
    sunken = [kinds.one(rng, "open tiles")(rng, drawn.size.side, opened)]
    return Tile(opened, sunken, _chequer(rng, 1 if hidden.chequer and rng.random() < 0.5 else 0.2), radius)


@kind("grounds of open cells", 8)
def of_one_shape(rng: random.Random, kinds: Kinds, drawn: Skin, opened: Colour) -> Tile:
    """Open cells have the shape of hidden ones in a colour of their own, as buttons that are switched off."""
    colour = opened if np.abs(opened - drawn.tiles[_HIDDEN].colour).max() >= _ALIKE_LEVELS else shaded(opened, -40)
    return replace(drawn.tiles[_HIDDEN], colour=colour)


@kind("grounds of open cells", 4)
def as_hidden(rng: random.Random, kinds: Kinds, drawn: Skin, opened: Colour) -> Tile:
    """Open cells are drawn as hidden ones: what stands on them tells them apart."""
    return drawn.tiles[_HIDDEN]


@kind("grounds of numbers", 89)
def as_zeros(rng: random.Random, opened: Colour, inks: list[Colour]) -> None:
    """Numbers stand on what zeros show."""


@kind("grounds of numbers", 6)
def tinted_by_number(rng: random.Random, opened: Colour, inks: list[Colour]) -> list[Colour]:
    """Each number on open ground with some of its own colour, as in GNOME's."""
    share = rng.uniform(0.07, 0.5)
    return [opened * (1 - share) + ink * share for ink in inks]


@kind("grounds of numbers", 3)
def of_its_colour(rng: random.Random, opened: Colour, inks: list[Colour]) -> list[Colour]:
    """Each number on its own colour, in black, white or a shade of it."""
    return inks


@kind("grounds of numbers", 2)
def of_one_colour(rng: random.Random, opened: Colour, inks: list[Colour]) -> list[Colour]:
    """All numbers on one strong colour, as pictures of keys."""
    return [any_colour(rng, 0.3, 1, (0.4, 1))] * 8


@kind("zeros", 91)
def empty(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Cells without mines around them are empty."""
    return None


@kind("zeros", 6)
def a_zero(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Such cells show the digit 0."""
    return text(size, "0", style, colour)


@kind("zeros", 3)
def a_dot(rng: random.Random, size: Size, style: Lettering, colour: Colour) -> Floats | None:
    """Such cells show a dot."""
    return text(size, rng.choice("·.-"), style, colour)


def _numbers(rng: random.Random, kinds: Kinds, drawn: Skin, *, dark: bool) -> None:
    """Draw open cells and what is on them."""
    opened = drawn.tiles[_OPEN].colour
    style: Lettering = kinds.one(rng, "places of numbers")(rng, drawn.size, lettering(rng, drawn.size, opened))
    least = rng.choice((35, 55, 80))
    inks = [seen_on(ink, opened, least) for ink in kinds.one(rng, "palettes of numbers")(rng, dark=dark)]
    of_number = kinds.one(rng, "numbers")
    grounds: list[Colour] | None = kinds.one(rng, "grounds of numbers")(rng, opened, inks)
    for number in range(1, 9):
        ink = inks[number - 1]
        drawn.grounds[number] = _OPEN
        if grounds is not None:
            drawn.grounds[number], colour = f"number {number}", grounds[number - 1]
            ink = seen_on(grey(rng.choice((0, 255))) if rng.random() < 0.5 else ink, colour, least)
            drawn.tiles[f"number {number}"] = replace(drawn.tiles[_OPEN], colour=colour, chequer=0)
        drawn.figures[number] = of_number(rng, drawn.size, number, style, ink)
    drawn.grounds[0] = _OPEN
    zero_of = a_zero if drawn.tiles[_OPEN] is drawn.tiles[_HIDDEN] else kinds.one(rng, "zeros")
    zero = zero_of(rng, drawn.size, style, seen_on(any_colour(rng), opened, 30))
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
    drawn.grounds[State.HIDDEN] = _HIDDEN
    kinds.one(rng, "grounds of marks")(rng, drawn)
    flagged = drawn.grounds[State.FLAG]
    flag = kinds.one(rng, "flags")(rng, drawn.size, drawn.tiles[flagged].colour)
    drawn.figures[State.FLAG] = flag
    drawn.figures[State.QUESTION] = kinds.one(rng, "question marks")(rng, drawn, flag)
    for state in (State.FLAG, State.QUESTION):
        if drawn.grounds[state] == _bare(state):
            drawn.figures[state] = nothing(drawn.size)
    mine = kinds.one(rng, "mines")(rng, drawn.size, drawn.tiles[drawn.grounds[State.MINE]].colour)
    drawn.figures[State.MINE] = drawn.figures[State.EXPLODED] = mine
    kinds.one(rng, "exploded mines")(rng, drawn, mine)
    kinds.one(rng, "wrong flags")(rng, drawn, mine, flag)


def _bare(state: State) -> str:
    """Return the name of the ground that a mark has if its colour is all that shows it."""
    return f"bare {state.name}"


@kind("grounds of marks", 79)
def as_unmarked(rng: random.Random, drawn: Skin) -> None:
    """Marked cells are hidden ones; some have a strong ground, or that of open ones. Mines mostly lie on open ones."""
    flagged, mined = (rng.choices((_HIDDEN, _OPEN, "own"), shares)[0] for shares in ((84, 6, 10), (20, 60, 20)))
    drawn.grounds[State.FLAG] = _own_tile(rng, drawn, "flag") if flagged == "own" else flagged
    drawn.grounds[State.QUESTION] = _own_tile(rng, drawn, "question") if rng.random() < 0.08 else _HIDDEN
    drawn.grounds[State.MINE] = _own_tile(rng, drawn, "mine") if mined == "own" else mined


@kind("grounds of marks", 14)
def shaded_when_marked(rng: random.Random, drawn: Skin) -> None:
    """All marked cells, and mostly mines too, have one shade of hidden cells, as in GNOME's."""
    hidden = drawn.tiles[_HIDDEN]
    drawn.tiles["marked"] = replace(hidden, colour=shaded(hidden.colour, rng.choice((-1, -1, 1)) * rng.uniform(12, 75)))
    drawn.grounds[State.FLAG] = drawn.grounds[State.QUESTION] = "marked"
    drawn.grounds[State.MINE] = rng.choice(("marked", "marked", "marked", _OPEN))


@kind("grounds of marks", 7)
def coloured_when_marked(rng: random.Random, drawn: Skin) -> None:
    """Flagged cells have a colour and nothing on it, and mostly so have those with a question mark."""
    as_unmarked(rng, drawn)
    for state in (State.FLAG, State.QUESTION)[: 1 if rng.random() < 0.3 else 2]:
        colour = seen_on(any_colour(rng, 0.4, 1, (0.4, 1)), drawn.tiles[_HIDDEN].colour, 60)
        drawn.grounds[state] = _own_tile(rng, drawn, _bare(state), colour)


def _red(rng: random.Random, chance: float) -> Colour | None:
    """Draw a red; None, for any strong colour, as often as the chance is missed."""
    return near(rng, (25, 30, 232), 35) if rng.random() < chance else None


def _in_another_colour(rng: random.Random, figure: Floats, ground: Colour) -> Floats:
    """Return the shape of a figure in one colour, mostly red, that is neither its own nor the ground's."""
    weight = figure[..., 3]
    own = (figure[..., :3] * weight[..., None]).sum((0, 1)) / max(1.0, float(weight.sum()))
    red = _red(rng, 0.7)
    colour = seen_on(any_colour(rng, 0.4, 1, (0.4, 1)) if red is None else red, ground, 40)
    colour = seen_on(colour, own, 60)
    share = rng.choice((1.0, 1.0, 0.7))
    return np.dstack([figure[..., :3] * (1 - share) + colour * share, weight])


@kind("question marks", 87)
def question_mark(rng: random.Random, drawn: Skin, flag: Floats) -> Floats:
    """The sign alone."""
    ground = drawn.tiles[drawn.grounds[State.QUESTION]].colour
    ink = seen_on(grey(0) if rng.random() < 0.5 else any_colour(rng), ground)
    return text(drawn.size, "?", lettering(rng, drawn.size, drawn.tiles[_HIDDEN].colour), ink)


@kind("question marks", 8)
def flag_with_a_question_mark(rng: random.Random, drawn: Skin, flag: Floats) -> Floats:
    """A flag with a small question mark in a corner."""
    ground = drawn.tiles[drawn.grounds[State.QUESTION]].colour
    ink = seen_on(grey(rng.uniform(0, 80)) if rng.random() < 0.6 else any_colour(rng), ground)
    style = replace(lettering(rng, drawn.size, ground), share=rng.uniform(0.34, 0.5), offset=(0.24, 0.2))
    sign = text(drawn.size, "?", style, ink)
    return np.dstack([laid(flag[..., :3], sign), np.maximum(flag[..., 3], sign[..., 3])])


@kind("question marks", 5)
def flag_that_asks(rng: random.Random, drawn: Skin, flag: Floats) -> Floats:
    """A flag in another colour than those on mines."""
    return _in_another_colour(rng, flag, drawn.tiles[drawn.grounds[State.QUESTION]].colour)


@kind("exploded mines", 60)
def mine_on_a_strong_ground(rng: random.Random, drawn: Skin, mine: Floats) -> None:
    """The mine on a ground of its own, mostly red."""
    drawn.grounds[State.EXPLODED] = _own_tile(rng, drawn, "exploded", _red(rng, 0.75))


@kind("exploded mines", 18)
def mine_in_another_colour(rng: random.Random, drawn: Skin, mine: Floats) -> None:
    """The mine in another colour, mostly red, on an open cell or where the others lie."""
    drawn.grounds[State.EXPLODED] = _OPEN if rng.random() < 0.7 else drawn.grounds[State.MINE]
    ground = drawn.tiles[drawn.grounds[State.EXPLODED]].colour
    drawn.figures[State.EXPLODED] = _in_another_colour(rng, mine, ground)


@kind("exploded mines", 12)
def blast(rng: random.Random, drawn: Skin, mine: Floats) -> None:
    """Flames that grow paler towards their middle, on any ground."""
    drawn.grounds[State.EXPLODED] = rng.choice((_OPEN, _OPEN, _HIDDEN, _own_tile(rng, drawn, "exploded")))
    drawn.figures[State.EXPLODED] = flames(rng, drawn.size)


@kind("exploded mines", 10)
def blast_emoji(rng: random.Random, drawn: Skin, mine: Floats) -> None:
    """A coloured picture of a blast, on any ground."""
    drawn.grounds[State.EXPLODED] = rng.choice((_OPEN, _HIDDEN, _own_tile(rng, drawn, "exploded", _red(rng, 0.75))))
    drawn.figures[State.EXPLODED] = emoji(drawn.size, rng.choice("💥💥🔥"), rng.uniform(0.5, 0.95))


@kind("wrong flags", 42)
def crossed_mine(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A mine with a cross."""
    _crossed(rng, drawn, mine, drawn.grounds[State.MINE])


@kind("wrong flags", 22)
def crossed_flag(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A flag with a cross."""
    _crossed(rng, drawn, flag, drawn.grounds[State.FLAG])


@kind("wrong flags", 18)
def flag_on_another_ground(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A flag on a ground of its own, as on pink at minesweeper.online, or on red."""
    pink = drawn.tiles[_HIDDEN].colour * 0.5 + np.array((128, 128, 255.0)) * 0.5
    drawn.grounds[State.WRONG_FLAG] = _own_tile(rng, drawn, "wrong", rng.choice((pink, _red(rng, 1), None)))
    drawn.figures[State.WRONG_FLAG] = flag


@kind("wrong flags", 7)
def flag_in_another_colour(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A flag in another colour, mostly red, where the others are."""
    drawn.grounds[State.WRONG_FLAG] = drawn.grounds[State.FLAG]
    ground = drawn.tiles[drawn.grounds[State.FLAG]].colour
    drawn.figures[State.WRONG_FLAG] = _in_another_colour(rng, flag, ground)


@kind("wrong flags", 11)
def bare_cross(rng: random.Random, drawn: Skin, mine: Floats, flag: Floats) -> None:
    """A cross alone, on a hidden or an open cell."""
    _crossed(rng, drawn, nothing(drawn.size), rng.choice((_HIDDEN, _OPEN)))


def _crossed(rng: random.Random, drawn: Skin, figure: Floats, ground: str) -> None:
    colour = near(rng, (20, 20, 230), 30) if rng.random() < 0.7 else any_colour(rng)
    lines = cross(rng, drawn.size, seen_on(colour, drawn.tiles[ground].colour, 40), rng.uniform(0.6, 1.0))
    drawn.grounds[State.WRONG_FLAG] = ground
    opacity = np.maximum(figure[..., 3], lines[..., 3])
    drawn.figures[State.WRONG_FLAG] = np.dstack([laid(figure[..., :3], lines), opacity])
