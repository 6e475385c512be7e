"""The screen: pictures of it, in pixels of the virtual desktop. The only file that imports mss."""

import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.server import DisplayServer, display_server, no_desktop
from sweepbot.desktop.win32_api import see_real_pixels
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point, Region
from sweepbot.interrupts import held_together

if TYPE_CHECKING:
    from mss import MSS
    from mss.screenshot import ScreenShot

_log = logging.getLogger("sweepbot.desktop")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture of a part of the screen.

    Attributes:
        image: uint8 array of shape (height, width, 3), channels blue, green, red.
        region: The pixels of the virtual desktop that it shows.
    """

    image: NDArray[np.uint8]
    region: Region

    def part(self, region: Region) -> NDArray[np.uint8]:
        """The picture of a region within its own: uint8 of shape (height, width, 3)."""
        return self.image[region.moved(-self.region.origin).slices]


class Screen(Protocol):
    """A screen of which pictures can be taken."""

    @property
    def region(self) -> Region:
        """All that can be seen: every monitor together, in pixels."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything.

        Raises:
            DesktopError: The region is not on the screen, or the system does not let itself be looked at.
        """


def part_of(screen: Region, wanted: Region | None) -> Region:
    """The region of a screen that is wanted; all of it for None.

    Raises:
        DesktopError: It is not on the screen as a whole.
    """
    if wanted is None or wanted.intersection(screen) == wanted:
        return wanted or screen
    raise DesktopError(
        f"the region {wanted} is not on the screen, which is {screen}",
        hint="regions are WIDTHxHEIGHT+X+Y in pixels, and must lie on the screen as a whole",
    )


class DesktopScreen:
    """The machine's own screen, every monitor of it, as a context manager.

    Raises:
        DesktopError: There is no display, it is Wayland's, or it refuses to be looked at.
    """

    def __init__(self) -> None:
        if (error := no_desktop(display_server())) is not None:
            raise error
        see_real_pixels()
        import mss  # noqa: PLC0415  (late: no other command needs it)

        self._refused = mss.ScreenShotError
        self._mss = _opened()
        try:
            self._layout = _layout(self._mss)
            desktop, *monitors = self._layout
            # What the system calls one unit may be several pixels (macOS Retina); the picture itself tells.
            shot = self._grab(desktop)
            scale = shot.width / desktop.width
            pixel_origin = Point(round(desktop.x * scale), round(desktop.y * scale))
            self.pixel_map = PixelMap(scale, desktop.origin, pixel_origin)
        except BaseException:
            self._mss.close()
            raise
        self.region = self.pixel_map.in_pixels(desktop)
        """All that can be seen: every monitor together, in pixels."""
        self.monitors = tuple(self.pixel_map.in_pixels(monitor) for monitor in monitors)
        """Each monitor's pixels; x and y are negative left of and above the primary one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the display; a second call does nothing."""
        with suppress(self._refused):  # a display that has ended has let go of it already
            self._mss.close()

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything. See `Screen.grab`."""
        wanted = part_of(self.region, region)
        points = self.pixel_map.in_points(wanted)
        shot = self._grab(points)
        taken = self.pixel_map.in_pixels(points)
        if (shot.width, shot.height) != (taken.width, taken.height):
            raise DesktopError(
                f"the picture of {wanted} has {shot.width}x{shot.height} pixels instead of {taken.width}x{taken.height}"
                f" at scale {self.pixel_map.scale:g}: the monitors differ in scale, or one was changed",
                hint="give all monitors the same scale, or unplug the others, and start again",
            )
        image = bgr(np.frombuffer(shot.raw, dtype=np.uint8).reshape(shot.height, shot.width, 4))
        if taken != wanted:  # whole points can be had, but a half one was asked for
            image = np.ascontiguousarray(image[wanted.moved(-taken.origin).slices])
        return Frame(image, wanted)

    def _grab(self, points: Region) -> "ScreenShot":
        box = {"left": points.x, "top": points.y, "width": points.width, "height": points.height}
        try:
            with held_together():
                return self._mss.grab(box)
        except (self._refused, AssertionError) as cause:  # the latter where a display has ended
            self._check_layout(cause)
            raise DesktopError(
                f"the system gives no picture of {points}: {cause}",
                hint="macOS: allow screen recording in System Settings > Privacy & Security, then restart the "
                "terminal; elsewhere: unlock the screen and try again",
            ) from cause

    def _check_layout(self, cause: Exception) -> None:
        """Check that the monitors have not changed.

        Raises:
            DesktopError: They have, or the display has ended.
        """
        now = _opened()
        try:
            layout = _layout(now)
        finally:
            now.close()
        if layout != self._layout:
            raise DesktopError(
                f"the screen was {self._layout[0]} and is {layout[0]} now: its resolution or its monitors were changed",
                hint="start again: the board is looked for anew, on the screen as it is now",
            ) from cause


def _opened() -> "MSS":
    """Open what takes the pictures.

    Raises:
        DesktopError: There is no display, or none of mss's ways can look at it.
    """
    import mss  # noqa: PLC0415  (late: no other command needs it)

    try:
        try:
            return mss.MSS()
        except mss.ScreenShotError as cause:
            if display_server() is not DisplayServer.X11:
                raise
            # TigerVNC lists its usual depth of colours twice, and mss's first way looks into the first list alone.
            _log.info("mss looks at this display through Xlib, since: %s", cause)
            return mss.MSS(backend="xlib")
    except mss.ScreenShotError as cause:
        display = os.environ.get("DISPLAY")
        where = f" (DISPLAY is {display!r})" if display else ""
        raise DesktopError(
            f"no screen can be opened{where}: {cause}",
            hint="check that this display is running and that you may use it (xdpyinfo), or use a virtual one: "
            "xvfb-run -s '-screen 0 1600x1200x24' COMMAND",
        ) from cause


def _layout(opened: "MSS") -> tuple[Region, ...]:
    """All that can be seen, then each monitor, in the system's units."""
    return tuple(Region(it["left"], it["top"], it["width"], it["height"]) for it in opened.monitors)


def bgr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Copy a picture without its fourth channel; numpy would take ten times as long, for each look."""
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
