"""The constants of learning, each with its unit in its name and its reason beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two pictures of cells show the same. Levels are grey levels, of the channel that differs most."""

    look_step_levels: int = 8  # between neighbouring pictures of one look, as on a gradient no two cells are alike
    same_levels: int = 2  # as from a fade that has nearly ended, or from rounding of colours
    distinct_levels: int = 24  # a figure differs by more from its ground and from other figures; shades by less
    other_figure_levels: int = 64  # another figure, or its ink, differs by this much somewhere
    speck_share: float = 0.005  # the most pixels of a cell that may differ by such a step, as at round edges
    rim_part: int = 16  # the rim of a cell is this fraction of its side
    most_variants: int = 3  # redrawn figures kept for one picture, so that a calibration does not grow without end
    stray_px: int = 2  # pixels of a figure that may lie more than one pixel off when it is redrawn
    relief_px: int = 4  # at the sides of a cell, lit from one side, which do not count for the shape of what is on it
    off_shape_share: float = 0.1  # of a shape that may lie off the other one
    smallest_frame_px: int = 6  # the side of a frame around a figure
    drawn_share: float = 0.4  # of a frame's outline, which may be dotted


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much evidence is needed before something is believed."""

    opening_games: int = 5  # first clicks that all opened a region, before this is taken for a promise
    most_chance: float = 0.05  # that no first click hit a mine by luck, before this is taken for a promise
    agreeing_games: int = 3  # with the same number of mines, as two may agree by chance
    assumed_games: int = 4  # the same for games only assumed to be won, as play stops at a wrong total
    times: int = 2  # that a look must be seen, in games or in places, as once may be chance
    witnesses: int = 4  # cells that must support an ending, a mine, or an inference about a picture


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things may take, and how often they are tried."""

    idle_games: int = 3  # without anything new, after which learning ends
    enough_s: float = 75.0  # after which no new game is started
    longest_s: float = 85.0  # after which the current game is left, as one may take as long on a slow machine
    contradicting_games: int = 5  # that may be left out because they contradict the rules
    show_every_s: float = 1.0  # between two displays of what is known
    opened_together: int = 8  # safe cells, without a look in between
    alone_share: float = 0.4  # of a board not open, below which cells are opened one by one, as any may be the last
    long_game_s: float = 20.0  # after which it is better to lose a game on purpose
    half_open_share: float = 0.3  # of a board, needed before that, as numbers must confirm what a loss shows
    enough_lost: int = 3  # games, after which none is lost on purpose, as the client does not show more
    tries: int = 4  # of what may fail once: right clicks, ways to a new game, closing windows, hovering over cells
    slow_s: float = 3.0  # that a page may take to reload; a picture that changes for longer is taken as it is
    reactions_measured: int = 12  # after which the client's own times are trusted
    hover_s: float = 0.2  # that the pointer waits on a cell to see whether hovering changes its look
    holds_s: tuple[float, ...] = (0.0, 0.06, 0.12)  # of the button, tried in turn while clicks have no effect
    undone_s: float = 0.5  # between two looks for the board to come back after a wrong button
    status_s: float = 0.6  # the most that a browser takes to show where a link leads; Chromium took 0.1
    glance_s: float = 0.05  # between two looks at something temporary; an intermediate picture lasts less
    longest_dialog_s: float = 5.0  # for which something in front of the board may take to disappear by itself
    search_s: float = 60.0  # for a way to start a game
    looks_tried: int = 10  # to find a hidden cell: as many as hidden cells and all numbers have


@dataclass(frozen=True, slots=True)
class Change:
    """What counts as a change of a board or beside it. Levels are grey levels."""

    least_px: int = 8  # that must change in a clicked cell, as even a thin 1 in the smallest cell changes more
    farthest_cells: int = 3  # by which a board may move in the middle of a game
    hidden_again: int = 3  # open cells that must look hidden; one or two may have been seen in the middle of a change
    pressed_levels: int = 96  # the most by which a pressed button differs from a released one; a mine differs by more
    dialog_px: tuple[int, int] = (150, 60)  # width and height of the smallest dialog
    status_px: tuple[int, int] = (60, 16)  # width and height of a browser's corner that shows where links lead
    cross_px: int = 40  # the corner of a box in which a cross may close it
    frame_px: int = 32  # around a dialog, for its frame and title
    still_px: float = 2.0  # by which a board that stayed may seem to move, as its outer cells may be open now
    left_share: float = 0.5  # of cells that must look as before, or else something has replaced the board
    control_px: int = 8  # around a clicked pixel, where a switch changes, and within which two clicks are the same


LIKENESS = Likeness()
EVIDENCE = Evidence()
PACE = Pace()
CHANGE = Change()
