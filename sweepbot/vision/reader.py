"""The face of the eyes: `Reader.read(image) -> Reading`."""

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import structs

from sweepbot.behaviour import Behaviour, Settle
from sweepbot.board import Board, Phase, State, are_numbers
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Point
from sweepbot.level import LEVELS
from sweepbot.vision import doubts
from sweepbot.vision.boards import READ_SIZES, FoundBoard, boards_in, same_place
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import MIN_CELLS, Grid
from sweepbot.vision.header.panel import NOTHING, read_panel
from sweepbot.vision.known.looks import Bank, Look, Patches, looks_of, own_looks_of
from sweepbot.vision.lattices.tiles import tiled_boards
from sweepbot.vision.pictures.board import CELL_PX, apart, board_picture, changed
from sweepbot.vision.places.offset import Known
from sweepbot.vision.places.place import place_at
from sweepbot.vision.reading import UNKNOWN, Reading
from sweepbot.vision.settling import fewest_doubts
from sweepbot.vision.telling import Seen, at_first_sight, by_both, by_templates, remembering, still_shut
from sweepbot.vision.zeros import only_certain_zeros

MIN_READABLE_SHARE = 0.5
"""Least share of readable cells of a board."""

_MIN_BRIGHTNESS_SHARE = 0.75  # of a board's earlier brightness: a page behind a message has less, night light more
_SHOW_ALL = "show the whole board, with what is around it"
_SAME_PLACE_PX = 1  # by which a board that stayed may be found beside its place
_SAME_PITCH_SHARE = 0.03  # by which the pitch of a board that has moved may seem another

UNKNOWN_CLIENT = Calibration(
    name=UNKNOWN,
    path=Path(UNKNOWN),
    description="a client that nobody has calibrated",
    titles=(),
    cell=(CELL_PX, CELL_PX),
    templates=(),
    variants=(),
    levels=LEVELS,
    behaviour=Behaviour(
        first_click=None, restart=(), settle=Settle(notice_ms=500.0, quiet_ms=120.0, limit_ms=1000.0), flags_to_win=None
    ),
)
"""What is assumed of a client that nobody has calibrated: nothing of its looks, and that it is as slow as any."""


def unknown_client(name: str) -> Calibration:
    """Return what is assumed of a client that nobody has calibrated, by its name: also that it needs no flags."""
    behaviour = structs.replace(UNKNOWN_CLIENT.behaviour, flags_to_win=False)
    return structs.replace(UNKNOWN_CLIENT, name=name, behaviour=behaviour)


class Reader:
    """Reads the boards of one client.

    Args:
        calibration: What is known of the client; `UNKNOWN_CLIENT` for first sight alone.
        mines: The number of mines, if the board is not of one of the calibration's levels.
        is_told: Whether somebody has said that there is a Minesweeper, so that equal tiles are taken for one.

    Attributes:
        calibration: What is known of the client.
    """

    def __init__(self, calibration: Calibration, mines: int | None = None, *, is_told: bool = False) -> None:
        self.calibration = calibration
        self._mines = mines
        self._is_told = is_told

    def read(self, image: Image) -> Reading:
        """Find the board in a picture and read it; of several, the likeliest.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none.
        """
        return self.read_all(image)[0]

    def read_all(self, image: Image) -> list[Reading]:
        """Read every board in a picture, the likeliest first.

        Args:
            image: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            NoBoardFoundError: There is none; the message says what was searched.
        """
        looks = looks_of(self.calibration)
        found = boards_in(image, known_looks((self.calibration,)), named=True)
        readings = [
            whole_reading(image, board, board.seen[0], self.calibration, self._mines, is_told=self._is_told)
            for board in found
            if not looks or board.seen[0].look is not None
        ]
        if not readings and self._is_told and not looks:
            readings = [self._untouched(image, grid) for grid in tiled_boards(image, whole=True)]
        if not readings:
            raise NoBoardFoundError(
                f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {self.calibration.name} with"
                f" cells of {READ_SIZES.smallest:g} to {READ_SIZES.largest:g} pixels",
                hint=f"show the whole board (at least {MIN_CELLS}x{MIN_CELLS} cells), or name another --client",
            )
        return readings

    def _untouched(self, image: Image, grid: Grid) -> Reading:
        """Read equal tiles as a board of which no cell is open, as somebody has said that there is one."""
        seen = at_first_sight(*place_at(image, grid).cells)
        seen = replace(seen, cells=replace(seen.cells, states=np.full_like(seen.cells.states, State.HIDDEN)))
        grid, sides = fewest_doubts(image, grid, seen.cells)
        return whole_reading(
            image,
            FoundBoard(grid, (seen,), doubts.with_size(sides, grid, None), 0),
            seen,
            self.calibration,
            self._mines,
            is_told=True,
        )

    def read_at(self, image: Image, place: Reading) -> Reading:
        """Read a board whose place, colours and mines are known from an earlier reading of the same part of the screen.

        Only cells that have changed since that reading are matched. If most cannot be read, the board may have been
        dimmed, or may no longer be: it is then read in the light of this picture. A board of no known look is sought
        anew once its openings seem to be hidden, as they may between lines that are a little off.
        """
        look = place.seen.look
        picture = board_picture(image, place.grid)
        if look is None:
            if picture.shape == place.seen.picture.shape and not changed(picture, place.seen.picture).any():
                return replace(self._again(place, place.seen), dimmed=place.dimmed)
            seen = still_shut(at_first_sight(*place_at(image, place.grid).cells), place.seen)
            if _hides_openings(seen) and not _hides_openings(place.seen):
                seen = self._seen_anew(image, place, seen)
            return replace(self._again(place, seen), dimmed=_is_dimmed(seen, place.seen))
        seen = by_templates(picture, look, place.seen)
        if seen.cells.readable >= MIN_READABLE_SHARE:
            return self._again(place, seen)
        lit = max(
            (by_templates(picture, other) for other in _in_this_light(picture, look)),
            key=lambda one: one.cells.readable,
        )
        if lit.cells.readable < MIN_READABLE_SHARE or lit.look is None:
            return self._again(place, seen)
        dimmed = lit.look.brightness < _MIN_BRIGHTNESS_SHARE * look.brightness and not lit.shows_win
        return replace(self._again(place, lit), dimmed=dimmed)

    def _seen_anew(self, image: Image, place: Reading, seen: Seen) -> Seen:
        """Return what is seen of a board if it is sought anew, between other lines; `seen` if that is doubted, too."""
        with suppress(NoBoardFoundError):
            found = next((one for one in self.read_all(image) if same_place(one.grid.region, place.grid.region)), None)
            if found is not None and found.board.cells.shape == place.board.cells.shape and not found.doubts:
                return still_shut(replace(found.seen, picture=seen.picture), place.seen)
        return seen

    def at_rest(self, image: Image, reading: Reading) -> Reading:
        """Ask first sight about cells that templates do not tell, in the picture of a board that `read_at` has read.

        What is still changing need not be judged, so that this is asked only of a picture at rest. Numbers and flags
        that first sight is sure of are remembered as further templates of the board's look.
        """
        seen = reading.seen
        if seen.look is None or seen.shows_win or (seen.cells.believed | seen.looked_at).all():
            return reading
        seen = by_both(*place_at(image, reading.grid).cells, seen.look)
        told = self._again(reading, seen)
        return replace(told, seen=remembering(seen), dimmed=reading.dimmed)

    def read_moved(self, image: Image, place: Reading) -> Reading:
        """Read a board that may have moved since an earlier reading; it has as many cells, of the same size.

        Args:
            image: The picture to search.
            place: The earlier reading, where it was in this picture.

        Raises:
            NoBoardFoundError: The board is not in the picture, or its cells have not moved with it.
        """
        with suppress(NoBoardFoundError):
            for reading in self.read_all(image):
                if _is_of_size(reading, place):
                    # Windows move by whole pixels, and their cells keep their size and their colours.
                    found = self.read_at(image, place.moved(_shift(place.grid, reading.grid)))
                    if has_moved(image, place, found):
                        return found
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for one of {place.grid.columns}x"
            f"{place.grid.rows} cells of {place.grid.pitch[0]:.1f} pixels",
            hint="show the whole board again, at the size that it had",
        )

    def _again(self, place: Reading, seen: Seen) -> Reading:
        """Return the reading of a board in its place, by what is seen of its cells."""
        board = Board(seen.cells.states, place.board.mines)
        phase = _phase(board, seen, self.calibration)
        return replace(
            place, board=board, seen=seen, phase=phase, shown=NOTHING, open_sides=(), doubts=(), dimmed=False, hint=""
        )


@lru_cache(maxsize=16)
def known_looks(calibrations: tuple[Calibration, ...]) -> Known:
    """Return all looks of some clients, to be compared with a board at once, those that several share only once."""
    if len(calibrations) == 1:
        return Known(looks_of(calibrations[0]))
    return Known(tuple(look for calibration in calibrations for look in own_looks_of(calibration)))


def whole_reading(
    image: Image,
    board: FoundBoard,
    seen: Seen,
    calibration: Calibration,
    mines: int | None = None,
    *,
    is_told: bool = False,
) -> Reading:
    """Return the reading of a board as one client's, with what is shown around it and what is doubted.

    Args:
        image: The picture.
        board: A board found in it.
        seen: What its cells show by that client's looks.
        calibration: The client's.
        mines: Its number of mines; None for that of the level of its size.
        is_told: See `Reader`.
    """
    grid = board.grid
    states = only_certain_zeros(seen.cells.states, seen.covered)
    seen = replace(seen, cells=replace(seen.cells, states=states))
    level = calibration.level_of_size(grid.columns, grid.rows)
    position = Board(states, mines if mines is not None or level is None else level.mines)
    phase = _phase(position, seen, calibration)
    shown = NOTHING
    if calibration.panel is not None:
        shown = read_panel(image, grid, calibration.cell, calibration.panel)
    if mines is None:
        position = _counted(_possible(position), shown.mines_left)
    doubted = (
        *map(str, board.sides),
        *doubts.of_emptiness(position),
        *(doubts.of_partings(seen.cells) if level is None else ()),
        *(doubts.of_size(position, is_told=is_told) if seen.look is None else ()),
        *(doubts.of_contradictions(seen.told) if seen.look is None and seen.told is not None else ()),
        *(doubts.of_variety(seen.told) if seen.look is None and seen.told is not None else ()),
        *(doubts.of_openings(position) if seen.look is None else ()),
    )
    return Reading(
        client=calibration.name,
        board=position,
        grid=grid,
        scale=1.0 if seen.look is None else grid.pitch[0] / calibration.cell[0],
        seen=seen,
        phase=_ended(phase, shown.face),
        shown=shown,
        open_sides=board.sides,
        doubts=doubted,
        hint=_SHOW_ALL if board.sides else "",
    )


def has_moved(image: Image, place: Reading, found: Reading) -> bool:
    """Whether a board that was found again is where its picture is now: in its old place, or moved with its picture.

    A board whose cells are misread may be found a part of a cell beside where it is. Only cells that show what they did
    tell, and in the old place they must not be more like what they were.

    Args:
        image: The picture in which it was found.
        place: The last reading that could be trusted, where the board was in this picture.
        found: The reading in the new place.
    """
    if found.grid.nearly(place.grid, _SAME_PLACE_PX):
        return True
    same = (found.board.cells == place.board.cells) & (found.board.cells != State.UNKNOWN)
    stayed = apart(board_picture(image, place.grid))
    before, now = apart(place.seen.picture), apart(found.seen.picture)
    tells = same.ravel()
    return not tells.any() or _apart_levels(before[tells], now[tells]) <= _apart_levels(before[tells], stayed[tells])


def _apart_levels(one: Image, other: Image) -> float:
    """Return by how many levels cells differ in the mean."""
    return float(np.abs(one.astype(np.int16) - other).mean())


def _phase(board: Board, seen: Seen, calibration: Calibration) -> Phase:
    """Return how far the game is, by its cells."""
    if seen.shows_win:
        return Phase.WON
    return board.phase(flags_to_win=bool(calibration.behaviour.flags_to_win))


def _hides_openings(seen: Seen) -> bool:
    """Whether there are so many numbers and no zero that zeros may have been taken for hidden cells."""
    return any(doubts.of_openings(Board(seen.cells.states)))


def _is_dimmed(seen: Seen, earlier: Seen) -> bool:
    """Whether most numbers that a board still shows are much darker than they were."""
    if seen.picture.shape != earlier.picture.shape:
        return False
    still = are_numbers(earlier.cells.states) & (seen.cells.states == earlier.cells.states)
    now, was = (apart(it)[still.ravel()].mean((1, 2, 3)) for it in (seen.picture, earlier.picture))
    return bool(still.any() and np.median(now / np.maximum(was, 1)) < _MIN_BRIGHTNESS_SHARE)


def _in_this_light(picture: Image, look: Look) -> list[Look]:
    """Return the looks of a client in the light in which cells are most like them."""
    return [lit for lit, _ in Bank(looks_of(look.calibration)).match(Patches(apart(picture)))]


def _is_of_size(reading: Reading, place: Reading) -> bool:
    """Whether a board has as many cells as another, of the same size."""
    same = (reading.grid.rows, reading.grid.columns) == (place.grid.rows, place.grid.columns)
    return same and abs(reading.grid.pitch[0] / place.grid.pitch[0] - 1) <= _SAME_PITCH_SHARE


def _shift(old: Grid, new: Grid) -> Point:
    """Return by how many whole pixels a grid of the same size has moved."""
    right, down = (np.mean(np.subtract(*lines)) for lines in ((new.xs, old.xs), (new.ys, old.ys)))
    return Point(round(float(right)), round(float(down)))


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
