"""What a system tells of test windows, on X11 and on Windows."""

from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.geometry import Point, Region
from tools.waiting import wait_until


def titled(windows: Windows, title: str) -> WindowId:
    """The window that has a title, once it is shown."""

    def look() -> WindowId | None:
        return next((it for it in windows.titled([title]) if windows.title(it) == title), None)

    return wait_until(look, f"a window titled {title}")


def region(windows: Windows, number: WindowId) -> Region:
    """Where the inside of a window is."""
    return next(window.region for window in windows.shown() if window.id == number)


def under(windows: Windows, at: Point) -> WindowId | None:
    """The number of the window in front at a pixel."""
    found = windows.under(at)
    return None if found is None else found.id
