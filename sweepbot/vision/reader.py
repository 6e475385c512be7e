"""The face of the eyes: `Reader.read(image) -> Reading`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Point
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classified import LEAST_READABLE_SHARE, Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.doubt import in_context, only_certain_zeros
from sweepbot.vision.detect.fit import Fitted
from sweepbot.vision.detect.locate import MOST_CELLS, READ_SIZES, aspect, same_place
from sweepbot.vision.detect.looks import Found, looks_of
from sweepbot.vision.detect.search import Effort, search
from sweepbot.vision.extent import ADDED, goes_on, line_at, not_seen_to_end, with_line
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.header.panel import NOTHING, Shown, read_panel
from sweepbot.vision.header.written import read_written
from sweepbot.vision.lattices.align import within
from sweepbot.vision.lattices.lattice import CellSizes, searches, squeeze_of
from sweepbot.vision.pictures.patches import Patches
from sweepbot.vision.reading import Reading

_LEAST_BRIGHTNESS_SHARE = 0.75  # of a board's earlier brightness: a page behind a message has less, night light more
_SHOW_ALL = "show the whole board, with what is around it"
_SAME_PITCH_SHARE = 0.03  # by which the pitch of a board that has moved may seem another


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the next reading of the same board reuses for cells that have not changed.

    Attributes:
        patches: Its cells.
        classified: What each cell shows on its own, before its neighbours are considered.
    """

    patches: Patches
    classified: Classified


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Matched(Reading):
    """A reading by the templates of a client.

    Attributes:
        classifier: What classified the cells: the calibration's templates, in the colours of the picture.
        seen: What the next reading can reuse; None unless only the cells were looked at.
    """

    classifier: Classifier
    seen: Seen | None = None

    @property
    def told_by(self) -> object:  # noqa: D102 - as in `Reading`
        return self.classifier


class Reader:
    """Reads the boards of one client.

    Args:
        calibration: The client's skin.
        mines: The number of mines, if the board is not of one of the calibration's levels.

    Attributes:
        calibration: The client's skin.
        looks: Every way in which its cells may be drawn.
    """

    def __init__(self, calibration: Calibration, mines: int | None = None) -> None:
        self.calibration = calibration
        self._is_learned = not calibration.is_shipped
        self._mines = mines
        self.looks = looks_of(calibration)

    def read(self, image: NDArray[uint8]) -> Matched:
        """Find the board in a picture and read it.

        Of several boards, the one with the most readable cells is read.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none; the message says what was searched and what came nearest.
        """
        return self.read_all(image)[0]

    def read_all(self, image: NDArray[uint8]) -> list[Matched]:
        """Read every board in a picture, the one with most readable cells first.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none; the message says what was searched and what came nearest.
        """
        readings, near_misses = read_with([self], image)
        if not readings:
            raise self._nothing_found(image, near_misses)
        return sorted(readings, key=lambda reading: reading.classified.agreement, reverse=True)

    def read_at(self, image: NDArray[uint8], place: Reading) -> Matched:
        """Read a board whose place, colours and mines are known from an earlier reading of the same part of the screen.

        Only cells that have changed since that reading are classified. If most cannot be read, the board may have
        been dimmed, or may no longer be: it is then read in the light of this picture.
        """
        place = _matched(place)
        reading = self._read_lit(image, place)
        if reading.classified.readable >= LEAST_READABLE_SHARE:
            return reading
        classifier = place.classifier.relit(image, place.grid)
        lit = self._read_lit(image, replace(place, classifier=classifier, seen=None))
        dimmed = classifier.brightness < _LEAST_BRIGHTNESS_SHARE * place.classifier.brightness
        lit = replace(lit, dimmed=dimmed and not lit.shows_win)
        return max(reading, lit, key=lambda one: (one.shows_win, one.classified.readable))

    def _read_lit(self, image: NDArray[uint8], place: Matched) -> Matched:
        """Read the board in the light of the earlier reading."""
        patches, seen = Patches.of(image, place.grid, place.classifier.cell), place.seen
        if seen is not None and seen.patches.board.shape == patches.board.shape:
            classified = place.classifier.classify_anew(patches, patches.changed(seen.patches), seen.classified)
        else:
            classified = place.classifier.classify(patches)
        reading = self._reading(patches, place, classified, place.board.mines)
        return replace(reading, seen=Seen(patches, classified))

    def read_moved(self, image: NDArray[uint8], place: Reading) -> Matched:
        """Read a board that may have moved since an earlier reading; it has as many cells, of the same size.

        Args:
            image: The picture to search.
            place: The earlier reading.

        Raises:
            NoBoardFoundError: The board is not in the picture.
        """
        with suppress(NoBoardFoundError):
            place = _matched(place)
            for reading in self.read_all(image):
                if _is_of_size(reading, place):
                    # Windows move by whole pixels, and their cells keep their size and their colours.
                    return self.read_at(image, replace(place, grid=place.grid.moved(_shift(place.grid, reading.grid))))
        raise _not_there(image, place)

    def whole(self, image: NDArray[uint8], found: Fitted) -> Matched:
        """Follow a board to its ends, and read what is shown around it."""
        found, begun = self._followed(image, found)
        level = self.calibration.level_of_size(found.grid.columns, found.grid.rows)
        mines = self._mines if self._mines is not None or level is None else level.mines
        patches = Patches.of(image, found.grid, found.classifier.cell)
        reading = self._reading(patches, found, found.classified, mines)
        reading = replace(reading, board=Board(only_certain_zeros(reading.board.cells), reading.board.mines))
        shown = self._shown(image, found.grid)
        position = reading.board if self._mines is not None else _counted(_possible(reading.board), shown.mines_left)
        phase = _ended(reading.phase, shown.face)
        sizes = {(one.columns, one.rows) for one in self.calibration.levels.values()}
        unseen = not_seen_to_end(image, found.grid, sizes)
        doubts = (
            *(f"cut off {side}" for side in begun),
            *(f"not seen to end {side}" for side in unseen if side not in begun),
            *(_partings(found.classified.believed) if level is None else ()),
        )
        hint = reading.hint or (_SHOW_ALL if doubts else "")
        return replace(reading, board=position, shown=shown, phase=phase, doubts=doubts, hint=hint)

    def _followed(self, image: NDArray[uint8], found: Fitted) -> tuple[Fitted, list[str]]:
        """Add the rows and columns that begin beside a board and can be read.

        The search leaves out rows and columns of empty cells, since a page may be as plain. A board with no open cell
        has none of those, and is not followed.

        Returns:
            The larger board, and the sides on which still more cells begin.
        """
        ends: set[str] = set()
        while True:
            grid = found.grid
            is_level = self.calibration.level_of_size(grid.columns, grid.rows) is not None
            begun = goes_on(image, grid, found.classified.states, is_level=is_level)
            side = next((side for side in begun if side not in ends), None)
            if side is None or found.is_untouched:
                return found, begun
            wider = with_line(grid, side)
            height, width = image.shape[:2]
            inside = (wider.xs, wider.ys) == (within(wider.xs, width), within(wider.ys, height))
            if inside and wider.cells <= MOST_CELLS:
                patches = Patches.of(image, wider, found.classifier.cell)
                line = line_at(np.arange(patches.count).reshape(patches.size), side)
                classified = found.classifier.classify_anew(patches, line, found.classified.with_line(*ADDED[side]))
                if line_at(classified.believed, side).any():
                    found = replace(found, grid=wider, classified=classified)
                    continue
            ends.add(side)

    def _shown(self, image: NDArray[uint8], grid: Grid) -> Shown:
        """Read what is shown around a board, in a panel or as text."""
        if self.calibration.panel is not None:
            return read_panel(image, grid, self.calibration.cell, self.calibration.panel)
        if self.calibration.written is not None:
            return read_written(image, grid.region, self.calibration.written)
        return NOTHING

    def _reading(self, patches: Patches, place: Fitted | Matched, classified: Classified, mines: int | None) -> Matched:
        grid, classifier = place.grid, place.classifier
        scale = grid.pitch[0] / self.calibration.cell[0]
        classified = in_context(classifier, patches, classified, scale)
        shows_win = classifier.shows_win(patches, classified.states)
        if shows_win:  # what remains of the cells is decoration
            classified = replace(classified, states=np.full(patches.size, State.UNKNOWN, dtype=np.uint8))
        position = Board(classified.states, mines)
        phase = position.phase(flags_to_win=bool(self.calibration.behaviour.flags_to_win))
        phase = Phase.WON if shows_win else phase
        name, hint = self.calibration.name, self._size_hint(grid.pitch[0])
        return Matched(
            client=name,
            board=position,
            grid=grid,
            scale=scale,
            classifier=classifier,
            classified=classified,
            phase=phase,
            shows_win=shows_win,
            hint=hint,
        )

    def _size_hint(self, width: float) -> str:
        """Say what to do if cells of this width cannot be read; empty if the width is not the cause."""
        calibration = self.calibration
        if not self._is_learned or calibration.shows_width(width):
            return ""
        known = " and ".join(map(str, sorted(calibration.widths)))
        learns = f"`sweepbot calibrate {calibration.name} --live` learns them"
        return f"{calibration.name} knows cells of {known} px, not yet of {width:.0f}: {learns}"

    def _nothing_found(self, image: NDArray[uint8], near_misses: Sequence[Fitted]) -> NoBoardFoundError:
        searched = (
            f"{image.shape[1]}x{image.shape[0]} pixels for {self.calibration.name} with cells of"
            f" {READ_SIZES.smallest:g} to {READ_SIZES.largest:g} pixels"
        )
        nearest = "nothing came near"
        if near_misses:
            nearest_one = max(near_misses, key=lambda one: one.classified.agreement)
            grid, readable = nearest_one.grid, nearest_one.classified.readable
            nearest = f"nearest: {grid.columns}x{grid.rows} cells at {grid.region}, {readable:.0%} of them readable"
        return NoBoardFoundError(
            f"no board found: searched {searched}; {nearest}",
            hint=f"show the whole board (at least {LEAST_CELLS}x{LEAST_CELLS} cells), or name another --client",
        )


def read_with(
    readers: Sequence[Reader], image: NDArray[uint8], sizes: CellSizes = READ_SIZES
) -> tuple[list[Matched], list[Fitted]]:
    """Read every board in a picture, once for each client that it may belong to.

    Args:
        readers: One for each client to look for.
        image: uint8 array of shape (height, width, 3), blue, green, red.
        sizes: The sizes of cells to search for.

    Returns:
        The readings, one for each board and client, and the near misses if there are none.
    """
    near_misses, effort = list[Fitted](), Effort()
    for boards, others in (found for own in _of_one_aspect(readers) for found in _searched(image, own, effort, sizes)):
        if boards:
            return boards, []
        near_misses = near_misses or others
    return [], near_misses


def _of_one_aspect(readers: Sequence[Reader]) -> Iterator[list[Reader]]:
    """Group the readers by the aspect of their cells; all that are nearly square form one group."""
    groups: dict[float, list[Reader]] = {}
    for reader in readers:
        groups.setdefault(squeeze_of(aspect(reader.calibration)), []).append(reader)
    yield from groups.values()


def _searched(
    image: NDArray[uint8], readers: Sequence[Reader], effort: Effort, sizes: CellSizes
) -> Iterator[tuple[list[Matched], list[Fitted]]]:
    """Yield, for each search for lattices, what the readers read on them, and the near misses.

    Args:
        image: The picture.
        readers: Those of clients whose cells have one aspect.
        effort: Is spent on the picture, and lessened by that.
        sizes: The sizes of cells to search for.
    """
    reader_of = {reader.calibration: reader for reader in readers}
    looks = [look for reader in readers for look in reader.looks]
    for lattices in searches(image, sizes, aspect(readers[0].calibration)):
        found = search(image, lattices, looks, effort)
        boards: list[Found] = []
        for one in sorted(found, key=lambda one: -one.fitted.classified.agreement):
            again = (other for other in boards if other.hypothesis.look.calibration is one.hypothesis.look.calibration)
            region = one.fitted.grid.region
            if one.is_board and not any(same_place(region, other.fitted.grid.region) for other in again):
                boards.append(one)
        readings = [reader_of[one.hypothesis.look.calibration].whole(image, one.fitted) for one in boards]
        yield readings, [one.fitted for one in found if not one.is_board]
        if effort.is_spent:
            return


def _matched(place: Reading) -> Matched:
    """Return a reading that this reader can go on from."""
    if not isinstance(place, Matched):
        raise TypeError(f"a board of {place.client} was not read by templates")
    return place


def _is_of_size(reading: Reading, place: Reading) -> bool:
    """Whether a board has as many cells as another, of the same size."""
    same = (reading.grid.rows, reading.grid.columns) == (place.grid.rows, place.grid.columns)
    return same and abs(reading.grid.pitch[0] / place.grid.pitch[0] - 1) <= _SAME_PITCH_SHARE


def _shift(old: Grid, new: Grid) -> Point:
    """Return by how many whole pixels a grid of the same size has moved."""
    right, down = (np.mean(np.subtract(*lines)) for lines in ((new.xs, old.xs), (new.ys, old.ys)))
    return Point(round(float(right)), round(float(down)))


def _not_there(image: NDArray[uint8], place: Reading) -> NoBoardFoundError:
    return NoBoardFoundError(
        f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for one of {place.grid.columns}x"
        f"{place.grid.rows} cells of {place.grid.pitch[0]:.1f} pixels",
        hint="show the whole board again, at the size that it had",
    )


def _partings(believed: NDArray[np.bool_]) -> list[str]:
    """Name the rows and columns within a board that cannot be read at all: they may part two boards."""
    return [
        f"{name} {line} cannot be read at all: there may be two boards"
        for name, axis in (("row", 1), ("column", 0))
        for line in range(1, believed.shape[1 - axis] - 1)
        if not believed.take(line, axis=1 - axis).any()
    ]


def _possible(board: Board) -> Board:
    """Return the board without its level's number of mines if that contradicts its cells: it was dealt with another."""
    is_other = any(problem.cell is None for problem in board.problems())
    return Board(board.cells) if is_other else board


def _counted(board: Board, mines_left: int | None) -> Board:
    """Return the board with as many mines as its counter says, if that can be relied on.

    A board of a level's size may have been dealt with another number of mines. But the counter includes flags that
    could not be read, and clients differ in what it shows once a game is over.
    """
    if mines_left is None or board.count(State.UNKNOWN) or board.phase() not in (Phase.FRESH, Phase.PLAYING):
        return board
    mines = mines_left + board.count(State.FLAG)
    return Board(board.cells, mines) if 0 < mines < board.cells.size else board


def _ended(by_cells: Phase, face: Phase | None) -> Phase:
    """Combine cells and face: the face says how a game ended, but some clients are late to draw that one goes on."""
    if by_cells in (Phase.FRESH, Phase.PLAYING) and face in (Phase.WON, Phase.LOST):
        return face
    return by_cells
