"""Operating an unknown client: one click or key at a time, each followed by a picture at rest, with its times."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sweepbot.behaviour import Restart
from sweepbot.calibrate.live.restart_ways import RELOADS, point_of
from sweepbot.calibrate.live.times import Times
from sweepbot.calibrate.seeing.untouched_boards import find_places
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.control.controls import Controls
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Image, Point, Region, extent, same_pixels
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference

_log = logging.getLogger("sweepbot.calibrate")


IsClear = Callable[[Image], bool]
"""Whether a picture has nothing in front of the watched cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The result of a click, a key or a look.

    Attributes:
        image: The picture at rest.
        uncovered: The last picture up to then with nothing in front of the board.
        rested: Whether that picture stayed for more than a moment, and was not in the middle of a change.
    """

    image: Image
    uncovered: Image
    rested: bool = True


class Touch:
    """Clicks, presses keys and looks.

    Attributes:
        board: Where clicks on cells may land.
        around: The region that is looked at: the board and its surroundings.
        seen: What was seen there last.
        is_clear: Whether a picture of that region has nothing in front of the board.
    """

    def __init__(self, controls: Controls, times: Times, board: Region) -> None:
        self.clock = controls.desk.clock
        self.screen = controls.desk.screen
        self.keyboard = controls.keyboard
        self.guard = controls.guard
        self.window = controls.window
        self.times = times
        self.watch(board, 0)

    def watch(self, board: Region, margin: int) -> None:
        """Look from now on at a board with a margin in pixels; nothing counts as a cover until `is_clear` is set."""
        self.board = board
        self.around = board.grown(margin).intersection(self.screen.region) or board
        self.is_clear: IsClear = lambda _: True
        image = self.screen.grab(self.around).image
        self.seen = Seen(image, image)
        self._before_click = image

    def desktop(self) -> Image:
        """Return a picture of the whole desktop."""
        return self.screen.grab(None).image

    def boards(self) -> list[Grid]:
        """Return where on the desktop something repeats like the cells of a board."""
        return [found.moved(self.screen.region.origin) for found in find_places(self.desktop())]

    def rest(self, seconds: float) -> None:
        """Wait. Raises what `Guard.check` raises."""
        self.guard.rest(until=self.clock.now() + seconds)

    def look(self, *, patiently: bool = False) -> Image:
        """Return the picture once it is at rest; if `patiently`, once even flashing has ended."""
        return self._at_rest(self.seen.uncovered, self.times.flash if patiently else self.times.quiet)

    def click(self, at: Point, button: Button, hold_s: float) -> Image:
        """Click a pixel of the board, park the pointer beside it, and return the picture once it is at rest.

        The button is held down for `hold_s` seconds, or longer if the client needs that.
        """
        before = self.screen.grab(self.around).image
        after = self._click(at, button, self.board, before, hold_s)
        if not same_pixels(after, before):
            self.times.note_hold(max(hold_s, self.times.hold))
        return after

    def tap(self, at: Point, cell: Region) -> None:
        """Click a pixel, and return as soon as its cell changes."""
        self._press_button(at, "left", self.board, cell)

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
        before = next(it.frame for it in looks if it.rests_s >= self.times.flash or it.since_s >= PACE.slow_s)
        self.guard.move(at)
        after = self.guard.wait_for_change(before, PACE.status_s)
        self.guard.park(self.board)
        return not same_pixels(after.image, before.image)

    def follow(self, way: Restart, place: Grid) -> None:
        """Press a key or click, as a `way` for a board at `place` says, and wait for the effect.

        A pixel that is not the client's is not clicked, and no key is pressed in a terminal or an editor.

        Raises:
            ClientGoneError: The client was not in sight before a key, so that none was pressed, or is not after it.
        """
        at = point_of(way, place)
        if way.key is not None and not self.window.takes_text:
            self.keyboard.remember(Frame(self.seen.uncovered, self.around))
            before = self.screen.grab(self.around)
            self.keyboard.press(way.key)
            # A browser shows at once that it is loading a page, but the page itself only later.
            limit_s = PACE.slow_s if way.key == RELOADS else self.times.limit
            self.guard.wait_for_change(before, limit_s)
            self.look()
            self.keyboard.check_after(way.key, PACE.slow_s)
        elif way.key is None and self.window.owns(at):
            image = self.screen.grab(self.around).image
            self._click(at, "left", Region.around(at, 0), image, self.times.longer_hold)

    def _click(self, at: Point, button: Button, allowed: Region, before: Image, hold_s: float) -> Image:
        """Click, park the pointer beside the board, return the picture at rest, and note the times.

        `before` is the picture before the pointer came, under which a hidden cell may look different.
        """
        clicked, noticed = self._press_button(at, button, allowed, self.around, hold_s)
        self.guard.park(self.around)
        uncovered = noticed.image if self.is_clear(noticed.image) else before
        quiet = max(self.times.quiet, self.times.hover)  # the end of hovering may show as late as hovering
        return self._at_rest(uncovered, quiet, clicked)

    def _press_button(
        self, at: Point, button: Button, allowed: Region, shows: Region, hold_s: float = 0.0
    ) -> tuple[float, Frame]:
        """Click, and stay until a region `shows` it, as some clients take the place of a click from a later pointer.

        If a dialog has come up in the meantime, nothing is clicked, which counts as a click without an effect.

        Returns:
            The time of the click, and the first picture after it.
        """
        before = self._hover(at, shows)
        clicked = self.clock.now()
        click = partial(
            self.guard.click, at, button, allowed, max(hold_s, self.times.hold), is_button=allowed != self.board
        )
        try:
            try:
                click()
            except ClientMovedError:
                if not self._is_board_still():
                    raise
                self.window.follow()
                click()
            self._before_click = self.seen.image
        except ClientCoveredError as error:
            _log.info("not clicked: %s", error)
            return clicked, self.screen.grab(before.region)
        clicked = self.clock.now()
        noticed = self.guard.wait_for_change(before, self.times.limit)
        self.guard.rest(until=clicked + self.times.hover)  # the change may be due to hovering alone
        return clicked, noticed

    def _is_board_still(self) -> bool:
        """Whether the board has stayed while its window has changed, as a client may fit that to a text beside it.

        It has if only a cell or two have changed since the last click, or if a new board is in exactly its place.
        """
        changed = difference(self.screen.grab(self.around).image, self._before_click) > LIKENESS.same_levels
        spot = extent(changed)
        if spot is None or (spot.width < self.around.width / 2 and spot.height < self.around.height / 2):
            return True
        return any(found.region == self.board for found in self.boards())

    def _hover(self, at: Point, around: Region) -> Frame:
        """Put the pointer on a pixel; return the picture once hovering shows, if it does in this client."""
        before = self.screen.grab(around)
        self.guard.move(at)
        moved = self.clock.now()
        is_measured = len(self.times.hovers) >= PACE.tries
        patience = self.times.hover if is_measured else min(self.times.limit, PACE.hover_s)
        frame = self.guard.wait_for_change(before, patience) if patience else before
        if not same_pixels(frame.image, before.image):
            self.times.hovers.append(self.clock.now() - moved)
        elif not is_measured:
            self.times.hovers.append(0.0)
        return frame

    def _at_rest(self, uncovered: Image, quiet: float, clicked: float | None = None) -> Image:
        """Return the picture once it is at rest; after a click, note the pauses between its changes."""
        first = 0.0 if clicked is None else self.clock.now() - clicked
        since = lasted = longest = rested = 0.0
        for look in self.guard.watch(self.around):
            image = look.frame.image
            if look.before is not None:
                longest = max(longest, look.since_s - rested)
            if look.rests_s == 0.0:
                rested = look.since_s
                if self.is_clear(image):
                    uncovered, since, lasted = image, look.since_s, 0.0
                else:
                    lasted = lasted or look.since_s - since
            if look.rests_s >= quiet or look.since_s >= PACE.slow_s:
                break
        if clicked is not None and first < self.times.limit:
            self.times.note_reaction(first, longest)
        has_rested = uncovered is image or lasted >= PACE.glance_s
        self.seen = Seen(image, uncovered, self.seen.rested if uncovered is self.seen.uncovered else has_rested)
        return image
