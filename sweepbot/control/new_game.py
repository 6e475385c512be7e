"""Asking a client for a new game, in one of the ways that its calibration knows."""

import logging

from sweepbot.behaviour import Behaviour, Restart
from sweepbot.control.controls import Controls
from sweepbot.geometry import Point
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.control")


class NewGame:
    """Asks for new games, not before the client would deal other mines.

    Args:
        behaviour: What the client does.
        controls: What waits, clicks and presses.
    """

    def __init__(self, behaviour: Behaviour, controls: Controls) -> None:
        self._interval_s = behaviour.deal_interval_ms / 1000
        self._clock = controls.desk.clock
        self._controls = controls
        self._next_s = 0.0

    def ask(self, way: Restart, over: Reading) -> None:
        """Press the key, or click beside or on the board that was read last. See `Guard` for what is raised."""
        self._controls.guard.rest(until=self._next_s)
        if way.key is not None:
            _log.info("a new game: the key %s", way.key)
            self._controls.keyboard.press(way.key)
        if way.click is not None:
            _log.info("a new game: a click at %s", way.click)
            self._click(over.beside_board(way.click), over)
        if way.on_board is not None:
            _log.info("a new game: a click on the board at %s", way.on_board)
            self._click(over.on_board(way.on_board), over)

    def _click(self, spot: Point, over: Reading) -> None:
        self._controls.keyboard.check()
        self._controls.clicker.press_button(spot)
        self._controls.guard.park(over.grid.region)

    def has_begun(self) -> None:
        """Note that a game has begun: only some time later does the client deal other mines."""
        self._next_s = self._clock.now() + self._interval_s
