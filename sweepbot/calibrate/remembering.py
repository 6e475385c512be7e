"""Remembering what the games of a client confirm that is read at first sight: its looks become templates.

First sight says what a cell shows. The end of a game proves it for numbers: each says as many as there are mines around
it. So only games that were won, or lost with all mines shown, teach anything, and only if all their numbers agree.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State, around, cells_in
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.labels.belief import lasting_title
from sweepbot.calibrate.labels.looks import PatchStore, differ_by_frame
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Learned
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.solver.unknown_total import mines_at_end
from sweepbot.trace.events import Ended, Event
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_SURE_CHANCE = 0.98  # by the network, of a state that no number proves
_MOST_UNREAD_SHARE = 0.1  # of a board's cells: if more are unread, something is in front of it
_MOST_COVERED_SHARE = 0.5  # of a board's cells: if more are unread, nothing is filled in
_LIKELY = 0.75  # least chance of a mine, hit or not, that is shown beside others

_MINES = (State.MINE, State.EXPLODED)
_SHOWN_AT_END = (*_MINES, State.WRONG_FLAG)
_MARKS = (State.FLAG, State.QUESTION)

_Shown = tuple[int, int, bool]
"""The state that a cell showed, its picture, and whether it was shown at the end of a game."""


def is_remembered(calibration: Calibration) -> bool:
    """Whether a client of the user's own is read at first sight where it shows states that were not met yet."""
    met = {template.state for template in calibration.templates}
    return bool(met) and not (calibration.is_shipped or calibration.unmet or met.issuperset(STATE_NAMES.values()))


class Memory:
    """What the games of one client have confirmed, beyond what its calibration has."""

    def __init__(self, calibration: Calibration) -> None:
        self._known = calibration
        self._patches = PatchStore()
        self._grid: Grid | None = None
        self._cells: Image | None = None  # of the last picture, of shape (rows, columns, height, width, 3)
        self._last = np.zeros((0, 0), np.uint8)  # what each cell showed when it was read last
        self._pictures = np.zeros((0, 0), np.intp)  # the number of each cell's picture
        self._hidden: dict[Cell, int] = {}  # the picture that each cell had while it was hidden in this game
        self._mines: Mapping[Cell, int] = {}  # those that the end of the game has shown together
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
            self._states, self._told, self._cells = defaultdict(Counter), defaultdict(Counter), None
            self._hidden.clear()
        if self._cells is None or self._cells.shape != cells.shape:
            self._cells, self._last = np.bitwise_not(cells), np.full(cells.shape[:2], State.UNKNOWN, np.uint8)
            self._pictures = np.zeros(cells.shape[:2], np.intp)
        changed = (cells != self._cells).any(axis=(2, 3, 4))
        self._grid, self._cells = grid, cells
        for cell in cells_in(changed):
            self._pictures[cell] = self._patches.number(cells[cell])
        reading = self._filled_in(self._without_opened(reading))
        board = reading.board
        unread = frozenset(board.where(State.UNKNOWN))
        if len(unread) > _MOST_UNREAD_SHARE * grid.cells:
            return reading, frozenset()
        if not board.problems():
            self._note(reading, cells_in(changed))
        still = frozenset(cell for cell in unread & self._unread if not changed[cell])
        self._unread = unread
        # Where nothing is hidden, what cannot be read may have come with the end of the game.
        return reading, still if board.count(State.HIDDEN) else frozenset()

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
        self._hidden.clear()

    def learned(self, behaviour: Behaviour, titles: Sequence[str]) -> Learned | None:
        """Return what was confirmed and is new; None if that is too little to know the client by.

        Args:
            behaviour: How the client behaves, as far as that was seen.
            titles: The titles that its window had.
        """
        known, place = self._known.templates, self._grid
        if place is None or (known and cell_size(place) != self._known.cell):
            return None
        why = {name: self._why(name, shown.total()) for name, shown in self._states.items()}
        labels = labels_of(self._patches, self._states, why, known)
        names = {label.state for label in labels} | {NAME_OF_STATE[template.state] for template in known}
        if not labels or any(name not in names for name in NEEDED):
            return None
        unmet = [name for name in STATE_NAMES if name not in names]
        title = lasting_title(titles)
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

    def _filled_in(self, reading: Reading) -> Reading:
        """Return a reading with those unread cells filled in that this run knows, unless most are unread."""
        unread = reading.board.where(State.UNKNOWN)
        if not unread or len(unread) > _MOST_COVERED_SHARE * reading.grid.cells:
            return reading
        known = {cell: state for cell in unread if (state := self._state_of(cell)) is not None}
        self._mines = self._mines_shown(reading)
        return _with(reading, known | self._mines)

    def _without_opened(self, reading: Reading) -> Reading:
        """Return a reading without cells that were taken for hidden ones, but look unlike what they were while hidden.

        Each is unread, or a zero if all around it is open: so a single zero is told, which looks much like a hidden
        cell. Where most hidden cells have changed, it is the light that has.
        """
        board = reading.board
        if reading.phase is Phase.FRESH:
            self._hidden.clear()
        hidden = board.where(State.HIDDEN)
        before = {cell: self._hidden.setdefault(cell, int(self._pictures[cell])) for cell in hidden}
        odd = [cell for cell in hidden if not self._looks_as(before[cell], int(self._pictures[cell]))]
        if not odd or len(odd) > _MOST_COVERED_SHARE * len(hidden):
            return reading
        without = _with(reading, dict.fromkeys(odd, int(State.UNKNOWN)))
        closed = around(without.board.cells >= State.HIDDEN)
        zeros = _with(without, {cell: 0 for cell in odd if not closed[cell]})
        return without if zeros.board.problems() else zeros

    def _looks_as(self, picture: int, other: int) -> bool:
        """Whether two pictures show the same, or one with the frame of the keyboard focus."""
        patches = self._patches
        alike = picture == other or patches.are_alike(picture, other)
        return alike or differ_by_frame(patches[picture], patches[other])

    def _state_of(self, cell: Cell) -> int | None:
        """Return what an unread cell shows that looks just like cells that were read in this run; None if unknown."""
        states = self._told[int(self._pictures[cell])]
        (state, times), *others = states.most_common(2) or [(State.UNKNOWN, 0)]
        return state if times >= EVIDENCE.witnesses and not others else None

    def _mines_shown(self, reading: Reading) -> dict[Cell, int]:
        """Return the unread cells that show mines: hidden ones that have changed together, and are most likely mines.

        Each alone may be anything, but only a lost game changes many hidden cells at once into what agrees with the
        numbers as mines.
        """
        told, chances = reading.seen.told, reading.seen.chances
        if told is None or chances is None or (told.broken >= 1).any():
            return {}
        are_mines = chances[..., list(_MINES)].sum(axis=2) >= _LIKELY
        shown = [it for it in reading.board.where(State.UNKNOWN) if are_mines[it] and self._last[it] == State.HIDDEN]
        sure = {cell: told.likeliest[cell] == State.EXPLODED and told.chances[cell] >= _LIKELY for cell in shown}
        mines = {cell: int(State.EXPLODED if hit else State.MINE) for cell, hit in sure.items()}
        return mines if len(mines) >= EVIDENCE.witnesses else {}

    def _note(self, reading: Reading, changed: Sequence[Cell]) -> None:
        """Add the pictures of cells that have changed to what is known of the game."""
        states, chances = reading.board.cells, reading.seen.chances
        self._last = np.where(states == State.UNKNOWN, self._last, states)
        sure = np.zeros(states.shape, np.bool_)
        if chances is not None:
            sure = (chances.argmax(axis=2) == states) & (chances.max(axis=2) >= _SURE_CHANCE)
        if reading.phase is Phase.FRESH:
            self._game.clear()
        mines = Counter(int(self._pictures[cell]) for cell in self._mines)
        for cell in changed:
            state = int(states[cell])
            picture = int(self._pictures[cell])
            is_shown = state == State.MINE and mines[picture] >= EVIDENCE.times  # the one that was hit is alone
            if state <= State.HIDDEN or is_shown or (state != State.UNKNOWN and sure[cell]):
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


def _with(reading: Reading, states: Mapping[Cell, int]) -> Reading:
    """Return a reading with other states of some cells."""
    if not states:
        return reading
    cells = reading.board.cells.copy()
    for cell, state in states.items():
        cells[cell] = state
    board = Board(cells, reading.board.mines)
    return replace(reading, board=board, phase=board.phase())


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
