"""How a client behaves, as opposed to how it looks: how games start, how fast it reacts, which dialogs come up."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sweepbot.level import FirstClick

Milliseconds = Annotated[float, Meta(ge=0, le=10_000)]
Button = Literal["left", "middle", "right"]

Key = Annotated[str, Meta(pattern=r"^(f([1-9]|1[0-2])|enter|esc|space|tab|[a-z]|ctrl\+[a-pr-vx-z])$")]
"""The keys that a calibration may use: none closes a window or a program, as a calibration may come from a stranger."""

Pixels = Annotated[int, Meta(ge=-5000, le=5000)]
"""A distance from the middle of a board's upper edge. Nothing is clicked outside the client's window."""


Share = Annotated[float, Meta(ge=0, le=1)]


class Restart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One way to start a new game: a click or a key, and what follows if that asks for more.

    Attributes:
        click: Where to click, in pixels at scale 1, right and down from the middle of the board's upper edge.
        on_board: Where to click on the ended board, or on a box that the end puts over it, as shares of its width and
            height.
        key: The key to press, or several joined by `+`.
        then: What follows, step by step, for as long as there is no new board; each is a click or a key.
    """

    click: tuple[Pixels, Pixels] | None = None
    on_board: tuple[Share, Share] | None = None
    key: Key | None = None
    then: Annotated[tuple["Restart", ...], Meta(max_length=3)] = ()

    def __post_init__(self) -> None:
        if sum(way is not None for way in (self.click, self.on_board, self.key)) != 1:
            raise ValueError("a restart is one of `click: [right, down]`, `on_board: [across, down]` and `key: NAME`")
        if any(step.then for step in self.then):
            raise ValueError("what follows in a `restart` is one list of clicks and keys, `then`")

    @property
    def steps(self) -> tuple["Restart", ...]:
        """The steps, one after the other."""
        return Restart(click=self.click, on_board=self.on_board, key=self.key), *self.then

    def __str__(self) -> str:
        if self.then:
            return ", then ".join(map(str, self.steps))
        if self.click is not None:
            return "a click at {:+},{:+} px from the middle of the board's upper edge".format(*self.click)
        if self.on_board is not None:
            return "a click on the board, {:.0%} across and {:.0%} down".format(*self.on_board)
        return f"the key {self.key}"


class Settle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long the client takes to react.

    Attributes:
        notice_ms: The longest time until a button or a key shows an effect.
        quiet_ms: A picture that has not changed for this long is at rest.
        limit_ms: A click that shows no effect for this long was lost.
        hold_ms: How long a button must be held for a click to count; 0 if it may be released at once.
    """

    notice_ms: Milliseconds
    quiet_ms: Milliseconds
    limit_ms: Milliseconds
    hold_ms: Annotated[float, Meta(ge=0, le=500)] = 0.0


class Dialog(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A dialog that gets in the way.

    Attributes:
        after: How the game before it ended.
        keys: The keys that close it, pressed one after the other.
        clicks: The places where its button may be, as in `Restart.click`; if there is none, nothing is clicked.
        lasts_ms: How long it stays if no key closes it, before it disappears by itself.
        drawn_inside: Whether it is drawn inside the client's window, as by a web page, instead of being a window.
    """

    after: Literal["won", "lost"]
    keys: tuple[Key, ...] = ()
    clicks: tuple[tuple[Pixels, Pixels], ...] = ()
    lasts_ms: Milliseconds = 0.0
    drawn_inside: bool = False


class Behaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a client behaves.

    Attributes:
        first_click: The first-click rule; None if unknown.
        restart: Ways to start a new game, the best first; empty if none is known.
        settle: How long it takes to react.
        open_button: Opens a hidden cell.
        flag_button: Flags a hidden cell.
        chord_button: Chords at a number; None if the client has no chords.
        no_guess: Whether it deals only no-guess boards.
        flags_to_win: Whether a game is only won once every mine is flagged; None if no win was seen.
        deal_interval_ms: The shortest time between two new games for their mines to differ.
        dialogs: The dialogs that may get in the way after a game.
    """

    first_click: FirstClick | None
    restart: tuple[Restart, ...]
    settle: Settle
    open_button: Button = "left"
    flag_button: Button = "right"
    chord_button: Button | None = None
    no_guess: bool = False
    flags_to_win: bool | None = False
    deal_interval_ms: Milliseconds = 0.0
    dialogs: tuple[Dialog, ...] = ()
