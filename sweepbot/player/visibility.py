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


def wait_until_visible(place: Reading, controls: Controls, eyes: Eyes, observer: Observer) -> Reading:
    """Wait until the board can be seen, follow its window, and return where it is then.

    Args:
        place: Where it was read last.
        controls: What tells of windows, and who notices a person's hand meanwhile.
        eyes: What reads the board in a window that was resized.
        observer: Told what is waited for.

    Raises:
        AnotherLevelError: It has another size.
        ClientCoveredError: It cannot be seen for too long.
        ClientGoneError: The client was closed.
        StoppedByUserError: A person took over.
        UntrustedReadingError: It is nowhere in its window.
    """
    clock = controls.desk.clock
    begun, is_told = clock.now(), False
    # Dialogs of the client's own are no obstruction.
    while (obstruction := controls.window.obstruction(place.grid.region)) not in (None, Obstruction.ASKING):
        controls.guard.check()
        if obstruction is Obstruction.MOVED:
            place = _followed(place, controls, eyes)
            continue
        waited_s, why = clock.now() - begun, f"the client cannot be seen: {obstruction.value}"
        if waited_s > COVERED_S:
            raise ClientCoveredError(
                f"{why}, for {COVERED_S:.0f} s now",
                hint="bring its window to the front, and start again: the game goes on from there",
            )
        if not is_told and waited_s > TELL_AFTER_S:
            is_told = True
            observer(Waiting(why=why))
        clock.sleep(_POLL_S)
    return place


def _followed(place: Reading, controls: Controls, eyes: Eyes) -> Reading:
    """The board in its window's present place and size."""
    shift = controls.window.follow()
    if shift is not None:
        _log.info("the client's window was moved by %s", shift)
        return place.moved(shift)
    region = eyes.seen_window
    if region is None:
        return place
    looks = watch(controls.desk, region, controls.guard.check, _RESIZED_POLL_S)
    at_rest = next(look for look in looks if look.rests_s >= controls.quiet_s or look.since_s > RESTLESS_S)
    try:
        return _of_same_size(eyes.find(at_rest.frame), place)
    except NoBoardFoundError as error:
        raise UntrustedReadingError(
            f"the client's window was resized, and its board cannot be found in it: {error}",
            hint="make the window as large as it was",
        ) from error


def _of_same_size(found: Reading, place: Reading) -> Reading:
    size, was = (found.grid.columns, found.grid.rows), (place.grid.columns, place.grid.rows)
    if size != was:
        raise AnotherLevelError(
            f"stopped: another level was begun by hand, {size[0]}x{size[1]} cells instead of {was[0]}x{was[1]}"
        )
    mines = place.board.mines if found.board.mines is None else found.board.mines
    return replace(found, board=Board(found.board.cells, mines))
