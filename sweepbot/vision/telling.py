"""What the cells of a board show: by the templates of a known look, and by first sight and the rules of the game."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, shows
from sweepbot.geometry import Image
from sweepbot.vision.first_sight.rules import Told, of_a_game, tell
from sweepbot.vision.known.looks import Look, Matches
from sweepbot.vision.pictures.board import CELL_PX, apart, changed
from sweepbot.vision.trust import Cells, Floats

_CONTRADICTING_RATIO = 2.0  # by which another state must be likelier by templates to contradict what both say
_NOTHING_CHANCE = 0.2  # of the likeliest state by templates, below which they say nothing
_MIN_CHANCE = 1e-5  # of a state by the network, so that none of its words is final
_SURE_CHANCE = 0.97  # by the network, of what a client draws otherwise than it did, and of what is remembered
_MIN_KNOWN_SHARE = 0.4  # of cells, that templates tell: otherwise something else is shown in the board's place
_MIN_DRAWN_SHARE = 0.2  # the same if first sight alone has no doubt: flags and zeros are drawn alike in other fonts
_RELIABLE_SHARE = 0.85  # of the cells that templates tell, in which the network must agree to be asked of the others
_AS_DRAWN_SHARE = 0.5  # of all cells, that equal their templates on a board as its client draws it
_ENDED = (State.MINE, State.EXPLODED, State.WRONG_FLAG)
_MIN_COVERED_CHANCE = 0.01  # that no cell of the board is there, for something to lie over it
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

    @property
    def agreement(self) -> float:
        """The sum of the trust in the cells that are believed; if they have a look, in those that templates tell."""
        counted = self.cells.believed
        if self.matches is not None:
            counted &= self.matches.states.reshape(counted.shape) == self.cells.states
        return float(self.cells.trust[counted].sum())

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which cells something may lie over: those that are not read, unless the network sees that they are cells."""
        seen = self.chances is not None and self.chances[..., State.UNKNOWN] < _MIN_COVERED_CHANCE
        return ~self.cells.believed & np.logical_not(seen)


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


def still_shut(seen: Seen, earlier: Seen) -> Seen:
    """Return the same, in which cells that were hidden or marked, and have not changed since, are so still.

    A mark is kept only where another reading is in doubt.
    """
    if seen.picture.shape != earlier.picture.shape:
        return seen
    was, now = earlier.cells.states, seen.cells.states
    marked = shows(was, State.FLAG, State.QUESTION) & (now == State.UNKNOWN)
    still = ~changed(seen.picture, earlier.picture) & ((was == State.HIDDEN) | marked)
    return replace(seen, cells=Cells(np.where(still, was, now), seen.cells.trust))


def by_both(picture: Image, chances: Floats, look: Look) -> Seen:
    """Tell what cells show by templates, and where these do not tell by the word of both and the rules.

    A cell that equals its template shows its state. Of another, the nearer a state's templates are than those of other
    states, the likelier it is, which is multiplied with the network's chance of it. Where both say something, and not
    the same, the cell is not read. If the client draws otherwise than it did, the network alone may have no doubt.
    """
    seen = by_templates(picture, look)
    if seen.shows_win or seen.matches is None:
        return seen
    states = seen.cells.states
    known = states != State.UNKNOWN
    if known.mean() < _MIN_KNOWN_SHARE:
        asked = replace(seen, looked_at=np.ones(states.shape, np.bool_), chances=chances)
        return _drawn_otherwise(asked, chances) if known.mean() >= _MIN_DRAWN_SHARE else asked
    by_look = look.likelihoods(apart(picture)).reshape(chances.shape)
    reliable = (chances.argmax(axis=2) == states)[known].mean() >= _RELIABLE_SHARE
    both = by_look * (np.maximum(chances, _MIN_CHANCE) if reliable else 1)
    both = np.asarray(both / both.sum(axis=2, keepdims=True), dtype=np.float32)
    told = tell(both, picture)
    equal = seen.matches.equal.reshape(states.shape)
    which = told.likeliest[..., None].astype(np.intp)
    told_by_look, told_by_both = (np.take_along_axis(of, which, axis=2)[..., 0] for of in (by_look, both))
    contradicted = by_look.max(axis=2) > _CONTRADICTING_RATIO * told_by_look
    foreign = by_look.max(axis=2) < _NOTHING_CHANCE
    ended = shows(told.likeliest, *_ENDED) & shows(look.states, *_ENDED).any()  # which its templates would tell
    doubted = told.states == State.UNKNOWN
    doubted |= contradicted & (ended | (told_by_both < _SURE_CHANCE))
    doubted |= foreign & ended & np.isin(told.likeliest, look.states)
    if equal.mean() >= _AS_DRAWN_SHARE:
        # What the client itself does not draw lies over the board, as a pointer does, if it is not surely a cell.
        doubted |= foreign & (of_a_game(chances).max(axis=2) < _SURE_CHANCE)
        if not shows(states, *_ENDED).any():
            doubted |= ended
    own = np.where(doubted, np.uint8(State.UNKNOWN), told.likeliest)
    cells = Cells(np.where(equal, states, own), np.where(known, seen.cells.trust, told.chances).astype(np.float32))
    both_say = replace(seen, cells=cells, looked_at=np.ones(states.shape, np.bool_), told=told, chances=chances)
    return _drawn_otherwise(both_say, chances) if equal.mean() < _AS_DRAWN_SHARE else both_say


def _drawn_otherwise(seen: Seen, chances: Floats) -> Seen:
    """Tell all cells by first sight alone, as of a client that draws otherwise than it did, if it then tells more.

    The cells that equal their templates check it.
    """
    alone = at_first_sight(seen.picture, chances)
    if seen.matches is None or alone.cells.readable <= seen.cells.readable:
        return seen
    equal = seen.matches.equal.reshape(alone.cells.states.shape)
    contradicts = alone.cells.states != seen.cells.states
    return seen if contradicts[equal].any() else replace(alone, look=seen.look, matches=seen.matches)


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
