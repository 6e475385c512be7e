"""The screen: pictures of it, in pixels of the virtual desktop. The only file that imports mss."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture of a part of the screen.

    Attributes:
        image: uint8 array of shape (height, width, 3), channels blue, green, red.
        region: The pixels of the virtual desktop that it shows.
    """

    image: NDArray[np.uint8]
    region: Region


class Screen(Protocol):
    """Something that can be looked at."""

    @property
    def region(self) -> Region:
        """All that can be seen: every monitor together, in pixels."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything.

        Raises:
            DesktopError: The region is not on the screen, or the system does not let itself be looked at.
        """
