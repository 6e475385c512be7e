"""Tracking the board of an unknown client: which cells look hidden, which are open, and clicks on them."""

from dataclasses import dataclass

import numpy as np

from sweepbot.board import around, cells_in
from sweepbot.calibrate.labels.log import Mask, Pictures
from sweepbot.calibrate.labels.looks import PatchStore, differ_by_frame, is_same_cell, kinds_of
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.seeing.row_gaps import gap_opened
from sweepbot.calibrate.seeing.shift import found_again
from sweepbot.calibrate.seeing.untouched_boards import cells_of
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import UntrustedReadingError
from sweepbot.geometry import Cell, Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference


@dataclass(slots=True, eq=False)
class Scene:
    """A picture of the board, the pictures of its cells, and which of them look hidden."""

    image: Image
    pictures: Pictures
    hidden: Mask
    rested: bool = True


class BoardTracker:
    """A board as pictures of cells.

    The look of a hidden cell is remembered for each cell separately, so that gradients and chequered patterns make no
    difference.

    Args:
        touch: Looks and clicks.
        place: The board's grid, in pixels of the desktop.
        patches: Takes every picture of a cell.
        untouched: A picture of the board before the first click.
        clicked: The cell of that click, which was hidden, or nothing would have changed.

    Attributes:
        now: The cells' pictures now.
        hidden: Which cells look hidden now.
        began: The cells' pictures before the first click.
        baseline: The cells' pictures while they are hidden.
        focused: The pictures of hidden cells that have the keyboard focus or look pressed; none of them is in `now`.
        starts_open: Whether the last new board had an open region.
    """

    def __init__(self, touch: Touch, place: Grid, patches: PatchStore, untouched: Frame, clicked: Cell) -> None:
        self.patches = patches
        self.touch = touch
        touch.keyboard.set_board(place)
        self.focused: set[int] = set()
        self._watched = np.zeros((place.rows, place.columns), dtype=np.bool_)
        self._marked = self._watched.copy()  # the cells that were right-clicked
        self._clicked: tuple[Cell, int] | None = None  # the cell that was clicked last, and its picture after that
        self.now: Pictures
        self.hidden: Mask
        within = place.moved(-untouched.region.origin)
        self.began: Pictures = patches.numbers(cells_of(untouched.image, within))
        whole = looks_untouched(untouched.image, within)
        self.baseline = self.began if whole else _baseline(self.began, patches, clicked)
        self.starts_open = not self.hidden_in(self.began).all()
        self.move_to(place)

    def move_to(self, place: Grid) -> None:
        """Track the board in another place from now on."""
        self.place = place
        self.touch.watch(place.region, 2)
        self._within = place.moved(-self.touch.around.origin)
        self._known: Pictures | None = None  # this game's cells in the last picture with nothing in front
        self.look(patiently=True)
        self._reference = self._image  # the picture with which watched cells are compared
        self.touch.is_clear = self._is_uncovered

    @property
    def _image(self) -> Image:
        return self.touch.seen.image

    # ------------------------------------------------------------------ the state of cells

    def hidden_in(self, pictures: Pictures) -> Mask:
        """Return which cells look hidden in an earlier picture."""
        same: Mask = pictures == self.baseline
        pairs = np.stack([pictures[~same], self.baseline[~same]], axis=1)
        kinds, which = np.unique(pairs, axis=0, return_inverse=True)
        alike = [self.patches.are_alike(shown, untouched) for shown, untouched in kinds.tolist()]
        same[~same] = np.array(alike, dtype=np.bool_)[which.ravel()]
        return same

    @property
    def is_fresh(self) -> bool:
        """Whether all cells look hidden, as on a new board.

        One cell may look slightly different: after a key, the one with the keyboard focus, or the one last clicked,
        which may look pressed for as long as a box is up.
        """
        others = cells_in(~self.hidden)
        if len(others) == 1 and self._is_shade_of_hidden(others[0]):
            self.focused.add(int(self.now[others[0]]))
            self.now[others[0]] = self.baseline[others[0]]
            self.hidden[others[0]] = True
        return bool(self.hidden.all())

    def _is_shade_of_hidden(self, cell: Cell) -> bool:
        """Whether a cell looks nearly hidden, or roughly so if it was clicked last and has changed since then."""
        now = int(self.now[cell])
        is_left_pressed = self._clicked is not None and self._clicked[0] == cell and self._clicked[1] != now
        most = CHANGE.pressed_levels if is_left_pressed else LIKENESS.distinct_levels
        return bool((self.patches.distances(now, [int(self.baseline[cell])]) <= most).all())

    def has_begun_anew(self) -> bool:
        """Whether there is a new board, which may have an open region; if so, what its cells show is hidden."""
        until = self.touch.clock.now() + PACE.slow_s
        while self.starts_open and self.is_fresh and self.touch.clock.now() < until:
            self.touch.rest(PACE.undone_s)  # a busy client draws its open region after the board
            self.look()
        if self.is_fresh:
            self.starts_open = False
            self._take_as_hidden()
            return True
        began = np.isin(self.now, np.union1d(self.began, self.baseline)) | self.hidden
        is_hidden_again = int((self.hidden & self._watched).sum()) >= CHANGE.hidden_again
        # The new board may be smaller, in a corner of the old one.
        return bool(self.starts_open and began.mean() >= CHANGE.left_share and is_hidden_again)

    @property
    def shows_cells(self) -> bool:
        """Whether any cell looks hidden, or like one that was."""
        return bool(self.hidden.any() or np.isin(self.now, self.baseline).any())

    def _take_as_hidden(self) -> None:
        """Take the present look of all cells as that of hidden ones, on a new board."""
        self.baseline = self.now.copy()
        self._known = self.now
        self.hidden = np.ones_like(self.hidden)

    def expect_new_game(self) -> None:
        """From now on until `watch` is called, compare no picture with this game's."""
        self._known = None
        self._marked[:] = False

    def scene(self, *, covered: bool = False) -> Scene:
        """Return the last picture with nothing in front of the watched cells; if `covered`, simply the last one."""
        seen = self.touch.seen
        if covered:
            return Scene(seen.image, self.now.copy(), self.hidden.copy(), rested=False)
        is_now = seen.uncovered is seen.image
        pictures, hidden = (self.now, self.hidden) if is_now else self._recognise(seen.uncovered)
        return Scene(seen.uncovered, pictures.copy(), hidden.copy(), seen.rested)

    # ------------------------------------------------------------------ looks and clicks

    def look(self, *, patiently: bool = False) -> None:
        """Look again once the picture is at rest; if `patiently`, once even flashing has ended.

        A page that is loading first shows its ground, then part of its board, which are not looks of cells.
        """
        start, before = self.touch.clock.now(), self._image
        is_bare = True
        while is_bare:
            self.touch.look(patiently=patiently)
            board = cells_of(self._image, self._within)
            is_bare = bool((board == board[0, 0, 0, 0]).all()) and self.touch.clock.now() - start < PACE.slow_s
            patiently = True
        self._take(before)

    def tap(self, cell: Cell) -> None:
        """Click a cell without looking at the result, unless the cell has changed since the last look."""
        region = self.place.region_of(cell)
        before = Frame(self._image, self.touch.around).part(region)
        if difference(self.touch.screen.grab(region).image, before).max() <= LIKENESS.same_levels:
            self.touch.tap(self.place.centre(cell), region)

    def click(self, cell: Cell, button: Button, hold_s: float = 0.0) -> Mask:
        """Click a cell, holding the button for at least `hold_s`, and return which cells have changed."""
        before, image = self.now, self._image
        self._marked[cell] |= button == "right"
        self.touch.click(self.place.centre(cell), button, hold_s)
        self._take(image)
        if button == "left":
            self._clicked = cell, int(self.now[cell])
        changed: Mask = self.now != before
        return changed

    def _take(self, before: Image) -> None:
        """Update the cells from what is seen now; `before` is the picture before it, of the same region."""
        seen = self.touch.seen
        check_rows(before, seen.image, self._within)
        self.now, self.hidden = self._recognise(seen.image)
        if seen.uncovered is seen.image and self._known is not None:
            self._known = self.now

    def _recognise(self, image: Image) -> tuple[Pictures, Mask]:
        """Return the picture of each cell, a known one if it is hidden or a number redrawn, and which look hidden."""
        pictures = self.patches.numbers(cells_of(image, self._within))
        if self.focused:
            pictures = np.where(np.isin(pictures, list(self.focused)), self.baseline, pictures)
        hidden = self.hidden_in(pictures)
        pictures = np.where(hidden, self.baseline, pictures)
        if self._known is None:
            return pictures, hidden
        for cell in cells_in((pictures != self._known) & ~(self.hidden_in(self._known) | hidden)):
            same = differ_by_frame if self._marked[cell] else is_same_cell
            if self.patches.is_redrawn(int(self._known[cell]), int(pictures[cell]), same):
                pictures[cell] = self._known[cell]
        return pictures, hidden

    # ------------------------------------------------------------------ covers

    def watch(self, cells: Mask) -> None:
        """Watch open cells: as these no longer change by themselves, any change is something in front of them."""
        self._watched = cells.copy()
        self._reference = self._image
        self._known = self.now

    @property
    def is_covered(self) -> bool:
        """Whether something is in front of the watched cells."""
        return not self._is_uncovered(self._image)

    def _is_uncovered(self, image: Image) -> bool:
        """Whether the watched cells look as before."""
        changed = (difference(image, self._reference) > LIKENESS.same_levels).view(np.uint8)
        if not self._watched.any() or not changed.any():
            return True
        cells = cells_of(changed[:, :, None], self._within)[:, :, 1:-1, 1:-1].any(axis=(2, 3, 4)) & self._watched
        return all(map(is_same_cell, *(cells_of(picture, self._within)[cells] for picture in (self._reference, image))))

    def find_again(self) -> bool:
        """Find a board that has moved, as by a message above it, by its watched cells; return whether it has."""
        shown = np.zeros(self._reference.shape[:2], dtype=np.bool_)
        for cell in map(self._within.region_of, cells_in(self._watched)):
            shown[cell.y + 1 : cell.bottom - 1, cell.x + 1 : cell.right - 1] = True
        around, screen = self.touch.around, self.touch.screen
        nearby = (
            around.grown(round(CHANGE.farthest_cells * max(self.place.pitch))).intersection(screen.region) or around
        )
        found = found_again(self._reference, shown, screen.grab(nearby).image)
        if found is None or nearby.origin + found == around.origin:
            return False
        self.move_to(self.place.moved(nearby.origin + found - around.origin))
        return True


def check_rows(before: Image, now: Image, place: Grid) -> None:
    """Check that no rows of a board have moved away from the others.

    Raises:
        UntrustedReadingError: They have, as if a row grows with its first number.
    """
    if by := gap_opened(before, now, place):
        raise UntrustedReadingError(
            f"the rows of the board move when cells open, some by {by} pixels, so the places of cells are uncertain",
            hint="does the client have a theme or size in which they stay?",
        )


def looks_untouched(image: Image, place: Grid) -> bool:
    """Whether all cells, or all of each colour of a chequered board, are alike in their middles: none is open."""
    cells = cells_of(image, place)
    height, width = (side // 4 for side in cells.shape[2:4])
    patches = PatchStore()
    kinds = kinds_of(patches.numbers(cells[:, :, height:-height, width:-width]), patches)
    rows, columns = np.indices(kinds.shape)
    # Two looks would not do: the middle of a 0 may look like that of a hidden cell, and an open region have only 1s.
    return all(len(np.unique(kinds[(rows + columns) % 2 == colour])) == 1 for colour in (0, 1))


def _baseline(pictures: Pictures, patches: PatchStore, hidden: Cell) -> Pictures:
    """Return what each cell looks like when hidden, by the nearest hidden cell of its colour; `hidden` is one."""
    kinds = kinds_of(pictures, patches)
    closed: Mask = kinds == kinds[hidden]
    rows, columns = np.indices(pictures.shape)
    other_colour = (rows + columns) % 2 != sum(hidden) % 2
    # The other colour of a chequered board is the look of most cells beside hidden ones.
    if not (closed & other_colour).any():
        beside = other_colour & (around(closed) > 0)
        found, counts = np.unique(kinds[beside], return_counts=True)
        closed |= other_colour & (kinds == found[counts.argmax()])
    baseline = pictures.copy()
    for cell in cells_in(~closed):
        alike = np.argwhere(closed & (other_colour == other_colour[cell]))
        nearest = alike[np.abs(alike - cell).sum(axis=1).argmin()]
        baseline[cell] = pictures[tuple(nearest)]
    return baseline
