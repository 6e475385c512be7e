"""Learning in play what a calibration lacks: rare numbers, and the number of mines.

A hidden cell that is opened and then looks like nothing known shows a new number, or a new look of a known number, as
on the other colour of a chequered board. Play goes on around it as around any unknown cell, and what is seen is
added to a log like that of a learning run. Once the rules leave only one number for the look, at the latest when every
mine is known, it is added to the user's calibration.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.log import Began, Opened, Read, Withdrawn
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.writing.write import add, add_level
from sweepbot.geometry import Cell
from sweepbot.level import Level
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.pictures.board import apart
from sweepbot.vision.reading import Reading

_MOST_UNKNOWN = 4
"""Unknown cells that may appear at once; if there are more, something is in front of the board."""


@dataclass(slots=True)
class _Game:
    """What was seen of the current game.

    Attributes:
        hidden: Cells that were hidden when they were last read.
        numbers: What open cells showed when they were last read.
        strange: The picture of each opened cell that looks like nothing known.
        steady: Those of them that were seen twice.
        logged: What the log says of the game; None until an unknown look has appeared.
        is_kept: Whether the log keeps the game, as something was learned from it, or its end was seen.
    """

    hidden: set[Cell] = field(default_factory=set)
    numbers: dict[Cell, int] = field(default_factory=dict)
    strange: dict[Cell, int] = field(default_factory=dict)
    steady: set[tuple[Cell, int]] = field(default_factory=set)
    logged: tuple[Opened, Read] | None = None
    is_kept: bool = False


class InPlayLearner:
    """Learns the numbers, and the mines of boards, that a calibration lacks, while it is played with."""

    def __init__(self, calibration: Calibration, tell: Callable[[str], None]) -> None:
        self._calibration = calibration
        self._tell = tell
        self._is_needed = bool(calibration.unmet)
        # If the look of a hit mine is unknown, it might be taken for a number, so no numbers are learned.
        self._can_learn = State.EXPLODED not in calibration.unmet
        self._size: tuple[int, int] | None = None  # width and height to which cells are scaled
        self._belief = Belief(PatchStore())
        self._game = _Game()
        self._written: set[int] = set()

    def study(self, image: NDArray[uint8], reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """Learn from a picture at rest, uint8 of shape (height, width, 3) in BGR order, and its reading, in its pixels.

        Returns:
            The reading with newly learned numbers filled in, and the cells that are open but still unknown, or that
            were opened by the end of the game.
        """
        if not self._is_needed:
            return reading, frozenset()
        size = self._calibration.cell_at(reading.grid.pitch)
        if size != self._size:  # the window was resized: earlier pictures cannot be compared with later ones
            self._size, self._belief, self._game, self._written = size, Belief(PatchStore()), _Game(), set()
        self._notice_new_game(reading.board)
        reading = self._with_remembered(reading)
        game = self._game
        self._notice_strangers(image, reading)
        opened = _with(reading.board, dict.fromkeys(game.strange, 0))
        phase = opened.phase(flags_to_win=bool(self._calibration.behaviour.flags_to_win))
        game.is_kept |= phase in (Phase.WON, Phase.LOST)
        self._note(reading.board, phase)
        for cell, picture in game.strange.items():
            number = self._belief.numbers.number_of(picture)
            if number is not None:
                game.numbers.setdefault(cell, number)
        numbers = {cell: game.numbers[cell] for cell in game.strange if cell in game.numbers}
        unknown = frozenset(game.strange.keys() - numbers.keys()) | self._shown_at_the_end(reading)
        return replace(reading, board=_with(reading.board, numbers), phase=phase), unknown

    def count(self, level: Level) -> None:
        """Add how many mines boards of a size have."""
        self._calibration = add_level(self._calibration, level)
        size = f"{level.columns}x{level.rows} cells"
        self._tell(f"learned that boards of {size} have {level.mines} mines; written to {self._calibration.path}")

    def _notice_new_game(self, board: Board) -> None:
        opened = self._game.strange.keys() | self._game.numbers.keys()
        if any(board[cell] == State.HIDDEN for cell in opened) or board.phase() is Phase.FRESH:
            if self._game.logged and not self._game.is_kept:  # a cell that seemed open may have been a pressed one
                self._belief.add(Withdrawn(contradicts=False))
            self._game = _Game()
        numbers = board.where(*range(State.HIDDEN))
        self._game.hidden.update(board.where(State.HIDDEN, State.FLAG, State.QUESTION))
        self._game.hidden.difference_update(numbers)
        self._game.numbers.update((cell, board[cell]) for cell in numbers)

    def _with_remembered(self, reading: Reading) -> Reading:
        """Return the reading with the earlier numbers of cells that cannot be read any more, as numbers never change.

        A cell may get a new look when a line around its hidden neighbours disappears.
        """
        numbers = self._game.numbers
        unread = {cell: numbers[cell] for cell in reading.board.where(State.UNKNOWN) if cell in numbers}
        return replace(reading, board=_with(reading.board, unread)) if 0 < len(unread) <= _MOST_UNKNOWN else reading

    def _notice_strangers(self, image: NDArray[uint8], reading: Reading) -> None:
        """Note the cells that were opened and look like nothing known."""
        game, unread = self._game, reading.board.where(State.UNKNOWN)
        # Those that can be read now were seen in the middle of a change.
        game.strange = {cell: picture for cell, picture in game.strange.items() if cell in unread}
        new = [cell for cell in unread if cell not in game.strange]
        are_opened = len(new) <= _MOST_UNKNOWN and game.hidden.issuperset(new) and not (new and reading.over)
        if unread and are_opened and self._size is not None:
            grid, patches, before = reading.grid, self._belief.log.patches, game.strange
            which = np.array([cell.row * grid.columns + cell.column for cell in unread])
            cells = apart(grid.rectify(image, self._size), self._size)[which]
            game.strange = {cell: patches.number(picture) for cell, picture in zip(unread, cells, strict=True)}
            game.steady |= before.items() & game.strange.items()
        game.steady &= game.strange.items()

    def _shown_at_the_end(self, reading: Reading) -> frozenset[Cell]:
        """Return the closed cells that the end of a game has shown with an unknown look; none of these is learned.

        A client may open all cells at the end. It counts as the end if there are more mines than such cells. If mines
        other than the one that was hit are unknown, they are among such cells.
        """
        shown = self._game.hidden.intersection(reading.board.where(State.UNKNOWN))
        mines = reading.board.count(State.MINE, State.EXPLODED)
        if mines and State.MINE in self._calibration.unmet:
            mines = reading.board.mines or mines
        return frozenset(shown) if reading.over and len(shown) < mines else frozenset()

    def _note(self, board: Board, phase: Phase) -> None:
        """Add what is new to the log, and learn the looks for which the rules now leave only one number."""
        game, numbers = self._game, self._belief.numbers
        if not self._can_learn or all(numbers.number_of(picture) is not None for _, picture in game.steady):
            return
        known = [(cell, number) for cell, number in game.numbers.items() if cell not in game.strange]
        seen = Opened(tuple(sorted(game.steady))), Read(tuple(known), *_mines(board, phase, game.strange.keys()))
        if seen == game.logged:
            return
        for entry in seen if game.logged else (Began((board.rows, board.columns)), *seen):
            self._belief.add(entry)
        game.logged = seen
        self._belief.conclude()
        for look, pictures in numbers.looks.all().items():
            number = numbers.number_of(look)
            if number is not None and not self._written.intersection(pictures):
                unmet, why = number in self._calibration.unmet, "learned in play: no other number is consistent"
                label = Label(str(number), [self._belief.log.patches[pictures[0]]], why)
                self._calibration = add(self._calibration, [label])
                new = f"{number}, which had" if unmet else f"a look of {number} that had"
                self._tell(f"learned {new} not been met; written to {self._calibration.path}")
                game.is_kept = True
            self._written.update(pictures if number is not None else ())


def _with(board: Board, numbers: Mapping[Cell, int]) -> Board:
    """Return a board with numbers put on some of its cells."""
    cells = board.cells.copy()
    for cell, number in numbers.items():
        cells[cell] = number
    return Board(cells, board.mines)


def _mines(board: Board, phase: Phase, opened: Collection[Cell]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the cells that hold a mine and the closed cells that do not; `opened` are unreadable but open."""
    closed = set(board) - set(board.where(*range(State.HIDDEN))) - set(opened)
    mines, safe = set(board.where(State.MINE, State.EXPLODED)), set(board.where(State.WRONG_FLAG))
    with_flags = mines.union(board.where(State.FLAG))
    if phase is Phase.WON:
        mines = closed
    elif mines and len(with_flags) == board.mines:  # there are no others
        mines, safe = with_flags, closed - with_flags
    return tuple(sorted(mines)), tuple(sorted(safe))
