"""Remembering a client while it is played: its cells' pictures, what they were read as, and how its games end.

What cannot be read but looks just like what was read is filled in; what the ends of games confirm becomes templates.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from msgspec import structs

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State, around, cells_in
from sweepbot.calibrate.beliefs.inference import infer
from sweepbot.calibrate.beliefs.log import PlayedGame, Shown
from sweepbot.calibrate.beliefs.patches import Looks, PatchStore, differ_by_frame
from sweepbot.calibrate.beliefs.titles import lasting_title
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Learned
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of, to_the_pixel
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.calibrate.writing.write import add_level
from sweepbot.errors import CalibrationError
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.trace.events import Ended, Event
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_SURE_CHANCE = 0.98  # by the network, of a state that no number proves
_MAX_UNREAD_SHARE = 0.1  # of a board's cells: if more are unread, something is in front of it
_MAX_ODD_SHARE = 0.9  # of the cells that are read as hidden: if more have changed, no click has done so


def is_lacking(calibration: Calibration) -> bool:
    """Whether a client has states that were not met yet; they are read at first sight, and learned in play."""
    return not calibration.templates or bool(calibration.unmet)


@dataclass(slots=True)
class _Game:
    """What a game has shown so far, and how many cells its first click has opened; None if that was not seen."""

    shown: set[Shown] = field(default_factory=set)
    opened_first: int | None = None


class Memory:
    """What the games of one client have shown, beyond what its calibration has.

    Args:
        calibration: What is known of the client.
        tell: Called with messages on what was learned.
        until_known: Whether to play only until games bring nothing new.
    """

    def __init__(self, calibration: Calibration, tell: Callable[[str], None], *, until_known: bool = False) -> None:
        self._known = calibration
        self._tell = tell
        self._until_known = until_known
        self._patches = PatchStore()
        self._place: Grid | None = None  # as it is read
        self._lines: Grid | None = None  # the same to the pixel
        self._grid: Grid | None = None  # of the last picture
        self._cells: Image | None = None  # of the last picture, of shape (rows, columns, height, width, 3)
        self._last = np.zeros((0, 0), np.uint8)  # what each cell showed when it was read last
        self._pictures = np.zeros((0, 0), np.intp)  # the number of each cell's picture
        self._hidden: dict[Cell, int] = {}  # the picture of each cell while it was hidden, since no cell was open last
        self._mines: Mapping[Cell, int] = {}  # those that the end of the game has shown together
        self._unread: frozenset[Cell] = frozenset()
        self._read_as: dict[int, Counter[int]] = defaultdict(Counter)  # what each picture was, in how many cells
        self._game = _Game()
        self._last_game: _Game | None = None  # whose end is not told yet, though a new board is shown
        self._log: list[PlayedGame] = []
        self._names: set[str] = set()  # of the states that games have confirmed
        self._idle = 0  # the last games in a row that have confirmed no further state

    @property
    def is_finished(self) -> bool:
        """Whether nothing more is to be learned, if the client is played for that only."""
        return self._until_known and (self._names >= STATE_NAMES.keys() or self._idle >= EVIDENCE.idle_games)

    def study(self, image: Image, reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """Note what a picture at rest shows; `reading` is in its pixels.

        Returns:
            The reading, with cells filled in that look just like others, or show the mines of a lost game; and the few
            unread ones without which play goes on, as a second look at them was no better.
        """
        if not is_lacking(self._known):
            return reading, frozenset()
        if self._place != reading.grid:
            self._place, self._lines = reading.grid, to_the_pixel(image, reading.grid)
        grid = self._lines or reading.grid
        cells = cells_of(image, grid)
        if not _is_like(self._grid, grid):  # pictures of cells of other sizes are no help
            self._patches, self._read_as, self._cells = PatchStore(), defaultdict(Counter), None
            self._log.clear()
            self._hidden.clear()
            self._game, self._last_game = _Game(), None
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
        if len(unread) > _MAX_UNREAD_SHARE * grid.cells:
            return reading, frozenset()
        if not board.problems():
            self._note(reading, cells_in(changed))
        still = frozenset(cell for cell in unread & self._unread if not changed[cell])
        self._unread = unread
        # Where nothing is hidden, what cannot be read may have come with the end of the game.
        return reading, still if board.count(State.HIDDEN) else frozenset()

    def count(self, level: Level) -> None:
        """Add to a calibration how many mines boards of a size have; those of a new client follow from its log."""
        if not self._known.templates:
            return
        try:
            self._known = add_level(self._known, level)
            kept = f"written to {self._known.path}"
        except CalibrationError as error:
            kept = f"not written: {error} ({error.hint})"
        self._tell(f"learned that boards of {level.columns}x{level.rows} cells have {level.mines} mines; {kept}")

    def observe(self, event: Event) -> None:
        """Take in how a game has ended."""
        if not isinstance(event, Ended) or not is_lacking(self._known):
            return
        cells = Board.parse("\n".join(event.board)).cells
        if cells.shape == self._last.shape:  # what has come up over a number has not changed it
            cells = np.where((cells == State.UNKNOWN) & (self._last < State.HIDDEN), self._last, cells)
        game = self._last_game or self._game
        board, shown = Board(cells, event.total), frozenset(game.shown)
        self._log.append(PlayedGame(shown, board, event.result, game.opened_first, event.misreads))
        if self._last_game is None:
            self._game = _Game()
        self._last_game = None
        names = set(infer(self._log).states)
        self._idle = self._idle + 1 if names <= self._names else 0
        self._names |= names

    def learned(self, behaviour: Behaviour, titles: Sequence[str]) -> Learned | None:
        """Return what was confirmed and is new; None if that is too little to know the client by.

        Args:
            behaviour: How the client behaves, as far as that was seen.
            titles: The titles that its window had.
        """
        known, place, beliefs = self._known.templates, self._grid, infer(self._log)
        if place is None or (known and cell_size(place) != self._known.cell):
            return None
        why = {name: beliefs.why(name) for name in beliefs.states}
        labels = labels_of(self._patches, beliefs.states, why, known)
        names = {label.state for label in labels} | {NAME_OF_STATE[template.state] for template in known}
        if not labels or any(name not in names for name in NEEDED):
            return None
        title = lasting_title(titles)
        (total,) = beliefs.totals if len(beliefs.totals) == 1 else (None,)
        return Learned(
            place=place,
            labels=labels,
            open_questions=[],
            behaviour=structs.replace(
                behaviour,
                first_click=behaviour.first_click or beliefs.first_click,
                flags_to_win=False if beliefs.ends_by_itself else None,
                deal_interval_ms=DEAL_INTERVAL_MS,
            ),
            levels={} if total is None else {"remembered": f"{place.columns}x{place.rows}/{total}"},
            totals=beliefs.totals,
            titles=(title,) if title else (),
            games=beliefs.games,
            not_missed=frozenset(names),
        )

    def why_nothing(self) -> str:
        """Return why the client is not known yet, in words."""
        beliefs = infer(self._log)
        if beliefs.contradicting > beliefs.games:
            return f"{beliefs.contradicting} games ended with numbers that contradict the mines shown"
        if not beliefs.games:
            return "no game has ended yet that proves what its cells show"
        missing = [name for name in NEEDED if name not in beliefs.states]
        return f"no game has confirmed what {', '.join(missing) or 'its cells'} look like"

    def _filled_in(self, reading: Reading) -> Reading:
        """Return a reading with those unread cells filled in that this run knows."""
        unread = reading.board.where(State.UNKNOWN)
        if not unread:
            return reading
        known = {cell: state for cell in unread if (state := self._state_of(cell)) is not None}
        self._mines = self._mines_shown(reading)
        return _with(reading, known | self._mines)

    def _without_opened(self, reading: Reading) -> Reading:
        """Return a reading without cells that were taken for hidden ones, but look unlike what they were while hidden.

        Each is unread, or a zero if nothing around it looks hidden: so zeros are told, which may look much like hidden
        cells. Where nearly all hidden cells have changed, it is the light, or the board has moved by a pixel.
        """
        board = reading.board
        if reading.phase is Phase.FRESH and not reading.unread:
            self._hidden.clear()
        hidden = board.where(State.HIDDEN)
        before = {cell: self._hidden.setdefault(cell, int(self._pictures[cell])) for cell in hidden}
        odd = [cell for cell in hidden if not self._looks_as(before[cell], int(self._pictures[cell]))]
        if not odd or sum(before[it] != self._pictures[it] for it in hidden) > _MAX_ODD_SHARE * len(hidden):
            return reading
        without = _with(reading, dict.fromkeys(odd, int(State.UNKNOWN)))
        closed = around(_with(reading, dict.fromkeys(odd, 0)).board.cells >= State.HIDDEN)
        zeros = _with(without, {cell: 0 for cell in odd if not closed[cell]})
        return without if zeros.board.problems() else zeros

    def _looks_as(self, picture: int, other: int) -> bool:
        """Whether two pictures show the same, or one with the frame of the keyboard focus."""
        alike = picture == other or self._patches.are_alike(picture, other)
        return alike or differ_by_frame(self._patches[picture], self._patches[other])

    def _state_of(self, cell: Cell) -> int | None:
        """Return what an unread cell shows that looks just like cells that were read in this run; None if unknown."""
        states = self._read_as[int(self._pictures[cell])]
        (state, times), *others = states.most_common(2) or [(State.UNKNOWN, 0)]
        return state if times >= EVIDENCE.witnesses and not others else None

    def _mines_shown(self, reading: Reading) -> dict[Cell, int]:
        """Return the unread cells that show mines, as every number has as many of them around it as it says.

        Each alone may be anything, but only the end of a game changes many hidden cells at once into what looks alike,
        all but the mine that was hit.
        """
        cells = [it for it in reading.board.where(State.UNKNOWN) if self._last[it] == State.HIDDEN]
        looks = Looks(self._patches, {int(self._pictures[cell]) for cell in cells}).all()
        look_of = {picture: look for look, pictures in looks.items() for picture in pictures}
        counts = Counter(look_of[int(self._pictures[cell])] for cell in cells)
        alone = [cell for cell in cells if counts[look_of[int(self._pictures[cell])]] < EVIDENCE.times]
        if len(alone) > 1 or len(cells) < EVIDENCE.witnesses:
            return {}
        mines = {cell: int(State.EXPLODED if cell in alone else State.MINE) for cell in cells}
        board = _with(reading, mines).board
        is_mine = np.isin(board.cells, (State.MINE, State.EXPLODED, State.FLAG))
        agrees = (around(is_mine) == board.cells)[board.cells < State.HIDDEN]
        return mines if agrees.size and agrees.all() else {}

    def _note(self, reading: Reading, changed: Sequence[Cell]) -> None:
        """Add the pictures of cells that have changed to what is known of the game."""
        states, chances = reading.board.cells, reading.seen.chances
        was_fresh = bool((self._last == State.HIDDEN).all())
        self._last = np.where(states == State.UNKNOWN, self._last, states)
        sure = np.zeros(states.shape, np.bool_)
        if chances is not None:
            sure = (chances.argmax(axis=2) == states) & (chances.max(axis=2) >= _SURE_CHANCE)
        if reading.phase is Phase.FRESH:
            if any(it.state != State.HIDDEN for it in self._game.shown):
                self._last_game = self._game
            self._game = _Game()
        elif was_fresh:
            self._game.opened_first = int((states < State.HIDDEN).sum())
        mines = Counter(int(self._pictures[cell]) for cell in self._mines)
        for cell in changed:
            state, picture = int(states[cell]), int(self._pictures[cell])
            is_shown = state == State.MINE and mines[picture] >= EVIDENCE.times  # the one that was hit is alone
            if state <= State.HIDDEN or is_shown or (state != State.UNKNOWN and sure[cell]):
                self._game.shown.add(Shown(cell, state, picture, reading.over))
                self._read_as[picture][state] += 1


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
