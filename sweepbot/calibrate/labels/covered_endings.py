"""Mines seen beside what the end of a game puts in front of the board, and nothing takes away.

The numbers of such a picture cannot be relied on: some may be covered, and what covers the rest may look like open
cells. So nothing is worked out from it. But the rules had named some mines before the last click: what most of those
show, in several games and nowhere else, is a mine.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import cells_in
from sweepbot.calibrate.labels.constraints import MINE, SAFE
from sweepbot.calibrate.labels.log import Ended, Mask
from sweepbot.calibrate.labels.thresholds import EVIDENCE
from sweepbot.geometry import Cell

Places = set[tuple[int, Cell]]
"""Numbers of games, and cells."""


@dataclass(frozen=True, slots=True, eq=False)
class CoveredEnd:
    """The end of a game that may have been lost, behind a cover: what it shows, and what was known and open before."""

    last: Ended
    known: NDArray[np.int8]
    opened: Mask


def shown_beside_covers(ends: Sequence[CoveredEnd], may_be: Callable[[int], bool]) -> dict[str, dict[int, int]]:
    """Pictures of `mine` and of `exploded`, each with how many cells showed it; none where there is a doubt."""
    mines: dict[int, Places] = defaultdict(set)
    hits: dict[int, Places] = defaultdict(set)
    elsewhere: set[int] = set()
    for game, end in enumerate(ends):
        pictures = end.last.pictures
        elsewhere.update(pictures[end.opened | (end.known == SAFE)].tolist())
        for cell in cells_in(~end.opened & (end.known == MINE) & ~end.last.hidden):
            if cell not in {end.last.clicked, *end.last.flagged, *end.last.misflagged}:
                mines[int(pictures[cell])].add((game, cell))
        hits[int(pictures[end.last.clicked])].add((game, end.last.clicked))
    seen = sum(map(len, mines.values()))
    # On a chequered board there are two such pictures.
    found = {
        picture: places
        for picture, places in mines.items()
        if len(places) >= max(EVIDENCE.witnesses, EVIDENCE.covered_share * seen)
        and len({game for game, _ in places}) >= EVIDENCE.times
        and picture not in elsewhere
        and may_be(picture)
    }
    if 2 * sum(map(len, found.values())) <= seen:
        return {}
    lost = {game for places in found.values() for game, _ in places}
    exploded = {
        picture: len(at)
        for picture, at in hits.items()
        if {game for game, _ in at} <= lost
        and len({cell for _, cell in at}) >= EVIDENCE.times
        and picture not in elsewhere
        and (picture in found or may_be(picture))
    }
    return {"mine": {picture: len(places) for picture, places in found.items()}, "exploded": exploded}
