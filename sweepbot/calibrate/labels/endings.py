"""How a game ended, worked out from its last picture and the rules.

Nothing tells the end of an unknown client but its looks. So each ending is taken for granted in turn, and the numbers
on the board must bear it out:

- Won: every cell that is not open is a mine.
- Lost: the clicked cell is a mine, and so is every cell that took a look which no open cell has; those that still look
  hidden are none. Some clients show only the mine that was hit; then the rest stays open.
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
    def mines(self) -> int | None:
        """How many mines the board has, None where some cell is not known to be one or none."""
        is_complete = self.result is not None and not (self.game.mines == UNDECIDED).any()
        return int(np.count_nonzero(self.game.mines == MINE)) if is_complete else None


def judge(numbers: Numbers, last: Ended, known: NDArray[np.int8], flags: Collection[int]) -> Ending:
    """Work out how the current game ended; pictures that nearly are those of known numbers are added to these."""
    game, clicked = numbers.game, last.clicked
    rest = game.copy()  # as it is if all are mines that were neither open, nor clicked last, nor known to be safe
    rest.mines[game.unopened] = np.where(known == SAFE, SAFE, MINE)[game.unopened]
    rest.mines[clicked] = SAFE

    def unclear() -> Ending:
        mines = int(np.count_nonzero(rest.mines == MINE)) if _borne_out(numbers, rest) else None
        return Ending(last, None, game, mines_if_won=mines)

    if last.hidden[clicked]:  # not the picture after the click, but one of before it or of a new game
        return unclear()
    surely_safe, is_seen = known[clicked] == SAFE, _stays(numbers, last)
    if is_seen:
        numbers.recognise(int(last.pictures[cell]) for cell in cells_in(game.unopened & ~last.hidden))
    shows_number = int(last.pictures[clicked]) in numbers.looks
    won = game.copy()
    for cell in cells_in(game.unopened):
        if int(last.pictures[cell]) in numbers.looks:
            won.open(cell, int(last.pictures[cell]))
    won.mines[won.unopened] = MINE
    won.mines[clicked] = SAFE
    if known[clicked] != MINE and _borne_out(numbers, won) and (surely_safe or shows_number):
        shown = cells_in((won.mines == MINE) & ~last.hidden) if is_seen else ()
        return Ending(last, "won", won, dict.fromkeys(shown, EITHER), seen=is_seen)
    if surely_safe and all(known[cell] == SAFE for cell in last.unanswered) and _borne_out(numbers, rest):
        return Ending(last, "won", rest, seen=False)  # such a click ends no game otherwise, whatever the client shows
    if not is_seen or surely_safe or shows_number or numbers.allows(won):
        return unclear()
    return _lost(numbers, last, flags) or unclear()


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


def _lost(numbers: Numbers, last: Ended, flags: Collection[int]) -> Ending | None:
    """The game as lost, with as much of what the picture shows as the numbers bear out; None where it was not."""
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
    if not mines or not _borne_out(numbers, game):
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


def _stays(numbers: Numbers, last: Ended) -> bool:
    """Whether the board is where it was: most open cells show what they did, be it in another shade."""
    game, patches = numbers.game, numbers.patches
    opened = [(int(game.looks[cell]), int(last.pictures[cell])) for cell in cells_in(~game.unopened)]
    return 2 * sum(shows_through(patches[now], patches[before]) for before, now in opened) > len(opened)


def _borne_out(numbers: Numbers, game: Record) -> bool:
    """Whether enough numbers speak of an ending, and none against it: looks that may be any number say nothing."""
    beside_mines = game.looks[~game.unopened & (around(game.mines == MINE) > 0)]
    witnesses = sum(numbers.number_of(picture) is not None for picture in beside_mines.tolist())
    return witnesses >= EVIDENCE.witnesses and numbers.allows(game)


def total_of(endings: Sequence[Ending]) -> int | None:
    """How many mines a board has, where several games tell the same: those that showed it, else all of the others.

    A game that ended on a cell known to be safe was won, whatever it showed; of the rest it is told as if it was won.
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
