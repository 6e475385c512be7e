"""Adds the games that are played to the history."""

from collections.abc import Callable

from sweepbot.errors import SweepbotError
from sweepbot.history import PastGame, keep
from sweepbot.trace.events import Ended, Event


class History:
    """Keeps each game for `sweepbot stats`; if that fails, tells so once and lets playing go on."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._can_keep = True

    def observe(self, event: Event) -> None:
        """Add a game of the bot once it has ended."""
        if isinstance(event, Ended):
            self.keep(_played(event))

    def keep(self, *games: PastGame) -> None:
        """Add games."""
        try:
            for game in games if self._can_keep else ():
                keep(game)
        except SweepbotError as error:
            self._can_keep = False
            self._tell(f"games are not added to the history: {error} ({error.hint})")


def _played(ended: Ended) -> PastGame:
    """Return the history's entry for a game of the bot."""
    return PastGame(
        client=ended.client,
        columns=len(ended.board[0]),
        rows=len(ended.board),
        mines=ended.total,
        result=ended.result,
        seconds=ended.seconds,
        clicks=ended.clicks,
        guesses=ended.guesses,
        misreads=ended.misreads,
        risk=ended.risk,
        three_bv=ended.three_bv,
    )
