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
    alike_levels: int = 3  # pictures that differ by no more cannot stand for two states
    faint_levels: int = 24  # what shows that the keyboard would act on a cell differs by no more; a mine or a flag does
    figure_levels: int = 24  # a flag on another shade of ground differs by no more
    other_figure_levels: int = 64  # what is no flag differs by as much somewhere
    speck_levels: int = 8  # by so much round edges are drawn otherwise
    speck_share: float = 0.005  # of a cell's pixels that are
    rim_part: int = 16  # one pixel in so many of a cell's side is its rim
    other_rim_levels: int = 24  # a rim's pixel differs from that of another
    other_rim_share: float = 0.45  # of its pixels: what differs where one rim is another
    most_rims: int = 2  # kept of one picture, lest a calibration grows without end
    most_redrawn: int = 2  # the same of figures drawn anew
    ink_levels: int = 24  # a figure's pixels differ from its ground
    same_ink_levels: int = 64  # the strongest colours of one figure differ, which thin strokes mix
    stray_px: int = 2  # of a figure that need not be drawn again at most one pixel beside their place
    relief_px: int = 4  # at a cell's sides, where its shape does not show
    off_shape_share: float = 0.1  # of a shape that may be off the other one
    smallest_frame_px: int = 6  # a side of the frame around a figure
    dotted_share: float = 0.4  # of such a frame that is drawn
    edge_levels: int = 12  # between the two sides of an edge of something in front
    edge_share: float = 0.6  # of a cell's side, from its border on: as long is such an edge
    border_part: int = 6  # one pixel in so many of a cell's side: so near its border it may have an edge of its own
    deviation_levels: float = 8.0  # that the pixels of what shows more than one colour deviate


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much must speak for something before it is believed."""

    opening_games: int = 5  # first clicks that all opened a region, before a client is believed to promise that
    most_chance: float = 0.05  # that no first click was a mine, from which on that is believed to be promised
    agreeing_games: int = 3  # with as many mines: where that differs from game to game two may well agree
    assumed_games: int = 4  # the same of games that may be won: play counts mines, but stops at a total that is false
    mines_shown: int = 2  # of one look, that a lost game must show
    looks_alone: int = 4  # tried as the only one of a mine, the commonest first: the rest may be a dialog in front
    witnesses: int = 4  # settled numbers beside unopened cells that must bear an ending out
    usual_pictures: int = 3  # of a state, the commonest: what they show needs no further evidence
    cells_by_rules: int = 4  # that must show a number for the rules to settle it in pictures
    covered_games: int = 2  # that must have shown a mine beside what covers the board
    covered_mines: int = 4  # that must have shown it
    covered_share: float = 0.25  # of all mines seen so; all such looks together are those of most
    covered_undecided: int = 8  # cells of which nothing was known that must have been there too
    most_undecided_share: float = 0.6  # of these that show it: what shows all over the board lies over all of it
    covered_places: int = 2  # where mines were hit that showed the same: what covers a board stays in its place


LIKENESS = Likeness()
EVIDENCE = Evidence()
