"""Watching a part of the screen by polling: the only such loop in sweepbot."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region, same_pixels

POLL_S = 0.0005
"""Seconds between two looks, at first."""

RIM_PX = 3
"""Pixels at each side of a board's picture that do not tell whether it is at rest: one around the board, and two of its
own, as a clock may tick that close beside it. What a cell shows changes more of it."""

_POLL_SHARE = 0.05  # of the time without a change: added between two looks
_MAX_POLL_S = 0.05  # at most between two looks, however long nothing changes


@dataclass(frozen=True, slots=True)
class Watched:
    """One look.

    Attributes:
        frame: The picture.
        since_s: Seconds since the first look.
        rests_s: Seconds for which the picture has not changed.
        before: The picture before, if it was different; else None.
    """

    frame: Frame
    since_s: float
    rests_s: float
    before: Frame | None = None


def watch(
    desk: Desk, region: Region, check: Callable[[], None], poll_s: float = POLL_S, rim_px: int = 0
) -> Iterator[Watched]:
    """Yield one look after another at a part of the screen, without end.

    What changes within `rim_px` of its sides is no change. Between looks, `poll_s` seconds apart and more the longer
    the picture has not changed, `check` is called, which raises if a person has taken over.
    """
    clock = desk.clock
    frame = desk.screen.grab(region)
    start = rests_since = clock.now()
    yield Watched(frame, 0.0, 0.0)
    while True:
        check()
        clock.sleep(poll_s + min(_MAX_POLL_S, _POLL_SHARE * (clock.now() - rests_since)))
        following = desk.screen.grab(region)
        now = clock.now()
        if same_pixels(following.image, frame.image, rim_px):
            yield Watched(frame, now - start, now - rests_since)
        else:
            before, frame, rests_since = frame, following, now
            yield Watched(frame, now - start, 0.0, before)
