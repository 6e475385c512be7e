"""The numbers that inference rests on, each with its unit in its name and its reason beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two pictures of cells are of one thing. Levels are grey levels, of the channel that differs most."""

    look_steps_levels: tuple[int, ...] = (8, 4, 2, 0)
    """By which neighbouring pictures of one look differ, tried one after the other.

    A board over a gradient shows no two cells alike; from each to the next it is but a small step. Where the rules of
    the game show that a step joined two numbers, it was too wide, and the next smaller one is tried.
    """
    same_levels: int = 2  # a fade that has nearly ended, a rounded colour
    distinct_levels: int = 24  # what is drawn differs by more from its ground, and from what it is not; light does not
    other_figure_levels: int = 64  # what is no flag differs by as much somewhere; the inks of one figure do not
    speck_levels: int = 8  # by so much round edges are drawn otherwise
    speck_share: float = 0.005  # of a cell's pixels that are
    rim_part: int = 16  # one pixel in so many of a cell's side is its rim
    most_variants: int = 3  # figures drawn anew, kept of one picture, lest a calibration grows without end
    stray_px: int = 2  # of a figure that need not be drawn again at most one pixel beside their place
    relief_px: int = 4  # at a cell's sides, where its shape does not show
    off_shape_share: float = 0.1  # of a shape that may be off the other one
    smallest_frame_px: int = 6  # a side of the frame around a figure
    drawn_share: float = 0.4  # of such a frame that is drawn, be it dotted


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much must speak for something before it is believed."""

    opening_games: int = 5  # first clicks that all opened a region, before a client is believed to promise that
    most_chance: float = 0.05  # that no first click was a mine, from which on that is believed to be promised
    agreeing_games: int = 3  # with as many mines: where that differs from game to game two may well agree
    assumed_games: int = 4  # the same of games that may be won: play counts mines, but stops at a total that is false
    times: int = 2  # that a look must have been met, in games or in places: once may be chance
    witnesses: int = 4  # cells that must bear an ending, a mine, or what the rules say of a picture out


LIKENESS = Likeness()
EVIDENCE = Evidence()
