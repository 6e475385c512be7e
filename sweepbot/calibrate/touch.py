"""Touching an unknown client: one click or key at a time, a picture once it rests, and how long that took."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from sweepbot.calibrate.place import Image
from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Point, Region
from sweepbot.vision.calibration import Settle

_POLL = 0.001  # seconds between two looks at a picture that is coming to rest
_MOMENT = 0.05  # seconds: a picture that is changing little by little does not stay for so long
_LONGEST = 3.0  # seconds after which a picture that still changes is taken as it is
_MEASURED = 12  # reactions after which the client's own times are relied on
_HOVERS = 4  # cells over which the pointer waits to see whether a client has cells look another under it
_HOVER_LIMIT = 0.2  # seconds that it waits there

Unharmed = Callable[[Image], bool]
"""Whether nothing in a picture has come in front of what is watched."""


class CarefulMouse(Protocol):
    """A mouse that clicks only where it is allowed to, and that stops when a person takes over."""

    allowed: Region | None

    def check(self) -> None:
        """Raise where a person has taken over."""

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel."""

    def click(self, at: Point, button: Button) -> None:
        """Click on an allowed pixel."""

    def press(self, key: str) -> None:
        """Press a key."""

    def park(self, off: Region) -> None:
        """Put the pointer beside a region."""


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
    """

    quiet: float = 0.15
    limit: float = 0.6
    flash: float = 0.7
    first: list[float] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    hovers: list[float] = field(default_factory=list)

    @property
    def hover(self) -> float:
        """How long it takes at most until what the pointer stands on looks another; 0 where it never did."""
        seen = [hover for hover in self.hovers if hover]
        return min(_HOVER_LIMIT, 2 * statistics.median(seen)) if seen else 0.0

    def measured(self, first: float, pause: float) -> None:
        """Take down a reaction; after some of them waiting is no longer than this client needs."""
        self.first.append(first)
        self.pauses.append(pause)
        if len(self.first) == _MEASURED and self.limit > 0:
            self.quiet = min(self.quiet, max(0.05, 3 * max(self.pauses)))
            self.limit = min(self.limit, max(0.25, 6 * max(self.first)))

    def was_hasty(self) -> None:
        """Take down that a picture taken for one at rest has changed all the same: wait longer from now on."""
        self.quiet = min(self.flash, 1.5 * self.quiet)
        self.pauses.append(self.quiet)

    def settle(self) -> Settle:
        """The same as a calibration says it, on the safe side."""
        first, pause = max(self.first, default=0.0), max(self.pauses, default=0.0)
        return Settle(
            notice_ms=round(min(2000, max(30, 2000 * first))),
            quiet_ms=round(min(2000, max(8, 1500 * pause))),
            limit_ms=round(min(5000, max(200, 4000 * (first + pause)))),
            hover_ms=round(1000 * self.hover),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What came of a touch.

    Attributes:
        image: The picture once it rested.
        unharmed: The last picture on the way there in which nothing had come in front of what was watched.
        rested: Whether that picture was there for more than a moment, and not in the middle of a change.
    """

    image: Image
    unharmed: Image
    rested: bool


def _always(_: Image) -> bool:
    return True


class Touch:
    """Clicks and looks.

    Args:
        screen: What it sees.
        mouse: What it clicks with.
        times: How long it waits; measured on the way.
        clock: What tells the time.
    """

    def __init__(self, screen: Screen, mouse: CarefulMouse, times: Times, clock: Clock = SYSTEM_CLOCK) -> None:
        self.clock = clock
        self.screen = screen
        self.times = times
        self._mouse = mouse

    def park(self, off: Region) -> None:
        """Put the pointer beside a region: a cell under it may look unlike the others."""
        self._mouse.park(off)

    def look(self, around: Region, unharmed: Image, watch: Unharmed = _always, *, patiently: bool = False) -> Seen:
        """The picture of a region once it rests; patiently means that it may flash in between.

        Args:
            around: The region.
            unharmed: The last picture in which nothing was in front of what is watched.
            watch: Whether another picture is such a one.
            patiently: Wait as long as the slowest flash rests in between.
        """
        quiet = self.times.flash if patiently else self.times.quiet
        frame = self.screen.grab(around)
        return self._at_rest(frame, frame.image if watch(frame.image) else unharmed, None, quiet, watch)

    def click(self, at: Point, button: Button, allowed: Region, around: Region, watch: Unharmed = _always) -> Seen:
        """Click on a pixel of `allowed`, park the pointer beside `around`, and see what came of it there."""
        before = self._hover(at, around)
        self._mouse.allowed = allowed
        self._mouse.click(at, button)
        clicked = self.clock.now()
        # The pointer must stay until the click is noticed; one that has gone on takes the click along.
        noticed = self._noticed(around, before, clicked, self.times.limit)
        self._linger(clicked)
        self._mouse.park(around)
        unharmed = noticed if watch(noticed.image) else before
        quiet = max(self.times.quiet, self.times.hover)  # what the pointer has left takes as long to show it
        return self._at_rest(noticed, unharmed.image, clicked, quiet, watch)

    def tap(self, at: Point, cell: Region, allowed: Region) -> None:
        """Click on a pixel and go on as soon as the cell that it belongs to shows it."""
        before = self._hover(at, cell)
        self._mouse.allowed = allowed
        self._mouse.click(at, "left")
        clicked = self.clock.now()
        self._noticed(cell, before, clicked, self.times.limit)
        self._linger(clicked)

    def press(self, key: str, around: Region) -> Image:
        """Press a key and see what came of it in `around`."""
        before = self.screen.grab(around)
        self._mouse.press(key)
        pressed = self.clock.now()
        noticed = self._noticed(around, before, pressed, self.times.limit)
        return self._at_rest(noticed, noticed.image, None, self.times.quiet, _always).image

    def _hover(self, at: Point, around: Region) -> Frame:
        """Put the pointer over a pixel; the picture once that shows, where it shows in this client."""
        before = self.screen.grab(around)
        self._mouse.move(at)
        moved = self.clock.now()
        patience = self.times.hover if len(self.times.hovers) >= _HOVERS else min(self.times.limit, _HOVER_LIMIT)
        frame = self._noticed(around, before, moved, patience) if patience else before
        if not np.array_equal(frame.image, before.image):
            self.times.hovers.append(self.clock.now() - moved)
        elif len(self.times.hovers) < _HOVERS:
            self.times.hovers.append(0.0)
        return frame

    def _linger(self, clicked: float) -> None:
        """Stay after a click for as long as hovering takes to show: it may be that alone which was noticed."""
        self.clock.sleep(max(0.0, clicked + self.times.hover - self.clock.now()))

    def _noticed(self, around: Region, before: Frame, since: float, limit: float) -> Frame:
        """Wait for the first change, for `limit` seconds at most."""
        while True:
            frame = self.screen.grab(around)
            if not np.array_equal(frame.image, before.image) or self.clock.now() - since > limit:
                return frame
            self._mouse.check()
            self.clock.sleep(_POLL)

    def _at_rest(self, frame: Frame, unharmed: Image, clicked: float | None, quiet: float, watch: Unharmed) -> Seen:
        """Wait until the picture rests; where it followed a click, measure the pauses between its changes."""
        begun = changed = since = self.clock.now()
        lasted = 0.0
        first = 0.0 if clicked is None else changed - clicked
        longest = 0.0
        while (now := self.clock.now()) - changed < quiet and now - begun < _LONGEST:
            self.clock.sleep(_POLL)
            self._mouse.check()
            following = self.screen.grab(frame.region)
            if not np.array_equal(following.image, frame.image):
                frame, longest, changed = following, max(longest, self.clock.now() - changed), self.clock.now()
                if watch(frame.image):
                    unharmed, since, lasted = frame.image, changed, 0.0
                else:
                    lasted = lasted or changed - since
        if clicked is not None and first < self.times.limit:
            self.times.measured(first, longest)
        return Seen(frame.image, unharmed, unharmed is frame.image or lasted >= _MOMENT)
