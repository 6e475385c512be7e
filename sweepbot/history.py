"""The games played so far: kept in the user's data folder, and summed up."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

import msgspec
import platformdirs

from sweepbot.errors import SweepbotError, ways_out
from sweepbot.file_lock import holders
from sweepbot.intervals import wilson

_PATIENCE_S = 5.0
"""Seconds to wait for another run that is writing, which takes milliseconds."""

_WAYS_OUT = {
    sqlite3.SQLITE_FULL: "free some space",
    sqlite3.SQLITE_READONLY: "it is read-only: check your rights to it",
    sqlite3.SQLITE_CANTOPEN: "check your rights to its folder",
    sqlite3.SQLITE_IOERR: "check its disk, and whether the size of files is limited",
}

_PRIMARY_CODE = 0xFF  # of the bits of an error code: the others say more of the cause

_STRETCHES = 20  # at most, to show how the win rate changes

MIN_STRETCH_GAMES = 10
"""Games of which a win rate begins to say something: the 95% interval of fewer may cover more than half."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    ended TEXT NOT NULL,
    client TEXT NOT NULL,
    columns INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    mines INTEGER,
    result TEXT NOT NULL,
    seconds REAL NOT NULL,
    clicks INTEGER NOT NULL,
    guesses INTEGER NOT NULL,
    misreads INTEGER NOT NULL,
    risk REAL NOT NULL,
    three_bv INTEGER,
    player TEXT NOT NULL DEFAULT 'sweepbot'
)
"""


class PastGame(msgspec.Struct, frozen=True, kw_only=True):
    """One game.

    Attributes:
        ended: When it ended, in UTC and ISO 8601: `2026-05-01T12:00:00+00:00`; now by default.
        client: The name of the calibration it was played with.
        columns: The number of columns.
        rows: The number of rows.
        mines: How many mines the board had; None if unknown.
        result: `won`, `lost`, or `aborted` if it was left to the person.
        seconds: From the first decision to the last click.
        clicks: Mouse clicks.
        guesses: Clicks on cells that were not certain.
        misreads: Cells whose reading turned out wrong.
        risk: The sum of the chances of a mine, as they were before each cell was opened.
        three_bv: The board's 3BV; only of a won game.
        player: `sweepbot`, or `you` if a person played it.
    """

    ended: str = msgspec.field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    client: str
    columns: int
    rows: int
    mines: int | None
    result: str
    seconds: float
    clicks: int
    guesses: int
    misreads: int
    risk: float
    three_bv: int | None = None
    player: str = "sweepbot"

    @property
    def level(self) -> str:
        """The size and the mines in the notation of `--level`."""
        return f"{self.columns}x{self.rows}/{'?' if self.mines is None else self.mines}"


_FIELDS = PastGame.__struct_fields__


def history_file() -> Path:
    """Return the file in which this user's games are kept."""
    return platformdirs.user_data_path("sweepbot", appauthor=False) / "games.sqlite"


def keep(game: PastGame, file: Path | None = None) -> None:
    """Add a game to the history, by default the user's own; several programs may do so at once.

    Raises:
        SweepbotError: The file is broken, or cannot be written.
    """
    path = file or history_file()
    with _named(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=_PATIENCE_S)) as connection, connection:
            # Readers and writers do not wait for each other, and a crash leaves no half game.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(_SCHEMA)
            if "player" not in _columns(connection):  # a file written by an older version
                connection.execute("ALTER TABLE games ADD COLUMN player TEXT NOT NULL DEFAULT 'sweepbot'")
            places = ", ".join("?" * len(_FIELDS))
            connection.execute(
                f"INSERT INTO games ({', '.join(_FIELDS)}) VALUES ({places})",  # noqa: S608  (our own names)
                msgspec.structs.astuple(game),
            )


def games(client: str | None = None, file: Path | None = None) -> list[PastGame]:
    """Return the games played so far, the earliest first, of all clients or of one; none if there is no history yet.

    Raises:
        SweepbotError: The file is broken, or cannot be read.
    """
    path = file or history_file()
    if not path.exists():
        return []
    with _named(path, "read"), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        kept = [field for field in _FIELDS if field in _columns(connection)]
        rows = connection.execute(f"SELECT {', '.join(kept)} FROM games ORDER BY ended")  # noqa: S608  (as above)
        found = [PastGame(**dict(zip(kept, row, strict=True))) for row in rows]
    return [game for game in found if client in (None, game.client)]


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {name for _, name, *_ in connection.execute("PRAGMA table_info(games)")}


@contextmanager
def _named(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the database into one that names the file."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        code = getattr(error, "sqlite_errorcode", 0)
        hint = _WAYS_OUT.get(code & _PRIMARY_CODE, "it is broken: move it away, and a new one will be started")
        if isinstance(error, OSError):
            hint = ways_out(error, hint="check its folder")
        elif code == sqlite3.SQLITE_BUSY:
            holding = holders(path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal"))
            hint = f"it is locked by {' and '.join(holding) or 'another program'}: end that first"
        raise SweepbotError(f"the history {path} cannot be {what}: {error}", hint=hint) from error


@dataclass(frozen=True, slots=True)
class Stats:
    """The sums of some games; its fields are keys of `sweepbot stats --json`.

    Attributes:
        games: How many were won or lost.
        won: How many were won.
        aborted: How many were left to the person; they count nowhere else.
        win_rate: `won / games`; None without games.
        ci95: The 95% interval of the win rate (Wilson 1927); None without games.
        expected: How many wins the risks taken give on average: the games minus the sum of their `risk`. Over many
            games it approaches the wins, whatever the player's skill.
        luck: Wins beyond the expected ones.
        luck_sd: About the standard deviation of `luck` by chance alone.
        median_seconds: The median over the games won.
        best_seconds: The best of the games won.
        three_bv_per_second: The median over the games won.
        efficiency: The index of efficiency, 3BV per click: the median over the games won.
        guesses: The sum.
        misreads: The sum.
    """

    games: int
    won: int
    aborted: int
    win_rate: float | None
    ci95: tuple[float, float] | None
    expected: float
    luck: float
    luck_sd: float
    median_seconds: float | None
    best_seconds: float | None
    three_bv_per_second: float | None
    efficiency: float | None
    guesses: int
    misreads: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive games.

    Attributes:
        first: When the first of them ended.
        last: When the last of them ended.
        games: How many were won or lost.
        won: How many were won.
        ci95: The 95% interval of their win rate.
        expected: See `Stats`.
    """

    first: str
    last: str
    games: int
    won: int
    ci95: tuple[float, float]
    expected: float


def sum_up(games: Sequence[PastGame]) -> Stats:
    """Sum up some games."""
    over = _over(games)
    wins = [game for game in over if game.result == "won"]
    expected = _expected(over)
    ioes = [game.three_bv / game.clicks for game in wins if game.three_bv and game.clicks]
    rates = [game.three_bv / game.seconds for game in wins if game.three_bv and game.seconds > 0]
    return Stats(
        games=len(over),
        won=len(wins),
        aborted=len(games) - len(over),
        win_rate=len(wins) / len(over) if over else None,
        ci95=wilson(len(wins), len(over)) if over else None,
        expected=expected,
        luck=len(wins) - expected,
        # The variance of a game's result around its forecast is at most its risk.
        luck_sd=math.sqrt(sum(game.risk for game in over)),
        median_seconds=median(game.seconds for game in wins) if wins else None,
        best_seconds=min((game.seconds for game in wins), default=None),
        three_bv_per_second=median(rates) if rates else None,
        efficiency=median(ioes) if ioes else None,
        guesses=sum(game.guesses for game in over),
        misreads=sum(game.misreads for game in over),
    )


def over_time(games: Sequence[PastGame]) -> list[Stretch]:
    """Cut games into at most 20 stretches of nearly equal size, of at least 10 games each if there are as many."""
    over = _over(games)
    count = min(_STRETCHES, max(len(over) // MIN_STRETCH_GAMES, min(1, len(over))))
    ends = [len(over) * number // count for number in range(count + 1)] if count else []
    found = []
    for part in (over[start:end] for start, end in pairwise(ends)):
        won = sum(game.result == "won" for game in part)
        found.append(Stretch(part[0].ended, part[-1].ended, len(part), won, wilson(won, len(part)), _expected(part)))
    return found


def _over(games: Sequence[PastGame]) -> list[PastGame]:
    return [game for game in games if game.result in ("won", "lost")]


def _expected(games: Sequence[PastGame]) -> float:
    """Return the expected number of wins.

    Losses minus the risks taken are a martingale, even though a game ends at its first loss. Products of the chances
    to survive would be biased, as a game that is lost early has taken few of its risks.
    """
    return len(games) - sum(game.risk for game in games)
