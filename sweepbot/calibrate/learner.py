"""Playing a client that nobody has described, and learning its skin and its manners on the way."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import neighbours
from sweepbot.calibrate.ending import Ending, LastPicture, judge
from sweepbot.calibrate.notebook import Notebook, Sheet
from sweepbot.calibrate.place import Image
from sweepbot.calibrate.restart import Way, ways
from sweepbot.calibrate.rules import MINE, SAFE, UNDECIDED, UNOPENED, Knowledge
from sweepbot.calibrate.table import Table
from sweepbot.calibrate.touch import CarefulMouse
from sweepbot.desktop.mouse import Button
from sweepbot.errors import ImpossibleBoardError, StuckError, UntrustedReadingError
from sweepbot.geometry import Cell

Tell = Callable[[str], None]

_USUAL_DENSITY = 0.17
"""The share of mines that is assumed where no number speaks of a cell."""

_IDLE_GAMES = 3
"""After so many games that taught nothing new there is nothing more to learn."""

_FEWEST_GAMES = 4
"""No client has shown its ways before that."""

_MARK_TRIALS = 4
"""Right clicks without effect after which a client is thought to have no flags."""

_NOTHING = "no reaction"
"""The result of a game in which no click changed anything."""

_MOST_CONTRADICTIONS = 3
"""Games that may be left out because they contradict the rules."""

_CLOSING_KEYS = ("esc", "enter")
"""What takes away a dialog in front of the board."""

_RESTART_ATTEMPTS = 4
"""How often a known way to begin a new game is tried before others are sought."""

_HALF_OPEN = 0.3
"""The share of a board that is open before a game is lost on purpose: numbers must bear out what it shows."""

_ENOUGH_LOST = 3
"""Lost games after which none is lost on purpose: the client does not show more."""

_ENOUGH_SEEN = frozenset(range(5))
"""Numbers without which it goes on; the higher ones are rare."""


@dataclass(slots=True, eq=False)
class Scene:
    """A picture of the board, what its cells' pictures are, and the game that it is of, once that is known."""

    name: str
    image: Image
    pictures: NDArray[np.intp]
    hidden: NDArray[np.bool_]


@dataclass(slots=True)
class Manners:
    """What was observed of how the client behaves; None where it was not seen yet."""

    restart: list[Way] = field(default_factory=list)
    first_openings: list[int] = field(default_factory=list)
    question_marks: bool | None = None
    flags_protect: bool = False
    chord_button: Button | None = None
    chord_tried: bool = False
    flags_to_win: bool | None = None
    starts_open: bool = False
    keys_after: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Round:
    """One game while it is played."""

    flags: set[Cell] = field(default_factory=set)
    misflags: set[Cell] = field(default_factory=set)
    pending: dict[Cell, int] = field(default_factory=dict)
    clicked: Cell | None = None
    known: NDArray[np.int8] | None = None
    last: Scene | None = None
    pieces: set[int] = field(default_factory=set)
    concluded: bool = False
    opened: int = 0


class Learner:
    """Plays and learns.

    Args:
        table: The board.
        mouse: Where clicks beside the board, and keys, go.
        tell: Told in words what happens.
        rng: Chooses among cells that are equally good.
    """

    def __init__(self, table: Table, mouse: CarefulMouse, tell: Tell, rng: random.Random) -> None:
        self.table = table
        self.notebook = Notebook(table.album)
        self.manners = Manners()
        self.marks: dict[str, dict[int, int]] = {}
        """Pictures that show no number, by the name of what they show, each with how many cells showed it."""
        self.mines: int | None = None
        self.results: list[str] = []
        self.scenes: list[tuple[Scene, Sheet]] = []
        """The last picture of each game whose every cell is known."""
        self._mouse = mouse
        self._tell = tell
        self._rng = rng
        self._round = _Round()
        self._mark_trials = 0
        self._shown_on: dict[tuple[str, int], set[Cell]] = {}
        self._contradictions = 0
        self._rows, self._columns = table.place.rows, table.place.columns
        self._neighbours = neighbours(self._rows, self._columns)

    # ------------------------------------------------------------------ games

    def learn(self, max_games: int) -> None:
        """Play until nothing new comes, or so many games.

        Raises:
            StuckError: No new game can be begun.
            UntrustedReadingError: What is seen cannot come from Minesweeper.
            StoppedByUserError: A person took over.
        """
        self.manners.starts_open = not self.table.hidden_in(self.table.began).all()
        idle, before = 0, self._learned()
        for game in range(1, max_games + 1):
            if game > 1:
                self._restart()
            try:
                ending = self._play()
                self.notebook.conclude()
            except UntrustedReadingError:
                ending = self._abandoned()
            self._note(ending)
            learned = self._learned()
            idle = idle + 1 if learned == before else 0
            new = ", ".join(sorted(learned - before)) or "nothing new"
            self._tell(f"game {game}: {ending.result or 'ended'}; learned {new}")
            before = learned
            if game >= _FEWEST_GAMES and idle >= _IDLE_GAMES and self._has_enough():
                break

    def _abandoned(self) -> Ending:
        """Leave out a game that contradicts the rules: a client that was slow, or something in front of it.

        Raises:
            UntrustedReadingError: That happens too often, or the games before contradict themselves as well.
        """
        self._contradictions += 1
        if self._contradictions > _MOST_CONTRADICTIONS:
            self.notebook.conclude()
        ending = Ending(None, self.notebook.forget())
        self.notebook.conclude()
        self._round.last = None
        return ending

    def _learned(self) -> set[str]:
        numbers = {self.notebook.number_of(look) for look in self.notebook.looks.all()}
        return {str(number) for number in numbers if number is not None} | set(self.marks)

    def _has_enough(self) -> bool:
        learned = self._learned()
        return all(str(number) in learned for number in _ENOUGH_SEEN)

    def _play(self) -> Ending:
        """One game from its first click to its end."""
        self._round = _Round()
        self.notebook.sheets.append(Sheet.fresh(self._rows, self._columns))
        self._take([(cell, int(self.table.now[cell])) for cell in _cells(~self.table.hidden)])
        for cell in self._choices():
            if not self._open(cell):
                break
        return self._end()

    def _choices(self) -> Iterator[Cell]:
        """The cells to open one after the other; trials of the client's manners are made in between."""
        yield Cell(self._rows // 2, self._columns // 2) if not self._opened().any() else self._any_hidden()
        while True:
            knowledge = self._knowledge()
            mines = knowledge.mines(0)
            safe = self._clickable(mines == SAFE)
            if self._round.opened > 1:
                self._try_marks(mines)
                self._try_chord(mines)
                if self._is_time_to_lose(mines):
                    mine = self._prepare_loss(mines)
                    if mine is not None:
                        yield mine
                        continue
            safe = [cell for cell in safe if self.table.hidden[cell]]
            if safe:
                yield from self._one_after_the_other(safe)
                continue
            unopened = self._unopened()
            if not unopened or all(mines[cell] == MINE for cell in unopened):
                if self._finish(unopened):
                    return
                yield self._any_hidden()
                continue
            yield self._guess(knowledge, mines)

    def _one_after_the_other(self, safe: list[Cell]) -> Iterator[Cell]:
        for cell in safe:
            if self.table.hidden[cell]:
                yield cell

    def _knowledge(self) -> Knowledge:
        """What is known of the current game, the pending cells included as far as they make sense."""
        with suppress(ImpossibleBoardError):  # the last click may have been the end, and what it shows no numbers
            return self._probed(self._knowledge_of(self._round.pending))
        with suppress(ImpossibleBoardError):
            return self._probed(self._knowledge_of({}))
        self.notebook.conclude()
        return self._knowledge_of({})

    def _probed(self, knowledge: Knowledge) -> Knowledge:
        """The same, thought over harder and harder while no cell is known to be safe."""
        if self._clickable(knowledge.mines(0) == SAFE):
            return knowledge
        knowledge.probe_cells(0)
        if self._clickable(knowledge.mines(0) == SAFE) or self._round.concluded or self._round.pending:
            return knowledge
        self.notebook.conclude()
        self._round.concluded = True
        knowledge = self._knowledge_of({})
        knowledge.probe_cells(0)
        return knowledge

    def _knowledge_of(self, pending: dict[Cell, int]) -> Knowledge:
        """What follows from the current game and some cells that were opened just now.

        Raises:
            ImpossibleBoardError: They contradict what is known.
        """
        record = self.notebook.record(self.notebook.sheet)
        for cell, picture in pending.items():
            known = picture in self.notebook.looks
            record.open(cell, self.notebook.looks.of(picture) if known else -2 - picture)
        return Knowledge.of([record], self.notebook.meanings)

    def _known(self) -> NDArray[np.int8]:
        """What is known of each cell, as far as it makes sense."""
        for pending in (self._round.pending, {}):
            with suppress(ImpossibleBoardError):
                return self._knowledge_of(pending).mines(0)
        return self.notebook.sheet.mines.copy()

    # ------------------------------------------------------------------ clicks

    def _open(self, cell: Cell) -> bool:
        """Open a cell, or another one where it does not react; False where the game is over.

        It is over where nothing reacts any more, and where a click changes cells that were open already: then
        something came in front of them.
        """
        elsewhere = [other for other in self._unopened() if other != cell and self.table.hidden[other]]
        others = self._rng.sample(elsewhere, min(1, len(elsewhere)))
        for target in (cell, cell, *others, *others):
            known = self._known()
            before = self.table.now
            changed = self.table.click(target, "left")
            if (changed & self._opened()).any():  # a board may flash when a game is lost
                self.table.look_patiently()
                changed = self.table.now != before
            if not changed.any():
                continue
            self._confirm_pending()
            if not self._round.opened:
                self.manners.first_openings.append(int(changed.sum()))
            self._round.opened += int(changed.sum())
            self._round.clicked, self._round.known = target, known
            self._round.pending = self._uncounted()
            self._round.last = self._scene("last")
            return not (changed & self._opened()).any()
        return False

    def _uncounted(self) -> dict[Cell, int]:
        """The cells that look open and were not taken down as such, whenever the client painted them."""
        marked = self._round.flags | self._round.misflags
        opened = _cells(~self.table.hidden & ~self._opened())
        return {cell: int(self.table.now[cell]) for cell in opened if cell not in marked}

    def _confirm_pending(self) -> None:
        """The board goes on: what the last click changed were open cells."""
        self._take(list(self._round.pending.items()))
        self._round.pending = {}

    def _take(self, cells: list[tuple[Cell, int]]) -> None:
        if self.notebook.open(cells):
            self._round.concluded = False

    def _scene(self, name: str) -> Scene:
        return Scene(name, self.table.image, self.table.now.copy(), self.table.hidden)

    # ------------------------------------------------------------------ cells

    def _opened(self) -> NDArray[np.bool_]:
        opened: NDArray[np.bool_] = self.notebook.sheet.pictures != UNOPENED
        return opened

    def _unopened(self) -> list[Cell]:
        """The cells that are neither open nor about to be known as such."""
        return [cell for cell in _cells(~self._opened()) if cell not in self._round.pending]

    def _clickable(self, mask: NDArray[np.bool_]) -> list[Cell]:
        marked = self._round.flags | self._round.misflags
        return [
            cell for cell in _cells(mask & ~self._opened()) if cell not in marked and cell not in self._round.pending
        ]

    def _any_hidden(self) -> Cell:
        cells = _cells(self.table.hidden)
        return self._rng.choice(cells) if cells else Cell(0, 0)

    def _guess(self, knowledge: Knowledge, mines: NDArray[np.int8]) -> Cell:
        """The cell that the numbers around it make least likely to be a mine."""
        chances: dict[Cell, float] = {}
        for cell in self._clickable(mines == UNDECIDED):
            chance = 0.0
            for other in self._neighbours[cell]:
                if self._opened()[other]:
                    look = self.notebook.looks.of(int(self.notebook.sheet.pictures[other]))
                    number = knowledge.number_of(look)
                    around = self._neighbours[other]
                    undecided = sum(not self._opened()[far] and mines[far] == UNDECIDED for far in around)
                    missing = (2 if number is None else number) - sum(mines[far] == MINE for far in around)
                    chance = max(chance, missing / max(1, undecided))
            chances[cell] = chance or _USUAL_DENSITY
        if not chances:
            return self._any_hidden()
        least = min(chances.values())
        return self._rng.choice([cell for cell, chance in chances.items() if chance <= least + 0.001])

    # ------------------------------------------------------------------ trials

    def _try_marks(self, mines: NDArray[np.int8]) -> None:
        """See what the right button makes of a hidden cell, click after click, until it looks hidden again."""
        if self.manners.question_marks is not None or self._mark_trials == _MARK_TRIALS:
            return
        cells = [cell for cell in self._clickable(mines == SAFE) if self.table.hidden[cell]]
        if not cells:
            return
        cell = cells[0]
        self._mark_trials += 1
        if not self.table.click(cell, "right")[cell]:  # no marks, or the game is over
            return
        self.manners.question_marks = False
        self._confirm_pending()
        flag = int(self.table.now[cell])
        self._mark("flag", flag)
        if self.table.click(cell, "right")[cell] and not self.table.hidden[cell]:
            self._mark("question", int(self.table.now[cell]))
            self.manners.question_marks = True
            self.table.click(cell, "right")
        if self.table.hidden[cell] and self._flag(cell):
            if self.table.click(cell, "left")[cell]:
                self._round.pending = {cell: int(self.table.now[cell])}
                return
            self.manners.flags_protect = True
            for _ in range(1 + self.manners.question_marks):
                self.table.click(cell, "right")
        if not self.table.hidden[cell]:
            self._round.misflags.add(cell)

    def _flag(self, cell: Cell) -> bool:
        """Flag a hidden cell; whether it shows a flag now."""
        if not self.table.hidden[cell] or not self.table.click(cell, "right")[cell]:
            return False
        self._confirm_pending()
        self._mark("flag", int(self.table.now[cell]))
        return True

    def _mark(self, state: str, picture: int) -> None:
        self.marks.setdefault(state, {}).setdefault(picture, 0)
        self.marks[state][picture] += 1

    def _try_chord(self, mines: NDArray[np.int8]) -> None:
        """Flag all mines around a number and see which button opens the rest around it."""
        if self.manners.chord_tried or "flag" not in self.marks:
            return
        for cell in _cells(self._opened()):
            around = [other for other in self._neighbours[cell] if not self._opened()[other]]
            to_flag = [other for other in around if mines[other] == MINE]
            safe = [other for other in around if mines[other] == SAFE and self.table.hidden[other]]
            if not safe or not to_flag or len(safe) + len(to_flag) != len(around):
                continue
            if any(other in self._round.pending for other in around) or self._round.flags.intersection(around):
                continue
            if not all(self._flag(other) for other in to_flag):
                return
            self._round.flags.update(to_flag)
            self.manners.chord_tried = True
            for button in ("middle", "left"):
                self.table.click(cell, button)
                opened = [other for other in safe if not self.table.hidden[other]]
                if opened:
                    self.manners.chord_button = button
                    self._take(list(self._uncounted().items()))
                    return
            return

    def _is_time_to_lose(self, mines: NDArray[np.int8]) -> bool:
        """Whether a lost game would teach more than this one going on: the board is half open, numbers are known."""
        lost = self.results.count("lost")
        unseen = "mine" not in self.marks or "wrong_flag" not in self.marks
        enough = self._opened().mean() > _HALF_OPEN and self.results
        tried = lost >= _ENOUGH_LOST
        return (
            unseen
            and bool(enough)
            and not tried
            and not self._round.misflags
            and len(self._clickable(mines == MINE)) > 1
        )

    def _prepare_loss(self, mines: NDArray[np.int8]) -> Cell | None:
        """Flag a cell that is no mine and one that is; the mine to be clicked, None where no cell can be flagged so."""
        safe = [cell for cell in self._clickable(mines == SAFE) if self.table.hidden[cell]]
        certain = [cell for cell in self._clickable(mines == MINE) if self.table.hidden[cell]]
        if not safe or len(certain) < 2 or "flag" not in self.marks:  # noqa: PLR2004
            return None
        if self._flag(safe[0]):
            self._round.misflags.add(safe[0])
        if self._flag(certain[0]):
            self._round.flags.add(certain[0])
        return certain[1]

    def _finish(self, unopened: list[Cell]) -> bool:
        """All but mines are open. Whether the game is over; where flags are needed, they are set."""
        hidden = [cell for cell in unopened if self.table.hidden[cell]]
        if not hidden or "flag" not in self.marks:
            return not hidden
        if not self._flag(hidden[0]):
            return True
        self._round.flags.add(hidden[0])
        if not hidden[1:]:
            return True
        for cell in hidden[1:]:
            if self._flag(cell):
                self._round.flags.add(cell)
        self.manners.flags_to_win = True
        self._round.last = self._scene("last")
        return True

    # ------------------------------------------------------------------ the end

    def _end(self) -> Ending:
        """Judge how the game ended."""
        last = self._round.last
        if last is None or self._round.clicked is None or self._round.known is None:
            if self.results[-2:] == [_NOTHING] * 2:
                raise StuckError("the board does not react to clicks", hint="is its window in front?")
            return Ending(None, self.notebook.forget())  # its first click, before the game began, was its last
        ending = judge(
            self.notebook,
            LastPicture(
                last.pictures,
                last.hidden,
                self._round.clicked,
                self._round.flags,
                self._round.misflags,
                self.marks.get("flag", {}),
            ),
            self._round.known,
        )
        covered = self._opened() & (last.pictures != self.notebook.sheet.pictures)
        self._round.pieces = {int(picture) for picture in last.pictures[covered]}
        if ending.result is not None:
            self._uncover(ending.result)
        self.notebook.sheets[-1] = ending.sheet
        return ending

    def _uncover(self, result: str) -> None:
        """Where something came in front of open cells at the end, find the keys that take it away again."""
        pressed: list[str] = []
        for key in ("", *_CLOSING_KEYS):
            if key:
                self.table.touch.press(key, self.table.around)
                self.table.look()
                pressed.append(key)
            covered = self._opened() & (self.table.now != self.notebook.sheet.pictures)
            if not covered.any():
                if len(pressed) > len(self.manners.keys_after.get(result, ())):
                    self.manners.keys_after[result] = pressed
                return

    def _note(self, ending: Ending) -> None:
        """Keep what the end has shown."""
        self.results.append(ending.result or ("ended" if self._round.last else _NOTHING))
        for state, cells in ending.shown.items():
            for cell, picture in cells:
                if self._is_believed(state, cell, picture):
                    self._mark(state, picture)
        if ending.result == "won" and self.manners.flags_to_win is None:
            self.manners.flags_to_win = False
        if ending.mines is not None:
            self.mines = ending.mines
        if ending.complete and self._round.last is not None:
            self.scenes.append((self._round.last, ending.sheet))

    def _is_believed(self, state: str, cell: Cell, picture: int) -> bool:
        """Whether a cell shows its state at the end of a game, and not a piece of a dialog in front of it.

        A dialog covers open cells too, and each cell with another piece. So what covers open cells is not believed,
        nor, where any are covered, what was not seen on two cells; mines are borne out by the numbers around them.
        """
        if state == "mine":
            return picture not in self._round.pieces
        if picture in self._round.pieces or (self._round.pieces and state == "flag"):
            return False
        where = self._shown_on.setdefault((state, picture), set())
        where.add(cell)
        return len(where) > 1 or not (self._round.pieces or state == "flag")

    def _restart(self) -> None:
        """Begin a new game, trying what was not tried yet.

        Raises:
            StuckError: Nothing begins one.
        """
        for way in self.manners.restart * _RESTART_ATTEMPTS:
            if self._begins(way):
                return
        screen = self.table.touch.screen
        frame = screen.grab(None)
        result = self.results[-1]
        for keys in ((), ("esc",), ("enter",), ("enter", "enter"), ("esc", "esc")):
            for key in keys:
                self.table.touch.press(key, self.table.around)
            for way in ways(frame.image, frame.region.origin, self.table.place):
                if self._begins(way):
                    if way not in self.manners.restart:
                        self.manners.restart.append(way)
                        self._tell(f"a new game begins with {way}")
                    if keys and result not in self.manners.keys_after:
                        self.manners.keys_after[result] = list(keys)
                    return
        raise StuckError(
            "no new game begins: neither a button above the board nor F2, Ctrl+R, Ctrl+N or N begins one",
            hint="begin one by hand and calibrate again; what was learned so far is not kept",
        )

    def _begins(self, way: Way) -> bool:
        before = self.table.now
        way.follow(self.table.touch, self.table.around)
        self.table.look()
        if self.table.is_fresh(starts_open=False):
            self.manners.starts_open = False
            self.table.learn_hidden()
            return True
        return self.manners.starts_open and self._has_begun_open(before)

    def _has_begun_open(self, before: NDArray[np.intp]) -> bool:
        """Whether a board with an open region is a new one: nothing of the old game's end is left."""
        changed = self.table.now != before
        ends = [
            picture for state in ("mine", "exploded", "wrong_flag", "flag") for picture in self.marks.get(state, ())
        ]
        clicked = self._round.clicked
        left_over = np.isin(self.table.now, ends).any() or (clicked is not None and not changed[clicked])
        return bool(changed.any()) and not left_over and self.table.is_fresh(starts_open=True)


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    return [Cell(int(row), int(column)) for row, column in np.argwhere(mask)]
