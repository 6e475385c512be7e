"""The windows of a Windows desktop."""

from collections.abc import Sequence

from sweepbot.desktop.win32.api import Handle, Win32
from sweepbot.desktop.windows import Window, WindowId, Windows, named, with_words
from sweepbot.geometry import Point, Region

_DESKTOP = ("Progman", "WorkerW")
"""Classes of the windows in which Windows draws the bare desktop and its icons."""

_DIALOG = "#32770"
"""The system's class of dialogs and message boxes."""

_MENU = "#32768"
"""The system's class of menus."""

_CONSOLE = "ConsoleWindowClass"
"""The class of a terminal's window, which Windows attributes to the program that runs in it."""

_CONSOLE_PROGRAM = "conhost.exe"


class Win32Windows(Win32, Windows):
    """The windows of this session's desktop. See `Windows`."""

    def __init__(self) -> None:
        super().__init__()
        self._programs: dict[str, int] = {}

    def shown(self) -> list[Window]:
        seen = [it for it in self.windows() if self.is_seen(it) and self.kind(it) not in _DESKTOP]
        return [
            Window(
                it,
                inside,
                self._shown_owner(it, seen),
                self.frame(it),
                self._program_number(self._program(it)),
                self.kind(it) == _MENU,
            )
            for it in seen
            if (inside := self.inside(it)) is not None
        ]

    def minimised(self, words: Sequence[str]) -> list[WindowId]:
        return named(words, filter(self.is_minimised, self.windows()), self.title)

    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        return named(words, (window.id for window in self.shown()), lambda it: with_words(self._program(it)))

    def under(self, pixel: Point) -> Window | None:
        at = self.at(pixel)
        return next((window for window in self.shown() if window.id == at), None)

    def with_keyboard(self) -> WindowId | None:
        holder = self.in_foreground()
        return next((window.id for window in self.shown() if window.id == holder), None)

    def place(self, window: WindowId, region: Region) -> None:
        inside, outside = self.inside(window), self.outside(window)
        if inside is not None and outside is not None:
            self.move(window, _changed(region, inside, outside))

    def room(self, window: WindowId) -> Region:
        """See `Windows.room`; it is on the window's monitor."""
        free = self.work_area(window) or self.virtual_screen()
        inside, frame = self.inside(window), self.frame(window)
        return free if inside is None or frame is None else _changed(free, frame, inside)

    def _shown_owner(self, window: Handle, seen: Sequence[Handle]) -> Handle | None:
        """Return the window that another one belongs to, skipping owners that are not shown.

        A dialog without an owner belongs to the next window behind it of the same process.
        """
        owner = self.owner(window)
        while owner is not None and owner not in seen:
            owner = self.owner(owner)
        if owner is None and self.kind(window) == _DIALOG:
            process = self.process(window)
            behind = (it for it in seen[seen.index(window) + 1 :] if self.kind(it) != _DIALOG)
            return next((it for it in behind if self.process(it) == process), None)
        return owner

    def _program_number(self, program: str) -> int:
        return self._programs.setdefault(program, len(self._programs) + 1) if program else 0

    def _program(self, window: WindowId) -> str:
        is_console = self.kind(window) == _CONSOLE
        return _CONSOLE_PROGRAM if is_console else self.executable(window).lower()


def _changed(region: Region, before: Region, after: Region) -> Region:
    """Move the four sides of a region as those of `before` are moved in `after`."""
    left, top = region.x + after.x - before.x, region.y + after.y - before.y
    width, height = region.width + after.width - before.width, region.height + after.height - before.height
    return Region(left, top, width, height)
