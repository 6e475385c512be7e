"""Why a cell was read as it was, or not read: what the templates and first sight say of it, and which decided."""

from dataclasses import dataclass

import numpy as np

from sweepbot.board import CHARACTERS, State, cells_in
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.vision.calibration import NAME_OF_STATE
from sweepbot.vision.first_sight.rules import TRUSTED, Told, broken
from sweepbot.vision.reading import Reading
from sweepbot.vision.telling import Seen

_LIKELIEST = 4
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Match:
    """What the templates of the board's look say of a cell.

    Attributes:
        best: The state of the nearest template.
        apart: How far that is, as the root mean square in grey levels.
        rival: The state of the nearest template of another state.
        rival_apart: How far that is.
        near: Whether the nearest is near enough, and all others clearly further.
    """

    best: str
    apart: float
    rival: str
    rival_apart: float
    near: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """What first sight says of a cell.

    Attributes:
        likeliest: The four likeliest states by the network, as board text with their chances; `.` is no cell at all.
        told: The state by the network and the rules, as board text, before any doubt.
        chance: How likely that is.
        alike: How many cells of the board look the same, and were told with it.
        decided_by: The cells that would contradict the rules if these cells showed their next likeliest state.
    """

    likeliest: tuple[tuple[str, float], ...]
    told: str
    chance: float
    alike: int
    decided_by: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What decided on a cell.

    Attributes:
        templates: What templates say; None if the board has no known look.
        first_sight: What first sight says; None if it was not asked.
        refused: Why the cell was not read; None if it was.
    """

    templates: Match | None
    first_sight: Sight | None
    refused: str | None


def explain(reading: Reading, cell: Cell) -> Explanation:
    """Explain what was read in a cell.

    Raises:
        UsageError: The cell is off the board.
    """
    board, seen = reading.board, reading.seen
    if cell not in board:
        raise UsageError(
            f"{cell} is not on this board of {board.rows} rows and {board.columns} columns", hint="both count from 0"
        )
    match, sight = _match(seen, cell, board.columns), _sight(seen, cell)
    refused = _refusal(seen, cell, match) if board[cell] == State.UNKNOWN else None
    return Explanation(match, sight, refused)


def _match(seen: Seen, cell: Cell, columns: int) -> Match | None:
    look, matches = seen.look, seen.matches
    if look is None or matches is None:
        return None
    index = cell.row * columns + cell.column
    return Match(
        best=NAME_OF_STATE.get(int(look.states[matches.templates[index]]), "painted over"),
        apart=round(float(matches.errors[index]), 1),
        rival=NAME_OF_STATE.get(int(matches.rivals[index]), "painted over"),
        rival_apart=round(float(matches.rival_errors[index]), 1),
        near=bool(matches.states[index] != State.UNKNOWN),
    )


def _sight(seen: Seen, cell: Cell) -> Sight | None:
    told, chances = seen.told, seen.chances
    if told is None or chances is None:
        return None
    order = np.argsort(-chances[cell])[:_LIKELIEST].tolist()
    state = int(told.likeliest[cell])
    look = told.looks == told.looks[cell]
    otherwise = told.likeliest.copy()
    otherwise[look] = next(other for other in order if other != state)
    worse = broken(otherwise) - told.broken >= 1
    return Sight(
        likeliest=tuple((CHARACTERS[one], round(float(chances[cell][one]), _DECIMALS)) for one in order),
        told=CHARACTERS[state],
        chance=round(float(told.chances[cell]), _DECIMALS),
        alike=int(look.sum()),
        decided_by=tuple(cells_in(worse)),
    )


def _refusal(seen: Seen, cell: Cell, match: Match | None) -> str:
    """Say why a cell was not read."""
    if seen.shows_win:
        return "the client has painted over its cells, as after a win"
    if seen.cells.states[cell] != State.UNKNOWN or seen.told is None or seen.chances is None:
        return "it looks like a zero, but may be a hidden cell held down, or part of a window in front of the board"
    if match is not None and match.near and seen.told.likeliest[cell] != State.UNKNOWN:
        return f"its template says {match.best}, first sight {CHARACTERS[int(seen.chances[cell].argmax())]}"
    return _doubt(seen.told, cell)


def _doubt(told: Told, cell: Cell) -> str:
    """Say why first sight did not read a cell."""
    likeliest = int(told.likeliest[cell])
    if likeliest == State.UNKNOWN:
        return "first sight sees no cell of a board there: something may lie over it"
    if told.broken[cell] >= 1:
        return f"as {CHARACTERS[likeliest]} it contradicts the cells around it"
    if told.chances[cell] < TRUSTED[likeliest]:
        return "another state is nearly as likely"
    wrong = cells_in(told.broken >= 1)
    beside = [of for of in wrong if max(abs(of.row - cell.row), abs(of.column - cell.column)) == 1]
    if beside:
        return (
            f"{' and '.join(map(str, beside))} beside it contradicts the rules of the game, and it is not quite certain"
        )
    return "first sight is not sure enough of its look, or what may cover the board reaches it"
