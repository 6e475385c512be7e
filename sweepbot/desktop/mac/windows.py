"""The windows of a macOS desktop, as Quartz lists them; never tried on a Mac, only against what Apple documents."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from sweepbot.desktop.windows import Window, WindowId, Windows, named, with_words
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point, Region

_Listed = Mapping[str, Any]
"""What Quartz tells of a window."""

_NORMAL = 0
"""The layer of ordinary windows."""

_DOCK = 20
"""The layer of the Dock, whose window fills the screen but lets clicks through. What is on it or above, as menus and
notifications are, is not taken for a window."""

_IGNORING_OTHERS = 2  # NSApplicationActivateIgnoringOtherApps


class MacWindows(Windows):
    """The windows of this session. See `Windows`.

    Quartz tells everything that a window covers, with its title bar, but not what it belongs to: a dialog of the client
    is another window in front of it. It moves and closes no windows of other programs.

    Args:
        pixel_map: Converts the points in which Quartz tells places to pixels.

    Raises:
        DesktopError: Quartz cannot be loaded, or there is no desktop.
    """

    def __init__(self, pixel_map: PixelMap) -> None:
        try:
            self._quartz, self._appkit = import_module("Quartz"), import_module("AppKit")
        except ImportError as cause:
            raise DesktopError(
                f"windows cannot be listed: {cause}", hint="install pyobjc-framework-Quartz, which pyautogui asks for"
            ) from cause
        self._pixel_map = pixel_map
        self.shown()

    def shown(self) -> list[Window]:
        return list(map(self._window, self._on_screen()))

    def exists(self, window: WindowId) -> bool:
        return self._listed(window) is not None

    def minimised(self, words: Sequence[str]) -> list[WindowId]:
        away = (it for it in self._all() if it["kCGWindowLayer"] == _NORMAL and not it.get("kCGWindowIsOnscreen"))
        return named(words, (it["kCGWindowNumber"] for it in away), self.title)

    def title(self, window: WindowId) -> str:
        """See `Windows.title`; it is empty as long as the terminal may not record the screen."""
        listed = self._listed(window)
        return "" if listed is None else listed.get("kCGWindowName") or ""

    def of_programs(self, words: Sequence[str]) -> list[WindowId]:
        programs = {it["kCGWindowNumber"]: with_words(it.get("kCGWindowOwnerName", "")) for it in self._on_screen()}
        return named(words, programs, programs.__getitem__)

    def under(self, pixel: Point) -> Window | None:
        return next((window for window in self.shown() if pixel in window.region), None)

    def with_keyboard(self) -> WindowId | None:
        """See `Windows.with_keyboard`: the program that has the keyboard has the frontmost window."""
        return next((it["kCGWindowNumber"] for it in self._on_screen() if it["kCGWindowLayer"] == _NORMAL), None)

    def focus(self, window: WindowId) -> None:
        """See `Windows.focus`; all windows of its program come to the front."""
        listed = self._listed(window)
        if listed is None:
            return
        process = listed["kCGWindowOwnerPID"]
        program = self._appkit.NSRunningApplication.runningApplicationWithProcessIdentifier_(process)
        if program is not None:
            program.activateWithOptions_(_IGNORING_OTHERS)

    def place(self, window: WindowId, region: Region) -> None:
        """Leave the window where it is."""

    def dismiss(self, window: WindowId) -> None:
        """Leave the window open."""

    def room(self, window: WindowId) -> Region:
        """Return the region that the window has, as it cannot be moved."""
        listed = self._listed(window)
        if listed is None:
            raise DesktopError(f"there is no window {window}", hint="start the client again")
        return self._window(listed).region

    def _window(self, listed: _Listed) -> Window:
        sides = listed["kCGWindowBounds"]
        points = Region(*(round(sides[side]) for side in ("X", "Y", "Width", "Height")))
        region = self._pixel_map.in_pixels(points)
        return Window(listed["kCGWindowNumber"], region, frame=region, program=listed["kCGWindowOwnerPID"])

    def _listed(self, window: WindowId) -> _Listed | None:
        return next((it for it in self._all() if it["kCGWindowNumber"] == window), None)

    def _on_screen(self) -> list[_Listed]:
        """Return the windows of programs that are shown, the frontmost first."""
        options = self._quartz.kCGWindowListOptionOnScreenOnly | self._quartz.kCGWindowListExcludeDesktopElements
        return [
            it
            for it in self._list(options)
            if _NORMAL <= it["kCGWindowLayer"] < _DOCK
            and it.get("kCGWindowAlpha", 1) > 0
            and min(it["kCGWindowBounds"]["Width"], it["kCGWindowBounds"]["Height"]) >= 1
        ]

    def _all(self) -> list[_Listed]:
        return self._list(self._quartz.kCGWindowListOptionAll)

    def _list(self, options: int) -> list[_Listed]:
        listed = self._quartz.CGWindowListCopyWindowInfo(options, self._quartz.kCGNullWindowID)
        if listed is None:
            raise DesktopError("macOS lists no windows", hint="log in on its screen, and start sweepbot there")
        return list(listed)
