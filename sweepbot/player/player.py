"""The loop that plays: look, decide, click all certain cells, wait until the picture rests, look again, verify."""

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from sweepbot.board import Board, Phase, State
from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.screen import Screen
from sweepbot.errors import StuckError, UntrustedReadingError, UsageError
from sweepbot.geometry import Cell, Region
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.player.dialogs import Dialogs
from sweepbot.player.endings import are_the_last, ended, ending_in_sight
from sweepbot.player.events import (
    Clicked,
    ClosingDialogs,
    Decided,
    Doubted,
    Ended,
    Found,
    GameResult,
    Learner,
    Observer,
    Restarting,
)
from sweepbot.player.guard import GuardedMouse
from sweepbot.player.hand import Hand
from sweepbot.player.keyboard import Keyboard
from sweepbot.player.totals import may_be_over, mines_at_end
from sweepbot.player.watcher import PATIENCE, DoubtError, Expectation, Position, Watcher
from sweepbot.render.files import save_image
from sweepbot.solver import Decision, Move, Solver
from sweepbot.vision.calibration import Restart
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

ATTEMPTS = 4
"""How many rounds of clicks may change nothing before the client counts as stuck."""

_DIALOG_PATIENCE = 0.4  # seconds for which a board must be unreadable before a dialog is thought to cover it

_CLICKS_TO_UNFLAG = {State.FLAG: 1}
"""Clicks of the flag button before a cell can be opened: a question mark can be opened as it is."""

_CLICKS_TO_FLAG = {State.HIDDEN: 1, State.QUESTION: 2}
"""Clicks of the flag button until a cell shows a flag."""


class Player:
    """Plays the games of one client.

    Args:
        screen: What it sees.
        mouse: What it clicks with.
        reader: The eyes, calibrated for the client.
        solver: What decides.
        observer: Told of all that happens, as it happens.
        region: Where to look for the board; everywhere by default.
        level: The size and the mines that the board must have; as found by default.
        learner: Learns what the calibration lacks; nobody by default.
        evidence: The folder in which a picture is saved that could not be read; made when it is needed.
        clock: What tells the time.
    """

    def __init__(
        self,
        screen: Screen,
        mouse: Mouse,
        reader: Reader,
        solver: Solver,
        observer: Observer,
        *,
        region: Region | None = None,
        level: Level | None = None,
        learner: Learner | None = None,
        evidence: Path,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._clock = clock
        self._observer = observer
        self._region = region
        self._level = level
        self._evidence = evidence
        self._manners = reader.calibration.manners
        self._learner = learner
        self._total: int | None = None
        self._knows_flags = State.FLAG not in reader.calibration.unmet
        self._knows_no_loss = State.EXPLODED in reader.calibration.unmet
        self._mouse = GuardedMouse(mouse, screen.region, clock)
        self._hand = Hand(screen, self._mouse, self._manners.settle, clock)
        self._watcher = Watcher(screen, reader, solver, self._mouse.check, learner, observer=observer, clock=clock)
        self._keyboard = Keyboard(screen, self._mouse, self._manners.settle, clock)
        self._dialogs = Dialogs(self._manners.dialogs, screen, self._mouse, self._hand, self._keyboard, clock=clock)
        self._next_deal = 0.0  # when a new game has other mines than the last one
        self._game = GameResult()
        self.results: list[GameResult] = []
        """The games so far; one that was broken off is `aborted`."""

    def play(self, games: int) -> None:
        """Play so many games; a game that is under way on the screen is played to its end as the first of them.

        Raises:
            NoBoardFoundError: No board is in sight.
            UsageError: The board has another size than the level.
            UntrustedReadingError: The board cannot be read; its picture was saved.
            StuckError: The client does not react, or is not there any more.
            StoppedByUserError: A person took over.
        """
        place = None
        for number in range(1, games + 1):
            with self._keeping_result():
                place = self._play_one(place or self._find())
            self._observer(Ended(number, self.results[-1], place))

    @contextlib.contextmanager
    def _keeping_result(self) -> Iterator[None]:
        """Keep the figures of a game however it ends, and the picture where it could not be read."""
        self._game = GameResult()
        reads, clicks = self._watcher.reads, self._hand.clicks
        try:
            yield
        except DoubtError as doubt:
            picture = self._keep_evidence(doubt)
            raise UntrustedReadingError(f"{doubt}; its picture: {picture}", hint=doubt.hint) from doubt
        finally:
            self._game.reads = self._watcher.reads - reads
            self._game.clicks = self._hand.clicks - clicks
            self.results.append(self._game)

    def _keep_evidence(self, doubt: DoubtError) -> Path:
        self._evidence.mkdir(parents=True, exist_ok=True)
        path = self._evidence / f"untrusted-{datetime.now():%Y%m%d-%H%M%S-%f}.png"  # noqa: DTZ005  (a person's clock)
        save_image(doubt.frame.image, path)
        return path

    def _find(self) -> Reading:
        """Look for the board, and allow clicks on it and on the restart control."""
        reading = self._watcher.find(self._region)
        board = reading.board
        size = f"{board.columns}x{board.rows} cells"
        if self._level is not None and (board.columns, board.rows) != (self._level.columns, self._level.rows):
            raise UsageError(
                f"the board on the screen has {size}, not {self._level.columns}x{self._level.rows}",
                hint="set the level in the client, or leave --level out",
            )
        _log.info("found %s, %s, at %s", reading.client, size, reading.grid.region)
        self._observer(Found(reading))
        self._mouse.park(reading.grid.region)
        return reading

    def _play_one(self, place: Reading) -> Reading:
        try:
            position = self._look(place, _anything)
        except DoubtError:
            if not place.over:
                raise
            self._close_dialogs(place.phase, place)  # before any click, which would take the keyboard away from one
            position = self._restart(place)
        if position.decision is None:
            position = self._restart(position.reading)
        self._dialogs.remember()
        position = self._with_total(position)
        position = self._played(position)
        if position.reading.phase is Phase.WON and self._manners.flags_to_win is None and self._knows_flags:
            position = self._flag_the_rest(position)
        self._game.result = "won" if position.reading.phase is Phase.WON else "lost"
        self._game.client_seconds = position.reading.shown.clock
        if position.reading.board.mines is None:
            self._total = mines_at_end(position.reading.board, position.reading.phase)
        return position.reading

    def _played(self, position: Position) -> Position:
        """Play a game to its end.

        Raises:
            StuckError: The client does not react.
        """
        unchanged, start = 0, self._clock.now()
        while position.decision is not None:
            before, decision = position.reading.board, position.decision
            position = self._move(position, decision, start)
            unchanged = unchanged + 1 if position.reading.board == before else 0
            if unchanged == ATTEMPTS // 2 and self._dialogs:
                position = self._answered(position, decision)
            elif unchanged == ATTEMPTS and self._knows_no_loss and position.reading.board.count(State.UNKNOWN):
                position = ended(position, Phase.LOST)
            elif unchanged == ATTEMPTS and before.mines is None and may_be_over(before):
                position = ended(position, Phase.WON)
            elif unchanged == ATTEMPTS:
                raise StuckError(
                    f"the board has not changed after {ATTEMPTS} rounds of clicks",
                    hint="is the client's window in front, and does another window wait for an answer?",
                )
        return position

    def _with_total(self, position: Position) -> Position:
        """The new game with the number of mines that the end of the last one has told, now that it is surely over."""
        board = position.reading.board
        if board.mines is not None or self._total is None:
            return position
        if self._learner is not None:
            self._learner.count(Level(board.columns, board.rows, self._total))
        return self._look(replace(position.reading, board=Board(board.cells, self._total)), _anything)

    def _answered(self, position: Position, decision: Decision) -> Position:
        """Close what may stand beside the board and let no click through; that may begin a new game at once."""
        for ending in (Phase.WON, Phase.LOST):
            self._close_dialogs(ending, position.reading)
        try:
            now = self._look(position.reading, _anything)
        except DoubtError as doubt:
            return self._end_behind(doubt, position, decision)
        if now.reading.phase is Phase.FRESH and position.reading.phase is not Phase.FRESH:
            return ended(position, Phase.WON if decision.safe else Phase.LOST)
        return now

    def _close_dialogs(self, after: Phase, board: Reading) -> float:
        """Close what comes after such an ending; the seconds for which something may stay all the same."""
        if self._dialogs:
            self._observer(ClosingDialogs(after))
            _log.info("closing the dialogs that come after a game %s", after.value)
        return self._dialogs.close(after, board)

    def _flag_the_rest(self, position: Position) -> Position:
        """Flag what is left hidden where nobody has seen whether a win takes that; a finished game takes no flags.

        Nor does it matter what then comes in front of it.
        """
        reading = position.reading
        for cell in reading.board.where(State.HIDDEN):
            if self._hand.has_changed(reading.grid, cell, position.frame):  # the end has put something there
                break
            self._hand.click(reading.grid, cell, self._manners.flag_button)
            if not self._hand.has_changed(reading.grid, cell, position.frame):
                break
        self._mouse.park(reading.grid.region)
        try:
            return self._look(reading, _anything)
        except DoubtError:
            return position

    def _move(self, position: Position, decision: Decision, start: float) -> Position:
        """Click what was decided, and see what came of it; `start` is when the game began."""
        before = position.reading
        if before.phase is Phase.FRESH:
            decision = with_first_click(decision, before.board, self._manners.first_click)
        self._observer(Decided(before, decision))
        _log.debug("%d certain; best %s", len(decision.safe), decision.best)
        to_open = decision.safe or ((decision.best.cell,) if decision.best else ())
        to_flag: tuple[Cell, ...] = ()
        if not to_open and before.board.mines is None:  # all that is left must be mines
            return ended(position, Phase.WON)
        if self._manners.flags_to_win:
            to_flag = tuple(cell for cell in decision.mines if before.board[cell] in _CLICKS_TO_FLAG)
        if not to_open and not to_flag:
            raise StuckError(
                "nothing is left to click, yet the client does not end the game",
                hint=f"the board was played as one of {before.board.mines} mines; if it has others, say so: --mines N",
            )
        for number, cell in enumerate(to_open):
            if number == 0 or not self._hand.has_changed(before.grid, cell, position.frame):
                self._mark(before, cell, _CLICKS_TO_UNFLAG)
                self._hand.click(before.grid, cell, self._manners.open_button)
        for cell in to_flag:
            self._mark(before, cell, _CLICKS_TO_FLAG)
        self._mouse.park(before.grid.region)
        self._game.seconds = self._clock.now() - start
        after = self._outcome(position, decision, to_open, to_flag)
        missed = _missed(after.reading.board, to_open, to_flag)
        if missed and not after.reading.over:
            _log.info("clicks that were not noticed: %d", len(missed))
        self._observer(Clicked(before, after.reading, tuple(missed)))
        self._account(before, after.reading, decision, missed)
        return after

    def _outcome(
        self, position: Position, decision: Decision, to_open: tuple[Cell, ...], to_flag: tuple[Cell, ...]
    ) -> Position:
        """What came of clicks: as the board shows it, else as it must be where the end of the game hides that."""
        before = position.reading
        likely = Phase.WON if decision.safe or are_the_last(to_open, before.board) else Phase.LOST
        try:
            after = self._look(before, lambda now: now.over or not _missed(now.board, to_open, to_flag), likely)
        except DoubtError as doubt:
            return self._end_behind(doubt, position, decision)
        # Where all is opened at the end, a loss may look as a win does.
        has_hit = any(after.reading.board[cell] in (State.MINE, State.EXPLODED) for cell in to_open)
        if has_hit:
            return ended(after, Phase.LOST)
        # Mines that are shown do not tell a win from a loss where their number is not known, or not all can be read.
        is_unseen = after.reading.board is before.board  # the next game was there before the end could be read
        are_open = all(after.reading.board[cell] < State.HIDDEN for cell in to_open)
        is_won = after.reading.over and bool(decision.safe) and (are_open or is_unseen)
        return ended(after, Phase.WON) if is_won else after

    def _end_behind(self, doubt: DoubtError, before: Position, decision: Decision) -> Position:
        """How clicks have ended the game, where what hides that leaves something of it to be seen.

        That may be mines, or that nothing is hidden any more.

        Raises:
            DoubtError: Nothing tells it.
        """
        ending = ending_in_sight(doubt.reading.board)
        if decision.safe:
            ending = Phase.WON if ending is Phase.WON or are_the_last(decision.safe, before.reading.board) else None
        elif self._knows_no_loss:
            ending = Phase.LOST
        if ending is None:
            raise doubt
        return ended(before, ending)

    def _mark(self, reading: Reading, cell: Cell, clicks: dict[State, int]) -> None:
        for _ in range(clicks.get(State(reading.board[cell]), 0)):
            self._hand.click(reading.grid, cell, self._manners.flag_button)

    def _account(self, before: Reading, after: Reading, decision: Decision, missed: list[Cell]) -> None:
        """Hold what was clicked, and what was known before, against what the board shows now."""
        if not after.over:
            self._game.retries += len(missed)
        self._game.cut_short += decision.cut_short
        is_guess = not decision.safe and before.phase is Phase.PLAYING
        if is_guess and decision.best and (after.over or decision.best.cell not in missed):
            self._game.guesses += 1
            self._game.survival *= 1 - decision.best.mine_probability
        was_open = before.board.cells < State.HIDDEN
        changed = np.count_nonzero(was_open & (before.board.cells != after.board.cells))
        exploded = set(decision.safe) & set(after.board.where(State.EXPLODED, State.MINE))
        self._game.misreads += int(changed) + len(exploded)

    def _restart(self, over: Reading) -> Position:
        """Begin a new game, in the first of the calibrated ways that the client answers to."""
        self._mouse.rest(until=self._next_deal)
        in_front: DoubtError | None = None
        for _ in range(ATTEMPTS):
            for restart in self._manners.restart:
                self._press_restart(restart, over)
                try:
                    position = self._look(over, lambda now: not now.over)
                except DoubtError as doubt:  # what the end has put in front of the board may go by another way
                    in_front = doubt
                    continue
                if position.decision is not None:
                    self._next_deal = self._clock.now() + self._manners.deal_interval_ms / 1000
                    return position
            # A dialog beside the board lets no click through until it is answered.
            self._close_dialogs(over.phase, over)
        if in_front is not None:
            raise in_front
        raise StuckError(
            f"no new game has begun after {ATTEMPTS} attempts",
            hint="begin one by hand, or mend `restart` in the calibration",
        )

    def _press_restart(self, restart: Restart, over: Reading) -> None:
        self._observer(Restarting(restart))
        _log.info("a new game: %s", f"the key {restart.key}" if restart.key else f"a click at {restart.click}")
        if restart.key is not None:
            self._keyboard.press(restart.key)
        if restart.click is not None:
            self._keyboard.check()
            self._hand.press_button(over.beside_board(restart.click))
            self._mouse.park(over.grid.region)

    def _look(self, place: Reading, expected: Expectation, likely: Phase = Phase.LOST) -> Position:
        """Look until the board can be relied on, and remember it as the client's look."""
        position = self._looked(place, expected, likely)
        self._keyboard.remember(position.frame, position.reading.grid)
        return position

    def _looked(self, place: Reading, expected: Expectation, likely: Phase) -> Position:
        """Look until the board can be relied on, closing the dialogs that are known to cover it.

        A key that comes before its dialog does is lost, so that they are closed until the board can be seen. Where
        something else stays in front of a game that has ended, the end is what was seen before that came. Where numbers
        look another all at once, as selected text does on a page, an idle click lets them look as they did.

        Args:
            place: An earlier reading of the same board.
            expected: Whether a reading shows what is waited for.
            likely: How the game has ended if a box has come up and hides that.
        """
        lasting = 0.0
        ending: Phase | None = None
        for _ in range(ATTEMPTS if self._dialogs else 0):
            try:
                now = self._watcher.look(place, expected, _DIALOG_PATIENCE)
            except DoubtError as doubt:
                ending = ending_in_sight(doubt.reading.board) or (likely if self._dialogs.is_up(place) else None)
            else:
                # What closed the dialog of a game that was going on may have begun the next one at once.
                has_begun = ending is not None and now.reading.phase is Phase.FRESH and not place.over
                return ended(Position(now.frame, place, None), ending or likely) if has_begun else now
            if ending is None:
                break
            lasting = self._close_dialogs(ending, place)
        try:
            return self._watcher.look(place, expected, PATIENCE + lasting)
        except DoubtError as doubt:
            self._observer(Doubted(doubt.reason))
            _log.info("still not trusted: %s", doubt.reason)
            before = self._watcher.ending_before(doubt, place)
            if before is not None:
                return before
            idle = _idle_click(place.board, doubt.reading.board)
            if idle is None:
                raise
        self._hand.click(place.grid, idle, self._manners.open_button)
        self._mouse.park(place.grid.region)
        return self._watcher.look(place, expected)


def with_first_click(decision: Decision, board: Board, promise: FirstClick) -> Decision:
    """The same, but begun where a first click is worth most: all cells are alike only to who ignores the promise."""
    if board.mines is None or decision.safe:
        return decision
    cell = first_cell(Level(board.columns, board.rows, board.mines), promise)
    best = Move(cell, "first click", float(decision.mine_probability[cell]))
    return replace(decision, best=best, cut_short=False)


def _anything(_: Reading) -> bool:
    return True


def _idle_click(before: Board, now: Board) -> Cell | None:
    """An open 0, on which a click does nothing, where only cells cannot be read that were read as numbers before."""
    unread, open_before = now.cells == State.UNKNOWN, before.cells < State.HIDDEN
    zeros = now.where(0)
    return zeros[0] if zeros and unread.any() and not (unread & ~open_before).any() else None


def _missed(board: Board, to_open: tuple[Cell, ...], to_flag: tuple[Cell, ...]) -> list[Cell]:
    """The clicked cells that do not show it."""
    unopened = [cell for cell in to_open if board[cell] in (State.HIDDEN, State.FLAG, State.QUESTION)]
    return unopened + [cell for cell in to_flag if board[cell] in (State.HIDDEN, State.QUESTION)]
