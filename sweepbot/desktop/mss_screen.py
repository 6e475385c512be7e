"""All monitors of X11, Windows and macOS. The only file that imports mss."""

import logging
import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np

from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.desktop.server import DisplayServer, display_server, no_desktop
from sweepbot.desktop.win32.api import see_real_pixels
from sweepbot.desktop.x11.pictures import NoPictureError, RawPicture, X11Pictures, x11_depth
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point, Region
from sweepbot.interrupts import uninterrupted

if TYPE_CHECKING:
    from mss import MSS
    from mss.screenshot import ScreenShot

_DEPTHS_OF_MSS = (24, 32)  # bits of a pixel

_log = logging.getLogger("sweepbot.desktop")


class DesktopScreen:
    """All monitors of the machine, except on Wayland. See `Screen`.

    Raises:
        DesktopError: There is no display, or it gives no picture.
    """

    def __init__(self) -> None:
        if (error := no_desktop(display_server())) is not None:
            raise error
        see_real_pixels()
        import mss  # noqa: PLC0415  (late: no other command needs it)

        self._refused = mss.ScreenShotError, NoPictureError, AssertionError  # the last if the display has ended
        self._mss = _open_mss()
        try:
            self._layout = _layout(self._mss)
            desktop, *monitors = self._layout
            # A unit of the system may be several pixels (macOS Retina), as the size of the picture shows.
            shot = self._grab(desktop)
            scale = shot.width / desktop.width
            pixel_origin = Point(round(desktop.x * scale), round(desktop.y * scale))
            self.pixel_map = PixelMap(scale, desktop.origin, pixel_origin)
        except BaseException:
            self._mss.close()
            raise
        self.region = self.pixel_map.in_pixels(desktop)
        """All monitors together, in pixels of the virtual desktop."""
        self.monitors = tuple(self.pixel_map.in_pixels(monitor) for monitor in monitors)
        """Each monitor's region in pixels; x and y are negative left of and above the primary one."""

    def close(self) -> None:
        """Close the display; a second call does nothing."""
        with suppress(*self._refused):  # the display may have ended
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
                f" at scale {self.pixel_map.scale:g}: the monitors differ in scale, or one has changed",
                hint="set all monitors to the same scale, or unplug the others, and start again",
            )
        image = bgr(np.frombuffer(shot.raw, dtype=np.uint8).reshape(shot.height, shot.width, 4))
        if taken != wanted:  # only whole points can be grabbed, and the region begins or ends within one
            image = np.ascontiguousarray(image[wanted.moved(-taken.origin).slices])
        return Frame(image, wanted)

    def _grab(self, points: Region) -> "ScreenShot | RawPicture":
        box = {"left": points.x, "top": points.y, "width": points.width, "height": points.height}
        try:
            with uninterrupted():
                return self._mss.grab(box)
        except self._refused as cause:
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
        try:
            now = _open_mss()
        except DesktopError as gone:
            raise DesktopError(f"the display has ended: {cause}", hint="start it and the client again") from gone
        with closing(now):
            layout = _layout(now)
        if layout != self._layout:
            raise DesktopError(
                f"the screen was {self._layout[0]} and is now {layout[0]}: its resolution or monitors have changed",
                hint="start again, and the board is searched for on the screen as it is now",
            ) from cause


def _open_mss() -> "MSS | X11Pictures":
    """Open mss, which takes the pictures, or what takes them if mss does not know the display's colours.

    Raises:
        DesktopError: There is no display, or it cannot be grabbed.
    """
    import mss  # noqa: PLC0415  (late: no other command needs it)

    try:
        try:
            return mss.MSS()
        except (mss.ScreenShotError, OSError) as cause:
            if display_server() is not DisplayServer.X11:
                raise
            _log.info("mss grabs this display through Xlib, because: %s", cause)
            opened = mss.MSS(backend="xlib")
            # TigerVNC lists its usual colour depth twice, and mss's first backend only reads the first list. And that
            # shares memory by a file, which may be larger than this user's files may be (`ulimit -f`).
            if x11_depth() in _DEPTHS_OF_MSS:
                return opened
            with closing(opened):
                return X11Pictures(opened.monitors)
    except mss.ScreenShotError as cause:
        display = os.environ.get("DISPLAY")
        where = f" (DISPLAY is {display!r})" if display else ""
        raise DesktopError(
            f"no screen can be opened{where}: {cause}",
            hint="check with xdpyinfo that this display runs and lets you in, or use a virtual one: "
            "xvfb-run -s '-screen 0 1600x1200x24' COMMAND",
        ) from cause


def _layout(opened: "MSS | X11Pictures") -> tuple[Region, ...]:
    """Return the region of all monitors together, then that of each, in the system's units."""
    return tuple(Region(it["left"], it["top"], it["width"], it["height"]) for it in opened.monitors)
