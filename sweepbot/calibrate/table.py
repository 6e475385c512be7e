"""The board of an unknown client on the table: which cells look hidden, which are open, and clicks on them."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.pictures import TOLERANCES, Album, Looks
from sweepbot.calibrate.place import cells_of
from sweepbot.calibrate.touch import Touch
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Region
from sweepbot.vision.grid import Grid

_STILL = 2  # grey levels by which a cell that nobody touched may differ from one game to the next
_FRESH_BUT_OPEN = 0.3  # the share of hidden cells on a new board of a client that begins with an open region

Pictures = NDArray[np.intp]


class Table:
    """A board as pictures of cells.

    What a hidden cell looks like is remembered for each place by itself: a gradient or a chequered pattern makes no
    difference then.

    Args:
        touch: What looks and clicks.
        place: Where the board is, in pixels of the desktop.
        album: Takes in every picture of a cell.
        untouched: A picture of the board before its first click.
    """

    def __init__(self, touch: Touch, place: Grid, album: Album, untouched: Frame) -> None:
        self.place = place
        self.album = album
        self.touch = touch
        region = place.region
        self._around = region.grown(2).intersection(touch.screen.region) or region
        self._within = place.moved(-self._around.origin)
        self.image = touch.look(self._around)
        self.now: Pictures = self._numbers()
        self.began: Pictures = album.numbers(cells_of(untouched.image, place.moved(-untouched.region.origin)))
        """The cells before the first click."""
        self.baseline = _baseline(self.began, album)

    @property
    def around(self) -> Region:
        """The pixels of the desktop that `image` shows: the board and a little more."""
        return self._around

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Which cells look as they do before they are touched."""
        return self.hidden_in(self.now)

    def hidden_in(self, pictures: Pictures) -> NDArray[np.bool_]:
        """Which of the cells look so in an earlier picture."""
        same: NDArray[np.bool_] = pictures == self.baseline
        for row, column in np.argwhere(~same):
            number, untouched = int(pictures[row, column]), int(self.baseline[row, column])
            same[row, column] = self.album.distances(number, [untouched])[0] <= _STILL
        return same

    def is_fresh(self, *, starts_open: bool) -> bool:
        """Whether this is a new board."""
        return bool(self.hidden.mean() >= _FRESH_BUT_OPEN) if starts_open else bool(self.hidden.all())

    def learn_hidden(self) -> None:
        """Take this board for a new one on which every cell is hidden."""
        self.baseline = _baseline(self.now, self.album)

    def look(self) -> None:
        """Look again, once the picture rests."""
        self.image = self.touch.look(self._around)
        self.now = self._numbers()

    def look_patiently(self) -> None:
        """Look again when even a flashing picture has come to rest."""
        self.image = self.touch.look(self._around, patiently=True)
        self.now = self._numbers()

    def click(self, cell: Cell, button: Button) -> NDArray[np.bool_]:
        """Click a cell; which cells have changed by that."""
        self.image = self.touch.click(self.place.centre(cell), button, self.place.region, self._around)
        before, self.now = self.now, self._numbers()
        changed: NDArray[np.bool_] = self.now != before
        return changed

    def _numbers(self) -> Pictures:
        return self.album.numbers(cells_of(self.image, self._within))


def _baseline(pictures: Pictures, album: Album) -> Pictures:
    """What each cell looks like when it is hidden: as most cells do, or as most of its colour on a chequered board."""
    rows, columns = np.indices(pictures.shape)
    odd = (rows + columns) % 2 == 1
    looks = Looks(album, TOLERANCES[0])
    looks.add(int(picture) for picture in np.unique(pictures))
    kinds = np.array([looks.of(int(picture)) for picture in pictures.ravel()]).reshape(pictures.shape)
    baseline = pictures.copy()
    for parity in (odd, ~odd):
        found, counts = np.unique(kinds[parity], return_counts=True)
        common = found[counts.argmax()]
        typical, times = np.unique(pictures[parity & (kinds == common)], return_counts=True)
        baseline[parity & (kinds != common)] = typical[times.argmax()]
    return baseline
