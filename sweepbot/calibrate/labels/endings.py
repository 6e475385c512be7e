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

from sweepbot.board import neighbours
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, UNOPENED
from sweepbot.calibrate.labels.observations import Observations, Sheet
from sweepbot.calibrate.labels.patches import Looks, PatchStore, same_shape
from sweepbot.geometry import Cell

EITHER = "flag or mine"
"""What a won game shows in the place of a mine, as long as that cannot be told."""

_FEWEST_SHOWN = 2
"""Mines of one look that a lost game must show for the look to be believed."""

_ALONE = 4
"""Looks that are tried as the only one of a mine, the commonest first: the rest may be a dialog in front."""

SAME_FIGURE, _OTHER_FIGURE = 24, 64
"""Grey levels: a flag on another shade of ground differs by no more; what is no flag differs by as much somewhere."""

_FEWEST_WITNESSES = 4
"""Settled numbers beside unopened cells that must bear an ending out."""


@dataclass(slots=True, eq=False)
class LastPicture:
    """The board after the click that ended a game.

    Attributes:
        pictures: intp array of shape (rows, columns): the number of every cell's picture.
        hidden: Which cells look hidden, as they did before.
        clicked: The cell that was clicked.
        flagged: Cells that were flagged and hold a mine, as far as the rules tell.
        misflagged: Cells that were flagged and hold none.
        flag: Pictures of a flag.
    """

    pictures: NDArray[np.intp]
    hidden: NDArray[np.bool_]
    clicked: Cell
    flagged: Collection[Cell] = ()
    misflagged: Collection[Cell] = ()
    flag: Collection[int] = ()


@dataclass(slots=True, eq=False)
class Ending:
    """How a game ended, and what its last picture shows besides numbers.

    Attributes:
        result: None where the rules allow several endings.
        sheet: The game, with what the ending tells of its mines.
        shown: For each of `mine`, `exploded`, `wrong_flag`, `flag` and `EITHER` of the first and the last the pictures
            that show it, with their cells.
        complete: Whether every cell is now known to be a mine or none.
        seen: Whether the last picture shows that, and not the numbers before it alone.
    """

    result: Literal["won", "lost"] | None
    sheet: Sheet
    shown: dict[str, list[tuple[Cell, int]]] = field(default_factory=dict)
    complete: bool = False
    seen: bool = True

    @property
    def mines(self) -> int | None:
        """How many mines the board has, None where that is not known."""
        return int(np.count_nonzero(self.sheet.mines == MINE)) if self.complete else None


def judge(observations: Observations, last: LastPicture, known: NDArray[np.int8]) -> Ending:
    """Work out how the current game ended.

    Args:
        observations: What was known before the last click; it is not changed.
        last: The last picture.
        known: What was known of each cell before the last click, as `LabelConstraints.mines` gives it.
    """
    before = observations.sheet
    if last.hidden[last.clicked]:  # not the picture after the click, but one of before it or of a new game
        return Ending(None, before)
    observations.recognise(int(last.pictures[cell]) for cell in _cells((before.pictures == UNOPENED) & ~last.hidden))
    won = _if_won(observations, last)
    may_be_won = known[last.clicked] != MINE and _borne_out(observations, won)
    surely_safe = known[last.clicked] == SAFE
    clicked = int(last.pictures[last.clicked])
    shows_number = observations.is_number(clicked)
    if may_be_won and (surely_safe or shows_number):
        return Ending("won", won, _shown_at_win(observations, last, won), complete=True)
    if surely_safe:  # a click on such a cell ends a game by winning it alone, whatever the client then shows
        rest = _if_rest_are_mines(observations, last.clicked, known)
        if _borne_out(observations, rest):
            return Ending("won", rest, complete=True, seen=False)
    if surely_safe or shows_number or observations.allows(won):
        return Ending(None, before)
    return _lost(observations, last)


def mines_if_won(observations: Observations, clicked: Cell, known: NDArray[np.int8]) -> int | None:
    """How many mines the board has if the last click has won the current game, None where that cannot be."""
    rest = _if_rest_are_mines(observations, clicked, known)
    return int(np.count_nonzero(rest.mines == MINE)) if _borne_out(observations, rest) else None


def _if_rest_are_mines(observations: Observations, clicked: Cell, known: NDArray[np.int8]) -> Sheet:
    """The game as it is if all cells are mines that were neither open, nor clicked last, nor known to be safe."""
    sheet = Sheet(observations.sheet.pictures.copy(), observations.sheet.mines.copy())
    closed = sheet.pictures == UNOPENED
    sheet.mines[closed] = np.where(known == SAFE, SAFE, MINE)[closed]
    sheet.mines[clicked] = SAFE
    return sheet


def _shown_at_win(observations: Observations, last: LastPicture, won: Sheet) -> dict[str, list[tuple[Cell, int]]]:
    """What a won game shows in the place of its mines: flags or mines, either of them while no flag is known."""
    labels: dict[str, list[tuple[Cell, int]]] = {}
    for cell in _cells(won.mines == MINE):
        picture = int(last.pictures[cell])
        if last.hidden[cell] or picture in last.flag:
            continue
        state = told_at_win(observations.patches, picture, last.flag, ()) if last.flag else EITHER
        if state is not None:
            labels.setdefault(state, []).append((cell, picture))
    return labels


def told_at_win(patches: PatchStore, picture: int, flags: Collection[int], mines: Collection[int]) -> str | None:
    """Whether a won game shows `flag` or `mine` in the place of a mine; None where that cannot be told.

    Args:
        patches: Where the pictures are.
        picture: What it shows there.
        flags: Pictures of flags. Where any are known, what differs from them is a mine.
        mines: Pictures of the mines of lost games. Where no flag is known, what differs from them is a flag.
    """
    known, same, other = (flags, "flag", "mine") if flags else (mines, "mine", "flag")
    difference = min(patches.distances(picture, list(known)), default=SAME_FIGURE + 1)
    # Cells that are no whole number of pixels wide show a figure a pixel beside its place; a win may colour the ground.
    if difference <= SAME_FIGURE or any(same_shape(patches[of], patches[picture]) for of in known):
        return same
    return other if difference >= _OTHER_FIGURE else None


def _if_won(observations: Observations, last: LastPicture) -> Sheet:
    """The game as it is if it was won."""
    sheet = Sheet(observations.sheet.pictures.copy(), observations.sheet.mines.copy())
    for cell in _cells(sheet.pictures == UNOPENED):
        picture = int(last.pictures[cell])
        if picture in observations.looks:
            sheet.open(cell, picture)
    sheet.mines[sheet.pictures == UNOPENED] = MINE
    if sheet.pictures[last.clicked] == UNOPENED:
        sheet.mines[last.clicked] = SAFE
    return sheet


def _lost(observations: Observations, last: LastPicture) -> Ending:
    """The game as lost, with as much of what the picture shows as the numbers bear out."""
    shown = _shown(observations, last)
    looks = Looks(observations.patches, observations.looks.tolerance)
    looks.add(shown.values())
    kinds = Counter(looks.of(picture) for picture in shown.values())
    several = [kind for kind, count in kinds.most_common() if count >= _FEWEST_SHOWN]
    for chosen in [several, *([kind] for kind in several[:_ALONE])]:
        mines = {picture for kind in chosen for picture in looks.all()[kind]}
        sheet = _if_lost(observations, last, shown, mines)
        if mines and _borne_out(observations, sheet):
            if len(chosen) > 1:  # numbers not met before may be shown at the end as well
                mines = _needed(observations, last, shown, [set(looks.all()[kind]) for kind in chosen])
                sheet = _if_lost(observations, last, shown, mines)
            if not mines:
                continue
            return Ending(
                "lost", sheet, _labels(last, shown, sheet, mines), complete=not (sheet.mines == UNDECIDED).any()
            )
    sheet = Sheet(observations.sheet.pictures.copy(), observations.sheet.mines.copy())
    sheet.mines[last.clicked] = MINE
    if not observations.allows(sheet):
        return Ending(None, observations.sheet)
    labels = _labels(last, {last.clicked: int(last.pictures[last.clicked])}, sheet, ())
    return Ending("lost", sheet, labels)


def _needed(
    observations: Observations, last: LastPicture, shown: dict[Cell, int], kinds: Sequence[Collection[int]]
) -> set[int]:
    """The pictures of those looks that must show mines: were they no mines, the numbers would speak against it."""
    every = {picture for kind in kinds for picture in kind}
    needed: set[int] = set()
    for kind in kinds:
        sheet = _if_lost(observations, last, shown, every - set(kind))
        for cell, picture in shown.items():
            if picture in kind and cell != last.clicked and cell not in last.flagged:
                sheet.mines[cell] = SAFE
        if not observations.allows(sheet):
            needed |= set(kind)
    return needed


def _shown(observations: Observations, last: LastPicture) -> dict[Cell, int]:
    """The cells that took a look which no open cell has."""
    return {
        cell: int(last.pictures[cell])
        for cell in _cells((observations.sheet.pictures == UNOPENED) & ~last.hidden)
        if not observations.is_number(int(last.pictures[cell])) and last.pictures[cell] not in last.flag
    }


def _if_lost(observations: Observations, last: LastPicture, shown: dict[Cell, int], mines: Collection[int]) -> Sheet:
    """The game as it is if it was lost and these pictures show mines."""
    sheet = Sheet(observations.sheet.pictures.copy(), observations.sheet.mines.copy())
    for cell in _cells(sheet.pictures == UNOPENED):
        if cell == last.clicked or cell in last.flagged:
            sheet.mines[cell] = MINE
        elif cell in last.misflagged:
            sheet.mines[cell] = SAFE
        elif cell in shown:
            sheet.mines[cell] = MINE if shown[cell] in mines else UNDECIDED
        else:
            sheet.mines[cell] = SAFE
    return sheet


def _labels(
    last: LastPicture, shown: dict[Cell, int], sheet: Sheet, mines: Collection[int]
) -> dict[str, list[tuple[Cell, int]]]:
    labels: dict[str, list[tuple[Cell, int]]] = {}
    clicked = int(last.pictures[last.clicked])
    for cell, picture in shown.items():
        if cell in last.misflagged:
            if picture not in mines and picture != clicked:
                labels.setdefault("wrong_flag", []).append((cell, picture))
        elif picture in mines and sheet.mines[cell] == MINE:
            labels.setdefault("mine", []).append((cell, picture))
    if last.clicked in shown and clicked not in mines:
        labels["exploded"] = [(last.clicked, clicked)]
    return labels


def _borne_out(observations: Observations, sheet: Sheet) -> bool:
    """Whether enough numbers speak of an ending, and none against it: looks that may be any number say nothing."""
    around = neighbours(*sheet.pictures.shape)
    witnesses = sum(
        observations.number_of(int(sheet.pictures[cell])) is not None
        and any(sheet.mines[other] == MINE for other in around[cell])
        for cell in _cells(sheet.pictures != UNOPENED)
    )
    return witnesses >= _FEWEST_WITNESSES and observations.allows(sheet)


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    return [Cell(int(row), int(column)) for row, column in np.argwhere(mask)]
