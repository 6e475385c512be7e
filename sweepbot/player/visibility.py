"""Waiting until the client can be seen, and following its window to where it is then."""

import logging
from dataclasses import replace

from sweepbot.board import Board
from sweepbot.control.client_window import Obstruction
from sweepbot.control.controls import Controls
from sweepbot.control.watching import watch
from sweepbot.errors import AnotherLevelError, ClientCoveredError, NoBoardFoundError, UntrustedReadingError
from sweepbot.player.looking import RESTLESS_S, TELL_AFTER_S
from sweepbot.player.sight import Eyes
from sweepbot.trace.events import Observer, Waiting
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

COVERED_S = 30.0
"""Seconds to wait for a board that is covered by another window, or whose window is minimised."""

_POLL_S = 0.1  # between two looks at a board that cannot be seen
_RESIZED_POLL_S = 0.001  # between two looks at a window that was resized


class Visibility:
    """Knows whether the client's board can be seen.

    Args:
        controls: What tells of windows, and who notices a person's hand meanwhile.
        eyes: What reads the board in a window that was resized.
        observer: Told what is waited for.
    """

    def __init__(self, controls: Controls, eyes: Eyes, observer: Observer = lambda _: None) -> None:
        self._desk = controls.desk
        self._window = controls.window
        self._disturbed = controls.guard.check
        self._quiet_s = controls.quiet_s
        self._eyes = eyes
        self._observer = observer

    def wait(self, place: Reading) -> Reading:
        """Wait until the board can be seen, follow its window, and return where it is then.

        Raises:
            AnotherLevelError: It has another size.
            ClientCoveredError: It cannot be seen for too long.
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
            UntrustedReadingError: It is nowhere in its window.
        """
        clock = self._desk.clock
        begun, told = clock.now(), False
        while (obstruction := self._obstruction(place)) is not None:
            self._disturbed()
            if obstruction is Obstruction.MOVED:
                place = self._followed(place)
                continue
            waited = clock.now() - begun
            if waited > COVERED_S:
                raise ClientCoveredError(
                    f"the client cannot be seen: {obstruction.value}, for {COVERED_S:.0f} s now",
                    hint="bring its window to the front, and start again: the game goes on from there",
                )
            if not told and waited > TELL_AFTER_S:
                told = True
                self._observer(Waiting(why=f"the client cannot be seen: {obstruction.value}"))
            clock.sleep(_POLL_S)
        return place

    def _obstruction(self, place: Reading) -> Obstruction | None:
        """What keeps the board from being seen; dialogs of the client's own do not count."""
        obstruction = self._window.obstruction(place.grid.region)
        return None if obstruction is Obstruction.ASKING else obstruction

    def _followed(self, place: Reading) -> Reading:
        """The board in its window's present place and size."""
        shift = self._window.follow()
        if shift is not None:
            _log.info("the client's window was moved by %s", shift)
            return place.moved(shift)
        region = self._eyes.seen_window
        if region is None:
            return place
        for look in watch(self._desk, region, self._disturbed, _RESIZED_POLL_S):
            if look.rests_s >= self._quiet_s or look.since_s > RESTLESS_S:
                try:
                    return _of_same_size(self._eyes.find(look.frame), place)
                except NoBoardFoundError as error:
                    raise UntrustedReadingError(
                        f"the client's window was resized, and its board cannot be found in it: {error}",
                        hint="make the window as large as it was",
                    ) from error
        raise AssertionError("watching never ends by itself")


def _of_same_size(found: Reading, place: Reading) -> Reading:
    size, was = (found.grid.columns, found.grid.rows), (place.grid.columns, place.grid.rows)
    if size != was:
        raise AnotherLevelError(
            f"stopped: another level was begun by hand, {size[0]}x{size[1]} cells instead of {was[0]}x{was[1]}"
        )
    mines = place.board.mines if found.board.mines is None else found.board.mines
    return replace(found, board=Board(found.board.cells, mines))
