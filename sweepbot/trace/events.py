"""Events: what the bot reads, decides and does, reported as it happens, shown, kept in a trace and compared.

Times `t` are whole microseconds since the run began, filled in by its trace. Regions are `[x, y, width, height]`
and points `[x, y]` in pixels of the virtual desktop; cells are `[row, column]`; boards are board text, a string per
row, with `.` for a cell not yet at rest; `xs` and `ys` are the lines of a board's grid, in pixels.

`str` puts an event into words.
"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from sweepbot.geometry import Cell, Region

_MAX_PX = 1_000_000  # from the corner of the screen: beyond any desktop

# What a number may be, which the decoder checks: a trace may come from a stranger.
Place: TypeAlias = Annotated[int, msgspec.Meta(ge=-_MAX_PX, le=_MAX_PX)]
Edge: TypeAlias = Annotated[float, msgspec.Meta(ge=-_MAX_PX, le=_MAX_PX)]
Length: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=_MAX_PX)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Chance: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]

Box: TypeAlias = tuple[Place, Place, Length, Length]
Pixel: TypeAlias = tuple[Place, Place]

Patch: TypeAlias = tuple[Place, Place, Length, Length, Count, Count]
"""A rectangle that changed, `[x, y, width, height]`, then `[offset, length]` of its PNG in the file of pictures."""

Result = Literal["won", "lost", "aborted"]

_MAX_LISTED_CELLS = 6  # cells that a text lists


def box(region: Region) -> Box:
    """Return a region as a trace stores it."""
    return region.x, region.y, region.width, region.height


def _list(cells: Sequence[Cell]) -> str:
    listed = ", ".join(f"({row},{column})" for row, column in cells[:_MAX_LISTED_CELLS]) or "nothing"
    return f"{listed} and {len(cells) - _MAX_LISTED_CELLS} more" if len(cells) > _MAX_LISTED_CELLS else listed


def _in_file(name: str) -> str:
    """Return the word for a kind of line in a file: `FollowUp` is `follow_up` there."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Line(msgspec.Struct, tag_field="do", tag=_in_file, omit_defaults=True, kw_only=True):
    """A line of a trace. Fields with their default value are left out, except the time.

    UNCOMPARED are the fields that a replay does not compare: answers, wording, and numbers that may be rounded
    differently on another processor. WORDS is what `str` says of it, a text in which `{self.NAME}` stands for a field.
    """

    UNCOMPARED: ClassVar[Sequence[str]] = ()
    WORDS: ClassVar[str] = ""

    t: int = msgspec.field(default_factory=int)

    def __str__(self) -> str:
        return self.WORDS.format(self=self)


class Shows(Line, kw_only=True):
    """From here on pictures show only this region, and of it only the visible part of the client's `window`."""

    region: Box
    window: int | None = None


class Found(Line, kw_only=True):
    """A board was found on the screen; `mines` is their total, if known."""

    client: str
    rows: list[str]
    mines: int | None = None
    xs: tuple[Edge, ...]
    ys: tuple[Edge, ...]


class Chosen(Line, kw_only=True):
    """Several windows have the title of a client, and the frontmost was taken; `others` counts the rest."""

    others: int

    def __str__(self) -> str:
        if self.others == 1:
            return "another window is titled like a Minesweeper too: the frontmost is played"
        return f"{self.others} other windows are titled like a Minesweeper too: the frontmost is played"


class Resized(Line, kw_only=True):
    """The client's window was enlarged, or its page zoomed out, for its board to be read: its region before and now."""

    before: Box
    now: Box
    is_zoomed: bool = False

    def __str__(self) -> str:
        if self.is_zoomed:
            return "zoomed the page out, so that its whole board is seen; it is zoomed back at the end"
        was, now = (f"{width}x{height}" for *_, width, height in (self.before, self.now))
        if was == now:
            return "moved the client's window onto the screen; it is put back at the end"
        return f"made the client's window larger, {was} to {now}; it is put back at the end"


class Moved(Line, kw_only=True):
    """The client's window was moved or resized: where its board is now."""

    xs: tuple[Edge, ...]
    ys: tuple[Edge, ...]


class Resizing(Line, kw_only=True):
    """The client's `window` has another size, this region, in which its board is searched for."""

    region: Box
    window: int


class Waiting(Line, kw_only=True):
    """A second has passed without anything to act on; `why` says what the bot is waiting for."""

    WORDS = "waiting: {self.why}"

    why: str


class HandedOver(Line, kw_only=True):
    """The game is left to the person before a guess; the pointer is on the cell that would have been opened."""

    cell: Cell
    chance: float

    def __str__(self) -> str:
        guess = f"{self.cell}, {self.chance:.1%} a mine"
        return f"your turn: no cell is certain. The best guess is under the pointer: {guess}"


class Rested(Line, kw_only=True):
    """The last picture has come to rest, and is read now."""

    WORDS = "the picture is at rest"


class Read(Line, kw_only=True):
    """A picture at rest was read; this starts a step.

    `confidence` is how well the cells match their templates, in [0, 1], and `weakest` the row, the column and the score
    of the worst match; `doubt` says why the reading is not trusted, and is empty if it is. A trace leaves out `xs` and
    `ys` if they have not changed.
    """

    UNCOMPARED = ("confidence", "weakest", "doubt", "xs", "ys")

    rows: list[str]
    mines: int | None = None
    phase: str
    confidence: float
    weakest: tuple[int, int, float] | None = None
    doubt: str = ""
    xs: tuple[Edge, ...] = ()
    ys: tuple[Edge, ...] = ()

    def __str__(self) -> str:
        doubt = f", not trusted: {self.doubt}" if self.doubt else ""
        return f"{self.phase}{doubt}: {'/'.join(self.rows)}"


class Decided(Line, kw_only=True):
    """The decision for the board that was read last.

    `best` is opened first; `chances` are those of a mine, row by row, None for open cells and if unknown; `cut_short`
    says whether more time might have found more; `layouts` is the base-2 logarithm of their number, None if they were
    not counted.
    """

    UNCOMPARED = ("chances", "reason", "cut_short", "mines_left", "layouts")

    safe: Sequence[Cell]
    mines: Sequence[Cell]
    best: Cell | None = None
    reason: str = ""
    chances: list[list[Chance | None]]
    cut_short: bool = False
    mines_left: int | None = None
    layouts: float | None = None

    def __str__(self) -> str:
        return f"open {_list(self.safe)}" if self.safe else f"guess {_list([self.best] if self.best else [])}"


class FollowUp(Line, kw_only=True):
    """More cells became certain while clicks were taking effect, and are clicked too; this starts a step."""

    rows: list[str]
    safe: Sequence[Cell]

    def __str__(self) -> str:
        return f"also open {_list(self.safe)}"


class Changed(Line, kw_only=True):
    """The result of the clicks: the phase of the game, and how many cells changed."""

    WORDS = "{self.phase}, {self.changed} cells changed"

    phase: str
    changed: int


class Unnoticed(Line, kw_only=True):
    """The client has not noticed these clicks; they will be repeated."""

    cells: Sequence[Cell]

    def __str__(self) -> str:
        return f"clicks not noticed: {_list(self.cells)}"


class Interrupted(Line, kw_only=True):
    """A signal, as by Ctrl-C, has asked the run to end in the middle of a game; an end that is shown still counts."""

    WORDS = "asked to end"


class Restarting(Line, kw_only=True):
    """A new game is requested by a key, a click or a click on the board, each as in `Restart`."""

    key: str | None = None
    click: Pixel | None = None
    on_board: tuple[float, float] | None = None

    def __str__(self) -> str:
        by = f"the key {self.key}" if self.key is not None else f"a click at {self.click or self.on_board}"
        return f"a new game by {by}"


class ClosingDialogs(Line, kw_only=True):
    """The dialogs that may come up after a game that was `won` or `lost` are closed."""

    WORDS = "closing the dialogs, as after a game {self.after}"

    after: str


class GoesOn(Line, kw_only=True):
    """What was closed as an end's dialog was one in mid-game, as the question whether to give the game up."""

    WORDS = "a dialog of the client's was closed, which kept it from being played: the game goes on"


class Doubted(Line, kw_only=True):
    """A reading was still not trusted when time ran out."""

    UNCOMPARED = ("text",)
    WORDS = "{self.text}"

    text: str


class GameResult(msgspec.Struct):
    """Statistics of one game, as `play --json` prints them.

    Attributes:
        result: How it ended.
        seconds: From the first decision to the last click, without dialogs and restarts.
        clicks: Clicks of the mouse, without restarts.
        three_bv: The board's 3BV, for a won game whose end was seen; see `Measures`.
        openings: Its openings.
        zini: Its greedy ZiNi.
        reads: How many times the whole board was read.
        guesses: Clicks on cells that were not certain, without the first click of a game.
        misreads: Cells that turned out to have been misread: a number that changed, or a certain cell that exploded.
        retries: Clicks repeated because the client had not noticed them.
        cut_short: Guesses whose search ran out of time.
        survival: The chance of surviving all guesses of the game, from the chances before each.
        risk: The sum of the chances of a mine before each guess: over many games, the expected losses.
        client_seconds: What the client's own clock showed at the end, if it was read.
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


class Ended(GameResult, tag_field="do", tag=_in_file, kw_only=True):
    """A game is over: its number, the last board that was seen, and its total of mines, if known."""

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
        text = f"game {self.number} {self.result} after {self.clicks} clicks"
        if self.three_bv is None:
            return text
        greedy = "" if self.zini is None else f", ZiNi {self.zini}"
        return f"{text}: 3BV {self.three_bv}{greedy}, IOE {self.three_bv / self.clicks:.2f}"


class Lesson(Line, kw_only=True):
    """Something was learned about an unknown client, in words."""

    WORDS = "{self.text}"

    text: str


class Remembered(Line, kw_only=True):
    """The result of a learning run: for each state a checksum of its pictures, and how the client behaves."""

    states: dict[str, str]
    restart: list[str]
    levels: dict[str, str]

    def __str__(self) -> str:
        return f"learned {', '.join(self.states)}; new game by {', '.join(self.restart)}"


class Finished(Line, kw_only=True):
    """The run is over: its exit code, and the error that ended it."""

    UNCOMPARED = ("error",)

    exit: int
    error: str = ""

    def __str__(self) -> str:
        return f"the end, exit code {self.exit}{f': {self.error}' if self.error else ''}"


Aside: TypeAlias = Shows | Found | Chosen | Resized | Resizing | Moved | Waiting | GoesOn | HandedOver
"""Events for people who watch, which a replay does not compare."""

Thought: TypeAlias = (
    Rested
    | Read
    | Decided
    | FollowUp
    | Changed
    | Unnoticed
    | Interrupted
    | Restarting
    | ClosingDialogs
    | Doubted
    | Ended
    | Lesson
    | Remembered
)
"""Events that a replay compares."""

Event: TypeAlias = Aside | Thought
Observer = Callable[[Event], None]

Note: TypeAlias = (
    Unnoticed
    | Interrupted
    | Restarting
    | ClosingDialogs
    | Doubted
    | Ended
    | Lesson
    | Waiting
    | GoesOn
    | Resized
    | HandedOver
    | Finished
)
"""Events shown with a step, in addition to its reading, decision and clicks."""

STEPS = (Read, FollowUp)
"""The events that each start a step: something was seen that led to clicks."""

LOOKS = (Rested, FollowUp)
"""Events that tell of a picture, just after it was taken."""
