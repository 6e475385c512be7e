"""How a game ended, worked out from its last picture and the rules.

Nothing tells the end of an unknown client but its looks. So each ending is taken for granted in turn, and the numbers
on the board must bear it out:

- Won: every cell that is not open is a mine.
- Lost: the clicked cell is a mine, and so is every cell that took a look which no open cell has; those that still look
  hidden are none. Some clients show only the mine that was hit; then the rest stays open.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import around, cells_in
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, UNOPENED, Record
from sweepbot.calibrate.labels.log import Ended
from sweepbot.calibrate.labels.looks import Looks
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.labels.sameness import shows_through
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.geometry import Cell

EITHER = "flag or mine"
"""What a won game shows in the place of a mine: which of both is told by what else was seen."""


@dataclass(slots=True, eq=False)
class Ending:
    """How a game ended, and what its last picture shows besides numbers.

    Attributes:
        last: The last picture.
        result: None where the rules allow several endings.
        game: The game, with what the ending tells of its mines.
        shown: The cells that show `mine`, `exploded`, `wrong_flag`, or `EITHER` a flag or a mine.
        seen: Whether the last picture shows that, and not the numbers before it alone.
        mines_if_won: How many mines the board has if the last click has won a game whose end shows nothing.
    """

    last: Ended
    result: Literal["won", "lost"] | None
    game: Record
    shown: dict[Cell, str] = field(default_factory=dict)
    seen: bool = True
    mines_if_won: int | None = None

    @property
    def complete(self) -> bool:
        """Whether every cell is now known to be a mine or none."""
        return self.result is not None and not (self.game.mines == UNDECIDED).any()

    @property
    def is_undisturbed(self) -> bool:
        """Whether all open cells look as they did: nothing is in front of any."""
        opened = ~self.game.unopened
        return bool((self.last.pictures[opened] == self.game.looks[opened]).all())

    @property
    def mines(self) -> int | None:
        """How many mines the board has, None where that is not known."""
        return int(np.count_nonzero(self.game.mines == MINE)) if self.complete else None


def judge(numbers: Numbers, last: Ended, known: NDArray[np.int8], flags: Collection[int]) -> Ending:
    """Work out how the current game ended; pictures that nearly are those of known numbers are added to these."""
    if last.hidden[last.clicked]:  # not the picture after the click, but one of before it or of a new game
        return _unclear(numbers, last, known)
    surely_safe, is_seen = known[last.clicked] == SAFE, _stays(numbers, last)
    if is_seen:
        numbers.recognise(int(last.pictures[cell]) for cell in cells_in(numbers.game.unopened & ~last.hidden))
    won, shows_number = _if_won(numbers, last), int(last.pictures[last.clicked]) in numbers.looks
    may_be_won = known[last.clicked] != MINE and _borne_out(numbers, won)
    if may_be_won and (surely_safe or shows_number):
        shown = cells_in((won.mines == MINE) & ~last.hidden) if is_seen else ()
        return Ending(last, "won", won, dict.fromkeys(shown, EITHER), seen=is_seen)
    may_be_later = any(known[cell] != SAFE for cell in last.unanswered)
    if surely_safe and not may_be_later:  # such a click ends a game by winning it alone, whatever the client then shows
        rest = _if_rest_are_mines(numbers, last.clicked, known)
        if _borne_out(numbers, rest):
            return Ending(last, "won", rest, seen=False)
    if not is_seen or surely_safe or shows_number or numbers.allows(won):
        return _unclear(numbers, last, known)
    return _lost(numbers, last, flags) or _unclear(numbers, last, known)


def beside_cover(numbers: Numbers, last: Ended, known: NDArray[np.int8]) -> Ending:
    """What a game that may have been lost shows beside a cover that nothing takes away.

    Its numbers cannot be relied on: some may be covered, and the cover may look like open cells. But the rules had
    named some mines before the last click.
    """
    marked = {last.clicked, *last.flagged, *last.misflagged}
    mines = cells_in(numbers.game.unopened & (known == MINE) & ~last.hidden)
    shown = {cell: "mine" for cell in mines if cell not in marked} | {last.clicked: "exploded"}
    game = numbers.game.copy()
    game.mines[game.unopened] = known[game.unopened]
    return Ending(last, None, game, shown if _stays(numbers, last) else {}, seen=False)


def _unclear(numbers: Numbers, last: Ended, known: NDArray[np.int8]) -> Ending:
    """An end that may be either, and how many mines there are if the last click has won."""
    rest = _if_rest_are_mines(numbers, last.clicked, known)
    mines = int(np.count_nonzero(rest.mines == MINE)) if _borne_out(numbers, rest) else None
    return Ending(last, None, numbers.game, mines_if_won=mines)


def _if_rest_are_mines(numbers: Numbers, clicked: Cell, known: NDArray[np.int8]) -> Record:
    """The game as it is if all cells are mines that were neither open, nor clicked last, nor known to be safe."""
    game = numbers.game.copy()
    closed = game.unopened
    game.mines[closed] = np.where(known == SAFE, SAFE, MINE)[closed]
    game.mines[clicked] = SAFE
    return game


def _if_won(numbers: Numbers, last: Ended) -> Record:
    """The game as it is if it was won."""
    game = numbers.game.copy()
    for cell in cells_in(game.unopened):
        picture = int(last.pictures[cell])
        if picture in numbers.looks:
            game.open(cell, picture)
    game.mines[game.unopened] = MINE
    if game.looks[last.clicked] == UNOPENED:
        game.mines[last.clicked] = SAFE
    return game


def _lost(numbers: Numbers, last: Ended, flags: Collection[int]) -> Ending | None:
    """The game as lost, with as much of what the picture shows as the numbers bear out; None where it was not."""
    shown = _shown(numbers, last, flags)
    looks = Looks(numbers.patches, numbers.looks.tolerance, shown.values())
    counts = Counter(looks.of(picture) for picture in shown.values())
    kinds = [set(pictures) for look, pictures in looks.all().items() if counts[look] >= EVIDENCE.times]
    mines = set().union(*kinds)
    game = _if_lost(numbers, last, shown, mines)
    if mines and _borne_out(numbers, game):
        return Ending(last, "lost", game, _labels(last, shown, game, mines))
    game = numbers.game.copy()
    game.mines[last.clicked] = MINE
    if not numbers.allows(game):
        return None
    hit = {last.clicked: int(last.pictures[last.clicked])}
    return Ending(last, "lost", game, _labels(last, hit, game, ()))


def _stays(numbers: Numbers, last: Ended) -> bool:
    """Whether the board is where it was: most open cells show what they did, be it in another shade."""
    game, patches = numbers.game, numbers.patches
    opened = [(int(game.looks[cell]), int(last.pictures[cell])) for cell in cells_in(~game.unopened)]
    return 2 * sum(shows_through(patches[now], patches[before]) for before, now in opened) > len(opened)


def _shown(numbers: Numbers, last: Ended, flags: Collection[int]) -> dict[Cell, int]:
    """The cells that took a look which no open cell has, with their pictures."""
    taken = {cell: int(last.pictures[cell]) for cell in cells_in(numbers.game.unopened & ~last.hidden)}
    return {cell: picture for cell, picture in taken.items() if picture not in numbers.looks and picture not in flags}


def _if_lost(numbers: Numbers, last: Ended, shown: dict[Cell, int], mines: Collection[int]) -> Record:
    """The game as it is if it was lost and these pictures show mines."""
    game = numbers.game.copy()
    told = {cell: MINE if picture in mines else UNDECIDED for cell, picture in shown.items()}
    told |= dict.fromkeys(last.misflagged, SAFE) | dict.fromkeys([*last.flagged, last.clicked], MINE)
    for cell in cells_in(game.unopened):
        game.mines[cell] = told.get(cell, SAFE)
    return game


def _labels(last: Ended, shown: dict[Cell, int], game: Record, mines: Collection[int]) -> dict[Cell, str]:
    """What a lost game shows in cells that took a look which no open cell has."""
    labels: dict[Cell, str] = {}
    for cell, picture in shown.items():
        if picture in mines:
            labels |= {cell: "mine"} if game.mines[cell] == MINE and cell not in last.misflagged else {}
        elif cell == last.clicked:
            labels[cell] = "exploded"
        elif cell in last.misflagged and picture != shown.get(last.clicked):
            labels[cell] = "wrong_flag"
    return labels


def _borne_out(numbers: Numbers, game: Record) -> bool:
    """Whether enough numbers speak of an ending, and none against it: looks that may be any number say nothing."""
    beside_mines = game.looks[~game.unopened & (around(game.mines == MINE) > 0)]
    witnesses = sum(numbers.number_of(picture) is not None for picture in beside_mines.tolist())
    return witnesses >= EVIDENCE.witnesses and numbers.allows(game)
