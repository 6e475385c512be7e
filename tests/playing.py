"""A player for tests: it finds the client on a desk, as `play` does, on a virtual clock."""

from collections.abc import Callable
from pathlib import Path

from sweepbot.calibrate.learned import Learned
from sweepbot.clock import Clock, SystemClock, VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.windows import Windows
from sweepbot.sessions.play import Remember, playing
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import Target, named
from sweepbot.solver import Solver
from sweepbot.trace.events import Decided, Event, GameResult, Read
from sweepbot.vision.calibration import Calibration, find_calibration


class Bot:
    """Plays on a desk with a client's calibration.

    Args:
        screen: The screen.
        mouse: The mouse.
        calibration: The client's.
        folder: Where unreadable pictures are saved.
        windows: The windows, if known.
        clock: Virtual by default.
        settings: Settings of the run; `play` decides how many games are played.
        tell: Receives messages about what was learned; without it nothing is learned.
        watch: Receives every event.
        remember: Receives what was learned of a client with states that were not met yet.
        recording: What the run is recorded by; nothing by default.
        target: Which client to search for; the calibration's by default.

    Attributes:
        results: The games.
        events: What was seen, decided and done.
        learned: What was learned of such a client.
    """

    def __init__(
        self,
        screen: Screen,
        mouse: Mouse,
        calibration: Calibration,
        folder: Path,
        *,
        windows: Windows | None = None,
        clock: Clock | None = None,
        settings: PlaySettings | None = None,
        tell: Callable[[str], None] = lambda _: None,
        watch: Callable[[Event], None] = lambda _: None,
        solver: Solver | None = None,
        remember: Remember = lambda _, __: None,
        recording: Recording | None = None,
        target: Target | None = None,
    ) -> None:
        self._recording = recording or Recording(Desk(screen, mouse, windows, clock or VirtualClock()))
        self._target = target or named(calibration, settings or PlaySettings(games=1, learns=False))
        self._folder = folder
        self._tell = tell
        self._watch = watch
        self._solver = solver or Solver()
        self._remember = remember
        self.results: list[GameResult] = []
        self.events: list[Event] = []
        self.learned: list[Learned] = []

    def play(self, games: int) -> None:
        """Find the client and play some games. See `playing` and `Player.play` for what is raised."""
        with playing(
            self._recording,
            self._target,
            self._observe,
            tell=self._tell,
            remember=self._learn,
            evidence=self._folder,
            solver=self._solver,
        ) as player:
            self.results = player.results
            player.play(games)

    def finish(self, games: int) -> None:
        """Play so many games to their ends without a misread."""
        self.play(games)
        assert [(game.result in ("won", "lost"), game.misreads) for game in self.results] == [(True, 0)] * games

    def _observe(self, event: Event) -> None:
        self.events.append(event)
        self._watch(event)

    def _learn(self, learned: Learned | None, why: str) -> None:
        self.learned += [] if learned is None else [learned]
        self._remember(learned, why)


def play_past(
    desk: Desk,
    client: str,
    mines: int,
    folder: Path,
    act: Callable[[Decided, Read], object],
    *,
    watch: Callable[[Event], None] = lambda _: None,
) -> Bot:
    """Play a real client until something has happened: `act` is called once, before cells that are certain are opened.

    Args:
        desk: A machine's own.
        client: Its name.
        mines: On its board.
        folder: Where unreadable pictures are saved.
        act: Receives the decision, and what was read before it.
        watch: Receives every event.
    """
    happened, read = False, list[Read]()

    def observe(event: Event) -> None:
        nonlocal happened
        watch(event)
        if isinstance(event, Read):
            read.append(event)
        elif isinstance(event, Decided) and event.safe and not happened:
            happened = True
            act(event, read[-1])

    bot = Bot(
        desk.screen,
        desk.mouse,
        find_calibration(client),
        folder,
        windows=desk.windows,
        clock=SystemClock(),
        settings=PlaySettings(games=1, mines=mines, learns=False),
        watch=observe,
    )
    while not happened:  # a game may be lost before any cell is certain
        bot.play(1)
    return bot
