"""What the bot makes of what it sees, and does about it: told as it happens, shown, kept in a trace, and compared.

Times `t` are whole microseconds since the run began, put in by what records them. Regions are `[x, y, width, height]`
and points `[x, y]` in pixels of the virtual desktop; cells are `[row, column]`; boards are board text, a string a row,
`.` where a cell had not come to rest; `xs` and `ys` are the lines of a board's grid, in pixels.

Each says in words what it says, by `str`.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from sweepbot.geometry import Cell, Region

Box: TypeAlias = tuple[int, int, int, int]
Pixel: TypeAlias = tuple[int, int]

Patch: TypeAlias = tuple[int, int, int, int, int, int]
"""A rectangle that changed, `[x, y, width, height]`, and its PNG: `[offset, length]` in the file of pictures."""

Result = Literal["won", "lost", "aborted"]

_MOST_CELLS = 6  # cells that are named


def box(region: Region) -> Box:
    """A region as a trace says it."""
    return region.x, region.y, region.width, region.height


def _named(cells: Sequence[Cell]) -> str:
    named = ", ".join(f"({row},{column})" for row, column in cells[:_MOST_CELLS]) or "nothing"
    return f"{named} and {len(cells) - _MOST_CELLS} more" if len(cells) > _MOST_CELLS else named


class Line(msgspec.Struct, tag_field="do", omit_defaults=True, kw_only=True):
    """A line of a trace. Fields that have their default value are left out, but for the time.

    UNCOMPARED are the fields that a replay does not hold against the run: an answer, words, or a number that another
    processor rounds otherwise.
    """

    UNCOMPARED: ClassVar[Sequence[str]] = ()

    t: int = msgspec.field(default_factory=int)

    def __str__(self) -> str:
        return ""


class Shows(Line, tag="shows", kw_only=True):
    """From here on pictures show this region and nothing else, of the client's `window` only what nothing hides."""

    region: Box
    window: int | None = None


class Found(Line, tag="found", kw_only=True):
    """A board was found on the screen; `mines` is their total, where that is known."""

    client: str
    rows: list[str]
    mines: int | None = None
    xs: Sequence[float]
    ys: Sequence[float]


class Chosen(Line, tag="chosen", kw_only=True):
    """Of several windows that look like clients' by their titles the one in front was taken; how many others are."""

    others: int

    def __str__(self) -> str:
        if self.others == 1:
            return "another window looks like a Minesweeper by its title: the one in front is played"
        return f"{self.others} other windows look like a Minesweeper by their titles: the one in front is played"


class Resized(Line, tag="resized", kw_only=True):
    """The client's window was made larger, so that its board can be read: where it was, and where it is now."""

    before: Box
    now: Box

    def __str__(self) -> str:
        was, now = (f"{width}x{height}" for *_, width, height in (self.before, self.now))
        if was == now:
            return "moved the client's window on to the screen; it is put back at the end"
        return f"made the client's window larger, {was} to {now}; it is put back at the end"


class Moved(Line, tag="moved", kw_only=True):
    """The client's window was moved or resized, and was followed: where the board is now."""

    xs: Sequence[float]
    ys: Sequence[float]


class Waiting(Line, tag="waiting", kw_only=True):
    """A second has passed without anything to act on; `why` says in words what is waited for."""

    why: str

    def __str__(self) -> str:
        return f"waiting: {self.why}"


class HandedOver(Line, tag="handed_over", kw_only=True):
    """The game is left to the person, before a guess; the pointer is over the cell that would have been opened."""

    cell: Cell
    chance: float

    def __str__(self) -> str:
        guess = f"{self.cell}, {self.chance:.1%} a mine"
        return f"your turn: nothing is certain. The best guess is under the pointer: {guess}"


class Rested(Line, tag="rested", kw_only=True):
    """The last picture has come to rest, and is now read."""

    def __str__(self) -> str:
        return "a picture at rest"


class Read(Line, tag="reading", kw_only=True):
    """A picture at rest was read: this is a step, counted from 1.

    `confidence` is how well the cells agree with their templates, in [0, 1], `weakest` the row, the column and the
    score of the one that agrees least; `doubt` says why the reading is not trusted, and is empty where it is. A trace
    leaves `xs` and `ys` out where they are as before.
    """

    UNCOMPARED = ("confidence", "weakest", "doubt", "xs", "ys")

    rows: list[str]
    mines: int | None = None
    phase: str
    confidence: float
    weakest: tuple[int, int, float] | None = None
    doubt: str = ""
    xs: Sequence[float] = ()
    ys: Sequence[float] = ()

    def __str__(self) -> str:
        doubt = f", not trusted: {self.doubt}" if self.doubt else ""
        return f"{self.phase}{doubt}: {'/'.join(self.rows)}"


class Decided(Line, tag="decision", kw_only=True):
    """The next clicks on the board that was read last are settled.

    `best` is opened first; `chances` are of a mine, row by row, None where a cell is open or nothing is known;
    `cut_short` says whether more might have been found in more time; `layouts` of mines are a power of two, None where
    they were not counted.
    """

    UNCOMPARED = ("chances", "reason", "cut_short", "mines_left", "layouts")

    safe: Sequence[Cell]
    mines: Sequence[Cell]
    best: Cell | None = None
    reason: str = ""
    chances: list[list[float | None]]
    cut_short: bool = False
    mines_left: int | None = None
    layouts: float | None = None

    def __str__(self) -> str:
        return f"open {_named(self.safe)}" if self.safe else f"guess {_named([self.best] if self.best else [])}"


class FollowUp(Line, tag="went_on", kw_only=True):
    """More cells became certain while clicks were on their way, and are clicked too: this is a step."""

    rows: list[str]
    safe: Sequence[Cell]

    def __str__(self) -> str:
        return f"open also {_named(self.safe)}"


class Changed(Line, tag="outcome", kw_only=True):
    """What came of the clicks: how far the game is, and how many cells look other than before."""

    phase: str
    changed: int

    def __str__(self) -> str:
        return f"{self.phase}, {self.changed} cells changed"


class Unnoticed(Line, tag="retry", kw_only=True):
    """Clicks that were not noticed and will be repeated."""

    cells: Sequence[Cell]

    def __str__(self) -> str:
        return f"clicks not noticed: {_named(self.cells)}"


class Restarting(Line, tag="restart", kw_only=True):
    """A new game is asked for: by a key, a click or a click on the board, each as `Restart` says it."""

    key: str | None = None
    click: Pixel | None = None
    on_board: tuple[float, float] | None = None

    def __str__(self) -> str:
        by = f"the key {self.key}" if self.key is not None else f"a click at {self.click or self.on_board}"
        return f"a new game by {by}"


class ClosingDialogs(Line, tag="dialog", kw_only=True):
    """The dialogs are closed that may come after such an end of a game: `won` or `lost`."""

    after: str

    def __str__(self) -> str:
        return f"dialogs closed that come after a game {self.after}"


class Doubted(Line, tag="doubt", kw_only=True):
    """A reading was still not trusted when patience had run out."""

    text: str

    def __str__(self) -> str:
        return self.text


class GameResult(msgspec.Struct):
    """One game in figures, as `play --json` prints it.

    Attributes:
        result: How it ended.
        seconds: From the first decision to the last click; dialogs and restarts are not playing.
        clicks: Of the mouse, restarts not counted.
        three_bv: The fewest left clicks that open such a board, of a won game whose end was seen; see `Measures`.
        openings: Its floods of zeros.
        zini: The clicks of greedy ZiNi on it.
        reads: How many times the whole board was read.
        guesses: Clicks on cells that were not certain, the first click of a game not counted.
        misreads: Cells whose reading turned out wrong later: a number that changed, or a cell called certain that
            exploded.
        retries: Clicks repeated because the client had not noticed them.
        cut_short: Guesses that might have been better, had their search not taken too long.
        survival: The chance, as it was seen before each, that none of the cells opened so far was a mine.
        risk: The chances of a mine, as seen before each cell was opened, added up: over many games, the losses.
        client_seconds: What the client's own clock showed at the end, where it was read.
    """

    result: Result = "aborted"
    seconds: float = 0.0
    clicks: int = 0
    reads: int = 0
    guesses: int = 0
    misreads: int = 0
    retries: int = 0
    cut_short: int = 0
    survival: float = 1.0
    risk: float = 0.0
    client_seconds: int | None = None
    three_bv: int | None = None
    openings: int | None = None
    zini: int | None = None


class Ended(GameResult, tag_field="do", tag="game", kw_only=True):
    """A game is over, the `number`-th: the last that was seen of it, and its total of mines, where that is known."""

    UNCOMPARED: ClassVar[Sequence[str]] = (
        *("seconds", "reads", "cut_short", "survival", "risk", "client_seconds"),
        *("three_bv", "openings", "zini", "client", "board", "total"),
    )

    t: int = 0
    number: int
    client: str = ""
    board: list[str] = []
    total: int | None = None

    def __str__(self) -> str:
        told = f"game {self.number} {self.result} after {self.clicks} clicks"
        if self.three_bv is None:
            return told
        greedy = "" if self.zini is None else f", ZiNi {self.zini}"
        return f"{told}: 3BV {self.three_bv}{greedy}, IOE {self.three_bv / self.clicks:.2f}"


class Lesson(Line, tag="lesson", kw_only=True):
    """Something was learned of an unknown client, in words."""

    text: str

    def __str__(self) -> str:
        return self.text


class Scene(Line, tag="scene", kw_only=True):
    """A picture that learning knows by the rules of the game: this is a step. Its region begins at 0,0."""

    UNCOMPARED = ("picture",)

    name: str
    rows: list[str]
    picture: Patch

    def __str__(self) -> str:
        return f"{self.name}: {'/'.join(self.rows)}"


class Observed(Line, tag="observed", kw_only=True):
    """Something that learning has observed: all that it believes follows from these lines.

    Attributes:
        what: What: the name of a kind of entry in `sweepbot.calibrate.labels.log`, in small letters.
        data: Its fields. Pictures of cells are numbers, counted from 0.
        new: How many pictures of cells were not met before; they are numbered on.
        picture: These, one below the other.
    """

    UNCOMPARED = ("picture",)

    what: str
    data: dict[str, Any]
    new: int = 0
    picture: Patch | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.data}"


class Learned(Line, tag="learned", kw_only=True):
    """What was learned in the end: for each state a checksum of its pictures, and how the client behaves."""

    states: dict[str, str]
    restart: list[str]
    levels: dict[str, str]

    def __str__(self) -> str:
        return f"learned {', '.join(self.states)}; restart: {', '.join(self.restart)}"


class Finished(Line, tag="finished", kw_only=True):
    """The run is over: its exit code, and the error that ended it."""

    UNCOMPARED = ("error",)

    exit: int
    error: str = ""

    def __str__(self) -> str:
        return f"the end, exit {self.exit}{f': {self.error}' if self.error else ''}"


Aside: TypeAlias = Shows | Found | Chosen | Resized | Moved | Waiting | HandedOver
"""Events for people who watch, which a replay need not repeat."""

Thought: TypeAlias = (
    Rested
    | Read
    | Decided
    | FollowUp
    | Changed
    | Unnoticed
    | Restarting
    | ClosingDialogs
    | Doubted
    | Ended
    | Lesson
    | Scene
    | Observed
    | Learned
)
"""What the bot makes of what it sees."""

Event: TypeAlias = Aside | Thought
Observer = Callable[[Event], None]

Note: TypeAlias = (
    Unnoticed | Restarting | ClosingDialogs | Doubted | Ended | Lesson | Waiting | Resized | HandedOver | Finished
)
"""What a person is told of a step beside what was seen, decided and clicked."""

STEPS = (Read, FollowUp, Scene)
"""The events of which each is a step: something was seen that led to clicks."""
