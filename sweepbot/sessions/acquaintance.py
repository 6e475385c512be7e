"""Getting to know a client while it is played: what its games confirm, and the ways between them."""

import zlib
from collections.abc import Callable

from msgspec import structs

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.map.between_games import BetweenGames
from sweepbot.calibrate.memory import Memory, is_lacking
from sweepbot.control.controls import Controls
from sweepbot.errors import StuckError
from sweepbot.player.finding import FoundClient
from sweepbot.player.loop import Player
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Event, Lesson, Observer, Remembered
from sweepbot.vision.reader import Reader


class Acquaintance:
    """What becomes known of a client while it is played.

    Args:
        client: The client, as it was found.
        reader: Reads its board.
        observe: Called with each event; what was found out is one.
        tell: Called with messages on that.
        settings: Whether to play only until games bring nothing new, and whether somebody is there.

    Attributes:
        memory: What its games confirm.
    """

    def __init__(
        self,
        client: FoundClient,
        reader: Reader,
        observe: Observer,
        tell: Callable[[str], None],
        settings: PlaySettings,
    ) -> None:
        self.memory = Memory(reader.calibration, self._say, until_known=settings.until_known)
        self._is_attended = settings.is_attended
        self._client, self._reader, self._observe, self._tell = client, reader, observe, tell
        # A window is asked only where the answer may be kept.
        self._titles = [client.window.title] if is_lacking(reader.calibration) else []
        self._between: BetweenGames | None = None

    def observe(self, event: Event) -> None:
        """Take in an event before it is passed on."""
        self.memory.observe(event)
        self._observe(event)

    def _say(self, text: str) -> None:
        self._observe(Lesson(text=text))
        self._tell(text)

    def between(self, controls: Controls) -> BetweenGames | None:
        """Return what gets from one game to the next, if the client has no calibration that says how."""
        if self._reader.calibration.templates:
            return None
        self._between = BetweenGames(
            controls, self._reader, self._client.reading, self._say, is_attended=self._is_attended
        )
        return self._between

    def finish(self, player: Player) -> None:
        """Leave a new board behind, as an end may show what was not met yet, and so find out how a game is started."""
        try:
            player.leave_new_game()
        except StuckError as error:
            self._say(f"{error} ({error.hint})")

    def learned(self) -> Learned | None:
        """Return what its games have confirmed; None if that is too little to know the client by."""
        behaviour = self._reader.calibration.behaviour
        if self._between is not None:
            between = self._between
            settle = structs.replace(behaviour.settle, hold_ms=between.hold_ms)
            behaviour = structs.replace(behaviour, restart=between.restart, dialogs=between.dialogs, settle=settle)
        learned = self.memory.learned(behaviour, [*self._titles, self._client.window.title])
        if learned is not None:
            restart = [" ".join(str(it.key or it.click) for it in way.steps) for way in learned.behaviour.restart]
            sums = {it.state: zlib.crc32(b"".join(one.tobytes() for one in it.pictures)) for it in learned.labels}
            states = {state: f"{checksum:08x}" for state, checksum in sums.items()}
            self._observe(Remembered(states=states, restart=restart, levels=learned.levels))
        return learned
