"""What was not met while a client was learned, learned in play: numbers that are rare, and how many mines there are.

A cell that was hidden, was opened, and then looks like nothing known shows a number that was not met, or a look of a
number that was not, as on the other ground of a chequered board. It is played around like any unknown cell until the
rules of the game leave one number for all cells of its look, of all that were seen of it: in the end, when every mine
is known, they do. Only then the look is added to the user's calibration.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, UNOPENED, LabelConstraints, Record
from sweepbot.calibrate.labels.patches import Looks, PatchStore
from sweepbot.calibrate.labels.thresholds import LIKENESS
from sweepbot.calibrate.writing.write import add_level, add_state
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.pictures.cutting import cut, rectified
from sweepbot.vision.reader import Reading

_MOST_AT_ONCE = 4
"""Unknown looks that may come at one look: more than that is something in front of the board."""

_FIRST_LOOK = 100
"""Looks that are not known are numbered from here; those that are known by their number."""


@dataclass(slots=True)
class _Game:
    """What was seen of the game now being played.

    Attributes:
        hidden: Cells that were hidden when last they could be read.
        numbers: What open cells showed when last they could be read.
        strange: The picture of each opened cell that looks like nothing known.
        steady: Those of these cells that were seen so twice.
    """

    hidden: set[Cell] = field(default_factory=set)
    numbers: dict[Cell, int] = field(default_factory=dict)
    strange: dict[Cell, int] = field(default_factory=dict)
    steady: set[Cell] = field(default_factory=set)


class InPlayLearner:
    """Learns the numbers, and the mines of boards, that a calibration lacks, while a player plays with it.

    Args:
        calibration: The calibration; what is learned is written to the user's own copy of it.
        tell: Told in words what was learned.
    """

    def __init__(self, calibration: Calibration, tell: Callable[[str], None]) -> None:
        self._calibration = calibration
        self._tell = tell
        self._unmet = {state for state in calibration.unmet if state < State.HIDDEN}
        # A mine that was hit must be known for what it is, or it might be taken for a number: then nothing is learned.
        self._able = State.EXPLODED not in calibration.unmet
        self._patches = PatchStore()
        self._looks = Looks(self._patches, LIKENESS.look_steps_levels[0])
        self._game = _Game()
        self._records: list[Record] = []
        self._learned: dict[int, int] = {}

    def study(self, image: NDArray[uint8], reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """What a picture shows, given what was learned meanwhile.

        Args:
            image: A picture that rests, uint8 array of shape (height, width, 3).
            reading: What was made of it; its grid is in pixels of the picture.

        Returns:
            The reading with the numbers filled in that were learned, and the cells that are open but still unknown,
            or that were opened by the end of a game.
        """
        if not (self._calibration.unmet or self._learned):
            return reading, frozenset()
        self._notice_new_game(reading.board)
        reading = self._remembered(reading)
        self._notice_strangers(image, reading)
        self._conclude(reading)
        cells = reading.board.cells.copy()
        for cell, picture in self._game.strange.items():
            number = self._game.numbers.get(cell, self._learned.get(self._looks.of(picture)))
            if number is not None:
                cells[cell] = self._game.numbers[cell] = number
        unknown = frozenset(cell for cell in self._game.strange if cells[cell] == State.UNKNOWN)
        unknown |= self._shown_at_the_end(reading)
        return replace(reading, board=Board(cells, reading.board.mines), phase=self._phase(cells, reading)), unknown

    def count(self, level: Level) -> None:
        """Add how many mines boards of a size have."""
        self._calibration = add_level(self._calibration, level)
        size = f"{level.columns}x{level.rows} cells"
        self._tell(f"learned that boards of {size} have {level.mines} mines; written to {self._calibration.path}")

    def _notice_new_game(self, board: Board) -> None:
        opened = self._game.strange.keys() | self._game.numbers.keys()
        if any(board[cell] == State.HIDDEN for cell in opened) or board.phase() is Phase.FRESH:
            self._game = _Game()
        self._game.hidden.update(board.where(State.HIDDEN, State.FLAG, State.QUESTION))
        numbers = board.where(*range(State.HIDDEN))
        self._game.hidden.difference_update(numbers)
        self._game.numbers.update((cell, board[cell]) for cell in numbers)

    def _remembered(self, reading: Reading) -> Reading:
        """The reading with what open cells have shown before, where some cannot be read any more: no number changes.

        A line around hidden cells may go, and leave a look that was never met.
        """
        unread = [cell for cell in reading.board.where(State.UNKNOWN) if cell in self._game.numbers]
        if not 0 < len(unread) <= _MOST_AT_ONCE:
            return reading
        cells = reading.board.cells.copy()
        for cell in unread:
            cells[cell] = self._game.numbers[cell]
        return replace(reading, board=Board(cells, reading.board.mines))

    def _notice_strangers(self, image: NDArray[uint8], reading: Reading) -> None:
        """Take down the cells that were opened and look like nothing known."""
        unread = reading.board.where(State.UNKNOWN)
        for cell in self._game.strange.keys() - unread:  # it was seen in the middle of a change
            del self._game.strange[cell]
            self._game.steady.discard(cell)
        new = [cell for cell in unread if cell not in self._game.strange]
        if len(new) > _MOST_AT_ONCE or not self._game.hidden.issuperset(new) or (new and reading.over):
            return
        pictures = self._pictures(image, reading, unread)
        for cell, picture in pictures.items():
            if self._game.strange.get(cell) == picture:
                self._game.steady.add(cell)
            self._game.strange[cell] = picture
        self._looks.add(pictures.values())
        # What was two looks may have become one, under the name of either.
        self._learned = {self._looks.of(look): number for look, number in self._learned.items()}

    def _shown_at_the_end(self, reading: Reading) -> frozenset[Cell]:
        """The closed cells that the end of a game has shown with a look that was never met; nothing is learned of them.

        A client may open all cells then. The mines that it shows speak for the end: more of them than such cells. Where
        nobody has met mines but the one that was hit, the others are among such cells.
        """
        shown = self._game.hidden.intersection(reading.board.where(State.UNKNOWN))
        mines = reading.board.count(State.MINE, State.EXPLODED)
        if mines and State.MINE in self._calibration.unmet:
            mines = reading.board.mines or mines
        return frozenset(shown) if reading.over and len(shown) < mines else frozenset()

    def _pictures(self, image: NDArray[uint8], reading: Reading, cells: list[Cell]) -> dict[Cell, int]:
        if not cells:
            return {}
        grid = reading.grid
        which = np.array([cell.row * grid.columns + cell.column for cell in cells])
        cut_out = cut(rectified(image, grid, self._calibration.cell_at(grid.pitch)), (grid.rows, grid.columns), which)
        return {cell: self._patches.number(picture) for cell, picture in zip(cells, cut_out, strict=True)}

    def _conclude(self, reading: Reading) -> None:
        """Learn what the rules leave one number for."""
        looks = {self._looks.of(self._game.strange[cell]) for cell in self._game.steady} - self._learned.keys()
        if not looks or not self._able:
            return
        record = self._record(reading)
        try:
            knowledge = LabelConstraints.of([*self._records, record], {number: 1 << number for number in range(9)})
            knowledge.probe_looks(_FIRST_LOOK + look for look in looks)
        except ImpossibleBoardError:
            return  # something else than a number is among them
        for look in looks:
            number = knowledge.number_of(_FIRST_LOOK + look)
            if number is not None:
                self._learn(look, number)
        if reading.over:
            self._records.append(record)

    def _record(self, reading: Reading) -> Record:
        """The position for the rules."""
        cells = reading.board.cells
        looks = np.where(cells < State.HIDDEN, cells.astype(np.intp), UNOPENED)
        for cell, picture in self._game.strange.items():
            look = self._looks.of(picture)
            looks[cell] = self._learned.get(look, _FIRST_LOOK + look)
        mines = np.where(looks == UNOPENED, UNDECIDED, SAFE).astype(np.int8)
        shown = np.isin(cells, (State.MINE, State.EXPLODED))
        mines[shown] = MINE
        mines[cells == State.WRONG_FLAG] = SAFE
        if self._phase(np.where(looks == UNOPENED, cells, 0).astype(uint8), reading) is Phase.WON:
            mines[looks == UNOPENED] = MINE
        elif shown.any() and (shown | (cells == State.FLAG)).sum() == reading.board.mines:
            mines[(looks == UNOPENED) & (cells == State.FLAG)] = MINE
            mines[(looks == UNOPENED) & (mines == UNDECIDED)] = SAFE
        return Record(looks, mines)

    def _phase(self, cells: NDArray[uint8], reading: Reading) -> Phase:
        """How far the game is, strange cells counted as open."""
        cells = cells.copy()
        for cell in self._game.strange:
            if cells[cell] == State.UNKNOWN:
                cells[cell] = 0
        flags_to_win = bool(self._calibration.behaviour.flags_to_win)
        return Board(cells, reading.board.mines).phase(flags_to_win=flags_to_win)

    def _learn(self, look: int, number: int) -> None:
        pictures: list[Image] = [self._patches[picture] for picture in self._looks.all()[look]]
        self._calibration = add_state(
            self._calibration, str(number), pictures[0], "learned in play: no other number is consistent"
        )
        self._learned[look] = number
        new = f"{number}, which had" if number in self._unmet else f"a look of {number} that had"
        self._unmet.discard(number)
        self._tell(f"learned {new} not been met; written to {self._calibration.path}")
