"""The player's hand: the clicks of a round, new games and dialogs, each where and when the client allows it."""

import logging
from collections.abc import Sequence

from sweepbot.behaviour import Behaviour, Button, Restart
from sweepbot.board import State
from sweepbot.control.controls import Controls
from sweepbot.control.dialogs import Dialogs
from sweepbot.control.watching import wait_for_change
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Cell, Point, Region, same_pixels
from sweepbot.plan import Click, Kind
from sweepbot.player.states import Position
from sweepbot.trace.events import ClosingDialogs, Observer, Restarting
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

_BUTTON_PX = 12  # around a click on a button: where its effect shows
_HOVER_S = 0.2  # that the pointer stays: a client may leave out movements that are followed by others at once


class Hand:
    """Does what was decided, and nothing else.

    Args:
        behaviour: What the client does.
        controls: What clicks and presses.
        observer: Told of new games that are asked for, and of dialogs that are closed.
        cps: The most clicks a second; None for as many as the client takes.
    """

    def __init__(self, behaviour: Behaviour, controls: Controls, observer: Observer, cps: float | None = None) -> None:
        self._buttons: dict[Kind, Button] = {Kind.OPEN: behaviour.open_button, Kind.MARK: behaviour.flag_button}
        if behaviour.chord_button is not None:
            self._buttons[Kind.CHORD] = behaviour.chord_button
        self._guard, self._keyboard, self._window = controls.guard, controls.keyboard, controls.window
        self._desk, self._clock = controls.desk, controls.desk.clock
        self._hold_s, self._notice_s = behaviour.settle.hold_ms / 1000, controls.notice_s
        self._observer = observer
        self._board: Grid | None = None
        self._interval_s = 0.0 if cps is None else 1 / cps
        self._next_click_s = 0.0
        self._deal_interval_s = behaviour.deal_interval_ms / 1000
        self._next_deal_s = 0.0
        """When the client would deal other mines than those of the game that is there."""
        self._stays = False
        """Whether the pointer stays on each cell until that shows the click, for as long as the client takes at most:
        some read where the pointer is only later, and a burst would fall on its last cell."""
        self.clicks = 0
        """How many clicks were made on cells."""
        self.dialogs = Dialogs(behaviour, controls, self.press_button)

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
        seen = position.frame
        return not same_pixels(self._desk.screen.grab(seen.region).image, seen.image)

    def click(self, grid: Grid, clicks: Sequence[Click]) -> list[Click]:
        """Make clicks, park, and return the clicks made; stop early if the client is covered or has moved."""
        made: list[Click] = []
        try:
            for click in clicks:
                self._click_cell(grid, click.at, click.kind)
                made.append(click)
        except (ClientMovedError, ClientCoveredError) as error:
            _log.info("the rest is not clicked: %s", error)
        self.park(grid)
        return made

    def were_missed(self, missed: int, clicks: int) -> None:
        """Note how many clicks of a round do not show; if most do not, the pointer stays on each cell from now on."""
        self._stays |= 2 * missed > clicks

    def flag_the_rest(self, position: Position) -> None:
        """Try to flag what is left hidden after a win; stop at the first flag that does not show."""
        grid, before = position.reading.grid, position.frame

        def is_as_before(region: Region) -> bool:
            return same_pixels(self._desk.screen.grab(region).image, before.part(region))

        for cell in position.reading.board.where(State.HIDDEN):
            if not is_as_before(grid.region_of(cell)):  # the end has put something there
                break
            self._click_cell(grid, cell, Kind.MARK)
            if is_as_before(grid.region_of(cell)):
                break
        self.park(grid)

    def idle_click(self, grid: Grid, zero: Cell) -> None:
        """Click an open 0, on which a click does nothing, and park."""
        self._click_cell(grid, zero, Kind.OPEN)
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
            for button in (way.click and over.beside_board(way.click), way.on_board and over.on_board(way.on_board)):
                if button is not None:
                    self._keyboard.check()
                    self.press_button(button)
                    self.park(over.grid)
        except ClientMovedError as error:
            _log.info("asked again: %s", error)
            return False
        return True

    def new_game_has_begun(self) -> None:
        """Note that a new game has begun: only some time later does the client deal other mines."""
        self._next_deal_s = self._clock.now() + self._deal_interval_s
        self.dialogs.remember()

    def press_button(self, at: Point) -> None:
        """Click a pixel beside the board, and wait until its surroundings change, as when a button is pressed."""
        screen = self._desk.screen.region
        before = self._desk.screen.grab(Region.around(at, _BUTTON_PX).intersection(screen) or screen)
        self._click(at, "left", Region.around(at, 0), is_button=True)
        wait_for_change(self._desk, before, self._guard.check, self._notice_s)

    def _click_cell(self, grid: Grid, cell: Cell, kind: Kind) -> None:
        """Click the middle of a cell. See `Guard.click` for what is raised."""
        before = self._desk.screen.grab(grid.region_of(cell)) if self._stays else None
        self._click(grid.centre(cell), self._buttons[kind], grid.region)
        self.clicks += 1
        if before is not None:
            wait_for_change(self._desk, before, self._guard.check, self._notice_s)

    def _click(self, at: Point, button: Button, allowed: Region, *, is_button: bool = False) -> None:
        self._guard.rest(until=self._next_click_s)
        self._guard.click(at, button, allowed, self._hold_s, is_button=is_button)
        if self._interval_s:
            self._next_click_s = self._clock.now() + self._interval_s
