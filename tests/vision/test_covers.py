"""Partly covered boards: never trusted at a smaller size, and every cell that is read is right."""

import random
from dataclasses import replace

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.extent import Side, goes_on, not_seen_to_end
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from sweepbot.vision.reading import Reading
from tests.nightly import by_turns
from tools.places import FIXTURES

PICTURES = {
    "demo": "intermediate_middle",
    "winemine": "beginner_middle",
    "xdemineur": "12x10-15_middle",
    "kmines": "beginner_middle",
    "gnome-mines": "small_default_middle",
    "sgt-mines": "intermediate_30px_middle",
}
CLIENTS = tuple(PICTURES)
GROUNDS = (240, 240, 240), (255, 255, 255), (48, 45, 45), (192, 192, 192), (110, 60, 30)
SIDES = "left", "right", "top", "bottom"


def _window(image: Image, box: tuple[int, int, int, int], rng: random.Random, *, is_textured: bool) -> None:
    """Draw a window over `box`: its first column, first row, last column and last row, in pixels."""
    left, top, right, bottom = box
    ground = rng.choice(GROUNDS)
    ink = (0, 0, 0) if sum(ground) > 3 * 128 else (230, 230, 230)
    cv2.rectangle(image, (left, top), (right, bottom), ground, -1)
    if is_textured:
        for y in range(top + 14, bottom - 4, 18):
            cv2.putText(image, "Preferences " * 9, (left + 6, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, ink, 1, cv2.LINE_AA)
    cv2.rectangle(image, (left, top), (right, bottom), tuple(value // 2 for value in ground), 1)


Boards = dict[str, tuple[Image, Reading, Reader]]


@pytest.fixture(scope="module")
def boards() -> Boards:
    """A board of each client, as it is read where nothing covers it."""
    boards: Boards = {}
    for client, name in PICTURES.items():
        reader, image = Reader(find_calibration(client)), load_image(FIXTURES / client / f"{name}.png")
        boards[client] = image, reader.read(image), reader
    return boards


def _covered(image: Image, whole: Reading, side: str, rng: random.Random, *, is_textured: bool) -> Image:
    """Cover part of the board with a window whose edge is on a line, beside it or within a cell."""
    xs, ys = whole.grid.xs, whole.grid.ys
    within = rng.choice((0.0, -2.0, 3.0, whole.grid.pitch[0] / 2))
    x, y = (round(lines[rng.randint(2, len(lines) - 3)] + within) for lines in (xs, ys))
    bottom, right = image.shape[0] - 1, image.shape[1] - 1
    box = {
        "left": (0, 0, x, bottom),
        "right": (x, 0, right, bottom),
        "top": (0, 0, right, y),
        "bottom": (0, y, right, bottom),
        "corner": (x, y, right, bottom),
        "middle": (
            x,
            y,
            min(right, x + round(4 * whole.grid.pitch[0])),
            min(bottom, y + round(3 * whole.grid.pitch[1])),
        ),
    }[side]
    picture = image.copy()
    _window(picture, box, rng, is_textured=is_textured)
    return picture


@pytest.mark.parametrize(
    ("client", "side", "is_textured"), by_turns(CLIENTS, [*SIDES, "corner", "middle"], [False, True], one_in=8)
)
def test_a_covered_board_keeps_its_size(boards: Boards, client: str, side: str, *, is_textured: bool) -> None:
    """With a window over a side, a corner or the middle, a trusted reading has the true size and no wrong cell."""
    image, whole, reader = boards[client]
    rng = random.Random(f"{client} {side} {is_textured}")
    try:
        reading = reader.read(_covered(image, whole, side, rng, is_textured=is_textured))
    except NoBoardFoundError:
        return
    if reading.problems:
        return
    assert reading.board.cells.shape == whole.board.cells.shape
    is_read = reading.board.cells != State.UNKNOWN
    assert np.array_equal(reading.board.cells[is_read], whole.board.cells[is_read])


@pytest.mark.parametrize("name", ["demo/expert_lost", "kmines/expert_lost"])
def test_a_single_row_beside_a_window_shows_that_a_board_goes_on(name: str) -> None:
    """At first sight a board is not taken for the part of it beside a window that leaves only a row of the rest."""
    image = load_image(FIXTURES / f"{name}.png")
    reader = Reader(UNKNOWN_CLIENT)
    grid = reader.read(image).grid
    covered = image.copy()
    covered[round(grid.ys[1]) :, round(grid.xs[21]) :] = GROUNDS[1]
    reading = reader.read(covered)
    assert reading.board.cells.shape == (16, 30) or reading.problems


def test_no_lines_are_sought_at_which_a_window_looks_like_a_frame() -> None:
    """At first sight a part of no usual size is not trusted because it seems to end at lines that are a little off."""
    image = load_image(FIXTURES / "demo" / "intermediate_middle.png")
    reader = Reader(UNKNOWN_CLIENT)
    whole = reader.read(image).grid
    covered = image[whole.region.y : whole.region.bottom].copy()
    covered[:, round(whole.xs[9]) :] = GROUNDS[3]
    assert reader.read(covered).problems


@pytest.mark.parametrize("client", CLIENTS)
def test_a_board_flush_with_its_picture_is_not_cut_off(boards: Boards, client: str) -> None:
    """A picture cropped to the board reads like the whole window."""
    image, whole, reader = boards[client]
    board = whole.grid.region
    reading = reader.read(image[board.y : board.bottom, board.x : board.right])
    assert reading.board.lines() == whole.board.lines()
    assert not reading.problems


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("side", range(4))
def test_a_third_of_a_further_cell_shows_that_the_board_goes_on(boards: Boards, client: str, side: int) -> None:
    """A third of a further row or column is enough to tell that the board continues there."""
    image, whole, _ = boards[client]
    grid, states, left = whole.grid, whole.board.cells, round(whole.grid.pitch[0] / 3)
    rows, columns = range(1, grid.rows - 1), range(1, grid.columns - 1)
    part = grid.part(rows, columns)
    edges = [round(lines[end]) for lines in (part.xs, part.ys) for end in (0, -1)]
    cut_off = (
        *(np.s_[:, : edges[0] - left], np.s_[:, edges[1] + left :]),
        *(np.s_[: edges[2] - left, :], np.s_[edges[3] + left :, :]),
    )
    picture = image.copy()
    picture[cut_off[side]] = GROUNDS[0]
    assert tuple(Side)[side] in goes_on(picture, part, states[rows.start : rows.stop, columns.start : columns.stop])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_whole_board_ends_on_every_side(boards: Boards, client: str) -> None:
    """Nothing around a whole board looks like further cells, and every side is seen to end."""
    image, whole, _ = boards[client]
    assert not goes_on(image, whole.grid, whole.board.cells)
    assert not not_seen_to_end(image, whole.grid)


@pytest.mark.parametrize("name", ["sgt-mines/crowded_24px_lost", "xdemineur/started_in_part"])
def test_a_menu_over_a_corner_cuts_off_no_rows(name: str) -> None:
    """Below a menu that hangs over a corner, even a board of no level's size is read at first sight to its ends."""
    picture = FIXTURES / f"{name}.png"
    image, whole = load_image(picture), Board.parse(picture.with_suffix(".txt").read_text(encoding="utf-8")).cells
    height, width = image.shape[:2]
    corner, end = (int(0.02 * width), 12), (int(0.32 * width), 12 + int(0.4 * height))
    cv2.rectangle(image, corner, end, (240, 240, 240), -1)
    cv2.rectangle(image, corner, end, (90, 90, 90), 1)
    for y in range(30, end[1], 16):
        cv2.putText(image, "Beginner", (corner[0] + 8, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1)
    reading = Reader(UNKNOWN_CLIENT).read(image)
    assert not reading.doubts
    assert reading.board.cells.shape == whole.shape
    told = reading.board.cells != State.UNKNOWN
    assert (reading.board.cells == whole)[told].all()
    assert told.mean() > 0.8


@pytest.mark.parametrize("is_flush", [False, True])
def test_a_part_as_large_as_a_level_is_not_trusted(*, is_flush: bool) -> None:
    """Where a window leaves 16x16 cells of an expert board, it is not seen to end, however high the picture is."""
    image = load_image(FIXTURES / "demo" / "expert_fresh.png")
    reader = Reader(find_calibration("demo"))
    grid = reader.read(image).grid
    assert (grid.columns, grid.rows) == (30, 16)
    covered = image[grid.region.y : grid.region.bottom].copy() if is_flush else image.copy()
    covered[:, : round(grid.xs[14])] = GROUNDS[1]
    reading = reader.read(covered)
    assert (reading.board.columns, reading.board.rows) == (16, 16)
    assert "not seen to end at the left" in reading.problems


@pytest.mark.parametrize("name", ["expert_fresh", "intermediate_middle"])
def test_a_board_as_wide_as_its_picture_may_have_a_header(name: str) -> None:
    """A board of a level's size, as wide as its picture and below a header, is whole."""
    image = load_image(FIXTURES / "demo" / f"{name}.png")
    reader = Reader(find_calibration("demo"))
    whole = reader.read(image)
    board = whole.grid.region
    headed = image[: board.bottom, board.x : board.right].copy()
    headed[: board.y] = GROUNDS[4]
    reading = reader.read(headed)
    assert reading.board.lines() == whole.board.lines()
    assert not reading.problems


def test_a_panel_as_high_as_a_board_is_no_window_over_it() -> None:
    """A panel that begins where the board does is beside it, though the picture ends where both end."""
    image = load_image(FIXTURES / "demo" / "intermediate_middle.png")
    reader = Reader(find_calibration("demo"))
    whole = reader.read(image)
    board = whole.grid.region
    beside = image[: board.bottom].copy()
    beside[board.y :, board.right :] = 0
    reading = reader.read(beside)
    assert reading.board.lines() == whole.board.lines()
    assert not reading.problems


@pytest.mark.parametrize("gap_px", by_turns([1, 0, 2], one_in=3))
def test_the_edge_of_a_grey_window_is_not_the_frame(gap_px: int) -> None:
    """A window's dark edge beside a line of a board scaled by 0.99 is not mistaken for the board's frame."""
    image = load_image(FIXTURES / "demo" / "expert_fresh.png")
    image = np.asarray(cv2.resize(image, (image.shape[1], round(image.shape[0] * 0.99))), dtype=np.uint8)
    reader = Reader(find_calibration("demo"))
    edge = round(reader.read(image).grid.xs[19]) - gap_px
    image[:, :edge] = GROUNDS[3]
    image[:, edge - 1] = 96
    assert "not seen to end at the left" in reader.read(image).problems


def test_a_title_bar_reveals_a_window_in_the_colour_of_the_page(boards: Boards) -> None:
    """Where a title bar starts at a corner of the visible part, the board is not seen to end beside it."""
    image, whole, _ = boards["sgt-mines"]
    part = whole.grid.part(range(whole.grid.rows), range(5, whole.grid.columns))
    board = part.region
    covered = np.full_like(image, 200)
    covered[board.slices] = image[board.slices]
    assert not not_seen_to_end(covered, part)
    covered[: board.y, : board.x] = (190, 110, 60)
    assert not_seen_to_end(covered, part) == ["at the left", "at the top"]


@pytest.mark.parametrize("bent_px", [0.3, 0.6, 1.3])
def test_bent_lines_hide_no_further_cells(boards: Boards, bent_px: float) -> None:
    """Two rows beside a window show that a stippled board goes on, though its last line was drawn inwards."""
    image, whole, _ = boards["xdemineur"]
    covered = image.copy()
    covered[::2, ::2] //= 2
    covered[1::2, 1::2] //= 2
    part = whole.grid.part(range(9), range(5))
    covered[round(part.ys[2]) :, round(part.xs[-1]) - 2 :] = GROUNDS[4]
    lines = np.array(part.xs) - bent_px * np.linspace(0, 1, len(part.xs))
    assert "at the right" in goes_on(covered, replace(part, xs=tuple(lines.tolist())))


def test_faint_lines_show_that_a_board_of_no_level_goes_on() -> None:
    """Five pixels of a further row under faint lines suffice where the visible part has no level's size."""
    image = np.full((600, 600, 3), 200, dtype=np.uint8)
    image[40:477, 60:546:54] = image[40:477, 61:546:54] = 185
    image[40:477:54, 60:546] = 185
    grid = Grid.uniform((60, 40), (54, 54), 8, 9)
    assert goes_on(image, grid) == ["at the bottom"]
    assert goes_on(image, grid, is_level=True) == []
