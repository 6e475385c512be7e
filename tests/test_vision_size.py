"""Boards are read at any cell size, and never with a wrong number of cells."""

import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.detect.rectangle import board_part
from sweepbot.vision.identify import identify_all
from sweepbot.vision.lattices.lattice import find_lattices
from sweepbot.vision.missed import explained
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests import torture
from tests.nightly import at_night, by_turns

FIXTURES = Path(__file__).parent.parent / "fixtures" / "kmines"
GNOME = FIXTURES.parent / "gnome-mines"
WINEMINE = FIXTURES.parent / "winemine"


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(find_calibration("demo"))


def board_at(pitch: int, seed: int = 1) -> torture.Picture:
    """A board of the demo with cells of `pitch` pixels."""
    picture = torture.drawn(random.Random(seed))
    interpolation = cv2.INTER_AREA if pitch < picture.pitch else cv2.INTER_LINEAR
    return torture.scaled(picture, pitch / picture.pitch, interpolation)


@pytest.mark.parametrize("pitch", [12, 13, 19, 23, 27, 46, 71, 100])
def test_no_lattice_joins_several_cells(pitch: int) -> None:
    """No lattice found on a board has two, three or four times the board's pitch."""
    picture = board_at(pitch)
    left, top, right, bottom = picture.region
    for lattice in find_lattices(picture.image, 11.5, 165):
        inside = left <= np.mean(lattice.grid.xs) <= right and top <= np.mean(lattice.grid.ys) <= bottom
        assert not inside or lattice.grid.pitch[0] < 1.5 * pitch


@pytest.mark.parametrize("pitch", [8, 10])
def test_cells_too_small_to_read_are_not_joined(reader: Reader, pitch: int) -> None:
    """Several cells that are too small to read are not taken for one."""
    try:
        reading = reader.read(board_at(pitch).image)
    except NoBoardFoundError:
        return
    assert reading.problems


@pytest.mark.parametrize(
    ("side", "share"),
    by_turns(["at the left", "at the right", "at the top", "at the bottom"], [0.4, 0.5, 0.7], one_in=3),
)
def test_a_board_cut_off_within_a_cell_is_not_trusted(reader: Reader, side: str, share: float) -> None:
    """Where a picture ends in the middle of a cell, the reading names the side and is not trusted."""
    picture = board_at(20, seed=3)
    left, top, right, bottom = picture.region
    piece = round((1 - share) * picture.pitch)
    image = picture.image.copy()
    edges = {
        "at the left": image[:, left + piece :],
        "at the right": image[:, : right - piece],
        "at the top": image[top + piece :],
        "at the bottom": image[: bottom - piece],
    }
    reading = reader.read(np.ascontiguousarray(edges[side]))
    assert f"cut off {side}" in reading.problems


@pytest.mark.parametrize(("name", "pitch"), [("px60_lost", 12), ("px100_lost", 14), ("beginner_lost", 12)])
def test_a_row_that_is_hardly_visible_is_missed(name: str, pitch: int) -> None:
    """A row of zeros that fades into KMines' gradient when reduced is read, or reported as missing."""
    reader = Reader(find_calibration("kmines"))
    image = load_image(FIXTURES / f"{name}.png")
    whole = reader.read(image)
    around, by = whole.grid.region.grown(60), pitch / whole.grid.pitch[0]
    part = image[max(0, around.y) : around.bottom, max(0, around.x) : around.right]
    small = reader.read(np.asarray(cv2.resize(part, None, fx=by, fy=by, interpolation=cv2.INTER_AREA), np.uint8))
    assert small.board.cells.shape == whole.board.cells.shape or small.doubts


def test_a_whole_board_is_not_cut_off(reader: Reader) -> None:
    """Whatever is beside a whole board, there is no doubt about its size."""
    for seed in range(6):
        assert reader.read(board_at(16 + 3 * seed, seed).image).doubts == ()


@pytest.mark.parametrize(("kind", "seed"), by_turns(torture.FRAMES, [2, 4]))
def test_a_frame_is_not_a_row_or_column(reader: Reader, kind: str, seed: int) -> None:
    """A board is read in its true size whatever frame is around it, or not trusted."""
    picture = board_at(20, seed)
    torture.FRAMES[kind](picture.image, picture.region, picture.pitch)
    reading = reader.read(picture.image)
    assert reading.board.cells.shape == picture.board.cells.shape or reading.problems


@pytest.mark.parametrize("line", [(slice(None), 0), (slice(None), -1), (0, slice(None)), (-1, slice(None))])
def test_a_faint_outer_row_is_left_out(line: tuple[int | slice, int | slice]) -> None:
    """An outer row or column with a third of the others' relief is a frame, and only that is left out."""
    states = np.full((10, 16), State.HIDDEN, dtype=np.uint8)
    states[3:6, 4:9] = 1
    reliefs = np.full(states.shape, 0.75, dtype=np.float32)
    reliefs[3:6, 4:9] = 0.9

    def size() -> int:
        none = np.zeros(states.shape, dtype=np.float32)
        shown = Classified(states, none.astype(np.intp), reliefs, states, none, none, reliefs)
        columns, rows = board_part(shown)
        return len(columns) * len(rows)

    assert size() == states.size
    reliefs[line] = 0.27
    assert size() == states.size - reliefs[line].size


def test_a_board_with_an_unread_corner_keeps_its_size() -> None:
    """Rows and columns that are only a third read still belong to the board; its surroundings do not."""
    shape = (24, 38)
    states = np.full(shape, State.UNKNOWN, dtype=np.uint8)
    states[4:20, 4:34] = 1
    states[13:20, 4:9] = 0
    states[13:20, 14:34] = State.UNKNOWN
    scores = np.where(states == State.UNKNOWN, 0, 0.95).astype(np.float32)
    none = np.zeros(shape, dtype=np.float32)
    shown = Classified(states, none.astype(np.intp), scores, states, none, none, scores)
    assert board_part(shown) == (range(4, 34), range(4, 20))


@pytest.mark.parametrize(("one", "other"), [(12, 24), (16, 32), (20, 33), (24, 24)])
def test_boards_side_by_side_are_both_read(reader: Reader, one: int, other: int) -> None:
    """Two boards beside each other are both read, whatever the ratio of their cell sizes."""
    pictures = board_at(one, 5), board_at(other, 6)
    height = max(picture.image.shape[0] for picture in pictures)
    image = np.hstack([np.pad(of.image, ((0, height - of.image.shape[0]), (0, 0), (0, 0))) for of in pictures])
    read = [reading.board.lines() for reading in reader.read_all(image)]
    for picture in pictures:
        assert picture.board.lines() in read


def test_an_unknown_board_is_described() -> None:
    """For cells like no known client's, the error gives their number and size, and how to learn them."""
    image = np.full((700, 800, 3), (90, 60, 40), dtype=np.uint8)
    for row in range(14):
        for column in range(18):
            corner = 60 + 30 * column, 100 + 30 * row
            cv2.rectangle(image, corner, (corner[0] + 27, corner[1] + 27), (120, 190, 60), -1)
            cv2.circle(image, (corner[0] + 14, corner[1] + 14), 4, (60, 240, 250), -1)
    told = missed(image)
    assert "there is a board of 18x14 cells of 30 px that no calibration knows" in str(told)
    assert "calibrate NAME --live" in told.hint


def missed(image: Image, named: Reader | None = None) -> NoBoardFoundError:
    """The error about a picture in which no board is read."""
    with pytest.raises(NoBoardFoundError) as caught:
        identify_all(image) if named is None else named.read(image)
    return explained(caught.value, image, named)


def test_a_window_that_cannot_be_captured_is_named() -> None:
    """A black window, as of a program that blocks capture, is named with a document to read."""
    image = np.full((600, 800, 3), 90, dtype=np.uint8)
    image[100:400, 200:560] = 0
    told = missed(image)
    assert "there is a black area of 360x300 px" in str(told)
    assert "help troubleshooting" in told.hint


@pytest.mark.parametrize(
    ("picture", "known", "width", "words"),
    [
        (
            "winemine/beginner_middle",
            16,
            187,
            "a board of winemine with cells of 187 px, more than the 165 that are read",
        ),
        ("kmines/beginner_middle", 46, 9, "a board of kmines with cells of 9 px, less than the 12 that are read"),
    ],
)
def test_cells_too_large_or_too_small_are_named(picture: str, known: int, width: int, words: str) -> None:
    """For cells outside the readable sizes the error gives their size and advises to resize the window."""
    image = load_image(FIXTURES.parent / f"{picture}.png")
    reader = Reader(find_calibration(Path(picture).parent.name))
    by = width / known
    resized = cv2.resize(image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA if by < 1 else cv2.INTER_NEAREST)
    told = missed(resized[:2160, :3840].astype(np.uint8), reader)
    assert words in str(told)
    assert "make the client's window" in told.hint


def test_two_boards_side_by_side_are_not_one() -> None:
    """Two boards of a level's size a cell apart are not trusted as one with an unread column."""
    image = load_image(WINEMINE / "beginner_middle.png")
    grid = Reader(find_calibration("winemine")).read(image).grid
    board = image[int(grid.ys[0]) : int(grid.ys[-1]), int(grid.xs[0]) : int(grid.xs[-1])]
    beside = np.hstack([board, np.full((len(board), int(grid.pitch[0]), 3), (90, 160, 60), dtype=np.uint8), board])
    window = cv2.copyMakeBorder(beside, 40, 20, 20, 20, cv2.BORDER_CONSTANT, value=(90, 160, 60))
    readings = identify_all(window.astype(np.uint8))[0]
    assert {one.grid.columns for one in readings if not one.problems} <= {grid.columns}
    assert any("there may be two boards" in problem for one in readings for problem in one.problems)


def test_another_clients_board_is_named() -> None:
    """Where KMines was asked for and WineMine is on the screen, the error says so."""
    image = load_image(WINEMINE / "beginner_middle.png")
    told = missed(image, Reader(find_calibration("kmines")))
    assert "there is a board of winemine" in str(told)
    assert "--client winemine" in told.hint


@pytest.mark.parametrize(
    ("name", "by"),
    [
        *(("expert20_flags", 0.55), ("small_bgcolors_flags", 0.4)),
        *at_night(("expert20_flags", 0.65), ("small_bgcolors_flags", 1.5)),
    ],
)
def test_a_client_with_gaps_is_read_in_scaled_pictures(name: str, by: float) -> None:
    """Gaps that scale with the picture do not turn flags into question marks, and few cells are unread."""
    image, truth = load_image(GNOME / f"{name}.png"), Board.parse((GNOME / f"{name}.txt").read_text()).cells
    resized = cv2.resize(image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA if by < 1 else cv2.INTER_LINEAR)
    shown = Reader(find_calibration("gnome-mines")).read(resized.astype(np.uint8)).board.cells
    refused = shown == State.UNKNOWN
    assert shown.shape == truth.shape
    assert shown[~refused].tolist() == truth[~refused].tolist()
    assert refused.mean() < 0.1
