"""The lines of a trace: calls to the desktop with their answers, events, and lines about the trace itself."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from sweepbot.trace.events import Box, Count, Event, Finished, Length, Line, Patch, Pixel, Place

Failure: TypeAlias = tuple[str, str]
"""The class name and the message of the error that a call has raised."""


class Call(Line, kw_only=True):
    """A call to the desktop; `failed` is the error that it raised, if any."""

    UNCOMPARED: ClassVar[Sequence[str]] = ("failed",)

    failed: Failure | None = None


class Grab(Call, kw_only=True):
    """A picture of `region` was taken, or of the whole screen if that is null; only `patches` have changed."""

    UNCOMPARED = ("failed", "patches")

    region: Box | None = None
    patches: Sequence[Patch] = ()

    def __str__(self) -> str:
        return "a picture of the whole screen" if self.region is None else f"a picture of {list(self.region)}"


class Pointer(Call, kw_only=True):
    """The pointer's place was asked for, and was `at`."""

    UNCOMPARED = ("failed", "at")
    WORDS = "a query of the pointer's place"

    at: Pixel | None = None


class Move(Call, kw_only=True):
    """The pointer was moved to a pixel."""

    WORDS = "a move of the pointer to {self.to[0]},{self.to[1]}"

    to: Pixel


class Click(Call, kw_only=True):
    """A button was pressed at a pixel, and released after `hold_s` seconds."""

    WORDS = "{self.button} click at {self.at[0]},{self.at[1]}"

    at: Pixel
    button: Literal["left", "middle", "right"]
    hold_s: float = 0.0


class Key(Call, kw_only=True):
    """A key was pressed and released."""

    WORDS = "the key {self.key}"

    key: str


WindowLine: TypeAlias = tuple[int, Place, Place, Length, Length, int | None]
"""A window: its number, `[x, y, width, height]` of its client area, and the number of its owner."""


class WindowsCall(Call, tag="windows", kw_only=True):
    """A question about windows, or a request to one.

    Attributes:
        asked: The name of a method of `sweepbot.desktop.windows.Windows`.
        about: Its argument, a window, a pixel or a region, as a flat list of numbers.
        windows: The windows in the answer, frontmost first.
        menus: The numbers of those that are menus.
        frames: For each what it covers with its frame, None if that is unknown; empty if all are.
        programs: For each a number that the windows of its program share; empty if the system does not tell.
        ids: The windows in an answer that gives their numbers only.
        box: The region in the answer.
        text: The title in the answer.
    """

    UNCOMPARED = ("failed", "windows", "menus", "frames", "programs", "ids", "box", "text")

    asked: str
    about: Sequence[int] = ()
    windows: Sequence[WindowLine] = ()
    menus: Sequence[int] = ()
    frames: Sequence[Box | None] = ()
    programs: Sequence[int] = ()
    ids: Sequence[int] = ()
    box: Box | None = None
    text: str = ""

    def __str__(self) -> str:
        return f"a query of the windows: {self.asked} {list(self.about)}"


class Glance(Call, kw_only=True):
    """Between two clicks of a burst it was seen which parts of the board had changed; kept only if any had."""

    UNCOMPARED = ("failed", "changed")
    WORDS = "a glance between two clicks"

    changed: Sequence[bool] = ()


class Again(Line, kw_only=True):
    """Calls with the same answer as the last of their kind: `g` for a grab, `p` for the pointer.

    `after` has the microseconds between each call and the next.
    """

    calls: str
    after: list[Count]


class GaveUp(Line, kw_only=True):
    """A decision was cut short, for lack of time or of compiled code, when it checked its deadline `asked` times."""

    asked: int


class Scene(Line, kw_only=True):
    """All that is shown, though the run has not asked for it; only `patches` have changed."""

    patches: Sequence[Patch] = ()


class Start(Scene, kw_only=True):
    """What the desktop looked like at the start of this trace, which is the last part of a longer run."""


class Log(Line, kw_only=True):
    """A line of the log."""

    level: str
    logger: str
    text: str


AnyCall: TypeAlias = Grab | Pointer | Move | Click | Key | WindowsCall | Glance
"""Any call to a desktop."""

Entry: TypeAlias = AnyCall | Again | GaveUp | Scene | Start | Log | Event | Finished
