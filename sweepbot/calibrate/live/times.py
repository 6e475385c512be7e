"""How long an unknown client takes, measured while it is played."""

import statistics
from dataclasses import dataclass, field

from sweepbot.behaviour import Settle
from sweepbot.calibrate.thresholds import PACE


@dataclass(slots=True)
class Times:
    """How long the client takes, in seconds.

    Attributes:
        quiet: The time without a change after which a picture is at rest.
        limit: The time after which a click that has had no effect has none.
        flash: The same as `quiet` for pictures that may flash.
        first: The measured times from each click to its first change.
        pauses: The measured longest pause between two changes after each click.
        hovers: The measured times from each arrival of the pointer to a change beneath it; 0 if there was none.
        hold: How long clicks hold the button.
        longer_hold: The time of the last click, if it had an effect only because it was held for longer; else 0.
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
        """The most time until the pixels under the pointer change; 0 if they never do."""
        seen = [hover for hover in self.hovers if hover]
        return min(PACE.hover_s, 2 * statistics.median(seen)) if seen else 0.0

    def note_reaction(self, first: float, pause: float) -> None:
        """Note the times of a reaction; after enough of them, waits are no longer than this client needs."""
        self.first.append(first)
        self.pauses.append(pause)
        if len(self.first) == PACE.reactions_measured and self.limit > 0:
            self.quiet = min(self.quiet, max(0.05, 3 * max(self.pauses)))
            self.limit = min(self.limit, max(0.25, 6 * max(self.first)))

    def note_late_change(self) -> None:
        """Note that a picture thought to be at rest has changed: wait longer from now on."""
        self.quiet = min(self.flash, 1.5 * self.quiet)
        self.pauses.append(self.quiet)

    def note_hold(self, hold: float) -> None:
        """Note how long a click that had an effect was held; after two longer holds in a row, hold all clicks so long.

        A single one may have been needed for another reason.
        """
        if hold > self.hold and self.longer_hold:
            self.hold, self.longer_hold = hold, 0.0
        else:
            self.longer_hold = hold if hold > self.hold else 0.0

    def settle(self) -> Settle:
        """Return the times as a calibration stores them, with a safety margin."""
        first, pause = max(self.first, default=0.0), max(self.pauses, default=0.0)
        return Settle(
            notice_ms=round(min(2000, max(30, 2000 * first))),
            quiet_ms=round(min(2000, max(8, 1500 * pause, 1000 * self.hover))),
            limit_ms=round(min(5000, max(200, 4000 * (first + pause)))),
            hold_ms=round(1000 * self.hold),
        )
