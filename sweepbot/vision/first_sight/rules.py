"""What a network says of a board's cells, and what the rules of the game say -> what each cell shows, or `.`.

Cells that look the same are one look and show the same. Each look takes the state for which the network's word, less
what the rules then find wrong, is strongest; looks are tried in turn, the largest first, until none changes. So if the
network takes all hidden cells for zeros, as it may where both are plain, all of them are told otherwise together. If
there are several looks of them, as with a gradient or a chequer, none can be told otherwise alone: so whole regions of
zeros, or of hidden cells, are tried as the other as well. What the network tells apart is never one look, but for plain
cells: those that look the same share their odds. A cell stays in doubt if it breaks the rules, or if another state is
nearly as likely for it.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, are_numbers, around, shows
from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import STATES
from sweepbot.vision.pictures.board import CELL_PX
from sweepbot.vision.trust import Floats

_SURE = 0.9  # from which on the network's word tells one look from another
_PLAIN = 0.5  # from which on a cell that is likely to be hidden or a zero is one of its look's plain ones
_PART_PX = 3  # of a cell's picture, over which it is averaged before looks are compared
_WORST_PARTS = 4  # of a cell, by whose mean difference two cells are compared: a figure covers at least so many
_SAME_LOOK_LEVELS = 13.0
_MAX_LOOKS = 80  # where each cell looks different, each is told on its own
_INDEPENDENT_CELLS = 3.0  # for how many cells of one look the network's word counts: it errs on all alike
_INDEPENDENCE = 0.7  # the exponent of that
_MIN_OF_LOOK = 3  # cells, for it to be no accident: hidden and zero, taken for each other, are then tried in any case
_LIKELIEST = 4  # states that are tried for a look
_UNLIKELY = 4.0  # natural logarithm of odds: states further behind are not tried
_PASSES = 3
_BROKEN_BY_FLAG = 0.3  # of a rule, by a flag too many
_BROKEN_RULE = 1.5  # what a cell that contradicts the rules by one costs, as a logarithm of odds
_MOSTLY_SHARE = 0.5  # of a look's cells, that must be in a region to be told otherwise with it
_MAX_BROKEN = 15.0  # at most, for all that one look breaks
_MIN_CHANCE = 1e-5  # of a state, so that no word of the network is final

TRUSTED = np.full(STATES, 0.95, dtype=np.float32)
"""Least probability of each state for it to be believed. Hidden cells are less certain where a tint changes over the
board, and numbers beside them check them."""
TRUSTED[State.HIDDEN] = 0.8
TRUSTED[State.MINE] = 0.85  # they are many and alike where clients vary their ground
_TRUSTED_RARE = 0.93  # the same, by the network alone, of states that are seldom seen and taken for each other
_TRUSTED_FLAGGED = 0.99  # the same, of numbers with more flags than mines around them
_TRUSTED_MARK = 0.86  # the same, of flags and mines of which several look alike
_EXPLODED_ODDS = 4  # that one of the shown mines looks exploded, against a client that draws all alike
_ALL_SHOWN_ODDS = 20.0  # that figures are mines if all seem shown, and flags if not
_MIN_LACKING = 3  # numbers that lack mines around them, for a game to go on: one may be misread
_MIN_BESIDE_HIDDEN = 5  # numbers beside hidden cells that lack none, for all mines to be shown
_MIN_MARKS = 5  # for all mines to be shown
_MIN_AMONG_HIDDEN_SHARE = 0.3  # of the marks, beside which nothing is open, for the same: of flags at most 0.14
_MAX_EXPLODED = 2  # mines: those that one click has opened

_RARE = (5, 6, 7, 8, State.FLAG, State.QUESTION, State.MINE, State.EXPLODED, State.WRONG_FLAG)
_SHUT = (State.HIDDEN, State.FLAG, State.QUESTION, State.MINE, State.EXPLODED)
_SHOWN = (State.MINE, State.EXPLODED)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What the cells of a board show.

    Attributes:
        states: uint8 of shape (rows, columns); `UNKNOWN` where it is in doubt.
        likeliest: The same without doubts.
        chances: float32 of the same shape: how likely that state is, by the network and the rules.
        looks: intp of the same shape: the look that each cell has.
        broken: float32 of the same shape: by how much each cell contradicts the rules.
    """

    states: NDArray[np.uint8]
    likeliest: NDArray[np.uint8]
    chances: Floats
    looks: NDArray[np.intp]
    broken: Floats


def broken(states: NDArray[np.uint8]) -> Floats:
    """Return by how many mines each cell contradicts the rules: float32 of the shape of `states`.

    A number has at least as many mines around it as are shown, and at most as many as there are cells that may hide
    one; too many flags are a mistake of the player's more often than of the reader's. A zero has opened all around it.
    """
    room, shown = around(shows(states, *_SHUT, State.UNKNOWN)), around(shows(states, *_SHOWN))
    flags, hidden = around(states == State.FLAG), around(states == State.HIDDEN)
    number = states.astype(np.float32)
    of_number = np.maximum(0, number - room) + np.maximum(0, shown - number)
    of_number += _BROKEN_BY_FLAG * np.maximum(0, flags.astype(np.float32) + shown - number)
    of_zero = 0.5 * (np.minimum(2, hidden) + shown + flags)
    return np.where(are_numbers(states), of_number, np.where(states == 0, of_zero, 0)).astype(np.float32)


def tell(chances: Floats, board: Image) -> Told:
    """Tell what each cell shows.

    Args:
        chances: The network's, of shape (rows, columns, STATES).
        board: The picture of the cells, uint8 of shape (rows * CELL_PX, columns * CELL_PX, 3).
    """
    chances, looks = _looks(of_a_game(chances), board)
    order = np.argsort(-np.bincount(looks.ravel()))
    words = _words(chances, looks, len(order))
    states = words.argmax(1).astype(np.uint8)[looks]
    likely = np.ones(len(order), np.float32)
    by_region = np.zeros(len(order), np.float32)
    cells_of = [np.nonzero(looks == look) for look in range(len(order))]
    for _ in range(_PASSES):
        before = states.copy()
        for look in order.tolist():
            likely[look] = _settle(states, cells_of[look], words[look])
        _settle_regions(states, looks, words, by_region)
        if (states == before).all():
            break
    likely = np.maximum(likely, by_region)
    wrong = broken(states)
    sure = likely[looks]
    # Within a look the network may doubt a single cell; what the rules exclude is no doubt.
    possible = chances * _plausible(states, looks)
    own = np.take_along_axis(possible, states[..., None].astype(np.intp), 2)[..., 0] / possible.sum(2)
    of_look = np.bincount(looks.ravel(), own.ravel())[looks] / np.bincount(looks.ravel())[looks]
    several = np.bincount(looks.ravel())[looks] >= _MIN_OF_LOOK
    is_mark = several & shows(states, State.FLAG, State.MINE)
    unsure = shows(states, *_RARE) & (of_look < np.where(is_mark, _TRUSTED_MARK, _TRUSTED_RARE))
    unsure |= (states == State.EXPLODED) & (looks != _exploded(states, looks, words))
    unsure |= (wrong > 0) & (np.minimum(sure, own) < _TRUSTED_FLAGGED)
    doubted = unsure | (wrong >= 1) | (sure < TRUSTED[states])
    # What lies over cells that are not read may make a figure of a part of one.
    unseen = doubted | (states == State.UNKNOWN)
    alone = np.bincount(looks.ravel())[looks] == 1  # as the part of a pointer that reaches into the next cell
    below = around(unseen & (own < _SURE)) > 0
    doubted |= shows(states, *_RARE) & alone & below
    kept = np.where(doubted, np.uint8(State.UNKNOWN), states)
    return Told(kept, states, sure, looks, wrong)


def _exploded(states: NDArray[np.uint8], looks: NDArray[np.intp], words: Floats) -> int:
    """Return the look of the mine that has exploded, as one click has opened all of them.

    Of those that may have, it is beside the fewest numbers with too many mines and flags: a wrong flag may look alike.
    """
    marked = around(shows(states, *_SHOWN, State.FLAG))
    beside = around(are_numbers(states) & (marked > states))
    told = np.unique(looks[states == State.EXPLODED]).tolist()
    too_many = {look: int(beside[looks == look].max()) for look in told}
    return min(told, key=lambda look: (too_many[look], -words[look, State.EXPLODED]), default=-1)


def of_a_game(chances: Floats) -> Floats:
    """Return chances less what games do not show.

    That is zeros without a number, shown mines of which none has exploded, mines in a game that goes on, and flags in
    one that shows all mines. A mine shown alone has exploded: that it may be drawn as others are is no doubt.
    """
    chances, likeliest = chances.copy(), chances.argmax(2).astype(np.uint8)
    if not are_numbers(likeliest).any():
        chances[..., 0] = 0
    unlikely = _unlikely_marks(chances, likeliest)
    if unlikely:
        chances[..., unlikely] /= _ALL_SHOWN_ODDS
        chances /= chances.sum(2, keepdims=True)
    shown = shows(likeliest, *_SHOWN)
    row, column = divmod(int((chances[..., State.EXPLODED] * shown).argmax()), likeliest.shape[1])
    is_alone = shown.sum() == 1 and (likeliest == State.HIDDEN).any()
    if is_alone or likeliest[row, column] == State.EXPLODED:
        cell = chances[row, column]
        cell[State.MINE] /= _EXPLODED_ODDS
        if is_alone:
            either = cell[list(_SHOWN)]
            cell[list(_SHOWN)] = np.where(either == either.max(), either.sum(), 0)
        cell /= cell.sum()
    return chances


def _unlikely_marks(chances: Floats, likeliest: NDArray[np.uint8]) -> list[int]:
    """Return the states that no mark of a board has, as it shows either flags or all mines.

    In a game that goes on, numbers beside hidden cells lack marks, and flags stand beside open cells. Where all mines
    are shown, these numbers lack none, and many mines lie among hidden cells. Then it may show flags all the same.
    """
    mines = likeliest == State.MINE
    marks, beside_hidden = mines | (likeliest == State.FLAG), around(likeliest == State.HIDDEN) > 0
    numbers = are_numbers(likeliest) & beside_hidden
    marked = around(shows(likeliest, *_SHOWN, State.FLAG, State.WRONG_FLAG, State.QUESTION))
    lacking = int((numbers & (marked < likeliest)).sum())
    if marks.sum() >= _MIN_MARKS and numbers.any():
        among_hidden = (around(likeliest < State.HIDDEN) == 0)[marks].mean()
        if among_hidden >= _MIN_AMONG_HIDDEN_SHARE or (not lacking and numbers.sum() >= _MIN_BESIDE_HIDDEN):
            are_both = all((chances[..., mark] >= _SURE).any() for mark in (State.FLAG, State.MINE))
            return [] if are_both else [State.FLAG]
    goes_on = lacking >= _MIN_LACKING and mines.sum() >= _MIN_OF_LOOK and not (likeliest == State.EXPLODED).any()
    return [State.MINE, State.EXPLODED, State.WRONG_FLAG] if goes_on else []


def _plausible(states: NDArray[np.uint8], looks: NDArray[np.intp]) -> Floats:
    """Return how plausible each state of a cell is if all others show what they are told to, (rows, columns, STATES).

    What it is told to show itself is always among them.
    """
    shut, mined = shows(states, *_SHUT, State.UNKNOWN), shows(states, *_SHOWN)
    room, shown = around(shut), around(mined)
    needs_all = around(are_numbers(states) & (room <= states)) > 0
    has_all = around(are_numbers(states) & (shown >= states)) > 0
    possible = np.ones((*states.shape, STATES), np.float32)
    for number in range(State.HIDDEN):
        possible[..., number] *= (shown <= number) & (number <= room) & ~(shut & needs_all)
    for mine in _SHOWN:
        possible[..., mine] *= mined | ~has_all
    possible[..., State.EXPLODED] *= np.bincount(looks.ravel())[looks] <= _MAX_EXPLODED
    np.put_along_axis(possible, states[..., None].astype(np.intp), 1, axis=2)
    return possible


def _settle(states: NDArray[np.uint8], cells: tuple[NDArray[np.intp], ...], words: Floats) -> float:
    """Give all cells of a look their likeliest state in place, and return how likely it is."""
    options = [state for state in np.argsort(-words)[:_LIKELIEST].tolist() if words[state] > words.max() - _UNLIKELY]
    if options[0] in (0, State.HIDDEN) and len(cells[0]) >= _MIN_OF_LOOK:
        options = sorted({*options, 0, int(State.HIDDEN)})
    if len(options) == 1:
        states[cells] = options[0]
        return 1.0
    top, left = max(0, int(cells[0].min()) - 2), max(0, int(cells[1].min()) - 2)
    part = states[top : int(cells[0].max()) + 3, left : int(cells[1].max()) + 3]
    inside = cells[0] - top, cells[1] - left
    near = np.zeros(part.shape, np.bool_)
    near[inside] = True
    near |= around(near) > 0
    scores = []
    for option in options:
        part[inside] = option
        scores.append(words[option] - min(_MAX_BROKEN, _BROKEN_RULE * float(broken(part)[near].sum())))
    best = int(np.argmax(scores))
    part[inside] = options[best]
    return float(1 / np.exp(np.array(scores) - scores[best]).sum())


def _settle_regions(states: NDArray[np.uint8], looks: NDArray[np.intp], words: Floats, likely: Floats) -> None:
    """Take hidden cells for zeros or zeros for hidden cells, in place, where that is likelier for a whole region.

    A single look of it told otherwise would contradict those beside it. How likely that is, is set for its looks.
    """
    wrong = broken(states)
    cells = np.bincount(looks.ravel(), minlength=len(words))
    for told, other in ((0, State.HIDDEN), (State.HIDDEN, 0)):
        _, regions, stats, _ = cv2.connectedComponentsWithStats((states == told).astype(np.uint8), connectivity=8)
        beside = around(wrong >= 1) > 0
        for region in np.unique(regions[beside & (regions > 0)]).tolist():
            if stats[region, cv2.CC_STAT_AREA] < _MIN_OF_LOOK:
                continue
            within = np.bincount(looks.ravel(), (regions == region).ravel(), len(words))
            changed = within > _MOSTLY_SHARE * cells
            trial = np.where(changed[looks] & (states == told), np.uint8(other), states)
            less_wrong = float((wrong - broken(trial)).sum())
            gain = float((words[changed, other] - words[changed, told]).sum()) + _BROKEN_RULE * less_wrong
            if gain > 0:
                states[:], wrong = trial, broken(trial)
                likely[changed] = 1 / (1 + np.exp(-gain))


def _words(chances: Floats, looks: NDArray[np.intp], count: int) -> Floats:
    """Return the network's word on each look, as logarithms of shape (looks, STATES)."""
    logarithms = np.log(np.maximum(chances, _MIN_CHANCE)).reshape(-1, STATES)
    cells = np.bincount(looks.ravel(), minlength=count)
    sums = np.stack([np.bincount(looks.ravel(), one, minlength=count) for one in logarithms.T], axis=1)
    weight = np.minimum(_INDEPENDENT_CELLS, cells) ** _INDEPENDENCE
    return (sums / cells[:, None] * weight[:, None]).astype(np.float32)


def _looks(chances: Floats, board: Image) -> tuple[Floats, NDArray[np.intp]]:
    """Number the looks of a board's cells: those that are nearly equal, and that the network does not tell apart.

    Of plain cells that are nearly equal the network tells none apart: the chances are returned as all of them share.
    """
    rows, columns = chances.shape[:2]
    parts = CELL_PX // _PART_PX
    means = board.reshape(rows, parts, _PART_PX, columns, parts, _PART_PX, 3).astype(np.float32).mean((2, 5))
    cells = means.transpose(0, 2, 1, 3, 4).reshape(rows * columns, parts * parts, 3)
    look = np.full(len(cells), -1)
    left = np.arange(len(cells))
    for number in range(_MAX_LOOKS):
        if not left.size:
            break
        alike = _apart(cells[left], cells[left[0]]) < _SAME_LOOK_LEVELS
        alike[0] = True
        look[left[alike]] = number
        left = left[~alike]
    look[left] = _MAX_LOOKS + np.arange(left.size)
    chances = _sharing(chances.reshape(-1, STATES), look)
    said = np.where(chances.max(1) > _SURE, chances.argmax(1), State.UNKNOWN)
    looks = np.unique(look * STATES + said, return_inverse=True)[1].reshape(rows, columns)
    return chances.reshape(rows, columns, STATES), looks


def _sharing(chances: Floats, look: NDArray[np.intp]) -> Floats:
    """Return chances in which all plain cells of a look share the mean odds that they are hidden and not zeros."""
    plain = np.maximum(chances[:, [0, State.HIDDEN]], _MIN_CHANCE)
    either, odds = plain.sum(1), np.log(plain[:, 1] / plain[:, 0])
    is_plain = either > _PLAIN
    count, total = np.bincount(look, is_plain)[look], np.bincount(look, is_plain * odds)[look]
    shared = either / (1 + np.exp(-np.where(count > 0, total / np.maximum(count, 1), odds)))
    chances = chances.copy()
    chances[:, 0], chances[:, State.HIDDEN] = either - shared, shared
    return chances


def _apart(cells: Floats, other: Floats) -> Floats:
    """Return by how many levels cells of shape (cells, parts, 3) differ from another where they differ most."""
    apart = np.abs(cells - other).mean(2)
    return np.asarray(np.partition(apart, -_WORST_PARTS, axis=1)[:, -_WORST_PARTS:].mean(1), dtype=np.float32)
