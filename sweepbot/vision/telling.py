"""What the cells of a board show: by the templates of a known look, and by first sight and the rules of the game."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, shows
from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import STATES
from sweepbot.vision.first_sight.rules import Told, tell
from sweepbot.vision.known.looks import Look, Matches
from sweepbot.vision.pictures.board import CELL_PX, apart, changed
from sweepbot.vision.trust import Cells, Floats

_TEMPLATE_CHANCE = 0.98  # of the state of the template that a cell is near, for the rules
_CONTRADICTING_CHANCE = 0.9  # from which on first sight contradicts a template that a cell is only near
_SURE_CHANCE = 0.98  # by the network, of what a client draws otherwise than it did, and of what is remembered
_LEAST_KNOWN_SHARE = 0.4  # of cells, that templates tell: otherwise something else is shown in the board's place
_RELIABLE_SHARE = 0.93  # of the cells that templates tell, in which the network must agree to be asked of the others
_AS_DRAWN_SHARE = 0.5  # of all cells, that equal their templates on a board as its client draws it
_ENDED = (State.MINE, State.EXPLODED, State.WRONG_FLAG)
_PAINTED_SHARE = 0.25  # of a board's cells, from which on its client has painted over them


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of a board's cells, and how; the next reading of the same board goes on from it.

    Attributes:
        picture: The board's, as `board_picture` cuts it out.
        cells: What they show.
        look: The look that most cells have; None if no known client has it.
        matches: What its templates say, in reading order; None without a look.
        told: What first sight and the rules say; None if they were not asked.
        chances: The network's, of shape (rows, columns, STATES); None if it was not asked.
        looked_at: Which cells first sight was asked about, and have not changed since: bool of shape (rows, columns).
        shows_win: Whether the client has painted over its cells, as after a win; none is read then.
    """

    picture: Image
    cells: Cells
    looked_at: NDArray[np.bool_]
    look: Look | None = None
    matches: Matches | None = None
    told: Told | None = None
    chances: Floats | None = None
    shows_win: bool = False


def by_templates(picture: Image, look: Look, earlier: Seen | None = None) -> Seen:
    """Tell what cells show by templates alone; those that have not changed since an earlier picture show the same."""
    if earlier is None or earlier.matches is None or earlier.picture.shape != picture.shape:
        return _of_matches(picture, look, look.match(apart(picture)))
    anew = changed(picture, earlier.picture)
    which = np.flatnonzero(anew)
    matches = earlier.matches
    if which.size:
        matches = matches.replaced(which, look.match(apart(picture)[which]))
    seen = _of_matches(picture, look, matches)
    if earlier.shows_win or seen.shows_win:
        return seen
    # What first sight told of a cell holds until the cell changes.
    kept = ~anew & ~seen.cells.believed
    states = np.where(kept, earlier.cells.states, seen.cells.states)
    trust = np.where(kept, earlier.cells.trust, seen.cells.trust)
    return replace(seen, cells=Cells(states, trust), looked_at=earlier.looked_at & ~anew)


def _of_matches(picture: Image, look: Look, matches: Matches) -> Seen:
    shape = picture.shape[0] // CELL_PX, picture.shape[1] // CELL_PX
    states, trust = matches.states.reshape(shape), matches.trust.reshape(shape)
    shows_win = bool(look.painted(matches).mean() >= _PAINTED_SHARE)
    if shows_win:  # what remains of the cells is decoration
        states = np.full(shape, State.UNKNOWN, np.uint8)
    return Seen(picture, Cells(states, trust), np.zeros(shape, np.bool_), look, matches, shows_win=shows_win)


def at_first_sight(picture: Image, chances: Floats) -> Seen:
    """Tell what cells show by the network's chances, of shape (rows, columns, STATES), and the rules alone."""
    told = tell(chances, picture)
    cells = Cells(told.states, told.chances)
    return Seen(picture, cells, np.ones(told.states.shape, np.bool_), told=told, chances=chances)


def by_both(picture: Image, look: Look, chances: Floats) -> Seen:
    """Tell what cells show by templates, and by first sight where these do not tell or only nearly.

    A cell that equals its template shows its state. Of one that is only near it, first sight or the rules may say
    otherwise: then it is not read.
    """
    seen = by_templates(picture, look)
    if seen.shows_win or seen.matches is None or look.calibration.unmet:
        return seen  # of a client that is still being learned, only what was learned is known
    states = seen.cells.states
    told = tell(_with_templates(chances, states), picture)
    equal = seen.matches.equal.reshape(states.shape)
    own = np.where(states == State.UNKNOWN, told.likeliest, states)
    network = chances.argmax(axis=2)
    contradicted = (network != states) & (network != State.UNKNOWN) & (chances.max(axis=2) >= _CONTRADICTING_CHANCE)
    known = states != State.UNKNOWN
    near = known & ~equal
    if equal.mean() >= _AS_DRAWN_SHARE and not shows(states, *_ENDED).any():
        # The client's own mines would be told by their templates; what only looks like one is drawn over the board.
        told = replace(told, states=np.where(shows(told.states, *_ENDED), np.uint8(State.UNKNOWN), told.states))
    if known.mean() < _LEAST_KNOWN_SHARE or (network == states)[known].mean() < _RELIABLE_SHARE:
        told = replace(told, states=np.full(states.shape, State.UNKNOWN, np.uint8))
        contradicted[:] = False
    doubted = np.where(near, contradicted | (told.broken >= 1), ~equal & (told.states == State.UNKNOWN))
    likeness = look.states[seen.matches.templates].reshape(states.shape)
    alike = seen.matches.explained.reshape(states.shape)
    doubted |= ~known & alike & (likeness != own)
    if equal.mean() >= _AS_DRAWN_SHARE:
        doubted |= ~known & (chances.max(axis=2) < _SURE_CHANCE)
    trust = np.where(states == State.UNKNOWN, told.chances, seen.cells.trust).astype(np.float32)
    cells = Cells(np.where(doubted, np.uint8(State.UNKNOWN), own), trust)
    return replace(seen, cells=cells, looked_at=np.ones(states.shape, np.bool_), told=told, chances=chances)


def remembering(seen: Seen) -> Seen:
    """Return the same, with the numbers and flags of which first sight is sure as further templates of its look."""
    if seen.look is None or seen.matches is None or seen.told is None or seen.chances is None:
        return seen
    states = seen.cells.states
    sure = (seen.chances.max(axis=2) >= _SURE_CHANCE) & (seen.chances.argmax(axis=2) == states) & (states != 0)
    new = np.flatnonzero((seen.matches.states.reshape(states.shape) == State.UNKNOWN) & sure & (states <= State.FLAG))
    pictures = apart(seen.picture)
    look = seen.look
    for cell in new.tolist():
        look = look.remembering(pictures[cell], int(states.ravel()[cell]))
    return replace(seen, look=look, matches=look.match(pictures))


def _with_templates(chances: Floats, states: NDArray[np.uint8]) -> Floats:
    """Return the network's chances, but for those cells whose template is known."""
    told = np.full_like(chances, (1 - _TEMPLATE_CHANCE) / (STATES - 1))
    np.put_along_axis(told, states[..., None].astype(np.intp), np.float32(_TEMPLATE_CHANCE), axis=2)
    return np.where((states != State.UNKNOWN)[..., None], told, chances)
