"""The player's hand: the clicks of a round, new games and dialogs, each where and when the client allows it."""

import logging
from collections.abc import Sequence

from sweepbot.behaviour import Behaviour, Button, Restart
from sweepbot.board import State
from sweepbot.control.controls import Controls
from sweepbot.control.dialogs import Dialogs
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Cell, Point
from sweepbot.plan import Click, Kind
from sweepbot.player.states import Position
from sweepbot.trace.events import ClosingDialogs, Observer, Restarting
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

_HOVER_S = 0.2  # that the pointer stays: a client may leave out movements that are followed by others at once


class Hand:
    """Does what was decided, and nothing else.

    Args:
        behaviour: What the client does.
        controls: What clicks and presses.
        observer: Told of new games that are asked for, and of dialogs that are closed.
    """

    def __init__(self, behaviour: Behaviour, controls: Controls, observer: Observer) -> None:
        self._buttons: dict[Kind, Button] = {Kind.OPEN: behaviour.open_button, Kind.MARK: behaviour.flag_button}
        if behaviour.chord_button is not None:
            self._buttons[Kind.CHORD] = behaviour.chord_button
        self._clicker, self._guard, self._keyboard = controls.clicker, controls.guard, controls.keyboard
        self._clock, self._window = controls.desk.clock, controls.window
        self._observer = observer
        self._board: Grid | None = None
        self._deal_interval_s = behaviour.deal_interval_ms / 1000
        self._next_deal_s = 0.0
        """When the client would deal other mines than those of the game that is there."""
        self.dialogs = Dialogs(behaviour.dialogs, controls)

    @property
    def clicks(self) -> int:
        """How many clicks were made on cells."""
        return self._clicker.clicks

    def set_board(self, grid: Grid) -> None:
        """Tell the keyboard where the board is, if that has changed."""
        if self._board is None or not grid.nearly(self._board, 1):
            self._board = grid
            self._keyboard.set_board(grid)

    def seen(self, position: Position) -> None:
        """Tell the keyboard what the client looks like now."""
        self.set_board(position.reading.grid)
        self._keyboard.remember(position.frame)

    def park(self, grid: Grid) -> None:
        """Put the pointer beside a board: a cell under it may look different."""
        self._guard.park(grid.region)

    def point_at(self, at: Point) -> None:
        """Put the pointer over a pixel."""
        self._guard.move(at)

    def is_stale(self, position: Position) -> bool:
        """Whether the board has changed since it was read."""
        return self._clicker.looks_other(position.frame)

    def click(self, grid: Grid, clicks: Sequence[Click]) -> list[Click]:
        """Make clicks, park, and return the clicks made; stop early if the client is covered or has moved."""
        made: list[Click] = []
        try:
            for click in clicks:
                self._clicker.click(grid, click.at, self._buttons[click.kind])
                made.append(click)
        except (ClientMovedError, ClientCoveredError) as error:
            _log.info("the rest is not clicked: %s", error)
        self.park(grid)
        return made

    def were_missed(self, missed: int, clicks: int) -> None:
        """Note how many clicks of a round do not show; if most do not, the pointer stays on each cell from now on."""
        self._clicker.stays |= 2 * missed > clicks

    def flag_the_rest(self, position: Position) -> None:
        """Try to flag what is left hidden after a win; stop at the first flag that does not show."""
        grid = position.reading.grid
        for cell in position.reading.board.where(State.HIDDEN):
            if self._clicker.has_changed(grid, cell, position.frame):  # the end has put something there
                break
            self._clicker.click(grid, cell, self._buttons[Kind.MARK])
            if not self._clicker.has_changed(grid, cell, position.frame):
                break
        self.park(grid)

    def idle_click(self, grid: Grid, zero: Cell) -> None:
        """Click an open 0, on which a click does nothing, and park."""
        self._clicker.click(grid, zero, self._buttons[Kind.OPEN])
        self.park(grid)

    def close_dialogs(self, after: str, board: Reading) -> bool:
        """Close the dialogs that may follow an ending, `won` or `lost`; return whether one was seen."""
        was_up = self.dialogs.is_up(board)
        if self.dialogs.may_be_up(board):
            self._observer(ClosingDialogs(after=after))
            _log.info("closing the dialogs that come after a game %s", after)
            self.dialogs.close(after, board)
        if was_up:
            # Meanwhile a client may not have noticed that the pointer left, and keep a message as if hovered over.
            self.point_at(board.grid.region.centre)
            self._guard.rest(until=self._clock.now() + _HOVER_S)
            self.park(board.grid)
        return was_up

    def ask_for_new_game(self, way: Restart, over: Reading) -> bool:
        """Ask for a new game after the one whose end was read last; False where the client is not where it was.

        Raises:
            ClientGoneError: The client is not in sight.
            ClientCoveredError: The keyboard belongs to another window.
            StoppedByUserError: A person took over.
        """
        if self._window.is_known and self.dialogs.is_up(over):
            self.close_dialogs(over.phase.value, over)
        self._observer(Restarting(key=way.key, click=way.click, on_board=way.on_board))
        _log.info("a new game: %s", way)
        try:
            self._guard.rest(until=self._next_deal_s)
            if way.key is not None:
                self._keyboard.press(way.key)
            if way.click is not None:
                self._press_button(over.beside_board(way.click), over)
            if way.on_board is not None:
                self._press_button(over.on_board(way.on_board), over)
        except ClientMovedError as error:
            _log.info("asked again: %s", error)
            return False
        return True

    def new_game_has_begun(self) -> None:
        """Note that a new game has begun: only some time later does the client deal other mines."""
        self._next_deal_s = self._clock.now() + self._deal_interval_s
        self.dialogs.remember()

    def _press_button(self, at: Point, over: Reading) -> None:
        self._keyboard.check()
        self._clicker.press_button(at)
        self._guard.park(over.grid.region)
