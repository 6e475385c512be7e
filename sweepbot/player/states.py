"""The states of a game, what can be seen in them, and which may follow which: values without behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sweepbot.board import Board
from sweepbot.desktop.screen import Frame
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked, Outcome, Verdict
from sweepbot.plan import PlannedClick
from sweepbot.player.round import Round
from sweepbot.solver import Choice, Decision
from sweepbot.vision.reading import Reading

PATIENCE_S = 5.0
"""Seconds for which an untrusted reading is watched further, as some clients stall for three seconds."""


COVERED_S = 30.0
"""Seconds to wait for a board that is covered by another window, minimised, or hidden by the client itself."""


@dataclass(frozen=True, slots=True)
class Position:
    """Seen: a picture of the board, its trusted reading, and the decision for it; None if the game is over."""

    frame: Frame
    reading: Reading
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Seen: a reading that is still not trusted when time has run out, the reason, and what a person may do."""

    frame: Frame
    reading: Reading
    reason: str
    hint: str = ""


Examined: TypeAlias = Position | Doubt
"""A picture at rest, examined: a position that is trusted, or the doubt about it."""


def mines_hint(mines: int) -> str:
    """Return the hint for a board that contradicts its number of mines."""
    return f"the board was taken to have {mines} mines; if it has another number, use --mines N"


@dataclass(frozen=True, slots=True)
class CellsAtRest:
    """Seen: cells of a burst have come to rest while others, unreadable in the reading, still change."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Obstructed:
    """Seen: the client's board cannot be seen, or is not where it was."""

    place: Reading


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Seen: an untrusted reading, whether a dialog is up, and whether one may be."""

    doubt: Doubt
    is_dialog_up: bool
    may_be_dialog: bool


@dataclass(frozen=True, slots=True)
class ClicksMade:
    """Seen: the clicks that were made; none if the board was stale, that is, had changed since it was read."""

    clicks: tuple[PlannedClick, ...]
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """Seen: the verdict, and the position to go on with, or the doubt if too little can be read."""

    outcome: Outcome
    seen: Examined


Observation: TypeAlias = Examined | CellsAtRest | Obstructed | Unreadable | ClicksMade | Judged | Reading | bool | None
"""A reading alone says where the board is, after its window was followed or enlarged."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How a game has gone so far.

    Attributes:
        unchanged: How many of the last rounds of clicks in a row have changed nothing.
        has_changed: Whether any click has changed the board.
        guessed: The guess that changed it last; None if certain cells did.
        unnoticed: The last round, if some of its clicks do not show yet.
        unread: The cells that were guessed and could not be read then: numbers, or mines.
        opened: The cells that cannot be read although they are open: they were certain, or were read before.
    """

    unchanged: int = 0
    has_changed: bool = False
    guessed: Cell | None = None
    unnoticed: Round | None = None
    unread: tuple[Cell, ...] = ()
    opened: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class AnyPosition:
    """Watching for the board at the start, or while a person plays, for another position than the one that is known."""

    known: Board | None = None


@dataclass(frozen=True, slots=True)
class NewGame:
    """Watching for a new game, after it was `asked` for."""

    asked: "Requesting"


@dataclass(frozen=True, slots=True)
class _Effect:
    """Watching for what has become of a board.

    Attributes:
        before: The position before.
        round: The round of clicks that may show; None if there was none.
        game: How the game has gone so far.
    """

    before: Position
    round: Round | None
    game: Progress

    @property
    def clicked(self) -> Clicked:
        """What was clicked before."""
        return Clicked() if self.round is None else self.round.clicked()


@dataclass(frozen=True, slots=True)
class Result(_Effect):
    """Watching for the result of a round of clicks."""

    round: Round


class ChangedBoard(_Effect):
    """Watching a board that has changed since it was read."""


class Answer(_Effect):
    """Watching the board after dialogs beside it were closed."""


Effect: TypeAlias = Result | ChangedBoard | Answer

Purpose: TypeAlias = AnyPosition | NewGame | Effect
"""What the board is watched for."""


@dataclass(frozen=True)
class Watching:
    """Watching: waiting for a picture that can be trusted.

    Attributes:
        purpose: What for.
        place: An earlier reading of the same board, which says where it is.
        patience_s: Seconds for which an untrusted reading is watched further.
        reaction_s: Seconds that the client is given to react, if more than its calibration says.
        is_last: Whether nothing more is tried if the board cannot be trusted.
        closed: How often dialogs were closed meanwhile.
        had_dialog: Whether a dialog was seen.
        beside: The reading of the board while a dialog was up.
        added: The cells clicked since others came to rest; None if no clicks are followed up.
        is_resumed: Whether watching was interrupted, and its pictures are kept.
        is_hidden: Whether the client itself hides most of the board, as while it is paused.
    """

    purpose: Purpose
    place: Reading
    patience_s: float = PATIENCE_S
    reaction_s: float = 0.0
    is_last: bool = False
    closed: int = 0
    had_dialog: bool = False
    beside: Reading | None = None
    added: tuple[Cell, ...] | None = None
    is_resumed: bool = False
    is_hidden: bool = False


@dataclass(frozen=True)
class Covered:
    """Covered: the client cannot be seen, or has moved; waiting for it, and following its window."""

    watching: Watching


@dataclass(frozen=True)
class Recovering:
    """Recovering: trying an end seen earlier, a larger window, then an idle click, to get a trusted reading."""

    watching: Watching
    unread: Unreadable


@dataclass(frozen=True)
class FollowingUp:
    """Following up: clicking what the cells at rest make certain while others still change."""

    result: Result
    watching: Watching
    known: Reading


@dataclass(frozen=True)
class Judging:
    """Judging: the verdict on what has become of a board, from a trusted position or an untrusted reading."""

    effect: Effect
    watching: Watching
    seen: Examined


@dataclass(frozen=True)
class Closing:
    """Closing: closing the dialogs after a game that was `won` or `lost`."""

    after: str
    board: Reading
    then: "AnyState"


@dataclass(frozen=True)
class Beginning:
    """Beginning: preparing a game, without unreadable cells, and with the mines that earlier games had."""

    seen: Examined


@dataclass(frozen=True)
class Deciding:
    """Deciding: choosing the clicks; if cells cannot be read, the client's face may show that the game is over."""

    position: Position
    game: Progress


@dataclass(frozen=True)
class Acting:
    """Acting: making the clicks of a round, unless the board has changed since it was read."""

    position: Position
    decision: Decision
    clicks: tuple[PlannedClick, ...]
    game: Progress


@dataclass(frozen=True)
class Requesting:
    """Between games: requesting a new game by a step of restart number `way`, in an attempt; all are numbers from 0.

    Attributes:
        over: The end of the last game, as it was read.
        in_front: The last doubt about the board, perhaps covered by something that another way may remove.
        is_found: Whether a new game was seen to begin since, which may look like what was read last.
    """

    over: Reading
    attempt: int = 0
    way: int = 0
    step: int = 0
    in_front: Doubt | None = None
    is_found: bool = False


@dataclass(frozen=True)
class Seeking:
    """Between games of a client whose ways to a new game are unknown: seeking one that works, after what was asked."""

    asked: Requesting


@dataclass(frozen=True)
class HandingOver:
    """Handed over: the game is left to the person before a guess."""

    position: Position
    guess: Choice


@dataclass(frozen=True)
class Over:
    """Over: a game has ended, and whether its last position shows that."""

    position: Position
    verdict: Verdict
    is_seen: bool


@dataclass(frozen=True)
class Stopped:
    """Stopped: nothing more can be done."""

    why: SweepbotError | Doubt


Last: TypeAlias = HandingOver | Over | Stopped
"""What ends a game."""

AnyState: TypeAlias = (
    Watching
    | Covered
    | Recovering
    | FollowingUp
    | Judging
    | Closing
    | Beginning
    | Deciding
    | Acting
    | Requesting
    | Seeking
    | Last
)

LEADS_TO: Mapping[type[AnyState], frozenset[type[AnyState]]] = {
    Watching: frozenset({Watching, Beginning, Judging, FollowingUp, Covered, Recovering, Closing, Requesting, Seeking}),
    Covered: frozenset({Watching}),
    Closing: frozenset({Watching, Closing, Requesting, Seeking, Stopped}),
    Recovering: frozenset({Watching, Beginning, Judging, Requesting, Seeking, Closing}),
    FollowingUp: frozenset({Watching}),
    Beginning: frozenset({Deciding, Stopped}),
    Deciding: frozenset({Acting, Over, HandingOver, Stopped}),
    Acting: frozenset({Watching, Stopped}),
    Judging: frozenset({Watching, Deciding, Closing, Over, Stopped}),
    Requesting: frozenset({Watching}),
    Seeking: frozenset({Watching}),
}
"""Which state may lead to which."""
