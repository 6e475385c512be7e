"""The loop that looks on: wait until the board shows something new, and say what helps."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sweepbot.control.client_window import ClientWindow, Obstruction
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import AnotherLevelError, ClientCoveredError, NoBoardFoundError
from sweepbot.geometry import Cell
from sweepbot.player.finding import Finder, FoundClient
from sweepbot.player.looking import Looker
from sweepbot.player.sight import Eyes
from sweepbot.player.states import DoubtError, LookContext, Position, Purpose
from sweepbot.solver import Decision, Solver
from sweepbot.solver.efficiency import Efficient, most_efficient
from sweepbot.solver.explain import Proof, prove
from sweepbot.trace.events import Observer, Waiting
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader, Reading

_WORK = 60
"""Sets of numbers that are tried for each proof: some milliseconds. Nearly all proofs are of one or two numbers."""

PROVING_S = 0.015
"""Seconds for proofs in live use: for the cell to open next, and for as many more as there is time."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A cell that is certain.

    Attributes:
        cell: The cell.
        is_mine: Whether it is a mine; else it is safe.
        rule: The name of the rule that found it.
        proof: The numbers that prove it; None where it was not asked for, or is certain by more than numbers.
    """

    cell: Cell
    is_mine: bool
    rule: str
    proof: Proof | None


@dataclass(frozen=True, slots=True)
class Advice:
    """What may help a person in a position.

    Attributes:
        reading: What is seen.
        decision: What is certain, and the chances; None where the game is over.
        hints: The certain cells, safe ones first; only the one to open next where one hint was asked for.
        efficient: The certain click that leads to the end in the fewest; None where nothing is safe, one hint was asked
            for, or the solver is not compiled yet.
    """

    reading: Reading
    decision: Decision | None
    hints: tuple[Hint, ...]
    efficient: Efficient | None = None


def advice(
    reading: Reading,
    decision: Decision | None,
    *,
    one: bool = False,
    time_is_up: Callable[[], bool] = lambda: False,
) -> Advice:
    """What may help a person in a position.

    Args:
        reading: What is seen.
        decision: What was decided; None where the game is over.
        one: Whether to give only the next safe cell.
        time_is_up: Asked before each proof but the first; the others are left out then.
    """
    if decision is None:
        return Advice(reading, None, ())
    safe = [(cell, False) for cell in decision.safe]
    mines = [(cell, True) for cell in decision.mines]
    certain = safe[:1] if one else [*safe, *mines]
    hints: list[Hint] = []
    for cell, is_mine in certain:
        proof = None if hints and time_is_up() else prove(reading.board, cell, _WORK)
        hints.append(Hint(cell, is_mine, decision.rules[cell], proof))
    efficient = None if one else most_efficient(reading.board, decision, may_take_seconds=False)
    return Advice(reading, decision, tuple(hints), efficient)


_log = logging.getLogger("sweepbot.assist")

_PATIENCE_S = 0.3  # for which a board that cannot be read in whole is looked at again before the rest is made do with
_SEARCH_S = 1.0  # between two searches for a board that is not there


class Onlooker:
    """Looks on while a person plays.

    Args:
        desk: What is looked at; its mouse is not used.
        read: Reads a frame, in pixels of the desktop; raises NoBoardFoundError where there is no board in it.
        titles: What the titles of the clients' windows contain.
        calibration: Given the reading of the board that was found, its client's.
        solver: What decides.
        observer: Told of every picture that is read, and what is waited for.
        mines: The mines of the board, where it is of no level.
    """

    def __init__(
        self,
        desk: Desk,
        read: Callable[[Frame], Reading],
        titles: Sequence[str],
        calibration: Callable[[Reading], Calibration],
        *,
        solver: Solver,
        observer: Observer = lambda _: None,
        mines: int | None = None,
    ) -> None:
        self._desk = desk
        self._calibration = calibration
        self._solver = solver
        self._observer = observer
        self._mines = mines
        self._client: FoundClient | None = None
        self._finder = Finder(desk, read, titles=titles, region=None, may_resize=False, observer=observer)

    @property
    def client(self) -> FoundClient | None:
        """The client that advice is about; None before one was found."""
        return self._client

    def advise(self, *, one: bool = False) -> Iterator[Advice]:
        """Give advice for the position that is there, and for each new one, until the client is closed.

        Where another level is begun, or the window is resized, the board is looked for again.

        Args:
            one: Whether to give only the next safe cell.

        Raises:
            NoBoardFoundError: No board is in sight at the start.
            ClientGoneError: The client was closed.
        """
        is_first = True
        while True:
            try:
                with self._finder.found() as client:
                    is_first = False
                    self._client = client
                    yield from self._of_one_board(client, one=one)
            except NoBoardFoundError:
                if is_first:
                    raise
                self._observer(Waiting(why="for a board"))
                self._desk.clock.sleep(_SEARCH_S)
            except AnotherLevelError as another:
                _log.info("looked for again: %s", another)

    def _of_one_board(self, client: FoundClient, *, one: bool) -> Iterator[Advice]:
        """Advice for each position of a board, until it has another size, or what covered a part of it is gone.

        Raises:
            AnotherLevelError: It has.
        """
        calibration = self._calibration(client.reading)
        controls = Controls.of(self._desk, client.window, calibration.behaviour.settle)
        eyes = Eyes(controls, Reader(calibration, self._mines), None)
        looker = Looker(controls, eyes, self._solver, observer=self._observer)
        place, last = client.reading, None
        began_covered = _is_covered(client.window)
        if began_covered:
            self._observer(Waiting(why="for the whole of the client's window: something covers a part of it"))
        while True:
            if began_covered and not _is_covered(client.window):
                return  # there may be more of the board than was seen
            purpose = Purpose.NEWS if place.board == last else Purpose.START
            seen = looker.look(LookContext(purpose, place, _PATIENCE_S))
            if not isinstance(seen, Position | DoubtError):
                try:
                    place = eyes.wait_until_visible(place, self._observer)
                except ClientCoveredError as covered:
                    self._observer(Waiting(why=str(covered)))
                continue
            if isinstance(seen, DoubtError):  # the pointer may be over a cell: what is certain is so whatever it shows
                in_part = looker.in_part(seen)
                if in_part is None:
                    self._observer(Waiting(why=seen.reason))
                    continue
                seen = in_part
            place = reading = seen.reading
            if reading.board != last:
                last = reading.board
                yield advice(reading, seen.decision, one=one, time_is_up=self._desk.clock.deadline(PROVING_S))


def _is_covered(window: ClientWindow) -> bool:
    """Whether something covers a part of a client's window, be it beside the board that was seen."""
    return window.region is not None and window.obstruction(window.region) is Obstruction.COVERED
