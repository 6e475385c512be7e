"""Remembering what the games of a client confirm that is read at first sight: its looks become templates.

First sight says what a cell shows. The end of a game proves it for numbers: each says as many as there are mines around
it. So only games that were won, or lost with all mines shown, teach anything, and only if all their numbers agree.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State, around, cells_in
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.labels.belief import lasting_title
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Learned
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.solver.unknown_total import mines_at_end
from sweepbot.trace.events import Ended, Event
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_SURE_CHANCE = 0.98  # by the network, of a state that no number proves
_MOST_UNREAD_SHARE = 0.1  # of a board's cells: if more are unread, something is in front of it
_MOST_COVERED_SHARE = 0.5  # of a board's cells: if more are unread, nothing is filled in
_LIKELY = 0.75  # least chance of a mine that is shown beside others

_MINES = (State.MINE, State.EXPLODED)
_SHOWN_AT_END = (*_MINES, State.WRONG_FLAG)
_MARKS = (State.FLAG, State.QUESTION)

_Shown = tuple[int, int, bool]
"""The state that a cell showed, its picture, and whether it was shown at the end of a game."""


class Memory:
    """What the games of one client have confirmed."""

    def __init__(self) -> None:
        self._patches = PatchStore()
        self._grid: Grid | None = None
        self._cells: Image | None = None  # of the last picture, of shape (rows, columns, height, width, 3)
        self._last = np.zeros((0, 0), np.uint8)  # what each cell showed when it was read last
        self._unread: frozenset[Cell] = frozenset()
        self._game: dict[Cell, set[_Shown]] = defaultdict(set)
        self._states: dict[str, Counter[int]] = defaultdict(Counter)
        self._told: dict[int, Counter[int]] = defaultdict(Counter)  # for each picture, how many cells were read as what
        self._totals: set[int] = set()
        self._games = 0
        self._ends_by_itself = False

    def study(self, image: Image, reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """Note what a picture at rest shows; `reading` is in its pixels.

        Returns:
            The reading, with cells filled in that look just like others, or show the mines of a lost game; and the few
            unread ones without which play goes on, as a second look at them was no better.
        """
        grid = reading.grid
        cells = cells_of(image, grid)
        if not _is_like(self._grid, grid):  # pictures of cells of other sizes are no help
            self._patches, self._game = PatchStore(), defaultdict(set)
            self._states, self._told = defaultdict(Counter), defaultdict(Counter)
        if self._cells is None or self._cells.shape != cells.shape:
            self._cells, self._last = np.bitwise_not(cells), np.full(cells.shape[:2], State.UNKNOWN, np.uint8)
        changed = (cells != self._cells).any(axis=(2, 3, 4))
        self._grid, self._cells = grid, cells
        reading = self._filled_in(reading, cells)
        board = reading.board
        unread = frozenset(board.where(State.UNKNOWN))
        if len(unread) > _MOST_UNREAD_SHARE * grid.cells:
            return reading, frozenset()
        if not board.problems():
            self._note(cells, reading, cells_in(changed))
        still = frozenset(cell for cell in unread & self._unread if not changed[cell])
        self._unread = unread
        return reading, still

    def count(self, level: Level) -> None:
        """Do nothing: the totals of all games are known from their ends."""

    def observe(self, event: Event) -> None:
        """Take in how a game has ended."""
        if not isinstance(event, Ended):
            return
        board = Board.parse("\n".join(event.board), mines=event.total)
        total = None if event.misreads or event.result == "aborted" else _proven_total(board, Phase(event.result))
        if total is not None:
            self._games += 1
            self._totals.add(total)
            self._ends_by_itself |= event.result == "won" and board.count(State.FLAG) == total
            for cell, shown in self._game.items():
                for state, picture, is_end in shown:
                    if _is_confirmed(state, int(board[cell]), event.result, is_end=is_end):
                        self._states[NAME_OF_STATE[state]][picture] += 1
        self._game.clear()

    def learned(self, behaviour: Behaviour, titles: Sequence[str]) -> Learned | None:
        """Return what was confirmed; None if that is too little to know the client by.

        Args:
            behaviour: How the client behaves, as far as that was seen.
            titles: The titles that its window had.
        """
        if self._grid is None or any(name not in self._states for name in NEEDED):
            return None
        why = {name: self._why(name, shown.total()) for name, shown in self._states.items()}
        labels = labels_of(self._patches, self._states, why)
        names = {label.state for label in labels}
        if any(name not in names for name in NEEDED):
            return None
        unmet = [name for name in STATE_NAMES if name not in names]
        title, place = lasting_title(titles), self._grid
        flags_to_win = False if self._ends_by_itself else None
        (total,) = self._totals if len(self._totals) == 1 else (None,)
        return Learned(
            place=place,
            labels=labels,
            open_questions=[f"Not met yet, and read at first sight: {', '.join(unmet)}."] if unmet else [],
            behaviour=structs.replace(behaviour, flags_to_win=flags_to_win, deal_interval_ms=DEAL_INTERVAL_MS),
            levels={} if total is None else {"remembered": f"{place.columns}x{place.rows}/{total}"},
            totals=tuple(sorted(self._totals)),
            titles=(title,) if title else (),
            games=self._games,
            not_missed=frozenset(STATE_NAMES),  # what was not met is read at first sight
        )

    def _filled_in(self, reading: Reading, cells: Image) -> Reading:
        """Return a reading with those unread cells filled in that this run knows, unless most are unread."""
        unread = reading.board.where(State.UNKNOWN)
        if not unread or len(unread) > _MOST_COVERED_SHARE * reading.grid.cells:
            return reading
        known = {cell: state for cell in unread if (state := self._state_of(cells[cell])) is not None}
        board = reading.board.cells.copy()
        for cell, state in (known | self._mines_shown(reading)).items():
            board[cell] = state
        filled = Board(board, reading.board.mines)
        return replace(reading, board=filled, phase=filled.phase())

    def _state_of(self, picture: Image) -> int | None:
        """Return what an unread cell shows that looks just like cells that were read in this run; None if unknown."""
        states = self._told[self._patches.number(picture)]
        (state, times), *others = states.most_common(2) or [(State.UNKNOWN, 0)]
        return state if times >= EVIDENCE.witnesses and not others else None

    def _mines_shown(self, reading: Reading) -> dict[Cell, int]:
        """Return the unread cells that show mines: hidden ones that have changed together, and are most likely mines.

        Each alone may be anything, but only a lost game changes many hidden cells at once into what agrees with the
        numbers as mines.
        """
        told = reading.seen.told
        if told is None:
            return {}
        unread = reading.board.where(State.UNKNOWN)
        mines = {
            cell: int(told.likeliest[cell])
            for cell in unread
            if told.likeliest[cell] in _MINES and self._last[cell] == State.HIDDEN and told.chances[cell] >= _LIKELY
        }
        return mines if len(mines) >= EVIDENCE.witnesses and not (told.broken >= 1).any() else {}

    def _note(self, cells: Image, reading: Reading, changed: Sequence[Cell]) -> None:
        """Add the pictures of cells that have changed to what is known of the game."""
        states, chances = reading.board.cells, reading.seen.chances
        self._last = np.where(states == State.UNKNOWN, self._last, states)
        if chances is None:
            return
        sure = (chances.argmax(axis=2) == states) & (chances.max(axis=2) >= _SURE_CHANCE)
        if reading.phase is Phase.FRESH:
            self._game.clear()
        for cell in changed:
            state = int(states[cell])
            if state <= State.HIDDEN or (state != State.UNKNOWN and sure[cell]):
                picture = self._patches.number(cells[cell])
                self._game[cell].add((state, picture, reading.over))
                self._told[picture][state] += 1

    def _why(self, name: str, count: int) -> str:
        """Return the evidence for a state, in words."""
        shown = f"{count} cell{'s' * (count != 1)}, seen so at first sight"
        reasons = {
            "hidden": f"{shown}, that later were open",
            "flag": f"{shown} in play, that held a mine",
            "question": f"{shown} in play",
            "mine": f"{shown} in lost games, with all numbers around them in agreement",
            "exploded": f"{shown} in lost games, with all numbers around them in agreement",
            "wrong_flag": f"{shown} in lost games, with all numbers around them in agreement",
        }
        return reasons.get(name, f"{shown}, with as many mines around each at the ends of {self._games} games")


def _is_like(one: Grid | None, other: Grid) -> bool:
    """Whether the cells of two boards have the same size in whole pixels."""
    return one is not None and cell_size(one) == cell_size(other)


def _proven_total(board: Board, phase: Phase) -> int | None:
    """Return how many mines a board has whose end proves all its numbers; None if it does not."""
    if phase is Phase.LOST:
        return mines_at_end(board, phase)
    mines = board.cells >= State.HIDDEN
    proves = not board.count(State.UNKNOWN) and (around(mines) == board.cells)[~mines].all()
    return int(mines.sum()) if proves and mines.any() else None


def _is_confirmed(state: int, last: int, result: str, *, is_end: bool) -> bool:
    """Whether a state that a cell showed agrees with its state at the end of the game.

    A mark at the end may be a mine that was taken for one, and a mine before the end is none. What was hidden is open
    later: else it may be anything that stays.
    """
    is_mine = last >= State.HIDDEN and last != State.UNKNOWN
    if state in _MARKS:
        return is_mine and not is_end
    if state in _SHOWN_AT_END:
        return is_end and result == "lost" and last == state
    return last == state if state < State.HIDDEN else last < State.HIDDEN
