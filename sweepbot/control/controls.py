"""Everything that a client is operated with, made once and shared."""

from dataclasses import replace

from sweepbot.behaviour import Settle
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.control.keyboard import Keyboard, SeesBoard
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import MaskedScreen


class Controls:
    """The desk, the client's window on it, the guard and the keyboard; for `sees_board` see `Keyboard`.

    Attributes:
        quiet_s: Seconds without a change after which a picture is at rest.
        notice_s: Seconds to wait for the client to show a click on a button, or a key.
    """

    def __init__(
        self, desk: Desk, window: ClientWindow, settle: Settle, *, sees_board: SeesBoard = lambda _, __: False
    ) -> None:
        # Whatever goes on in windows that are played around is no change of the board.
        desk = replace(desk, screen=MaskedScreen(desk.screen, lambda frame: frame.without(*window.around)))
        self.desk, self.window, self.settle = desk, window, settle
        self.quiet_s = settle.quiet_ms / 1000 + desk.latency_s
        self.notice_s = settle.notice_ms / 1000 + desk.latency_s
        self.guard = Guard(desk, window, settle.hold_ms / 1000)
        self.keyboard = Keyboard(desk, self.guard, window, notice_s=self.notice_s, sees_board=sees_board)
