"""Everything that a client is operated with, made once and shared."""

from dataclasses import dataclass
from typing import Self

from sweepbot.behaviour import Settle
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.control.keyboard import Keyboard, SeesBoard
from sweepbot.desktop.desk import Desk


@dataclass(frozen=True, slots=True)
class Controls:
    """The desk, the client's window on it, the guard and the keyboard."""

    desk: Desk
    settle: Settle
    window: ClientWindow
    guard: Guard
    keyboard: Keyboard

    @property
    def quiet_s(self) -> float:
        """Seconds without a change after which a picture is at rest."""
        return self.settle.quiet_ms / 1000 + self.desk.latency_s

    @property
    def notice_s(self) -> float:
        """Seconds to wait for the client to show a click on a button, or a key."""
        return self.settle.notice_ms / 1000 + self.desk.latency_s

    @classmethod
    def of(
        cls,
        desk: Desk,
        window: ClientWindow,
        settle: Settle,
        *,
        sees_board: SeesBoard = lambda _, __: False,
    ) -> Self:
        """Make the controls of a client, given its window and how long it takes; for `sees_board` see `Keyboard`."""
        guard = Guard(desk, window)
        notice_s = settle.notice_ms / 1000 + desk.latency_s
        return cls(desk, settle, window, guard, Keyboard(desk, guard, window, notice_s=notice_s, sees_board=sees_board))
