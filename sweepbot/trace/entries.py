"""The lines of a trace: what the desktop was asked and answered, events, and what there is to say of those."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from sweepbot.trace.events import Box, Event, Finished, Line, Patch, Pixel

Failure: TypeAlias = tuple[str, str]
"""The class of the error that a call has raised, and its message."""


class Call(Line, kw_only=True):
    """Something asked of the desktop, or done to it; `failed` where that raised an error."""

    UNCOMPARED: ClassVar[Sequence[str]] = ("failed",)

    failed: Failure | None = None


class Look(Call, tag="look", kw_only=True):
    """A picture of `region` was taken (of everything where that is null): as the last one, but for `patches`."""

    UNCOMPARED = ("failed", "patches")

    region: Box | None = None
    patches: Sequence[Patch] = ()

    def __str__(self) -> str:
        return "a look at everything" if self.region is None else f"a look at {list(self.region)}"


class Pointer(Call, tag="pointer", kw_only=True):
    """The pointer was asked for, and was at `at`."""

    UNCOMPARED = ("failed", "at")

    at: Pixel | None = None

    def __str__(self) -> str:
        return "the pointer asked for"


class Move(Call, tag="move", kw_only=True):
    """The pointer was put over `to`."""

    to: Pixel

    def __str__(self) -> str:
        return f"the pointer moved to {self.to[0]},{self.to[1]}"


class Click(Call, tag="click", kw_only=True):
    """A button was pressed and released over `at`, after `hold_s` seconds."""

    at: Pixel
    button: Literal["left", "middle", "right"]
    hold_s: float = 0.0

    def __str__(self) -> str:
        return f"{self.button} click at {self.at[0]},{self.at[1]}"


class Key(Call, tag="key", kw_only=True):
    """A key was pressed and released."""

    key: str

    def __str__(self) -> str:
        return f"the key {self.key}"


WindowLine: TypeAlias = tuple[int, int, int, int, int, int | None]
"""A window: its number, `[x, y, width, height]` of its inside, and the window that it belongs to."""


class Windows(Call, tag="windows", kw_only=True):
    """The windows were asked for, or a window was asked to do something.

    Attributes:
        asked: What: the name of a method of `sweepbot.desktop.windows.Windows`.
        about: The window, the pixel or the region that it was about, as numbers one after the other.
        windows: The windows in answer, the one in front first.
        programs: For each a number that the windows of its program share; none where the system tells no programs.
        ids: Windows in answer of which nothing but their numbers is told.
        box: The region in answer.
        text: The title in answer.
    """

    UNCOMPARED = ("failed", "windows", "programs", "ids", "box", "text")

    asked: str
    about: Sequence[int] = ()
    windows: Sequence[WindowLine] = ()
    programs: Sequence[int] = ()
    ids: Sequence[int] = ()
    box: Box | None = None
    text: str = ""

    def __str__(self) -> str:
        return f"the windows asked: {self.asked} {list(self.about)}"


class Again(Line, tag="again", kw_only=True):
    """Calls that were answered as the last ones of their kind: `l` the last look, `p` the pointer.

    Of all but the first `after` has the microseconds since the one before.
    """

    calls: str
    after: list[int]


class GaveUp(Line, tag="gave_up", kw_only=True):
    """A decision was cut short, for lack of time or of compiled code, at the `asked`-th time that it asked."""

    asked: int


class Start(Line, tag="start", kw_only=True):
    """What the desktop looked like when this trace, the last part of a longer run, begins."""

    patches: Sequence[Patch] = ()


class Log(Line, tag="log", kw_only=True):
    """A line of the log."""

    level: str
    logger: str
    text: str


AnyCall: TypeAlias = Look | Pointer | Move | Click | Key | Windows
"""What a desktop is asked."""

Entry: TypeAlias = AnyCall | Again | GaveUp | Start | Log | Event | Finished
