"""Beginning a new game, and making sure that it is one."""

import logging

import numpy as np

from sweepbot.behaviour import Restart
from sweepbot.board import Board, State
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.new_game import NewGame
from sweepbot.errors import ClientMovedError, StuckError
from sweepbot.player.events import Observer, Restarting
from sweepbot.player.persistent import PersistentReader
from sweepbot.player.position import DoubtError, Position
from sweepbot.player.round import UNOPENED
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

REACTION_S = (0.0, 1.0, 3.0, 6.0)
"""Seconds that the client is given to react, attempt by attempt: some stand still for a while."""


class NextGame:
    """Begins new games of one client.

    Args:
        ways: Those that its calibration knows, in the order in which they are tried.
        asking: What asks for them.
        eyes: What looks at the board, and closes dialogs.
        window: The client's window.
        observer: Told of each way that is tried.
    """

    def __init__(
        self,
        ways: tuple[Restart, ...],
        asking: NewGame,
        eyes: PersistentReader,
        window: ClientWindow,
        observer: Observer,
    ) -> None:
        self._ways = ways
        self._asking = asking
        self._eyes = eyes
        self._window = window
        self._observer = observer

    def begin(self, over: Reading) -> Position:
        """Begin a new game after the one whose end was read last, in the first of the ways that the client answers to.

        Raises:
            DoubtError: Something stays in front of the board.
            StuckError: None begins.
        """
        in_front: DoubtError | None = None
        for reaction_s in REACTION_S:
            for way in self._ways:
                if self._window.is_known and self._eyes.dialogs.is_up(over):
                    self._eyes.close_dialogs(over.phase.value, over)
                self._observer(Restarting(way))
                try:
                    self._asking.ask(way, over)
                    position = self._eyes.look(over, lambda now: not now.over, reaction_s=reaction_s)
                except DoubtError as doubt:  # what the end has put in front of the board may go by another way
                    in_front = doubt
                    continue
                except ClientMovedError as error:
                    _log.info("asked again: %s", error)
                    over = self._eyes.look(over).reading
                    continue
                if position.decision is not None and is_another(position.reading.board, over.board):
                    self._asking.has_begun()
                    return position
            # A dialog beside the board lets no click through until it is answered.
            self._eyes.close_dialogs(over.phase.value, over)
        if in_front is not None:
            raise in_front
        raise StuckError(
            f"no new game has begun after {len(REACTION_S)} attempts",
            hint="begin one by hand, or mend `restart` in the calibration",
        )


def is_another(now: Board, over: Board) -> bool:
    """Whether a board is not that of a finished game any more, which a client may show as one that goes on."""
    was_open = ~np.isin(over.cells, (*UNOPENED, State.UNKNOWN))
    if now.cells.shape != over.cells.shape or not was_open.any():
        return True
    return bool((now.cells[was_open] != over.cells[was_open]).any())
