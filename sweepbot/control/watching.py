"""Looking at a part of the screen again and again, until what one waits for is seen: the only such loop there is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region, same_pixels

POLL_S = 0.0005
"""Seconds between two looks, at first."""

_POLL_SHARE = 0.05  # of the time for which a picture has rested: so much longer is waited for the next look
_LONGEST_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Look:
    """One look.

    Attributes:
        frame: What is seen.
        since_s: Seconds since the first look.
        rests_s: Seconds for which the picture has been as it is.
        before: What was seen before this, where it was something else.
    """

    frame: Frame
    since_s: float
    rests_s: float
    before: Frame | None = None


def watch(desk: Desk, region: Region, check: Callable[[], None], poll_s: float = POLL_S) -> Iterator[Look]:
    """Look again and again, for as long as somebody asks for the next look.

    Args:
        desk: What is looked at.
        region: The part of the screen.
        check: Called between looks; raises where a person has taken over.
        poll_s: Seconds between two looks at a picture that changes; the longer one rests, the fewer looks it gets.
    """
    clock = desk.clock
    frame = desk.screen.grab(region)
    start = rests_since = clock.now()
    yield Look(frame, 0.0, 0.0)
    while True:
        check()
        clock.sleep(poll_s + min(_LONGEST_POLL_S, _POLL_SHARE * (clock.now() - rests_since)))
        following = desk.screen.grab(region)
        now = clock.now()
        if same_pixels(following.image, frame.image):
            yield Look(frame, now - start, now - rests_since)
        else:
            before, frame, rests_since = frame, following, now
            yield Look(frame, now - start, 0.0, before)


def wait_for_change(desk: Desk, before: Frame, check: Callable[[], None], limit_s: float) -> Frame:
    """Wait until the region of a picture looks other than in it, for so many seconds at most; what it shows then."""
    for look in watch(desk, before.region, check):
        if look.since_s >= limit_s or not same_pixels(look.frame.image, before.image):
            return look.frame
    raise AssertionError("watching never ends by itself")
