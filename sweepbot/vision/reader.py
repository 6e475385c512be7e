"""The face of the eyes: `Reader.read(image) -> Reading`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State, unread
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Point
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.doubt import only_certain_zeros
from sweepbot.vision.detect.fit import LEAST_READABLE
from sweepbot.vision.detect.locate import (
    LARGEST_CELL,
    MOST_CELLS,
    SMALLEST_CELL,
    Candidate,
    aspect,
    same_place,
)
from sweepbot.vision.detect.looks import looks_of
from sweepbot.vision.detect.rectangle import LEAST_CELLS
from sweepbot.vision.detect.search import Effort, Found, search
from sweepbot.vision.extent import ADDED, goes_on, line_at, not_seen_to_end, with_line
from sweepbot.vision.grid import Grid
from sweepbot.vision.header.panel import NOTHING, Shown, read_panel
from sweepbot.vision.header.written import read_written
from sweepbot.vision.lattices.align import within
from sweepbot.vision.lattices.lattice import searches, squeeze_of
from sweepbot.vision.pictures.cutting import changed, rectified

_LEAST_BRIGHTNESS = (
    0.75  # of a board's brightness: what is put in front of a page leaves less of it, and night light more
)
_SHOW_ALL = "show the whole board, with what is around it"
_MOST_UNREAD = 0.5  # of the cells of a board: as many are unread of a chequerboard in two colours of a client's
_LEAST_OF_LINE = 0.2  # of a further row or column that must be readable: a window may lie over the rest
_SAME_PITCH = 0.03  # the share by which the pitch of a board that has moved may seem another


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a later reading of the same board is told by, where a cell has not changed.

    Attributes:
        board: The rectified board with its margin.
        classifier: What its cells were told by.
        classified: What each of them shows by itself, whatever the others say about it.
    """

    board: NDArray[uint8]
    classifier: Classifier
    classified: Classified


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a picture shows.

    Attributes:
        client: The name of the calibration it was read with.
        board: The position; its mines are those that a counter tells, else of the level of that size, None for neither.
        grid: Where its cells are, in pixels of the picture.
        scale: How large a cell is in it, as a multiple of the calibration's.
        classifier: What the cells were told by: the calibration's templates, in the colours of the picture.
        classified: The scores of the cells.
        phase: How far the game is, by its cells, and by its face where that was looked at.
        shown: What was read above the board; `NOTHING` where only the cells were looked at.
        shows_win: Whether its open cells were painted over, as its client does after a win; none is read then.
        doubts: What speaks against its size, in words; none where only the cells were looked at.
        dimmed: Whether it is much darker than it was earlier, as at the end of a game or behind what is in front of it.
        seen: What its cells looked like, where only they were looked at.
        hint: What to do where it is not to be trusted; empty where nothing is known of the cause.
    """

    client: str
    board: Board
    grid: Grid
    scale: float
    classifier: Classifier
    classified: Classified
    phase: Phase
    shown: Shown = NOTHING
    shows_win: bool = False
    doubts: tuple[str, ...] = ()
    dimmed: bool = False
    seen: Seen | None = None
    hint: str = ""

    @property
    def unread(self) -> int:
        """How many cells could not be read; each costs only itself, as it may be hidden, flagged or open."""
        return self.board.count(State.UNKNOWN)

    @property
    def problems(self) -> list[str]:
        """Why it is not to be trusted, in words: what speaks against its size, and what against the cells read.

        Cells that could not be read do not, as long as they are not most.
        """
        few = [unread(self.board)] if self.unread >= _MOST_UNREAD * self.board.cells.size else []
        return [*self.doubts, *few, *(problem.text for problem in self.board.problems())]

    @property
    def confidence(self) -> float:
        """How well the cells agree with their templates on average, unreadable ones counted as 0; in [0, 1]."""
        believed = self.classified.states != State.UNKNOWN
        return float(np.where(believed, self.classified.scores, 0).mean())

    @property
    def mean_score(self) -> float:
        """How well the cells that were read agree with their templates on average, in [0, 1]; 0 where none was."""
        believed = self.classified.believed
        return float(self.classified.scores[believed].mean()) if believed.any() else 0.0

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def mines_left(self) -> int | None:
        """Mines less flags, by the client's counter if it was read, else by the cells; None where one was not.

        An unread cell may be a flag.
        """
        if self.shown.mines_left is not None:
            return self.shown.mines_left
        return None if self.board.mines is None or self.unread else self.board.mines - self.board.count(State.FLAG)

    def moved(self, by: Point) -> "Reading":
        """The same reading with its grid shifted, from the pixels of a part of the screen to those of the whole."""
        return replace(self, grid=self.grid.moved(by))

    def beside_board(self, offset: tuple[int, int]) -> Point:
        """The pixel `offset` = (right, down), at scale 1, from the middle of the board's upper edge."""
        return self.grid.beside(offset, self.scale)

    def on_board(self, place: tuple[float, float]) -> Point:
        """The pixel at such shares of the board's width and height."""
        (left, right), (top, bottom) = ((lines[0], lines[-1]) for lines in (self.grid.xs, self.grid.ys))
        return Point(round(left + place[0] * (right - left)), round(top + place[1] * (bottom - top)))


class Reader:
    """Reads the boards of one client.

    Args:
        calibration: The client's skin.
        mines: The mines of the board, where it is not of one of the calibration's levels.

    Attributes:
        calibration: The client's skin.
        looks: All that its cells may look like.
    """

    def __init__(self, calibration: Calibration, mines: int | None = None) -> None:
        self.calibration = calibration
        self._is_learned = not calibration.is_shipped
        self._mines = mines
        self.looks = looks_of(calibration)

    def read(self, image: NDArray[uint8]) -> Reading:
        """Find the board in a picture and read it.

        Where there are several boards, the one with most readable cells is read.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none; the message says what was searched and what came nearest.
        """
        return self.read_all(image)[0]

    def read_all(self, image: NDArray[uint8]) -> list[Reading]:
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

    def read_at(self, image: NDArray[uint8], place: Reading) -> Reading:
        """Read a board whose place, colours and mines are known from an earlier reading of the same part of the screen.

        Only its cells are looked at, and of those only the ones that look other than in the earlier reading. Where
        most cannot be read, the board may have been dimmed, or be so no more.
        """
        reading = self._read_lit(image, place)
        if reading.classified.readable >= LEAST_READABLE:
            return reading
        classifier = place.classifier.relit(image, place.grid)
        lit = self._read_lit(image, replace(place, classifier=classifier))
        dimmed = classifier.brightness < _LEAST_BRIGHTNESS * place.classifier.brightness
        lit = replace(lit, dimmed=dimmed and not lit.shows_win)
        return max(reading, lit, key=lambda one: (one.shows_win, one.classified.readable))

    def _read_lit(self, image: NDArray[uint8], place: Reading) -> Reading:
        """The same in the light of the earlier reading."""
        board = rectified(image, place.grid, place.classifier.cell)
        size = place.grid.rows, place.grid.columns
        seen = place.seen
        if seen is not None and seen.classifier is place.classifier and seen.board.shape == board.shape:
            which = changed(board, seen.board, size)
            classified = place.classifier.classify_anew(board, size, which, seen.classified)
        else:
            classified = place.classifier.classify(board, size)
        reading = self._reading(board, place, classified, place.board.mines)
        return replace(reading, seen=Seen(board, place.classifier, classified))

    def read_moved(self, image: NDArray[uint8], place: Reading) -> Reading:
        """Read a board that may have moved since an earlier reading: one of its size, with cells as large as its own.

        Args:
            image: The picture to look for it in.
            place: What is known of it.

        Raises:
            NoBoardFoundError: It is not there.
        """
        with suppress(NoBoardFoundError):
            for reading in self.read_all(image):
                if _is_of_size(reading, place):
                    # Windows move by whole pixels, and their cells keep their size and their colours.
                    return self.read_at(image, replace(place, grid=place.grid.moved(_shift(place.grid, reading.grid))))
        raise _not_there(image, place)

    def whole(self, image: NDArray[uint8], found: Candidate) -> Reading:
        """The board found, followed to where it ends, with what is shown above it."""
        found, begun = self._followed(image, found)
        level = self.calibration.level_of_size(found.grid.columns, found.grid.rows)
        mines = self._mines if self._mines is not None or level is None else level.mines
        board = rectified(image, found.grid, found.classifier.cell)
        reading = self._reading(board, found, found.classified, mines)
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

    def _followed(self, image: NDArray[uint8], found: Candidate) -> tuple[Candidate, list[str]]:
        """The board with the lines of cells that begin beside it and can be read, and the sides on which more begin.

        Lines of empty cells are left out where a board is looked for: a page beside it may be as plain. So a board of
        which no cell is open is not followed.
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
            if inside and wider.rows * wider.columns <= MOST_CELLS:
                board, size = rectified(image, wider, found.classifier.cell), (wider.rows, wider.columns)
                line = line_at(np.arange(wider.rows * wider.columns).reshape(size), side)
                classified = found.classifier.classify_anew(board, size, line, found.classified.with_line(*ADDED[side]))
                if line_at(classified.believed, side).mean() >= _LEAST_OF_LINE:
                    found = replace(found, grid=wider, classified=classified)
                    continue
            ends.add(side)

    def _shown(self, image: NDArray[uint8], grid: Grid) -> Shown:
        """What is shown around a board, by its panel or as text."""
        if self.calibration.panel is not None:
            return read_panel(image, grid, self.calibration.cell, self.calibration.panel)
        if self.calibration.written is not None:
            return read_written(image, grid.region, self.calibration.written)
        return NOTHING

    def _reading(
        self, board: NDArray[uint8], place: Candidate | Reading, classified: Classified, mines: int | None
    ) -> Reading:
        grid, classifier = place.grid, place.classifier
        size = grid.rows, grid.columns
        classified = classifier.in_context(board, size, classified, place.scale)
        shows_win = classifier.shows_win(board, size, classified.states)
        if shows_win:  # what is left of its cells is scenery
            classified = replace(classified, states=np.full(size, State.UNKNOWN, dtype=np.uint8))
        position = Board(classified.states, mines)
        phase = position.phase(flags_to_win=bool(self.calibration.behaviour.flags_to_win))
        phase = Phase.WON if shows_win else phase
        name, hint = self.calibration.name, self._size_hint(grid.pitch[0])
        return Reading(name, position, grid, place.scale, classifier, classified, phase, shows_win=shows_win, hint=hint)

    def _size_hint(self, width: float) -> str:
        """What to do where cells of such a width cannot be read; empty where that is no wonder of their size."""
        calibration = self.calibration
        if not self._is_learned or calibration.shows_width(width):
            return ""
        known = " and ".join(map(str, sorted(calibration.widths)))
        learns = f"`sweepbot calibrate {calibration.name} --live` learns them"
        return f"{calibration.name} knows cells of {known} px, not yet of {width:.0f}: {learns}"

    def _nothing_found(self, image: NDArray[uint8], candidates: Sequence[Candidate]) -> NoBoardFoundError:
        searched = (
            f"{image.shape[1]}x{image.shape[0]} pixels for {self.calibration.name} with cells of {SMALLEST_CELL:g} to"
            f" {LARGEST_CELL:g} pixels"
        )
        nearest = "nothing came near"
        if candidates:
            nearest_one = max(candidates, key=lambda candidate: candidate.classified.agreement)
            grid, readable = nearest_one.grid, nearest_one.classified.readable
            nearest = f"nearest: {grid.columns}x{grid.rows} cells at {grid.region}, {readable:.0%} of them readable"
        return NoBoardFoundError(
            f"no board found: searched {searched}; {nearest}",
            hint=f"show the whole board (at least {LEAST_CELLS}x{LEAST_CELLS} cells), or name another --client",
        )


def read_with(readers: Sequence[Reader], image: NDArray[uint8]) -> tuple[list[Reading], list[Candidate]]:
    """Read every board in a picture as every client reads it that it may be of.

    Where something speaks against the size of one, it is searched for again, in the picture softened.

    Args:
        readers: Those of the clients that are looked for.
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Returns:
        The readings, one for each board and client; and where there are none, what came near to a board.
    """
    readings, near_misses = list[Reading](), list[Candidate]()
    effort = Effort()
    for boards, others in (found for own in _of_one_aspect(readers) for found in _searched(image, own, effort)):
        readings = without_doubts(readings, boards)
        near_misses = near_misses or others
        if _are_certain(readings):
            break
    return readings, near_misses


def _are_certain(readings: Sequence[Reading]) -> bool:
    """Whether there are boards, and nothing speaks against the size of any, nor of what is read better otherwise."""
    certain = [reading for reading in readings if not reading.doubts]

    def is_read_better(doubtful: Reading) -> bool:
        return any(
            one.classified.agreement > doubtful.classified.agreement
            and same_place(one.grid.region, doubtful.grid.region)
            for one in certain
        )

    return bool(readings) and all(is_read_better(reading) for reading in readings if reading.doubts)


def _of_one_aspect(readers: Sequence[Reader]) -> Iterator[list[Reader]]:
    """The readers by how much wider than high their cells are: all that are nearly square together."""
    groups: dict[float, list[Reader]] = {}
    for reader in readers:
        groups.setdefault(squeeze_of(aspect(reader.calibration)), []).append(reader)
    yield from groups.values()


def _searched(
    image: NDArray[uint8], readers: Sequence[Reader], effort: Effort
) -> Iterator[tuple[list[Reading], list[Candidate]]]:
    """What readers read on the lattices of each search, and what came near.

    Args:
        image: The picture.
        readers: Those of clients whose cells are equally much wider than high.
        effort: Is spent on the picture, and lessened by that.
    """
    reader_of = {id(look): reader for reader in readers for look in reader.looks}
    looks = [look for reader in readers for look in reader.looks]
    for lattices in searches(image, SMALLEST_CELL, LARGEST_CELL, aspect(readers[0].calibration)):
        found = search(image, lattices, looks, effort)
        boards: list[Found] = []
        for one in sorted(found, key=lambda one: -one.candidate.classified.agreement):
            again = (other for other in boards if reader_of[id(other.look)] is reader_of[id(one.look)])
            region = one.candidate.grid.region
            if one.candidate.is_board and not any(same_place(region, other.candidate.grid.region) for other in again):
                boards.append(one)
        readings = [reader_of[id(one.look)].whole(image, one.candidate) for one in boards]
        yield readings, [one.candidate for one in found if not one.candidate.is_board]


def _is_of_size(reading: Reading, place: Reading) -> bool:
    """Whether a board has as many cells as another, and as large ones."""
    same = (reading.grid.rows, reading.grid.columns) == (place.grid.rows, place.grid.columns)
    return same and abs(reading.grid.pitch[0] / place.grid.pitch[0] - 1) <= _SAME_PITCH


def _shift(old: Grid, new: Grid) -> Point:
    """By how many whole pixels a grid of the same size lies beside another."""
    right, down = (np.mean(np.subtract(*lines)) for lines in ((new.xs, old.xs), (new.ys, old.ys)))
    return Point(round(float(right)), round(float(down)))


def _not_there(image: NDArray[uint8], place: Reading) -> NoBoardFoundError:
    return NoBoardFoundError(
        f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for one of {place.grid.columns}x"
        f"{place.grid.rows} cells of {place.grid.pitch[0]:.1f} pixels",
        hint="show the whole board again, at the size that it had",
    )


def without_doubts(readings: list[Reading], again: list[Reading]) -> list[Reading]:
    """Readings, each of doubtful size replaced by a larger one of a later search in whose size nothing is doubtful.

    Args:
        readings: Of an earlier search; where there are none, nothing is replaced.
        again: Of the later one.
    """

    def is_better(one: Reading, doubtful: Reading) -> bool:
        # In the same size no doubt is removed, and a board that goes on is no smaller.
        more = one.board.cells.size > doubtful.board.cells.size
        more &= one.classified.agreement > doubtful.classified.agreement
        return more and not one.doubts and same_place(one.grid.region, doubtful.grid.region)

    def better(doubtful: Reading) -> Reading:
        return next((one for one in again if is_better(one, doubtful)), doubtful)

    return [better(reading) if reading.doubts else reading for reading in readings] if readings else again


def _partings(believed: NDArray[np.bool_]) -> list[str]:
    """The rows and columns within a board that cannot be read at all, in words: on either side may be another board."""
    return [
        f"{name} {line} cannot be read at all: there may be two boards"
        for name, axis in (("row", 1), ("column", 0))
        for line in range(1, believed.shape[1 - axis] - 1)
        if not believed.take(line, axis=1 - axis).any()
    ]


def _possible(board: Board) -> Board:
    """The board without the mines of the level of its size where it cannot have so many: it was dealt with others."""
    is_other = any(problem.cell is None for problem in board.problems())
    return Board(board.cells) if is_other else board


def _counted(board: Board, mines_left: int | None) -> Board:
    """The board with as many mines as its counter says, where that can be believed.

    A client knows its own game: a board of a level's size may have been dealt with other mines. But flags that cannot
    be read are counted too, and once a game is over counters show what they like.
    """
    if mines_left is None or board.count(State.UNKNOWN) or board.phase() not in (Phase.FRESH, Phase.PLAYING):
        return board
    mines = mines_left + board.count(State.FLAG)
    return Board(board.cells, mines) if 0 < mines < board.cells.size else board


def _ended(by_cells: Phase, face: Phase | None) -> Phase:
    """How far the game is: a face tells how it ended, but a client may be late to draw that it goes on."""
    if by_cells in (Phase.FRESH, Phase.PLAYING) and face in (Phase.WON, Phase.LOST):
        return face
    return by_cells
