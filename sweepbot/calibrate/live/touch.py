"""Touching an unknown client: one click or key at a time, a picture once it rests, and how long that took."""

import logging
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from sweepbot.behaviour import Restart, Settle
from sweepbot.calibrate.live.restart_ways import OF_PAGES, point_of
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.control.controls import Controls
from sweepbot.control.watching import wait_for_change, watch
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ClientCoveredError, ClientMovedError
from sweepbot.geometry import Image, Point, Region, extent, same_pixels
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.untouched_boards import find_places
from sweepbot.vision.pictures.difference import difference

_log = logging.getLogger("sweepbot.calibrate")

IsClear = Callable[[Image], bool]
"""Whether nothing in a picture has come in front of what is watched."""


@dataclass(slots=True)
class Times:
    """How long the client takes, in seconds.

    Attributes:
        quiet: A picture rests when it has not changed for so long.
        limit: What has not reacted after so long does not.
        flash: No picture that flashes rests so long in between.
        first: From clicks to their first changes, as measured.
        pauses: The longest pause between two changes that followed one click, as measured.
        hovers: From the pointer's coming to a change of what it stands on, as measured; 0 where nothing changed.
        hold: How long clicks hold the button down.
        longer_hold: The same for one click that had an effect where shorter ones had none; 0 where none or another had.
    """

    quiet: float = 0.15
    limit: float = 0.6
    flash: float = 0.7
    first: list[float] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    hovers: list[float] = field(default_factory=list)
    hold: float = 0.0
    longer_hold: float = 0.0

    @property
    def hover(self) -> float:
        """How long it takes at most until what the pointer stands on looks another; 0 where it never did."""
        seen = [hover for hover in self.hovers if hover]
        return min(PACE.hover_s, 2 * statistics.median(seen)) if seen else 0.0

    def measured(self, first: float, pause: float) -> None:
        """Note a reaction; after some of them waiting is no longer than this client needs."""
        self.first.append(first)
        self.pauses.append(pause)
        if len(self.first) == PACE.reactions_measured and self.limit > 0:
            self.quiet = min(self.quiet, max(0.05, 3 * max(self.pauses)))
            self.limit = min(self.limit, max(0.25, 6 * max(self.first)))

    def note_late_change(self) -> None:
        """Note that a picture taken for one at rest has changed all the same: wait longer from now on."""
        self.quiet = min(self.flash, 1.5 * self.quiet)
        self.pauses.append(self.quiet)

    def note_hold(self, hold: float) -> None:
        """Note that a click has had an effect: where shorter ones had none twice, none is shorter from now on.

        Once alone they may have been lost for other reasons.
        """
        if hold > self.hold and self.longer_hold:
            self.hold, self.longer_hold = hold, 0.0
        else:
            self.longer_hold = hold if hold > self.hold else 0.0

    def settle(self) -> Settle:
        """The same as a calibration says it, on the safe side."""
        first, pause = max(self.first, default=0.0), max(self.pauses, default=0.0)
        return Settle(
            notice_ms=round(min(2000, max(30, 2000 * first))),
            quiet_ms=round(min(2000, max(8, 1500 * pause, 1000 * self.hover))),
            limit_ms=round(min(5000, max(200, 4000 * (first + pause)))),
            hold_ms=round(1000 * self.hold),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What came of a touch.

    Attributes:
        image: The picture once it rested.
        uncovered: The last picture on the way there in which nothing had come in front of the board.
        rested: Whether that picture was there for more than a moment, and not in the middle of a change.
    """

    image: Image
    uncovered: Image
    rested: bool = True


class Touch:
    """Clicks and looks.

    Attributes:
        board: Where clicks on cells may land.
        around: What is looked at: the board and what is around it.
        seen: What was seen there last.
        is_clear: Tells whether in a picture of that nothing has come in front of the board.
    """

    def __init__(self, controls: Controls, times: Times, board: Region) -> None:
        self.desk = controls.desk
        self.clock = controls.desk.clock
        self.screen = controls.desk.screen
        self.keyboard = controls.keyboard
        self.guard = controls.guard
        self.window = controls.window
        self.times = times
        self.watch(board, 0)

    def watch(self, board: Region, margin: int) -> None:
        """Look from now on at a board and so many pixels around it, in front of which nothing is known to come."""
        self.board = board
        self.around = board.grown(margin).intersection(self.screen.region) or board
        self.is_clear: IsClear = lambda _: True
        image = self.screen.grab(self.around).image
        self.seen = Seen(image, image)
        self._before_click = image

    def desktop(self) -> Image:
        """All of the desktop as it is now."""
        return self.screen.grab(None).image

    def boards(self) -> list[Grid]:
        """Where on the desktop something repeats itself as a board does."""
        return [found.moved(self.screen.region.origin) for found in find_places(self.desktop())]

    def rest(self, seconds: float) -> None:
        """Do nothing for so long, but notice a person's hand meanwhile."""
        self.guard.rest(until=self.clock.now() + seconds)

    def look(self, *, patiently: bool = False) -> Seen:
        """What is seen once it rests; patiently, once not even what flashes changes."""
        return self._at_rest(self.seen.uncovered, self.times.flash if patiently else self.times.quiet)

    def at_rest(self, region: Region) -> Image:
        """The picture of a region once not even what flashes changes there."""
        looks = watch(self.desk, region, self.guard.check)
        return next(it.frame.image for it in looks if it.rests_s >= self.times.flash or it.since_s >= PACE.slow_s)

    def click(self, at: Point, button: Button, hold_s: float = 0.0) -> Seen:
        """Click on a pixel of the board, park the pointer beside it, and see what came of it.

        The button is held down for `hold_s` seconds, or longer where the client needs that.
        """
        before = self.screen.grab(self.around).image
        seen = self._click(at, button, self.board, before, hold_s)
        if not same_pixels(seen.image, before):
            self.times.note_hold(max(hold_s, self.times.hold))
        return seen

    def tap(self, at: Point, cell: Region) -> None:
        """Click on a pixel and go on as soon as the cell that it belongs to shows it."""
        self._press_button(at, "left", self.board, cell)

    def is_link(self, at: Point) -> bool:
        """Whether a browser tells where a pixel leads, as it does of links at its lower left.

        What has told of another link fades: so the corner must be at rest before. The pointer is parked afterwards.
        """
        window = self.window.region
        if window is None or not self.window.is_browser:
            return False
        width, height = CHANGE.status_px
        corner = Region(window.x, window.bottom - height, width, height).intersection(self.screen.region)
        if corner is None:
            return False
        before = Frame(self.at_rest(corner), corner)
        self.guard.move(at)
        told = wait_for_change(self.desk, before, self.guard.check, PACE.status_s)
        self.guard.park(self.board)
        return not same_pixels(told.image, before.image)

    def follow(self, way: Restart, place: Grid) -> None:
        """Press or click what may begin a game, or close something, on a board at `place`, and wait for the picture.

        What is not the client's own is not clicked on, and in a terminal or an editor no key is pressed.

        Raises:
            ClientGoneError: The client is not in sight, so that no key is pressed; or not any more after this one.
        """
        at = point_of(way, place)
        if way.key is not None and not self.window.takes_text:
            self.keyboard.remember(Frame(self.seen.uncovered, self.around))
            before = self.screen.grab(self.around)
            self.keyboard.press(way.key)
            # A browser shows at once that it loads a page, and the page some time later.
            limit_s = PACE.slow_s if way.key == OF_PAGES else self.times.limit
            wait_for_change(self.desk, before, self.guard.check, limit_s)
            self.look()
            self.keyboard.check_after(way.key, PACE.slow_s)
        elif way.key is None and self.window.owns(at):
            image = self.screen.grab(self.around).image
            self._click(at, "left", Region.around(at, 0), image, self.times.longer_hold)

    def _click(self, at: Point, button: Button, allowed: Region, before: Image, hold_s: float) -> Seen:
        """Click, park the pointer beside the board, and see what came of it, and how long that took.

        Under the pointer a hidden cell may look another: `before` is the picture of before it came.
        """
        clicked, noticed = self._press_button(at, button, allowed, self.around, hold_s)
        self.guard.park(self.around)
        uncovered = noticed.image if self.is_clear(noticed.image) else before
        quiet = max(self.times.quiet, self.times.hover)  # what the pointer has left takes as long to show it
        return self._at_rest(uncovered, quiet, clicked)

    def _press_button(
        self, at: Point, button: Button, allowed: Region, shows: Region, hold_s: float = 0.0
    ) -> tuple[float, Frame]:
        """Click, and stay until a region shows that: a pointer that has gone on takes the click along.

        Where a dialog has come up in the meantime there is no click: to who learns it is one that changed nothing.

        Returns:
            When was clicked, and what shows by then.
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
        noticed = wait_for_change(self.desk, before, self.guard.check, self.times.limit)
        self.guard.rest(until=clicked + self.times.hover)  # it may be hovering alone that was noticed
        return clicked, noticed

    def _is_board_still(self) -> bool:
        """Whether the board is where it was in a window that is not: a client may fit that to the text beside it.

        It is where a cell or two alone have changed since the last click, or where a new board is in its very place.
        """
        changed = difference(self.screen.grab(self.around).image, self._before_click) > LIKENESS.same_levels
        spot = extent(changed)
        if spot is None or (spot.width < self.around.width / 2 and spot.height < self.around.height / 2):
            return True
        return any(found.region == self.board for found in self.boards())

    def _hover(self, at: Point, around: Region) -> Frame:
        """Put the pointer over a pixel; the picture once that shows, where it shows in this client."""
        before = self.screen.grab(around)
        self.guard.move(at)
        moved = self.clock.now()
        is_measured = len(self.times.hovers) >= PACE.tries
        patience = self.times.hover if is_measured else min(self.times.limit, PACE.hover_s)
        frame = wait_for_change(self.desk, before, self.guard.check, patience) if patience else before
        if not same_pixels(frame.image, before.image):
            self.times.hovers.append(self.clock.now() - moved)
        elif not is_measured:
            self.times.hovers.append(0.0)
        return frame

    def _at_rest(self, uncovered: Image, quiet: float, clicked: float | None = None) -> Seen:
        """Wait until the picture rests; where it followed a click, measure the pauses between its changes."""
        first = 0.0 if clicked is None else self.clock.now() - clicked
        since = lasted = longest = rested = 0.0
        for look in watch(self.desk, self.around, self.guard.check):
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
            self.times.measured(first, longest)
        has_rested = uncovered is image or lasted >= PACE.glance_s
        self.seen = Seen(image, uncovered, self.seen.rested if uncovered is self.seen.uncovered else has_rested)
        return self.seen
