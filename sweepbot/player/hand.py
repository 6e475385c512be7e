"""The player's hand: makes the clicks of a round, starts new games and closes dialogs, as the client allows."""

import logging
from collections.abc import Sequence

from sweepbot.behaviour import Behaviour, Button, Restart
from sweepbot.board import State
from sweepbot.control.controls import Controls
from sweepbot.control.dialogs import Dialogs
from sweepbot.control.watching import RIM_PX
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Cell, Point, Region, same_pixels
from sweepbot.plan import Action, PlannedClick
from sweepbot.player.same_game import SameGame
from sweepbot.player.states import Position
from sweepbot.trace.events import ClosingDialogs, Observer, Restarting
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_log = logging.getLogger("sweepbot.player")

_BUTTON_PX = 12  # around a click on a button: where its effect shows
_HELD_S = 0.1, 0.3  # programs look at buttons 30 times a second, on a busy machine 10; half a second is another click
_ARRIVES_S = 0.05  # that the pointer is on a cell of an unknown client before a click: some take its place a frame ago
_HOVER_S = 0.2  # for which the pointer stays, as a client may ignore a move that is followed by another at once


class Hand:
    """Carries out what was decided, by at most `cps` clicks a second, or as many as the client takes.

    In a client that is played at first sight it waits for each click to show, with the pointer on the cell.

    The observer is called with the events of requesting a new game and of closing dialogs.
    """

    def __init__(
        self,
        behaviour: Behaviour,
        controls: Controls,
        observer: Observer,
        cps: float | None,
        *,
        is_at_first_sight: bool = False,
    ) -> None:
        self._buttons: dict[Action, Button] = {Action.OPEN: behaviour.open_button, Action.MARK: behaviour.flag_button}
        if behaviour.chord_button is not None:
            self._buttons[Action.CHORD] = behaviour.chord_button
        self._guard, self._keyboard, self._window = controls.guard, controls.keyboard, controls.window
        self._desk, self._clock = controls.desk, controls.desk.clock
        self._notice_s = controls.notice_s
        self._glances = controls.desk.glances()
        self._observer = observer
        self._board: Grid | None = None
        self._interval_s = 0.0 if cps is None else 1 / cps
        self._next_click_s = 0.0
        self._deal_interval_s = behaviour.deal_interval_ms / 1000
        self._next_deal_s = 0.0
        """When the client will deal a new board, rather than the same one again."""
        self._is_at_first_sight = self._stays = is_at_first_sight
        """Whether the pointer stays on each cell until that shows the click, or for as long as the client takes at
        most: some clients look up the pointer's place late, and a whole burst would land on its last cell."""
        self._has_shown = False
        """Whether any click has had an effect."""
        self._usual_s, self._doubted_s = self._guard.hold_s, 0.0
        """How long buttons are held by the calibration; and were until a round that shows whether they had to be."""
        self.clicks = 0
        """How many clicks were made on cells."""
        self.made = list[PlannedClick]()
        """Those of the last burst, even if it was broken off."""
        self.dialogs = Dialogs(behaviour, controls, self.press_button)

    def set_board(self, grid: Grid) -> None:
        """Tell the keyboard where the board is, if that has changed."""
        if self._board is None or not grid.nearly(self._board, 1):
            self._board = grid
            self._keyboard.set_board(grid)

    def note_position(self, position: Position) -> None:
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
        return not same_pixels(self._desk.screen.grab(seen.region).image, seen.image, RIM_PX)

    def click(self, grid: Grid, clicks: Sequence[PlannedClick], seen: Position) -> list[PlannedClick]:
        """Make clicks, park the pointer, and return the clicks made; `seen` is the position before the burst.

        It stops early if the client is covered or moved, or if cells that were open have changed: a person may have
        started another game. A cell that has changed since, as by a click before it, is not clicked.
        """
        self.made = made = list[PlannedClick]()
        same = SameGame(self._glances, seen, [click.at for click in clicks])
        try:
            for click in clicks:
                if made:  # the board was looked at just before the first click
                    is_cell_same, is_game_same = same.glance(click.at)
                    if not is_game_same:
                        _log.info("the rest is not clicked: cells that were open have changed")
                        break
                    if not is_cell_same and click.at not in {it.at for it in made}:
                        continue
                shows = self._click_cell(grid, click.at, click.action)
                made.append(click)
                if self._is_at_first_sight and not shows:  # the next one may come after the end of the game
                    break
        except (ClientMovedError, ClientCoveredError) as error:
            _log.info("the rest is not clicked: %s", error)
        self.park(grid)
        return made

    def note_missed(self, missed: int, clicks: int) -> None:
        """Note how many clicks of a round do not show; if most do not, the pointer stays on each cell from now on.

        If none has ever shown although it did, buttons are held for longer: some clients look at them now and then. So
        they are if none of a round shows where they are held already: on a busy machine a client looks less often. But
        a client may just have hung: once clicks show, those of one round are held as before, and so on if all show.
        """
        held_s, is_first = self._guard.hold_s, not self._has_shown and missed < clicks
        self._has_shown |= missed < clicks
        if self._doubted_s:
            self._guard.hold_s, self._doubted_s = self._doubted_s if missed else held_s, 0.0
        elif is_first:
            self._guard.hold_s, self._doubted_s = self._usual_s, 0.0 if held_s == self._usual_s else held_s
        elif self._stays and (not self._has_shown or (held_s and missed == clicks)):
            self._guard.hold_s = next((held for held in _HELD_S if held > held_s), held_s)
        self._stays |= 2 * missed > clicks

    def flag_the_rest(self, position: Position) -> None:
        """Try to flag the cells left hidden after a win; stop at the first flag that does not show."""
        grid = position.reading.grid
        for cell in position.reading.board.where(State.HIDDEN):
            before = self._desk.screen.grab(grid.region_of(cell))
            if not same_pixels(before.image, position.frame.part(before.region)):  # the end has put something there
                break
            self._click_cell(grid, cell, Action.MARK)
            if same_pixels(self._guard.wait_for_change(before, self._notice_s).image, before.image):
                break
        self.park(grid)

    def idle_click(self, grid: Grid, zero: Cell) -> None:
        """Click an open 0, on which a click does nothing, and park the pointer."""
        self._click_cell(grid, zero, Action.OPEN)
        self.park(grid)

    def close_dialogs(self, after: str, board: Reading) -> bool:
        """Close the dialogs after a game that was `won` or `lost`; return whether one was seen."""
        was_up = self.dialogs.is_up(board)
        if self.dialogs.may_be_up(board):
            self._observer(ClosingDialogs(after=after))
            _log.info("closing the dialogs, as after a game %s", after)
            self.dialogs.close(after, board)
        if was_up:
            # The client may have missed that the pointer left, and keep showing a message that it hovered over.
            self.point_at(board.grid.region.centre)
            self._guard.rest(until=self._clock.now() + _HOVER_S)
            self.park(board.grid)
        return was_up

    def ask_for_new_game(self, way: Restart, over: Reading, *, is_first: bool) -> bool:
        """Request a new game after the one whose end was read last; return False if the client has moved.

        Dialogs are closed before the first step of a way; later ones answer what that has brought up.

        Raises:
            ClientGoneError: The client is not in sight.
            ClientCoveredError: The keyboard belongs to another window.
            StoppedByUserError: A person took over.
        """
        if is_first and self._window.is_known and self.dialogs.is_up(over):
            self.close_dialogs(over.phase.value, over)
        self._observer(Restarting(key=way.key, click=way.click, on_board=way.on_board))
        _log.info("requesting a new game: %s", way)
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
            _log.info("to be requested again: %s", error)
            return False
        return True

    def note_new_game(self) -> None:
        """Note that a new game has started: the client deals another board only some time later."""
        self._next_deal_s = self._clock.now() + self._deal_interval_s
        self.dialogs.remember()

    def press_button(self, at: Point) -> None:
        """Click a button at a pixel, and wait until its surroundings change."""
        screen = self._desk.screen.region
        before = self._desk.screen.grab(Region.around(at, _BUTTON_PX).intersection(screen) or screen)
        self._click(at, "left", Region.around(at, 0), is_button=True)
        self._guard.wait_for_change(before, self._notice_s)

    def _click_cell(self, grid: Grid, cell: Cell, action: Action) -> bool:
        """Click the centre of a cell; return False if that is waited for, and nothing shows.

        Raises what `Guard.click` raises.
        """
        if self._is_at_first_sight:
            self._guard.move(grid.centre(cell))
            self._guard.rest(until=self._clock.now() + _ARRIVES_S)
        before = self._desk.screen.grab(grid.region_of(cell)) if self._stays else None
        self._click(grid.centre(cell), self._buttons[action], grid.region)
        self.clicks += 1
        if before is None:
            return True
        return not same_pixels(self._guard.wait_for_change(before, self._notice_s).image, before.image)

    def _click(self, at: Point, button: Button, allowed: Region, *, is_button: bool = False) -> None:
        self._guard.rest(until=self._next_click_s)
        self._guard.click(at, button, allowed, is_button=is_button)
        if self._interval_s:
            self._next_click_s = self._clock.now() + self._interval_s
