"""Getting to know a client that is played at first sight: what its games confirm, and the ways between them."""

from collections.abc import Callable

from msgspec import structs

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.live.between_games import BetweenGames
from sweepbot.calibrate.remembering import Memory
from sweepbot.control.controls import Controls
from sweepbot.errors import StuckError
from sweepbot.player.finding import FoundClient
from sweepbot.player.loop import Player
from sweepbot.trace.events import Event, Observer
from sweepbot.vision.reader import Reader


class Acquaintance:
    """What becomes known of a client while it is played.

    Args:
        client: The client, as it was found.
        reader: Reads its board.
        memory: What its games confirm.
        tell: Called with messages on what was found out.
    """

    def __init__(self, client: FoundClient, reader: Reader, memory: Memory, tell: Callable[[str], None]) -> None:
        self._memory = memory
        self._client, self._reader, self._tell = client, reader, tell
        self._titles = [client.window.title]
        self._between: BetweenGames | None = None

    def hearing(self, observer: Observer) -> Observer:
        """Return an observer that takes in each event before another observer gets it."""

        def observe(event: Event) -> None:
            self._memory.observe(event)
            observer(event)

        return observe

    def between(self, controls: Controls) -> BetweenGames | None:
        """Return what gets from one game to the next, if the client has no calibration that says how."""
        if self._reader.calibration.templates:
            return None
        self._between = BetweenGames(controls, self._reader, self._client.reading, self._tell)
        return self._between

    def finish(self, player: Player) -> None:
        """Leave a new board behind, as an end may show what was not met yet, and so find out how a game is started."""
        try:
            player.leave_new_game()
        except StuckError as error:
            self._tell(f"{error}: give a way by `restart` in its calibration")

    def learned(self) -> Learned | None:
        """Return what its games have confirmed; None if that is too little to know the client by."""
        behaviour = self._reader.calibration.behaviour
        if self._between is not None:
            behaviour = structs.replace(behaviour, restart=self._between.restart, dialogs=self._between.dialogs)
        return self._memory.learned(behaviour, [*self._titles, self._client.window.title])
