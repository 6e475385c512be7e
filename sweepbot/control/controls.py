"""Everything that a client is operated with, made once and shared by its users."""

from dataclasses import dataclass
from typing import Self

from sweepbot.behaviour import Settle
from sweepbot.control.clicker import Clicker
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.control.keyboard import Keyboard, SeesBoard
from sweepbot.desktop.desk import Desk


@dataclass(frozen=True, slots=True)
class Controls:
    """The desk, the client's window on it, and what guards, clicks and presses there."""

    desk: Desk
    settle: Settle
    window: ClientWindow
    guard: Guard
    clicker: Clicker
    keyboard: Keyboard

    @property
    def quiet_s(self) -> float:
        """Seconds without a change after which a picture rests."""
        return self.settle.quiet_ms / 1000 + self.desk.latency_s

    @classmethod
    def of(
        cls,
        desk: Desk,
        window: ClientWindow,
        settle: Settle,
        *,
        cps: float | None = None,
        sees_board: SeesBoard = lambda _, __: False,
    ) -> Self:
        """Make them for a client.

        Args:
            desk: What it is played on.
            window: Its window.
            settle: How long it takes.
            cps: The most clicks a second. See `Clicker`.
            sees_board: See `Keyboard`.
        """
        guard = Guard(desk, window, settle.hold_ms / 1000)
        notice_s = settle.notice_ms / 1000 + desk.latency_s
        keyboard = Keyboard(desk, guard, window, notice_s=notice_s, sees_board=sees_board)
        return cls(desk, settle, window, guard, Clicker(desk, guard, settle, cps), keyboard)
