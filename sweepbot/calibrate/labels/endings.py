"""Judging how a game ended from its last picture and the rules.

Only looks show the end of a game in an unknown client. So each ending is assumed in turn, and the numbers on the board
must confirm it:

- Won: every cell that is not open is a mine.
- Lost: the clicked cell is a mine, and so is every cell with a look that no open cell has; cells that still look hidden
  are safe. If a client shows only the mine that was hit, the other cells stay undecided.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import around, cells_in
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, Record
from sweepbot.calibrate.labels.log import Ended
from sweepbot.calibrate.labels.looks import Looks, shows_through
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.geometry import Cell

EITHER = "flag or mine"
"""What a won game shows in the place of a mine, until other observations show which of the two it is."""


@dataclass(slots=True, eq=False)
class Ending:
    """How a game ended, and what its last picture shows besides numbers.

    Attributes:
        last: The last picture.
        result: The result; None if the rules allow several endings.
        game: The game, with the mines that follow from the ending.
        shown: The cells that show `mine`, `exploded`, `wrong_flag` or `EITHER`.
        seen: Whether this follows from the last picture, and not only from the numbers before it.
        mines_if_won: How many mines the board has, if the last click has won a game whose end does not show.
    """

    last: Ended
    result: Literal["won", "lost"] | None
    game: Record
    shown: dict[Cell, str] = field(default_factory=dict)
    seen: bool = True
    mines_if_won: int | None = None

    @property
    def mines(self) -> int | None:
        """How many mines the board has; None if some cell is undecided."""
        is_complete = self.result is not None and not (self.game.mines == UNDECIDED).any()
        return int(np.count_nonzero(self.game.mines == MINE)) if is_complete else None


def judge(numbers: Numbers, last: Ended, known: NDArray[np.int8], flags: Collection[int]) -> Ending:
    """Judge how the current game ended; pictures that are almost those of known numbers are added to these."""
    game, clicked = numbers.game, last.clicked
    rest = game.copy()  # with mines on all cells that are neither open, nor clicked last, nor known to be safe
    rest.mines[game.unopened] = np.where(known == SAFE, SAFE, MINE)[game.unopened]
    rest.mines[clicked] = SAFE

    def unclear() -> Ending:
        mines = int(np.count_nonzero(rest.mines == MINE)) if _is_confirmed(numbers, rest) else None
        return Ending(last, None, game, mines_if_won=mines)

    if last.hidden[clicked]:  # the picture is from before the click, or of a new game
        return unclear()
    surely_safe, is_seen = known[clicked] == SAFE, _is_in_place(numbers, last)
    if is_seen:
        numbers.recognise(int(last.pictures[cell]) for cell in cells_in(game.unopened & ~last.hidden))
    shows_number = int(last.pictures[clicked]) in numbers.looks
    won = game.copy()
    for cell in cells_in(game.unopened):
        if int(last.pictures[cell]) in numbers.looks:
            won.open(cell, int(last.pictures[cell]))
    won.mines[won.unopened] = MINE
    won.mines[clicked] = SAFE
    if known[clicked] != MINE and _is_confirmed(numbers, won) and (surely_safe or shows_number):
        shown = cells_in((won.mines == MINE) & ~last.hidden) if is_seen else ()
        return Ending(last, "won", won, dict.fromkeys(shown, EITHER), seen=is_seen)
    if surely_safe and all(known[cell] == SAFE for cell in last.unanswered) and _is_confirmed(numbers, rest):
        return Ending(last, "won", rest, seen=False)  # only a win ends with such a click, whatever the client shows
    if not is_seen or surely_safe or shows_number or numbers.allows(won):
        return unclear()
    return _lost(numbers, last, flags) or unclear()


def beside_cover(numbers: Numbers, last: Ended, known: NDArray[np.int8]) -> Ending:
    """Return what a game that may have been lost shows beside something that cannot be removed from the board.

    Its numbers cannot be trusted, since some may be covered, and the cover may look like open cells. But some mines
    were known by the rules before the last click.
    """
    marked = {last.clicked, *last.flagged, *last.misflagged}
    mines = cells_in(numbers.game.unopened & (known == MINE) & ~last.hidden)
    shown = {cell: "mine" for cell in mines if cell not in marked} | {last.clicked: "exploded"}
    game = numbers.game.copy()
    game.mines[game.unopened] = known[game.unopened]
    return Ending(last, None, game, shown if _is_in_place(numbers, last) else {}, seen=False)


def _lost(numbers: Numbers, last: Ended, flags: Collection[int]) -> Ending | None:
    """Return the game as lost, with as much of the picture as the numbers confirm; None if it was not lost."""
    taken = {cell: int(last.pictures[cell]) for cell in cells_in(numbers.game.unopened & ~last.hidden)}
    shown = {cell: it for cell, it in taken.items() if it not in numbers.looks and it not in flags}
    looks = Looks(numbers.patches, shown.values())
    counts = Counter(looks.of(picture) for picture in shown.values())
    mines = {it for look, pictures in looks.all().items() if counts[look] >= EVIDENCE.times for it in pictures}
    game = numbers.game.copy()
    game.mines[game.unopened] = SAFE
    for cell, picture in shown.items():
        game.mines[cell] = MINE if picture in mines else UNDECIDED
    for known, cells in ((SAFE, last.misflagged), (MINE, (*last.flagged, last.clicked))):
        for cell in cells:
            game.mines[cell] = known
    if not mines or not _is_confirmed(numbers, game):
        mines, shown, game = set(), {last.clicked: int(last.pictures[last.clicked])}, numbers.game.copy()
        game.mines[last.clicked] = MINE
        if not numbers.allows(game):
            return None
    labels: dict[Cell, str] = {}
    for cell, picture in shown.items():
        if picture in mines:
            labels |= {cell: "mine"} if game.mines[cell] == MINE and cell not in last.misflagged else {}
        elif cell == last.clicked:
            labels[cell] = "exploded"
        elif cell in last.misflagged and picture != shown.get(last.clicked):
            labels[cell] = "wrong_flag"
    return Ending(last, "lost", game, labels)


def _is_in_place(numbers: Numbers, last: Ended) -> bool:
    """Whether the board has not moved: most open cells look as before, if perhaps in another shade."""
    game, patches = numbers.game, numbers.patches
    opened = [(int(game.looks[cell]), int(last.pictures[cell])) for cell in cells_in(~game.unopened)]
    return 2 * sum(shows_through(patches[now], patches[before]) for before, now in opened) > len(opened)


def _is_confirmed(numbers: Numbers, game: Record) -> bool:
    """Whether enough known numbers confirm an ending, and none contradicts it."""
    beside_mines = game.looks[~game.unopened & (around(game.mines == MINE) > 0)]
    witnesses = sum(numbers.number_of(picture) is not None for picture in beside_mines.tolist())
    return witnesses >= EVIDENCE.witnesses and numbers.allows(game)


def total_of(endings: Sequence[Ending]) -> int | None:
    """Return how many mines a board has if enough games agree: those that showed it, or else the others; else None.

    A game that ended on a cell known to be safe was won, whatever it showed; the rest are then assumed to be won.
    """
    shown = Counter(ending.mines for ending in endings if ending.mines is not None and ending.seen)
    for total, games in shown.most_common(1):
        if games >= EVIDENCE.agreeing_games and 2 * games > shown.total():
            return total
    won = Counter(ending.mines for ending in endings if ending.mines is not None and not ending.seen)
    if_won = Counter(ending.mines_if_won for ending in endings if ending.mines_if_won is not None)
    for counted, fewest in ((won, EVIDENCE.agreeing_games), (won + if_won, EVIDENCE.assumed_games)):
        if len(counted) == 1 and counted.total() >= fewest:
            return next(iter(counted))
    return None
