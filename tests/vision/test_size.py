"""Boards are read at any cell size, and never with a wrong number of cells."""

import random

import cv2
import numpy as np
import pytest

from sweepbot.board import State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Region
from sweepbot.vision.boards import READ_SIZES
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.first_sight.network import STATES
from sweepbot.vision.grid import MIN_CELLS, Grid
from sweepbot.vision.lattices.lattice import find_lattices
from sweepbot.vision.missed import explained
from sweepbot.vision.pictures.board import CELL_PX
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.places.place import Place
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tools.drawing import torture
from tools.places import FIXTURES

KMINES = FIXTURES / "kmines"
WINEMINE = FIXTURES / "winemine"


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
    for lattice in find_lattices(picture.image, READ_SIZES):
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
    image = load_image(KMINES / f"{name}.png")
    whole = reader.read(image)
    around, by = whole.grid.region.grown(60), pitch / whole.grid.pitch[0]
    part = image[max(0, around.y) : around.bottom, max(0, around.x) : around.right]
    small = reader.read(np.asarray(cv2.resize(part, None, fx=by, fy=by, interpolation=cv2.INTER_AREA), np.uint8))
    assert small.board.cells.shape == whole.board.cells.shape or small.doubts


def test_no_undecided_end_leaves_less_than_a_board() -> None:
    """If all but one row may be none of the board's, it is not tried as a board of a single row."""
    chances = np.zeros((8, 8, STATES), np.float32)
    chances[..., State.HIDDEN] = np.where(np.arange(8) < 7, 0.7, 0.99)[:, None]
    chances[..., -1] = 1 - chances[..., State.HIDDEN]
    around, picture = Grid.uniform((0, 0), (24, 24), 8, 8), np.zeros((8 * CELL_PX, 8 * CELL_PX, 3), np.uint8)
    others = list(Place(around, chances, picture, range(8), range(8), 1.0, None).others())
    assert others
    assert all(min(other.grid.rows, other.grid.columns) >= MIN_CELLS for other in others)


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
    """For tiles of one size that cannot be read, the error gives their number and size, and how to learn them."""
    image = np.full((700, 800, 3), (90, 60, 40), dtype=np.uint8)
    for row in range(14):
        for column in range(18):
            corner = 60 + 30 * column, 100 + 30 * row
            cv2.rectangle(image, corner, (corner[0] + 27, corner[1] + 27), (120, 190, 60), -1)
            letter = "KQZHWMRT"[(5 * row + 3 * column) % 8]
            cv2.putText(
                image, letter, (corner[0] + 4, corner[1] + 23), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (250, 250, 250), 3
            )
    told = missed(image)
    assert "there is a board of 18x14 cells of 30 px that cannot be read" in str(told)
    assert "open a cell of it" in told.hint


def missed(image: Image, named: str | None = None, *windows: Region) -> NoBoardFoundError:
    """The error about a picture in which no board is read."""
    with pytest.raises(NoBoardFoundError) as caught:
        boards_of_any_client(image) if named is None else Reader(find_calibration(named)).read(image)
    return explained(caught.value, image, named, windows)


def test_a_window_that_cannot_be_captured_is_named() -> None:
    """A black window, as of a program that blocks capture, is named with a document to read."""
    image = np.full((600, 800, 3), 90, dtype=np.uint8)
    image[100:400, 200:560] = 0
    told = missed(image, None, Region(0, 0, 150, 600), Region(200, 100, 360, 300))
    assert "there is a black window of 360x300 px" in str(told)
    assert "help troubleshooting" in told.hint


def test_a_black_desktop_is_no_window() -> None:
    """A bare black desktop, beside a window of another program or without any, is not taken for the client's."""
    image = np.zeros((600, 800, 3), dtype=np.uint8)
    image[100:400, 200:560] = 90
    for windows in ((), (Region(200, 100, 360, 300),)):
        assert "black" not in str(missed(image, None, *windows))


def test_two_boards_side_by_side_are_not_one() -> None:
    """Two boards of a level's size a cell apart are not trusted as one with an unread column."""
    image = load_image(WINEMINE / "beginner_middle.png")
    grid = Reader(find_calibration("winemine")).read(image).grid
    board = image[int(grid.ys[0]) : int(grid.ys[-1]), int(grid.xs[0]) : int(grid.xs[-1])]
    beside = np.hstack([board, np.full((len(board), int(grid.pitch[0]), 3), (90, 160, 60), dtype=np.uint8), board])
    window = cv2.copyMakeBorder(beside, 40, 20, 20, 20, cv2.BORDER_CONSTANT, value=(90, 160, 60))
    readings = boards_of_any_client(window.astype(np.uint8))[0]
    assert {one.grid.columns for one in readings if not one.problems} <= {grid.columns}
    assert any("there may be two boards" in problem for one in readings for problem in one.problems)


def test_a_board_unlike_the_named_client_is_described() -> None:
    """Where KMines was asked for and WineMine is on the screen, the error says that there is another board."""
    image = load_image(WINEMINE / "beginner_middle.png")
    told = missed(image, "kmines")
    assert "cells of 16 px that does not look like kmines" in str(told)
    assert "name another client, or none" in told.hint
