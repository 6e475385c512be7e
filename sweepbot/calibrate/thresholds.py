"""The constants of learning, each with its unit in its name and its reason beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two pictures of cells show the same. Levels are grey levels, of the channel that differs most."""

    look_step_levels: int = 8  # between neighbouring pictures of one look, as on a gradient no two cells are alike
    same_levels: int = 2  # as from a fade that has nearly ended, or from rounding of colours
    speck_share: float = 0.005  # the most pixels of a cell that may differ by such a step, as at round edges
    rim_part: int = 16  # the rim of a cell is this fraction of its side
    max_rim_px: int = 2  # of it: an edge that is as thin may be all by which a large hidden cell is raised
    side_part: int = 8  # as much of a cell's side may show its neighbour, where it is cut out a pixel or two beside it
    max_variants: int = 3  # redrawn figures kept for one picture, so that a calibration does not grow without end
    min_frame_px: int = 6  # the side of a frame around a figure
    outline_share: float = 0.4  # of a frame's outline, which may be dotted


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much evidence is needed before something is believed."""

    opening_games: int = 5  # first clicks that all opened a region, before this is taken for a promise
    max_chance: float = 0.05  # that no first click hit a mine by luck, before this is taken for a promise
    idle_games: int = 3  # without anything new, after which learning ends
    times: int = 2  # that a look must be seen, in games or in places, as once may be chance
    witnesses: int = 4  # cells that must support a mine, or an inference about a picture


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things may take, and how often they are tried."""

    tries: int = 4  # of what may fail once: ways to a new game, closing windows
    quiet_s: float = 0.15  # without a change, after which a picture is at rest
    flash_s: float = 0.7  # the same for pictures that may flash
    limit_s: float = 0.6  # after which a key or a click that has changed nothing has no effect
    slow_s: float = 3.0  # that a page may take to reload; a picture that changes for longer is taken as it is
    hover_s: float = 0.2  # that the pointer stays on a button before the click: a client may ignore a sudden one
    undone_s: float = 0.5  # between two looks for the board to come back after a wrong button
    status_s: float = 0.6  # the most that a browser takes to show where a link leads; Chromium took 0.1
    glance_s: float = 0.05  # between two looks at something temporary; an intermediate picture lasts less
    longest_dialog_s: float = 5.0  # for which something in front of the board may take to disappear by itself
    between_notes_s: float = 0.5  # of the client in play: a clock beside the board has changed by the end of a game
    shown_s: float = 60.0  # for a person to start a game
    let_go_s: float = 1.0  # for which the pointer must rest before it is no longer a person's
    seeking_s: float = 40.0  # for a way to start a game: the answer, with all that comes before, is due in a minute


@dataclass(frozen=True, slots=True)
class Change:
    """What counts as a change of a board or beside it. Levels are grey levels."""

    hidden_again: int = 3  # open cells that must look hidden; one or two may have been seen in the middle of a change
    dialog_px: tuple[int, int] = (150, 60)  # width and height of the smallest dialog
    status_px: tuple[int, int] = (60, 16)  # width and height of a browser's corner that shows where links lead
    cross_px: int = 40  # the corner of a box in which a cross may close it
    still_px: float = 2.0  # by which a board that stayed may seem to move, as its outer cells may be open now
    left_share: float = 0.5  # of cells that must look as before, or else something has replaced the board
    line_px: int = 4  # from a line of the board: a rectangle that ends so near to it may be a region of cells
    control_px: int = 8  # around a clicked pixel, where a switch changes, and within which two clicks are the same


LIKENESS = Likeness()
EVIDENCE = Evidence()
PACE = Pace()
CHANGE = Change()
