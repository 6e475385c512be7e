"""Frames of a board, one after the other; nothing is read here."""

from collections import deque
from collections.abc import Iterator, Sequence

from sweepbot.control.controls import Controls
from sweepbot.control.watching import Look, watch
from sweepbot.desktop.screen import Frame
from sweepbot.player.burst import Burst
from sweepbot.vision.reader import Reading

_POLL_S = 0.001  # between two looks at a picture that is coming to rest
_KEPT = 120  # pictures on the way to the last one that are kept, of all looks for the same


class Watcher:
    """Looks at a board again and again.

    Args:
        controls: What it looks with, and what notices a person's hand meanwhile.
    """

    def __init__(self, controls: Controls) -> None:
        self._desk = controls.desk
        self._disturbed = controls.guard.check
        self._looks: Iterator[Look] = iter(())
        self._passed: deque[Frame] = deque(maxlen=_KEPT)

    @property
    def passed(self) -> Sequence[Frame]:
        """The pictures that were seen before the last one, the oldest first."""
        return tuple(self._passed)

    def forget(self) -> None:
        """Forget what was seen so far."""
        self._passed.clear()

    def begin(self, place: Reading) -> None:
        """Watch a board where it was read last; times count from here."""
        screen = self._desk.screen.region
        around = place.grid.region.grown(1).intersection(screen) or place.grid.region
        self._looks = watch(self._desk, around, self._disturbed, _POLL_S)

    def next(self, burst: Burst | None) -> Look:
        """The next look, which a burst on its way takes in too."""
        look = next(self._looks)
        if look.before is not None:
            self._passed.append(look.before)
        if burst is not None:
            burst.see(look.frame, self._desk.clock.now())
        return look
