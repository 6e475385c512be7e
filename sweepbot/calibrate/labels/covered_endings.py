"""Mines seen beside what the end of a game puts in front of the board, and nothing takes away.

The numbers of such a picture cannot be relied on: some may be covered, and what covers the rest may look like open
cells. So nothing is worked out from it. But the rules had named some mines before the last click: what most of those
show, in several games and nowhere else, is a mine.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.labels.constraints import MINE, SAFE
from sweepbot.calibrate.labels.scene import Mask, Scene
from sweepbot.geometry import Cell

_FEWEST_GAMES = 2
"""Games that must have shown a look for it to be believed."""

_FEWEST_MINES = 4
"""Mines that must have shown it."""

_LEAST_SHARE = 0.25
"""The share of all mines seen so that shows a look; all such looks together are those of most."""

_FEWEST_UNDECIDED, _MOST_UNDECIDED = 8, 0.6
"""Cells of which nothing was known that must have been there, and the share of them that may have shown such looks.

What shows all over the board is not its mines, but what lies over all of it.
"""

_FEWEST_PLACES = 2
"""Cells that were hit, in other places, which must have shown the same: what covers a board stays in its place."""

Places = set[tuple[int, Cell]]
"""Numbers of games, and cells."""


@dataclass(slots=True)
class CoveredEndings:
    """What was seen so.

    Attributes:
        games: How many ends were seen.
        mines: For each picture the cells that the rules had named as mines and that showed it.
        hits: For each picture the clicked cells that showed it.
        undecided: The pictures of the cells of which nothing was known, each with how many showed it.
        elsewhere: Pictures that cells showed which hold no mine.
    """

    games: int = 0
    mines: dict[int, Places] = field(default_factory=dict)
    hits: dict[int, Places] = field(default_factory=dict)
    undecided: Counter[int] = field(default_factory=Counter)
    elsewhere: set[int] = field(default_factory=set)

    def note(self, end: Scene, known: NDArray[np.int8], opened: Mask, clicked: Cell, marked: set[Cell]) -> None:
        """Take down the end of a game that may have been lost.

        Args:
            end: The picture, with what is in front of the board.
            known: What was known of each cell before the last click, as `LabelConstraints.mines` gives it.
            opened: Which cells were open.
            clicked: The cell that was clicked last.
            marked: Cells with flags.
        """
        self.games += 1
        self.elsewhere.update(end.pictures[opened | (known == SAFE)].tolist())
        for row, column in np.argwhere(~opened & (known != SAFE)):
            cell, picture = Cell(int(row), int(column)), int(end.pictures[row, column])
            if cell == clicked or cell in marked:
                continue
            if known[cell] != MINE:
                self.undecided[picture] += 1
            elif not end.hidden[cell]:
                self.mines.setdefault(picture, set()).add((self.games, cell))
        self.hits.setdefault(int(end.pictures[clicked]), set()).add((self.games, clicked))

    def shown(self, may_be: Callable[[int], bool]) -> dict[str, dict[int, int]]:
        """Pictures of `mine` and of `exploded`, each with how many cells showed it; none where there is a doubt.

        Args:
            may_be: Whether a picture is unlike numbers, hidden cells and flags, whatever lies over them.
        """
        seen, undecided = sum(map(len, self.mines.values())), self.undecided.total()
        # On a chequered board there are two such pictures.
        found = {
            picture: places
            for picture, places in self.mines.items()
            if len(places) >= max(_FEWEST_MINES, _LEAST_SHARE * seen)
            and len({game for game, _ in places}) >= _FEWEST_GAMES
            and picture not in self.elsewhere
            and may_be(picture)
        }
        shown = sum(self.undecided[picture] for picture in found)
        if 2 * sum(map(len, found.values())) <= seen or undecided < _FEWEST_UNDECIDED:
            return {}
        if shown > _MOST_UNDECIDED * undecided:
            return {}
        lost = {game for places in found.values() for game, _ in places}
        hits = {
            picture: len(at)
            for picture, at in self.hits.items()
            if {game for game, _ in at} <= lost
            and len({cell for _, cell in at}) >= _FEWEST_PLACES
            and picture not in self.elsewhere
            and (picture in found or may_be(picture))
        }
        return {"mine": {picture: len(places) for picture, places in found.items()}, "exploded": hits}
