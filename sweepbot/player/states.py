"""The states of a game, what may be seen in them, and which may follow which: values, no more.

A round of play goes from one to the next: what was seen, decided and clicked, and what is expected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from sweepbot.desktop.screen import Frame
from sweepbot.errors import SweepbotError, UntrustedReadingError
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked, Outcome, Verdict
from sweepbot.plan import Click
from sweepbot.player.round import Round
from sweepbot.solver import Decision, Move
from sweepbot.vision.reader import Reading

PATIENCE_S = 5.0
"""Seconds for which an untrusted reading is looked at again: some clients stall for three seconds."""

RESTLESS_S = 8.0
"""Seconds beyond what is waited for, after which a picture that still changes is taken as it is."""

TELL_AFTER_S = 1.0
"""Seconds of waiting after which a person is told what for."""


@dataclass(frozen=True, slots=True)
class Position:
    """Seen: a reading that is trusted, and what to do about it; `decision` is None where the game is over."""

    frame: Frame
    reading: Reading
    decision: Decision | None


class DoubtError(UntrustedReadingError):
    """Seen: a reading that is still not trusted when patience has run out, and the `reason` that speaks against it."""

    def __init__(self, frame: Frame, reading: Reading, reason: str, hint: str = "") -> None:
        hint = hint or reading.hint or "is something in front of the board?"
        super().__init__(f"the reading is not trusted: {reason}", hint=hint)
        self.frame = frame
        self.reading = reading
        self.reason = reason


def played_as(mines: int) -> str:
    """The hint for a board that contradicts its number of mines."""
    return f"the board was played as one of {mines} mines; if it has others, say so: --mines N"


@dataclass(frozen=True, slots=True)
class CellsAtRest:
    """Seen: cells of a burst have come to rest while others, unreadable in the reading, have not."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Obstructed:
    """Seen: the client's board cannot be seen, or is not where it was."""

    place: Reading


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Seen: what cannot be relied on, whether a dialog is up, and whether one may be."""

    doubt: DoubtError
    is_dialog_up: bool
    may_be_dialog: bool


@dataclass(frozen=True, slots=True)
class Located:
    """Seen: where the board is, its window followed or made larger."""

    place: Reading


@dataclass(frozen=True, slots=True)
class ClicksMade:
    """Seen: the clicks that were made; none where the board was stale, which is: has changed since it was read."""

    clicks: tuple[Click, ...]
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """Seen: the verdict, and the position to go on with; None where too little is left to be seen."""

    outcome: Outcome
    position: Position | None


Seen: TypeAlias = Position | CellsAtRest | Obstructed | Unreadable | Located | ClicksMade | Judged | bool | None


@dataclass(frozen=True, slots=True)
class Game:
    """How a game has gone so far.

    Attributes:
        unchanged: How many rounds of clicks have changed nothing just before.
        has_changed: Whether any click has changed the board.
        guessed: The cell of the guess that has changed it last; None where certain cells have.
        unnoticed: The last round, where some of its clicks do not show: they may yet.
    """

    unchanged: int = 0
    has_changed: bool = False
    guessed: Cell | None = None
    unnoticed: Round | None = None


class Purpose(Enum):
    """What a look is for."""

    START = "what is there at first"
    ROUND = "what came of the clicks of a round"
    CHANGE = "what shows on a board that has changed since it was read"
    ANSWER = "what the board shows once dialogs beside it were closed"
    NEW_GAME = "whether a new game has begun"
    NEWS = "whether the board shows anything that it did not"


@dataclass(frozen=True, slots=True)
class LookContext:
    """What is looked for, what was done before, and what came of looking so far.

    Attributes:
        purpose: What for.
        place: An earlier reading of the same board: where to look.
        patience_s: Seconds for which a reading that is not trusted is looked at again.
        reaction_s: Seconds that the client is given to react, where that is more than its calibration says.
        is_last: Whether nothing more is tried where the board cannot be relied on.
        game: How the game has gone so far.
        before: The position that was clicked on.
        round: The clicks that are to show.
        asked: How a new game was asked for.
        closed: How often dialogs were closed meanwhile.
        had_dialog: Whether one was seen.
        beside: What was to be seen of the board beside it.
    """

    purpose: Purpose
    place: Reading
    patience_s: float = PATIENCE_S
    reaction_s: float = 0.0
    is_last: bool = False
    game: Game = Game()
    before: Position | None = None
    round: Round | None = None
    asked: "Restarting | None" = None
    closed: int = 0
    had_dialog: bool = False
    beside: Reading | None = None

    def expected(self, now: Reading) -> bool:
        """Whether a reading shows what is waited for."""
        match self.purpose:
            case Purpose.NEW_GAME:
                return not now.over
            case Purpose.NEWS:
                return now.board != self.place.board
            case Purpose.ROUND if self.round is not None:
                return now.over or not self.round.missed(now.board)
        return True

    @property
    def clicked(self) -> Clicked:
        """What was clicked before."""
        return Clicked() if self.round is None else self.round.clicked()


@dataclass(frozen=True)
class _OfLook:
    """A state in which a look is under way."""

    context: LookContext


@dataclass(frozen=True)
class Looking(_OfLook):
    """Looking: frames are awaited until one can be relied on.

    Attributes:
        added: The clicks since cells have come to rest; None where no clicks are followed.
        is_resumed: Whether the same was looked for before: the pictures on the way count.
    """

    added: tuple[Cell, ...] | None = None
    is_resumed: bool = False


class Covered(_OfLook):
    """Covered: the client cannot be seen, or is not where it was; it is waited for, and followed."""


@dataclass(frozen=True)
class Recovering(_OfLook):
    """Recovering: an end seen before, a larger window, an idle click; the first that lets the board be relied on."""

    unread: Unreadable


@dataclass(frozen=True)
class FollowingUp(_OfLook):
    """FollowingUp: what the cells at rest make certain while others still change is clicked too."""

    known: Reading


@dataclass(frozen=True)
class Judging(_OfLook):
    """Judging: what came of the clicks, by a position that is trusted or by what is seen that is not."""

    seen: Position | DoubtError
    is_dialog_up: bool = False


@dataclass(frozen=True)
class Closing:
    """Closing: dialogs are closed that come after a game `after`, `won` or `lost`."""

    after: str
    board: Reading
    then: "AnyState"


@dataclass(frozen=True)
class Beginning:
    """Beginning: a game can be played, without the cells that cannot be read; other games' ends tell its mines."""

    position: Position | DoubtError


@dataclass(frozen=True)
class Deciding:
    """Deciding: what is clicked, if anything is left to be; where cells cannot be read, the client's face may tell."""

    position: Position
    game: Game


@dataclass(frozen=True)
class Acting:
    """Acting: the clicks of a round are made, unless the board looks other than it was read."""

    position: Position
    decision: Decision
    clicks: tuple[Click, ...]
    game: Game


@dataclass(frozen=True)
class Restarting:
    """Between games: a new game is asked for, by restart number `way`, attempt number `attempt`, both from 0.

    Attributes:
        over: The end that was read last.
        in_front: What was in front of the board last; it may go by another way.
    """

    over: Reading
    attempt: int = 0
    way: int = 0
    in_front: DoubtError | None = None


@dataclass(frozen=True)
class HandedOver:
    """Handed over: the game is left to the person, before a guess."""

    position: Position
    guess: Move


@dataclass(frozen=True)
class Over:
    """Over: a game has ended, and whether its last position shows that."""

    position: Position
    verdict: Verdict
    is_seen: bool


@dataclass(frozen=True)
class Stopped:
    """Stopped: nothing more can be done."""

    error: SweepbotError


AnyState: TypeAlias = _OfLook | Closing | Beginning | Deciding | Acting | Restarting | HandedOver | Over | Stopped

LEADS_TO: Mapping[type[AnyState], frozenset[type[AnyState]]] = {
    Looking: frozenset({Looking, Beginning, Judging, FollowingUp, Covered, Recovering, Closing, Restarting}),
    Covered: frozenset({Looking}),
    Closing: frozenset({Looking, Closing, Restarting, Stopped}),
    Recovering: frozenset({Looking, Beginning, Judging, Restarting, Closing}),
    FollowingUp: frozenset({Looking}),
    Beginning: frozenset({Deciding, Stopped}),
    Deciding: frozenset({Acting, Over, HandedOver}),
    Acting: frozenset({Looking, Stopped}),
    Judging: frozenset({Looking, Deciding, Closing, Over, Stopped}),
    Restarting: frozenset({Looking}),
}
"""Which state may lead to which; those that are not here end a game."""
