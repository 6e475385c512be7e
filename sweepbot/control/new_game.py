"""Asking a client for a new game, in one of the ways that its calibration knows."""

import logging

from sweepbot.behaviour import Behaviour, Restart
from sweepbot.control.controls import Controls
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.control")


class NewGame:
    """Asks for new games, and not faster than their mines differ.

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
        """Press the key, or click beside the board that was read last. See `Guard` for what is raised."""
        self._controls.guard.rest(until=self._next_s)
        _log.info("a new game: %s", f"the key {way.key}" if way.key else f"a click at {way.click}")
        if way.key is not None:
            self._controls.keyboard.press(way.key)
        if way.click is not None:
            self._controls.keyboard.check()
            self._controls.clicker.press_button(over.beside_board(way.click))
            self._controls.guard.park(over.grid.region)

    def has_begun(self) -> None:
        """Take in that there is one: the next has other mines only some time from now."""
        self._next_s = self._clock.now() + self._interval_s
