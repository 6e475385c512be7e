"""Operating a client whose ways are unknown: one click or key at a time, each followed by a picture at rest."""

import logging

from sweepbot.behaviour import Restart
from sweepbot.calibrate.map.ways import RELOADS, point_of
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.controls import Controls
from sweepbot.control.watching import RIM_PX
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Image, Point, Region, same_pixels
from sweepbot.vision.grid import Grid

_log = logging.getLogger("sweepbot.calibrate")


class Touch:
    """Clicks buttons, presses keys and looks.

    Attributes:
        seen: The picture of the board that was at rest last.
    """

    def __init__(self, controls: Controls, board: Region) -> None:
        self.clock = controls.desk.clock
        self.screen = controls.desk.screen
        self.keyboard = controls.keyboard
        self.guard = controls.guard
        self.window = controls.window
        self.watch(board)

    def watch(self, board: Region) -> None:
        """Look from now on at a board, with a pixel around it."""
        around = board.grown(1).intersection(self.screen.region) or board
        self.seen = self.screen.grab(around)

    def desktop(self) -> Image:
        """Return a picture of the whole desktop."""
        return self.screen.grab(None).image

    def rest(self, seconds: float) -> None:
        """Wait. Raises what `Guard.check` raises."""
        self.guard.rest(until=self.clock.now() + seconds)

    def look(self, *, patiently: bool = False) -> None:
        """Look again once the picture is at rest; if `patiently`, once even flashing has ended."""
        quiet_s = PACE.flash_s if patiently else PACE.quiet_s
        looks = self.guard.watch(self.seen.region, rim_px=RIM_PX)
        self.seen = next(it.frame for it in looks if it.rests_s >= quiet_s or it.since_s >= PACE.slow_s)

    def is_link(self, at: Point) -> bool:
        """Whether a browser shows at its lower left where a pixel leads, as it does for links.

        The text for an earlier link fades, so the corner must be at rest first. The pointer is parked afterwards.
        """
        window = self.window.region
        if window is None or not self.window.is_browser:
            return False
        width, height = CHANGE.status_px
        corner = Region(window.x, window.bottom - height, width, height).intersection(self.screen.region)
        if corner is None:
            return False
        looks = self.guard.watch(corner)
        before = next(it.frame for it in looks if it.rests_s >= PACE.flash_s or it.since_s >= PACE.slow_s)
        self.guard.move(at)
        after = self.guard.wait_for_change(before, PACE.status_s)
        self.guard.park(self.seen.region)
        return not same_pixels(after.image, before.image)

    def follow(self, way: Restart, place: Grid) -> None:
        """Press a key or click, as a `way` for a board at `place` says, and wait for the effect.

        A pixel that is not the client's is not clicked, and no key is pressed in a terminal or an editor.

        Raises:
            ClientGoneError: The client was not in sight before a key, so that none was pressed, or is not after it.
        """
        at = point_of(way, place)
        if way.key is not None and not self.window.takes_text:
            self.keyboard.remember(self.seen)
            before = self.screen.grab(self.seen.region)
            self.keyboard.press(way.key)
            # A browser shows at once that it is loading a page, but the page itself only later.
            self.guard.wait_for_change(before, PACE.slow_s if way.key == RELOADS else PACE.limit_s)
            self.look()
            self.keyboard.check_after(way.key, PACE.slow_s)
        elif way.key is None and self.window.owns(at):
            before = self.screen.grab(self.seen.region)
            self._click(at)
            self.guard.wait_for_change(before, PACE.limit_s)
            self.guard.park(self.seen.region)
            self.look()

    def _click(self, at: Point) -> None:
        """Click a pixel; if a window has come up in front of it meanwhile, nothing is clicked."""
        self.guard.move(at)
        self.rest(PACE.hover_s)  # hovering may change the picture
        try:
            self.guard.click(at, "left", Region.around(at, 0), is_button=True)
        except ClientMovedError:  # a client may fit its window to a text beside the board, which stays where it is
            self.window.follow()
            self.guard.click(at, "left", Region.around(at, 0), is_button=True)
        except ClientCoveredError as error:
            _log.info("not clicked: %s", error)
