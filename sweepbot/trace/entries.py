"""The lines of a trace: what the desktop was asked and answered, and what the bot made of it.

Times `t` are whole microseconds since the run began. Regions are `[x, y, width, height]` and points `[x, y]` in pixels
of the virtual desktop; cells are `[row, column]`. Fields that have their default value are left out.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

Box: TypeAlias = tuple[int, int, int, int]
Pixel: TypeAlias = tuple[int, int]
CellIndex: TypeAlias = tuple[int, int]

Patch: TypeAlias = tuple[int, int, int, int, int, int]
"""A rectangle that changed, `[x, y, width, height]`, and its PNG: `[offset, length]` in the file of pictures."""

Failure: TypeAlias = tuple[str, str]
"""The class of the error that a call has raised, and its message."""


class _Line(msgspec.Struct, tag_field="do", omit_defaults=True, kw_only=True):
    """A line of the trace."""

    t: int


class Call(_Line, kw_only=True):
    """Something asked of the desktop, or done to it; `failed` where that raised an error."""

    failed: Failure | None = None


class Look(Call, tag="look", kw_only=True):
    """A picture of `region` was taken (of everything where that is null): as the last one, but for `patches`."""

    region: Box | None = None
    patches: Sequence[Patch] = ()


class Pointer(Call, tag="pointer", kw_only=True):
    """The pointer was asked for, and was at `at`."""

    at: Pixel | None = None


class Move(Call, tag="move", kw_only=True):
    """The pointer was put over `to`."""

    to: Pixel


class Click(Call, tag="click", kw_only=True):
    """A button was pressed and released over `at`, after `hold_s` seconds."""

    at: Pixel
    button: Literal["left", "middle", "right"]
    hold_s: float = 0.0


class Key(Call, tag="key", kw_only=True):
    """A key was pressed and released."""

    key: str


WindowLine: TypeAlias = tuple[int, int, int, int, int, int | None]
"""A window: its number, `[x, y, width, height]` of its inside, and the window that it belongs to."""


class Windows(Call, tag="windows", kw_only=True):
    """The windows were asked for, or a window was asked to do something.

    Attributes:
        asked: What: the name of a method of `sweepbot.desktop.windows.Windows`.
        about: The window, the pixel or the region that it was about, as numbers one after the other.
        windows: The windows in answer, the one in front first.
        ids: Windows in answer of which nothing but their numbers is told.
        box: The region in answer.
        text: The title in answer.
    """

    asked: str
    about: Sequence[int] = ()
    windows: Sequence[WindowLine] = ()
    ids: Sequence[int] = ()
    box: Box | None = None
    text: str = ""


class Again(_Line, tag="again", kw_only=True):
    """Calls that were answered as the last ones of their kind: `l` the last look, `p` the pointer.

    Attributes:
        calls: A letter a call.
        after: For each the microseconds since the call before it; for the first of them, since `t`.
    """

    calls: str
    after: list[int]


class GaveUp(_Line, tag="gave_up", kw_only=True):
    """A decision was cut short, for lack of time or of compiled code, when it asked for the `asked`th time."""

    asked: int


class Shows(_Line, tag="shows", kw_only=True):
    """From here on pictures show this region and nothing else; what is outside it is black."""

    region: Box


class Start(_Line, tag="start", kw_only=True):
    """What the desktop looked like when this trace, the last part of a longer run, begins."""

    patches: Sequence[Patch] = ()


class Log(_Line, tag="log", kw_only=True):
    """A line of the log."""

    level: str
    logger: str
    text: str


class Rested(_Line, tag="rested", kw_only=True):
    """The last picture has come to rest, and is now read."""


class Reading(_Line, tag="reading", kw_only=True):
    """The picture that had come to rest was read: this is a step, counted from 1.

    Attributes:
        rows: The board as text.
        mines: The total of mines, where it is known.
        phase: How far the game is.
        confidence: How well the cells agree with their templates, in [0, 1].
        weakest: The cell that agrees least with its template, and its score.
        doubt: Why the reading is not trusted; empty where it is.
        xs: The vertical lines of the board's grid, in pixels; left out where they are as in the reading before.
        ys: The horizontal lines.
    """

    rows: list[str]
    mines: int | None = None
    phase: str
    confidence: float
    weakest: tuple[int, int, float] | None = None
    doubt: str = ""
    xs: list[float] | None = None
    ys: list[float] | None = None


class Decision(_Line, tag="decision", kw_only=True):
    """What was decided on the last reading.

    Attributes:
        safe: Cells that cannot be mines.
        mines: Cells that must be.
        best: The cell to open first.
        reason: Why.
        chances: The chance of a mine for each cell, row by row; null (NaN, before it is written) where it is open or
            not known.
        cut_short: Whether a better guess, or more that is certain, might have been found in more time.
    """

    safe: list[CellIndex]
    mines: list[CellIndex]
    best: CellIndex | None = None
    reason: str = ""
    chances: list[list[float | None]]
    cut_short: bool = False


class WentOn(_Line, tag="went_on", kw_only=True):
    """More cells became certain while clicks were on their way, and are clicked too: this is a step.

    Attributes:
        rows: The board as text, `.` where a cell had not come to rest.
        safe: The cells.
    """

    rows: list[str]
    safe: list[CellIndex]


class Outcome(_Line, tag="outcome", kw_only=True):
    """What came of the clicks: how far the game is, and how many cells look other than before."""

    phase: str
    changed: int


class Retry(_Line, tag="retry", kw_only=True):
    """Clicks that were not noticed and will be repeated."""

    cells: list[CellIndex]


class Restart(_Line, tag="restart", kw_only=True):
    """A new game was asked for.

    Attributes:
        key: By this key.
        click: By a click so far to the right and down from the middle of the board's upper edge.
        on_board: By a click on the board, so many of its widths from the left and of its heights from the top.
    """

    key: str | None = None
    click: Pixel | None = None
    on_board: tuple[float, float] | None = None


class Dialog(_Line, tag="dialog", kw_only=True):
    """The dialogs are closed that may come after such an end of a game."""

    after: str


class Doubt(_Line, tag="doubt", kw_only=True):
    """A reading was still not trusted when patience had run out."""

    text: str


class GameOver(_Line, tag="game", kw_only=True):
    """A game has ended."""

    number: int
    result: str
    clicks: int
    guesses: int
    misreads: int
    retries: int


class Lesson(_Line, tag="lesson", kw_only=True):
    """Something was learned of an unknown client, in words."""

    text: str


class Scene(_Line, tag="scene", kw_only=True):
    """A picture that learning knows by the rules of the game: this is a step.

    Attributes:
        name: What it is called.
        rows: The board as text, `.` where a cell was not settled.
        picture: The picture; its region begins at 0,0.
    """

    name: str
    rows: list[str]
    picture: Patch


class Observed(_Line, tag="observed", kw_only=True):
    """Something that learning has observed: all that it believes follows from these lines.

    Attributes:
        what: What: the name of a kind of entry in `sweepbot.calibrate.labels.log`, in small letters.
        data: Its fields. Pictures of cells are numbers, counted from 0.
        new: How many pictures of cells were not met before; they are numbered on.
        picture: These, one below the other.
    """

    what: str
    data: dict[str, Any]
    new: int = 0
    picture: Patch | None = None


class Learned(_Line, tag="learned", kw_only=True):
    """What was learned in the end: for each state a checksum of its pictures, and how the client behaves."""

    states: dict[str, str]
    restart: list[str]
    levels: dict[str, str]


class Finished(_Line, tag="finished", kw_only=True):
    """The run is over: its exit code, and the error that ended it."""

    exit: int
    error: str = ""


Event: TypeAlias = (
    Rested
    | Reading
    | Decision
    | WentOn
    | Outcome
    | Retry
    | Restart
    | Dialog
    | Doubt
    | GameOver
    | Lesson
    | Scene
    | Observed
    | Learned
)
"""What the bot made of what it saw."""

STEPS = (Reading, WentOn, Scene)
"""The lines of which each is a step: something was seen that led to clicks."""

AnyCall: TypeAlias = Look | Pointer | Move | Click | Key | Windows
"""What a desktop is asked."""

Entry: TypeAlias = AnyCall | Again | GaveUp | Shows | Start | Log | Event | Finished
