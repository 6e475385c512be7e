"""The settings of a session, as a trace keeps them."""

from typing import Self

import msgspec

from sweepbot.errors import TraceError, UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.plan import Style
from sweepbot.trace.run import Settings


class PlaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of `play`, `demo` and `calibrate --live`.

    Attributes:
        games: The most games to play; None for any number.
        until_win: Whether to stop after the first game that is won.
        max_seconds: Seconds after which no further game is started.
        stop_at_guess: Whether to leave a game to the person if no cell is certain.
        style: The style of play.
        cps: The most clicks per second.
        level: The level that the board must have, as `COLUMNSxROWS/MINES`; any by default.
        mines: The mines of a board that is of no level.
        region: Where to search for the board, as `WIDTHxHEIGHT+X+Y`; everywhere by default.
        resizes: Whether the client's window may be enlarged.
        learns: Whether to learn in play what the calibration lacks.
        no_guess: Whether the client deals only boards that need no guess, whatever its calibration says.
        until_known: Whether to play only until games bring nothing new.
        is_attended: Whether somebody is there who can show how a new game is started.
    """

    games: int | None
    until_win: bool = False
    max_seconds: float | None = None
    stop_at_guess: bool = False
    style: Style = Style.NOFLAG
    cps: float | None = None
    level: str | None = None
    mines: int | None = None
    region: str | None = None
    resizes: bool = True
    learns: bool = True
    no_guess: bool = False
    until_known: bool = False
    is_attended: bool = False

    @property
    def size(self) -> Level | None:
        """The level; None for any."""
        return None if self.level is None else Level.parse(self.level)

    @property
    def place(self) -> Region | None:
        """The region; None for the whole screen."""
        return None if self.region is None else Region.parse(self.region)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Read them from a trace.

        Raises:
            TraceError: They are invalid.
        """
        try:
            read = msgspec.convert(settings, cls)
            read.check()
        except (msgspec.ValidationError, UsageError, ValueError) as error:
            raise TraceError(f"run.json: settings: {error}", hint="sweepbot help trace") from error
        return read

    def check(self) -> None:
        """Check what their types do not say; raises UsageError or ValueError."""
        _ = self.place, self.size

    def as_settings(self) -> Settings:
        """Return them as a trace stores them."""
        plain: Settings = msgspec.to_builtins(self)
        return plain
