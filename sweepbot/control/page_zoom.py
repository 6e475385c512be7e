"""Making a browser show more of a page, by the keys that zoom it out, and back."""

from collections.abc import Iterator
from contextlib import nullcontext, suppress

from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.desk import Desk
from sweepbot.errors import SweepbotError

_SMALLER, _LARGER = "ctrl+minus", "ctrl+equal"  # in Chromium and Firefox, each undoes the other
_PRESSES = 4, 1  # of a step: to about 67 and 50 percent, below which no figure is legible


class PageZoom:
    """The zoom of the page that shows a board, within a `with` block; other programs than browsers are left alone."""

    def __init__(self, desk: Desk, window: ClientWindow) -> None:
        self._mouse = desk.mouse
        self._window = window
        self._presses = 0

    def out(self) -> Iterator[None]:
        """Zoom out step by step, and yield each time once the page is drawn.

        Raises:
            ClientCoveredError: The keyboard belongs to another window.
            ClientGoneError: The window was closed.
        """
        for presses in _PRESSES if self._window.is_browser else ():
            for _ in range(presses):
                self._window.take_keyboard()
                self._mouse.press(_SMALLER)
                self._presses += 1
            self._window.wait_until_redrawn()
            yield

    def put_back(self) -> None:
        """Zoom in again as often as it was zoomed out. Raises what `out` raises."""
        while self._presses:
            self._window.take_keyboard()
            self._mouse.press(_LARGER)
            self._presses -= 1

    def __enter__(self) -> None:
        pass

    def __exit__(self, ended_by: type[BaseException] | None, *_: object) -> None:
        """Put it back when the block is left; an error that ends the block counts more than what fails then."""
        with nullcontext() if ended_by is None else suppress(SweepbotError):
            self.put_back()
