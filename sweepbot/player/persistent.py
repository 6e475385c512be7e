"""Looking at a board until it can be relied on, and doing meanwhile what may bring it back into sight."""

import logging
from collections.abc import Callable

from sweepbot.board import Board, State
from sweepbot.control.controls import Controls
from sweepbot.control.dialogs import Dialogs
from sweepbot.geometry import Cell
from sweepbot.player.burst import Burst
from sweepbot.player.events import ClosingDialogs, Doubted, Observer
from sweepbot.player.finding import FoundClient
from sweepbot.player.observe import PATIENCE_S, SettledReader
from sweepbot.player.position import DoubtError, Expectation, Position
from sweepbot.player.round import UNOPENED, Round
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

_MOST_CLOSED = 4  # times that dialogs are closed before what covers the board is taken for none
_DIALOG_PATIENCE_S = 0.4  # for which a board must be unreadable before a dialog is thought to cover it


def anything(_: Reading) -> bool:
    """Nothing in particular is waited for."""
    return True


class PersistentReader:
    """Looks at the client's board, closes what an end has put in front of it, and makes its window larger.

    Args:
        client: The client, as it was found.
        controls: What clicks and presses.
        eyes: What waits for the picture to rest, and reads it.
        calibration: The client's.
        observer: Told of what is closed, and of doubts that last.
    """

    def __init__(
        self,
        client: FoundClient,
        controls: Controls,
        eyes: SettledReader,
        calibration: Calibration,
        observer: Observer,
    ) -> None:
        self._client = client
        self._clicker, self._guard, self._keyboard = controls.clicker, controls.guard, controls.keyboard
        self._eyes = eyes
        self._cell_px = max(calibration.cell)
        self._open_button = calibration.behaviour.open_button
        self._observer = observer
        self._stood_before: Grid | None = None
        self.dialogs = Dialogs(calibration.behaviour.dialogs, controls)
        self.had_dialog = False
        """Whether a dialog was up since the last `forget_dialogs`."""
        self.beside_dialog: Reading | None = None
        """What was to be seen of the board beside a dialog since then, before that was closed."""
        self.may_be_left_over = True
        """Whether what covers the board may be there from before the first game."""

    def look(
        self,
        place: Reading,
        expected: Expectation = anything,
        round_: Round | None = None,
        reaction_s: float = 0.0,
        *,
        burst: Burst | None = None,
        is_enough: Callable[[Reading], bool] = lambda _: False,
    ) -> Position:
        """Look until the board can be relied on, and remember it as the client's look.

        A key that comes before its dialog does is lost, so that they are closed until the board can be seen. Where
        something else stays in front of a game that has ended, the end is what was seen before that came. Where numbers
        look another all at once, as selected text does on a page, an idle click lets them look as they did.

        Args:
            place: An earlier reading of the same board.
            expected: Whether a reading shows what is waited for.
            round_: What was clicked before, where that may have ended the game.
            reaction_s: Seconds that the client is given to react, where that is more than its calibration says.
            burst: The same clicks, as they show.
            is_enough: Whether a reading that cannot be relied on tells all that is asked; then no other is waited for.

        Raises:
            DoubtError: It cannot be relied on. See `SettledReader.look` for what else is raised.
        """

        def seen(patience_s: float) -> Position:
            return self._eyes.look(place, expected, patience_s, reaction_s, burst=burst)

        position = self._looked(place, expected, seen, round_, is_enough)
        self.stand_before(position.reading.grid)
        self._keyboard.remember(position.frame)
        return position

    def stand_before(self, place: Grid) -> None:
        """Take in for the keyboard where the board is, unless it is there already."""
        if self._stood_before is None or not place.nearly(self._stood_before, 1):
            self._stood_before = place
            self._keyboard.stand_before(place)

    def forget_dialogs(self) -> None:
        """Take no dialog that was up so far for one of what is done next."""
        self.had_dialog, self.beside_dialog = False, None

    def close_dialogs(self, after: str, board: Reading) -> None:
        """Close what comes after such an ending, `won` or `lost`, where anything may."""
        if self.dialogs.is_up(board):
            self.had_dialog = True
        if self.dialogs.may_be_up(board):
            self._observer(ClosingDialogs(after))
            _log.info("closing the dialogs that come after a game %s", after)
            self.dialogs.close(after, board)

    def _looked(
        self,
        place: Reading,
        expected: Expectation,
        seen: Callable[[float], Position],
        round_: Round | None,
        is_enough: Callable[[Reading], bool],
    ) -> Position:
        """The same, by what sees the board within some seconds of patience."""
        closed = 0
        unread: DoubtError | None = None
        patience_s = _DIALOG_PATIENCE_S if self.dialogs.may_come else PATIENCE_S
        while True:
            try:
                return seen(patience_s)
            except DoubtError as doubt:
                doubt.passed = (*(unread.passed if unread else ()), *doubt.passed)
                unread = doubt
                ending = self._ending(doubt, place, round_)
                if ending is not None and closed < _MOST_CLOSED and self.dialogs.may_be_up(place):
                    closed += 1
                    self.beside_dialog = doubt.reading
                    self.close_dialogs(ending, place)
                elif is_enough(doubt.reading):
                    raise
                elif patience_s < PATIENCE_S:
                    patience_s = PATIENCE_S + self.dialogs.lasting_s(ending)
                else:
                    break
        self._observer(Doubted(unread.reason))
        _log.info("still not trusted: %s", unread.reason)
        before = self._eyes.ending_before(unread, place)
        if before is not None:
            return before
        larger = self._in_larger_window(place)
        if larger is not None:
            self._guard.park(larger.grid.region)  # a cell that has come under the pointer may look another there
            return self._eyes.look(larger, expected)
        idle = _idle_click(place.board, unread.reading.board)
        if idle is None:
            raise unread
        self._clicker.click(place.grid, idle, self._open_button)
        self._guard.park(place.grid.region)
        return self._eyes.look(place, expected)

    def _ending(self, doubt: DoubtError, place: Reading, round_: Round | None) -> str | None:
        """How the game has likely ended, so that its dialogs may be closed; None where it may be going on."""
        is_window_known = self._client.window.is_known
        if place.over:
            return str(place.phase.value)
        if round_ is None and self.may_be_left_over and is_window_known:
            return "lost"
        board = doubt.reading.board
        if board.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
            return "lost"
        clicked = None if round_ is None else round_.clicked()
        # A page that asks at once may not have shown yet what was opened last.
        opened = 0 if clicked is None else sum(board[cell] in UNOPENED for cell in clicked.cells)
        closed = board.count(*UNOPENED) - opened
        may_be_won = place.board.mines is None or closed <= place.board.mines  # more are closed in the middle of a game
        is_readable = board.count(State.UNKNOWN) < board.cells.size
        # Where no window is known, a board that a click of ours has had covered as a whole tells as much.
        hides_all = not is_window_known and not is_readable
        if clicked is not None and (may_be_won or not clicked.certain) and (hides_all or self.dialogs.is_up(place)):
            is_won = clicked.certain or clicked.are_last or hides_all
            return "won" if is_won else "lost"
        return None if board.count(State.HIDDEN, State.QUESTION) or not is_readable else "won"

    def _in_larger_window(self, place: Reading) -> Reading | None:
        """The board in a larger window, where its cells are smaller than the calibration's; None where that is no help.

        Their digits may be too small to be told apart, or drawn raggedly by a desktop that scales them.
        """
        is_small = max(place.grid.pitch) < self._cell_px
        return self._client.in_larger_window() if is_small and not self.dialogs.is_up(place) else None


def _idle_click(before: Board, now: Board) -> Cell | None:
    """An open 0, on which a click does nothing, where only cells cannot be read that were read as numbers before."""
    unread, open_before = now.cells == State.UNKNOWN, before.cells < State.HIDDEN
    zeros = now.where(0)
    return zeros[0] if zeros and unread.any() and not (unread & ~open_before).any() else None
