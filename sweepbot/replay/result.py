"""What comes of a replay."""

import msgspec

from sweepbot.trace.differences import Difference


class Replayed(msgspec.Struct, frozen=True):
    """A replay.

    Attributes:
        steps: How many steps of the run were come to.
        differences: What was not as it was then.
    """

    steps: int
    differences: list[Difference]
