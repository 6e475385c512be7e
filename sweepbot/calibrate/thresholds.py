"""The numbers that learning rests on, each with its unit in its name and its reason beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two pictures of cells are of one thing. Levels are grey levels, of the channel that differs most."""

    look_step_levels: int = 8  # between neighbouring pictures of one look: over a gradient no two cells are alike
    same_levels: int = 2  # a fade that has nearly ended, a rounded colour
    distinct_levels: int = 24  # what is drawn differs by more from its ground, and from what it is not; light does not
    other_figure_levels: int = 64  # what is no flag differs by as much somewhere
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


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, and how often they are tried."""

    idle_games: int = 3  # that taught nothing new: there is nothing more to learn
    enough_s: float = 75.0  # after which no new game is begun
    longest_s: float = 85.0  # after which the game being played is left: on a slow machine one may take as long
    contradicting_games: int = 5  # that may be left out because they contradict the rules
    show_every_s: float = 1.0  # between two pictures of what is known
    opened_together: int = 8  # cells known to be safe, without a look in between
    alone_share: float = 0.4  # of a board that is not open, from which on each cell may be the last
    long_game_s: float = 20.0  # after which a game had better be lost on purpose
    half_open_share: float = 0.3  # of a board, before that: numbers must bear out what a loss shows
    enough_lost: int = 3  # games, after which none is lost on purpose: the client does not show more
    tries: int = 4  # of what may be lost once: right clicks, ways to a new game, windows to close, hovering over cells
    slow_s: float = 3.0  # that a page may take to be there again; what changes for longer is taken as it is
    reactions_measured: int = 12  # after which the client's own times are relied on
    hover_s: float = 0.2  # that the pointer waits over a cell to see whether it looks another under it
    holds_s: tuple[float, ...] = (0.0, 0.06, 0.12)  # of the button, one after the other while clicks have no effect
    undone_s: float = 0.5  # between two looks whether the board is back that a wrong button has covered
    status_s: float = 0.6  # that a browser takes at most to tell where a link leads; Chromium took 0.1
    glance_s: float = 0.05  # between two looks at what may go by itself; what is changing stays for less
    longest_dialog_s: float = 5.0  # for which something may stand in front of the board that goes by itself
    search_s: float = 60.0  # for a way to begin a game
    last_search_s: float = 20.0  # the same after the last one
    looks_tried: int = 10  # to find a hidden cell: hidden cells and all numbers


@dataclass(frozen=True, slots=True)
class Change:
    """What counts as a change of a board or beside it, and as none. Levels are grey levels."""

    least_px: int = 8  # of a clicked cell: even a thin 1 in the smallest cell changes more
    relief_px: int = 3  # by which light from one side may set the face of a cell off its middle
    farthest_cells: int = 3  # by which a board may be moved in the middle of a game
    hidden_again: int = 3  # cells that were open: one or two may have been taken for open in the middle of a change
    pressed_levels: int = 96  # by which a pressed button differs from one that is not; a mine differs by more
    dialog_px: tuple[int, int] = (150, 60)  # width and height of the smallest dialog
    status_px: tuple[int, int] = (60, 16)  # width and height of a browser's corner that tells where links lead
    cross_px: int = 40  # at a box's corner is what closes it
    frame_px: int = 32  # around a dialog that its frame and its title may take up
    still_px: float = 2.0  # by which a board that stayed may seem to have moved: its outer cells may be open now
    left_share: float = 0.5  # of cells that a way without effect leaves as they were
    control_px: int = 8  # around the pixel that was clicked is what shows that it was switched, and found once more


LIKENESS = Likeness()
EVIDENCE = Evidence()
PACE = Pace()
CHANGE = Change()
