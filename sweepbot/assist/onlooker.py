"""The onlooker's loop: wait until the board shows something new, and give advice."""

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sweepbot.control.client_window import ClientWindow, Obstruction
from sweepbot.control.controls import Controls
from sweepbot.errors import AnotherLevelError, ClientCoveredError, NoBoardFoundError
from sweepbot.geometry import Cell
from sweepbot.plan import as_promised
from sweepbot.player.as_events import decided_event
from sweepbot.player.examining import Examiner
from sweepbot.player.finding import FoundClient
from sweepbot.player.states import AnyPosition, CellsAtRest, Doubt, Obstructed, Watching
from sweepbot.player.watcher import Watcher
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.target import Target, finder
from sweepbot.solver import Decision, Solver
from sweepbot.solver.deduction import LADDERS
from sweepbot.solver.efficiency import Efficient, most_efficient
from sweepbot.solver.explain import Proof, prove
from sweepbot.trace.events import Decided, Observer, Waiting
from sweepbot.vision.reading import Reading

_LADDER = {rule.name: rung for rung, rule in enumerate(LADDERS["exact"])}
"""How far up the rules are that find a cell: what only counting all layouts finds is the hardest to prove."""

_WORK = 60
"""Sets of numbers tried for each proof: some milliseconds. Nearly all proofs need one or two numbers."""

PROVING_S = 0.015
"""Seconds for proofs in live use: that of the cell to open next, and as many more as there is time for."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A cell that is certain.

    Attributes:
        cell: The cell.
        is_mine: Whether it is a mine or safe.
        proof: The numbers that prove it; None if there was no time, or no short proof.
    """

    cell: Cell
    is_mine: bool
    proof: Proof | None


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for a person in a position.

    Attributes:
        reading: The reading of the board.
        decision: The solver's decision, with its safe cells in the order of `hints`; None if the game is over.
        hints: The certain cells, safe ones first, and of these what is easiest to prove; only the one to open next if a
            single hint was asked for.
        efficient: The most efficient opening or chord; None if nothing is safe, a single hint was asked for, or the
            solver is not compiled yet.
    """

    reading: Reading
    decision: Decision | None
    hints: tuple[Hint, ...]
    efficient: Efficient | None = None

    @property
    def event(self) -> Decided | None:
        """The decision as a run tells of it."""
        return None if self.decision is None else decided_event(self.decision, self.reading.mines_left)


def advice(
    reading: Reading, decision: Decision | None, *, one: bool = False, time_is_up: Callable[[], bool] = lambda: False
) -> Advice:
    """Return advice for a person in a position, given the solver's decision: None if the game is over.

    The safe cell that is easiest to prove comes first, and alone if only `one` is asked for. Once `time_is_up` no more
    are proved, but one is.
    """
    if decision is None:
        return Advice(reading, None, ())
    rules = decision.rules
    likely_easy = sorted(decision.safe, key=lambda cell: _LADDER.get(rules[cell], len(_LADDER)))
    hints: list[Hint] = []
    for cell, is_mine in [(cell, False) for cell in likely_easy] + [(cell, True) for cell in decision.mines]:
        proof = None if hints and time_is_up() else prove(reading.board, cell, _WORK)
        hints.append(Hint(cell, is_mine, proof))
    hints.sort(key=lambda hint: (hint.is_mine, math.inf if hint.proof is None else hint.proof.effort))
    decision = replace(decision, safe=tuple(hint.cell for hint in hints if not hint.is_mine))
    if one:
        return Advice(reading, decision, tuple(hints[: min(1, len(decision.safe))]))
    return Advice(reading, decision, tuple(hints), most_efficient(reading.board, decision, may_take_seconds=False))


_log = logging.getLogger("sweepbot.assist")

_PATIENCE_S = 0.3  # for which a board that cannot be read in full is looked at again before a part must do
_SEARCH_S = 1.0  # between two searches for a board


class Onlooker:
    """Watches a person play.

    Args:
        recording: The recording; its desk is watched, and the mouse of that is not used.
        target: Which client to search for.
        observer: Called with every reading, and with what is being waited for, once that is recorded.
    """

    def __init__(self, recording: Recording, target: Target, observer: Observer) -> None:
        self._desk = recording.desk
        self._target = target
        self._solver = Solver()
        self._observer = recording.telling(observer)
        self._finder = finder(target, recording, self._observer)

    def advise(self, *, one: bool = False) -> Iterator[tuple[FoundClient, Advice]]:
        """Yield the client and `advice` for each new position, until the client is closed.

        If another level is started, or the window is resized, the board is searched for again.

        Raises:
            NoBoardFoundError: There is no board at the start.
            ClientGoneError: The client was closed.
        """
        is_first = True
        while True:
            try:
                with self._finder.find() as client:
                    is_first = False
                    for advice_now in self._watch_board(client, one=one):
                        yield client, advice_now
            except NoBoardFoundError:
                if is_first:
                    raise
                self._observer(Waiting(why="for a board"))
                self._desk.clock.sleep(_SEARCH_S)
            except AnotherLevelError as another:
                _log.info("searching for the board again: %s", another)

    def _watch_board(self, client: FoundClient, *, one: bool) -> Iterator[Advice]:
        """Yield advice for each position of a board, until what covered a part of the client at the start is gone.

        Raises:
            AnotherLevelError: The board has another size now.
        """
        calibration, _ = self._target.settled(client.reading)
        controls = Controls(self._desk, client.window, calibration.behaviour.settle)
        examiner = Examiner(controls, self._target.reader(client.reading), self._solver)
        watcher = Watcher(controls, examiner, self._observer)
        place, last = client.reading, None
        began_covered = _is_covered(client.window)
        if began_covered:
            self._observer(Waiting(why="for all of the client's window: something covers a part of it"))
        while True:
            if began_covered and not _is_covered(client.window):
                return  # the board may be larger than it seemed
            seen = watcher.watch(Watching(AnyPosition(last), place, _PATIENCE_S))
            if isinstance(seen, CellsAtRest | Obstructed):
                try:
                    place = watcher.wait_until_visible(place)
                except ClientCoveredError as covered:
                    self._observer(Waiting(why=str(covered)))
                continue
            seen = examiner.in_part(seen)  # the pointer may be over a cell, which may show anything then
            if isinstance(seen, Doubt):
                self._observer(Waiting(why=seen.reason))
                continue
            place = reading = seen.reading
            if reading.board != last:
                last, decision = reading.board, seen.decision
                if decision is not None:
                    decision = as_promised(decision, last, reading.phase, calibration.behaviour)
                yield advice(reading, decision, one=one, time_is_up=self._desk.clock.deadline(PROVING_S))


def _is_covered(window: ClientWindow) -> bool:
    """Whether something covers a part of a client's window, even if not of its board."""
    return window.region is not None and window.obstruction(window.region) is Obstruction.COVERED
