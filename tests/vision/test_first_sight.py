"""First sight: boards of any skin are read by a network that was trained on drawn boards, and by the rules."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, strategies
from hypothesis.extra import numpy as arrays
from msgspec.structs import replace

from sweepbot.board import CHARACTERS, Board, Phase, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.render.files import save_image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.doubts import of_openings, of_variety
from sweepbot.vision.first_sight.network import STATES, network
from sweepbot.vision.first_sight.rules import Told, broken, tell
from sweepbot.vision.pictures.board import CELL_PX, changed
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.places.rectangle import largest_sum
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from tests.commands import Command
from tests.nightly import by_turns
from tools.places import FIXTURES

RECORDED = Path(__file__).parent / "first_sight_outputs.json"
MAX_UNREAD_SHARE = 0.02
READ = (
    "demo/beginner_fresh",
    "demo/beginner_middle",
    "demo/expert_flags",
    "demo/expert_lost",
    "demo/intermediate_middle",
    "sgt-mines/beginner_middle",
    "sgt-mines/beginner_flags",
    "xdemineur/expert_flags",
    "gnome-mines/default1080_medium_middle",  # gaps of 4 pixels between cells, in whose middle the lines are
    "winemine/beginner_middle",  # a frame whose rim looks like a cell's to lines a quarter of a pixel off
)


def truth(name: str) -> Board:
    return Board.parse((FIXTURES / f"{name}.txt").read_text())


def unlike(read: Board, true: Board) -> tuple[int, int]:
    """How many cells were read as something else, and how many were not read."""
    unread = read.cells == State.UNKNOWN
    return int(((read.cells != true.cells) & ~unread).sum()), int(unread.sum())


def trusted(image: Image) -> list[Board]:
    """The boards in a picture that are trusted."""
    try:
        return [reading.board for reading in Reader(UNKNOWN_CLIENT).read_all(image) if not reading.problems]
    except NoBoardFoundError:
        return []


@pytest.mark.parametrize("name", READ)
def test_boards_of_real_clients_are_read_without_their_calibration(name: str) -> None:
    """The grid is found, no cell is wrong, and at most one in fifty is left unread."""
    reading = Reader(UNKNOWN_CLIENT).read_all(load_image(FIXTURES / f"{name}.png"))[0]
    wrong, unread = unlike(reading.board, truth(name))
    assert (reading.client, reading.problems, wrong) == ("unknown", [], 0)
    assert unread <= MAX_UNREAD_SHARE * reading.board.cells.size


def test_a_mine_shown_alone_ends_the_game() -> None:
    """That the network cannot say whether other mines look like it is no doubt: if one is shown, it has exploded."""
    reading = Reader(UNKNOWN_CLIENT).read(load_image(FIXTURES / "sgt-mines/alone_lost.png"))
    assert (unlike(reading.board, truth("sgt-mines/alone_lost")), reading.phase) == ((0, 0), Phase.LOST)


def test_a_mine_shown_alone_ends_the_game_of_a_client_without_lost_ones() -> None:
    """So it does for a client that was learned from games that were won, none of whose templates is like it."""
    known = find_calibration("sgt-mines")
    learned = replace(known, templates=tuple(it for it in known.templates if it.state <= State.HIDDEN))
    reading = Reader(learned).read(load_image(FIXTURES / "sgt-mines/alone_lost.png"))
    assert (unlike(reading.board, truth("sgt-mines/alone_lost")), reading.phase) == ((0, 0), Phase.LOST)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda image: 255 - image, id="inverted"),
        pytest.param(lambda image: (image * 0.5).astype(np.uint8), id="half as bright"),
        pytest.param(lambda image: (image * (0.6, 0.85, 1.0)).astype(np.uint8), id="night light"),
        pytest.param(lambda image: cv2.cvtColor(cv2.cvtColor(image, 6), 8), id="grey"),
        pytest.param(lambda image: cv2.resize(image, None, fx=1.37, fy=1.37), id="enlarged"),
    ],
)
def test_light_and_size_do_not_matter(changed: Callable[[Image], Image]) -> None:
    """A board is read in another light, in other colours and at another size, by the same way."""
    image = load_image(FIXTURES / "demo/expert_middle.png")
    reading = Reader(UNKNOWN_CLIENT).read_all(np.ascontiguousarray(changed(image)))[0]
    wrong, unread = unlike(reading.board, truth("demo/expert_middle"))
    assert wrong == 0
    assert unread <= MAX_UNREAD_SHARE * reading.board.cells.size


def test_a_board_whose_numbers_all_fit_is_found_even_if_its_cells_are_unsure() -> None:
    """In a badly damaged picture the rules of the game make up for what the network is not sure of."""
    _, damaged = cv2.imencode(".jpg", load_image(FIXTURES / "demo/expert_middle.png"), [cv2.IMWRITE_JPEG_QUALITY, 4])
    reading = Reader(UNKNOWN_CLIENT).read(np.asarray(cv2.imdecode(damaged, cv2.IMREAD_COLOR), np.uint8))
    wrong, unread = unlike(reading.board, truth("demo/expert_middle"))
    assert wrong == 0
    assert unread <= reading.board.cells.size // 5


def test_small_figures_in_large_cells_are_read() -> None:
    """Digits of 10 pixels in buttons of 80, as unstyled ones have, are looked at closer."""
    board, side = truth("demo/beginner_middle"), 80
    image = np.full((11 * side, 11 * side, 3), 255, np.uint8)
    for (row, column), state in np.ndenumerate(board.cells):
        left, top = (1 + column) * side, (1 + row) * side
        shade = (240, 240, 240) if state < State.HIDDEN else (190, 190, 190)
        cv2.rectangle(image, (left + 2, top + 2), (left + side - 3, top + side - 3), shade, -1)
        cv2.rectangle(image, (left + 2, top + 2), (left + side - 3, top + side - 3), (110, 110, 110), 1)
        if 0 < state < State.HIDDEN:
            cv2.putText(image, str(state), (left + 36, top + 45), 0, 0.45, (0, 0, 0), 1, cv2.LINE_AA)
    reading = Reader(UNKNOWN_CLIENT).read(image)
    assert (reading.problems, unlike(reading.board, board)) == ([], (0, 0))


def test_a_board_partly_behind_a_window_is_not_taken_for_a_smaller_one() -> None:
    """A plain window over its right third leaves a board whose end is not seen."""
    image = load_image(FIXTURES / "demo/expert_middle.png")
    image[:, image.shape[1] * 2 // 3 :] = (200, 190, 180)
    assert trusted(image) == []


@pytest.mark.parametrize("hidden_cells", by_turns([13.5, 10, 14], one_in=3))
def test_a_window_that_leaves_whole_columns_is_told_by_its_edge(hidden_cells: float) -> None:
    """A plain window in the frame's own grey leaves 20x16 or 16x16 of 30x16 cells: its edge runs past the corners."""
    image = load_image(FIXTURES / "demo/expert_middle.png")
    grid = Reader(UNKNOWN_CLIENT).read(image).grid.snapped()
    end = int(grid.xs[0] + hidden_cells * grid.pitch[0])
    image[:, :end] = 192
    image[:, end - 1] = 96
    assert trusted(image) == []


def test_the_network_says_what_it_said_where_it_was_trained() -> None:
    """The probabilities of a few cells are those recorded with the weights, to a ten-thousandth."""
    recorded = json.loads(RECORDED.read_text())
    lattice = np.full((4 * CELL_PX, 5 * CELL_PX, 3), 190, dtype=np.uint8)
    for row in range(4):
        for column in range(5):
            corner = column * CELL_PX, row * CELL_PX
            cv2.rectangle(lattice, corner, (corner[0] + CELL_PX - 2, corner[1] + CELL_PX - 2), (240, 240, 240), 2)
    cv2.putText(lattice, "3", (30, 44), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 255), 2)
    said = network().judge(lattice)
    np.testing.assert_allclose(said.reshape(-1, STATES), recorded, atol=1e-4)


def network_says(board: Board, likeliest: float) -> np.ndarray:
    """Return chances of shape (rows, columns, STATES) of a network that is so sure of each cell of a board."""
    chances = np.full((*board.cells.shape, STATES), 1e-4, dtype=np.float32)
    np.put_along_axis(chances, board.cells[..., None].astype(np.intp), likeliest, axis=2)
    return chances


def told(chances: np.ndarray, shades: np.ndarray) -> Told:
    """Return what the rules make of a network's chances for plain cells of some grey levels."""
    picture = shades.astype(np.uint8).repeat(CELL_PX, 0).repeat(CELL_PX, 1)[..., None].repeat(3, 2)
    return tell(chances / chances.sum(2, keepdims=True), picture)


def text(cells: np.ndarray) -> str:
    """Return cells as board text."""
    return "\n".join(Board(cells).lines())


def test_the_rules_tell_hidden_cells_that_the_network_takes_for_zeros() -> None:
    """All cells of one look are told otherwise together where the numbers beside them need mines."""
    true = Board.parse("0111#\n01###\n1212#\n#1011\n11000")
    chances, hidden = network_says(true, 0.98), true.cells == State.HIDDEN
    chances[hidden, 0], chances[hidden, State.HIDDEN] = 0.7, 0.29
    assert not broken(true.cells).any()
    assert text(told(chances, true.cells * 15).likeliest) == str(true)


def test_the_rules_tell_a_region_of_several_looks_at_once() -> None:
    """Where hidden cells of two shades are taken for zeros, neither could be told otherwise without the other."""
    true = Board.parse("\n".join(f"00{number}#####" for number in (2, 3, 2, 1, 1, 2, 1, 1)))
    chances, hidden = network_says(true, 0.999), true.cells == State.HIDDEN
    chances[hidden, 0], chances[hidden, State.HIDDEN] = 0.985, 0.012
    shades = true.cells * 12 + np.indices((8, 8)).sum(axis=0) % 2 * 90 * hidden
    assert text(told(chances, shades).states) == str(true)


def test_a_board_without_a_number_has_no_zeros() -> None:
    """Where light makes a corner of a fresh board look open, it is hidden all the same: nothing is open beside it."""
    true = Board.parse("\n".join(["########"] * 8))
    chances, corner = network_says(true, 0.998), (slice(0, 3), slice(0, 3))
    chances[(*corner, 0)], chances[(*corner, State.HIDDEN)] = 0.96, 0.03
    shades = np.full((8, 8), 150)
    shades[corner] = 220
    assert text(told(chances, shades).states) == str(true)


def test_what_the_rules_exclude_is_no_doubt() -> None:
    """A flag that might be a 6 is read where no 6 can be: it has too few neighbours, and the 1 beside it needs it."""
    true = Board.parse("1F10\n1110\n0000")
    chances = network_says(true, 0.998)
    chances[0, 1, State.FLAG], chances[0, 1, 6] = 0.85, 0.15
    assert text(told(chances, true.cells * 20).states) == str(true)


def test_mines_that_one_click_has_opened_look_alike() -> None:
    """Of two exploded mines of different looks only the surer one is read."""
    said = Board.parse("X*1\n221\n000\n111\n1X1")
    chances = network_says(said, 0.998)
    chances[4, 1, State.EXPLODED], chances[4, 1, State.WRONG_FLAG] = 0.97, 0.02
    shades = said.cells * 15
    shades[4, 1] = 250
    assert text(told(chances, shades).states) == "X*1\n221\n000\n111\n1.1"


def test_the_exploded_mine_is_the_one_that_the_numbers_need() -> None:
    """Of two cells that seem exploded, the surer one is a wrong flag if the numbers beside it have their mines."""
    said = Board.parse("X1001F1X#\n1100111##")
    chances, shades = network_says(said, 0.998), said.cells * 15
    chances[0, 0, State.EXPLODED], chances[0, 0, State.MINE] = 0.97, 0.02
    shades[0, 7] = 250
    assert text(told(chances, shades).states) == "X1001F1.#\n1100111##"


@pytest.mark.parametrize(("numbers", "read"), [("232222", "F"), ("121111", "*")])
def test_a_game_that_goes_on_shows_no_mines(numbers: str, read: str) -> None:
    """Figures that may be mines are flags if numbers beside them lack mines: an ended game shows all of them."""
    said = Board.parse(f"*#*##*\n{numbers}\n000000\n000000")
    chances, marks = network_says(said, 0.998), said.cells == State.MINE
    chances[marks, State.MINE], chances[marks, State.FLAG] = 0.6, 0.39
    assert text(told(chances, said.cells * 15).likeliest).splitlines()[0] == f"{read}#{read}##{read}"


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        ("F##F##F##F##F\n1111111111111\n0000000000000", State.MINE),
        ("F##F##F##F##F\n2222222222222\n0000000000000", State.FLAG),  # all numbers lack a mark
        ("F#F#F##\n#######\n#F####1\n######1\nF####11", State.MINE),  # nothing is open beside the marks
    ],
)
def test_where_all_mines_are_shown_there_are_no_flags(rows: str, read: State) -> None:
    """Figures like flags are mines if the numbers beside hidden cells lack none, or if many lie among hidden cells."""
    said = Board.parse(rows)
    chances, marks = network_says(said, 0.998), said.cells == State.FLAG
    chances[marks, State.FLAG], chances[marks, State.MINE] = 0.72, 0.27
    assert (told(chances, said.cells * 15).likeliest[marks] == read).all()


def test_cells_that_look_many_ways_are_no_fresh_board() -> None:
    """Hidden cells are drawn alike: where each has something else on it, that is what cannot be read."""
    alike, varied = np.full((6, 6), 120), np.arange(36).reshape(6, 6) * 7
    chances = network_says(Board.parse("######\n" * 6), 0.998)
    assert not list(of_variety(told(chances, alike)))
    assert "they look" in str(list(of_variety(told(chances, varied))))


@pytest.mark.parametrize(("second", "read"), [(0.85, "."), (0.95, "F")])
def test_several_flags_alike_are_read_and_a_lone_one_must_be_surer(second: float, read: str) -> None:
    """A client draws all flags alike: a single one that looks otherwise may be a question mark."""
    said = Board.parse("FFF##\n#####\n####F\n#####")
    chances = network_says(said, 0.998)
    for cell, sure in (((0, slice(0, 3)), 0.88), ((2, 4), second)):
        chances[(*cell, State.FLAG)], chances[(*cell, State.QUESTION)] = sure, 1 - sure
    shades = said.cells * 15
    shades[2, 4] = 250
    assert text(told(chances, shades).states) == str(said)[:-7] + read + "\n#####"


@pytest.mark.parametrize(("sure", "read"), [(0.998, "5"), (0.97, ".")])
def test_a_number_with_more_flags_than_mines_must_be_certain(sure: float, read: str) -> None:
    """A player may have set a flag too many; but a 6 taken for a 5 is likelier, unless the network is sure."""
    said = Board.parse("FFF\nF5F\n1F1")
    chances = network_says(said, 0.999)
    chances[1, 1, 5], chances[1, 1, 6] = sure, 1 - sure
    assert text(told(chances, said.cells * 20).states) == str(said).replace("5", read)


def test_plain_cells_alike_are_told_alike() -> None:
    """Of hidden cells that look the same none is a zero, though the network takes a few in their midst for zeros."""
    said = Board.parse("\n".join(["########"] * 6 + ["11111111", "00000000"]))
    chances = network_says(said, 0.98)
    for cell in ((1, 1), (2, 5), (3, 5)):
        chances[(*cell, 0)], chances[(*cell, State.HIDDEN)] = 0.97, 0.02
    assert text(told(chances, said.cells * 20).states) == str(said)


def test_a_lone_mark_beside_a_cell_in_doubt_is_not_read() -> None:
    """A pointer that lies over two hidden cells makes a mark of neither."""
    chances = network_says(Board.parse("\n".join(["######"] * 6)), 0.998)
    chances[2, 2, State.HIDDEN], chances[2, 2, State.FLAG] = 0.02, 0.97
    chances[1, 1, State.HIDDEN], chances[1, 1, State.FLAG] = 0.44, 0.45
    shades = np.full((6, 6), 190)
    shades[1, 1] = shades[2, 2] = 120
    assert text(told(chances, shades).states) == "\n".join(["######", "#.####", "##.###", *["######"] * 3])


def test_what_contradicts_the_rules_is_not_read() -> None:
    """A number that has too few cells around it for its mines is left unread, however sure the network is."""
    said = Board.parse("0000\n0500\n0000\n0000")
    assert told(network_says(said, 0.998), said.cells * 20).states[1, 1] == State.UNKNOWN


@given(arrays.arrays(np.int8, strategies.tuples(*[strategies.integers(1, 6)] * 2), elements=strategies.integers(-9, 9)))
def test_the_largest_sum_is_that_of_all_rectangles(values: np.ndarray) -> None:
    """No rectangle has a larger sum than the one that is found."""
    rows, columns, found = largest_sum(values.astype(np.float32))
    height, width = values.shape
    sums = [
        int(values[top:bottom, left:right].sum())
        for top in range(height)
        for bottom in range(top + 1, height + 1)
        for left in range(width)
        for right in range(left + 1, width + 1)
    ]
    own = values[rows.start : rows.stop, columns.start : columns.stop].sum()
    assert found == max(sums) == own


@pytest.mark.parametrize("name", ["demo/beginner_fresh", "sgt-mines/beginner_middle"])
def test_the_same_picture_has_not_changed_when_it_is_read_again(name: str) -> None:
    """What is found is kept as the next reading in the same place cuts it out, so that only real changes are some."""
    image, reader = load_image(FIXTURES / f"{name}.png"), Reader(UNKNOWN_CLIENT)
    place = reader.read(image)
    assert not changed(reader.read_at(image, place).seen.picture, place.seen.picture).any()


def test_openings_that_look_hidden_are_looked_at_anew() -> None:
    """Lines that a fresh board has hardly shown may be a fifth of a cell off: many numbers and no zero tell of it."""
    image, reader = load_image(FIXTURES / "sgt-mines/expert_middle.png"), Reader(UNKNOWN_CLIENT)
    found = reader.read(image)
    right, down = (0.2 * pitch for pitch in found.grid.pitch)
    place = dataclasses.replace(found, grid=found.grid.shifted(right, down))
    assert reader.read_at(image, place).board == found.board


@pytest.mark.parametrize("cells", [10, 17])
def test_a_level_is_not_the_size_of_a_board_that_goes_on(cells: int) -> None:
    """A chequered board of a size of its own is not taken for the level that it contains, beside which it goes on."""
    pixels = 24 * cells
    page = np.full((pixels + 330, pixels + 480, 3), 48, np.uint8)
    page[140 : 160 + pixels, 200 : 280 + pixels] = 75
    odd = np.add.outer(np.arange(cells), np.arange(cells)) % 2
    greens = np.array([(81, 215, 170), (87, 209, 162)], np.uint8)
    page[160 : 160 + pixels, 240 : 240 + pixels] = greens[odd].repeat(24, 0).repeat(24, 1)
    reading = Reader(UNKNOWN_CLIENT).read(page)
    assert reading.board.cells.shape == (cells, cells)
    assert not reading.doubts


def test_a_board_that_its_client_dims_is_said_to_be() -> None:
    """Its zeros may then look hidden, so that nobody should click on it."""
    image, reader = load_image(FIXTURES / "demo/expert_middle.png"), Reader(UNKNOWN_CLIENT)
    place = reader.read(image)
    assert [reader.read_at(it, place).dimmed for it in (image, image // 2)] == [False, True]


def test_a_board_is_followed_from_picture_to_picture() -> None:
    """Once found, a board is read in its place, and found again where it has moved."""
    image, reader = load_image(FIXTURES / "demo/beginner_middle.png"), Reader(UNKNOWN_CLIENT)
    place = reader.read(image)
    assert unlike(reader.read_at(image, place).board, truth("demo/beginner_middle")) == (0, 0)
    moved = reader.read_moved(np.pad(image, ((7, 0), (12, 0), (0, 0)), mode="edge"), place)
    assert moved.grid.origin == pytest.approx(np.add(place.grid.origin, (12, 7)), abs=1.5)


def test_a_named_unknown_client_is_read_by_first_sight_alone(sweepbot: Command) -> None:
    """`--client unknown` looks at no calibration; the mines are those of the level of that size."""
    told = sweepbot("read", FIXTURES / "demo/beginner_middle.png", "--client", "unknown", "--json").json[0]
    assert (told["client"], told["cols"], len(told["rows"])) == ("unknown", 9, 9)
    flags = sum(row.count("F") for row in told["rows"])
    assert told["mines_left"] == 10 - flags


def test_a_look_that_no_calibration_knows_is_read(sweepbot: Command, tmp_path: Path) -> None:
    """Without --client a board of unknown colours falls to first sight, and `solve` takes it, too."""
    image = load_image(FIXTURES / "demo/beginner_middle.png")
    strange = np.ascontiguousarray(255 - image[..., [1, 2, 0]])
    save_image(strange, tmp_path / "strange.png")
    told = sweepbot("read", tmp_path / "strange.png", "--json").json[0]
    assert told["client"] == "unknown"
    assert unlike(Board.parse(told["rows"]), truth("demo/beginner_middle"))[0] == 0
    assert sweepbot("solve", tmp_path / "strange.png", "--json").json["best"] is not None


def test_lone_open_cells_all_over_are_specks() -> None:
    """A page with dots on it is no board: of so many numbers some would be beside an opening, or each other."""
    cells = np.full((20, 24), State.HIDDEN, dtype=np.uint8)
    cells[2::6, 1::6] = 1
    assert "12 open cells stand alone" in " ".join(of_openings(Board(cells)))
    cells[5:15, 5:15] = 0
    assert not list(of_openings(Board(cells)))


@pytest.mark.parametrize("across", [0.65, 1.45])
def test_oblong_cells_are_read(tmp_path: Path, sweepbot: Command, across: float) -> None:
    """Cells that are half again as wide as high, or the reverse, are read like square ones."""
    image = load_image(FIXTURES / "kmines/beginner_middle.png")
    squeezed = cv2.resize(image, None, fx=across, fy=1.0, interpolation=cv2.INTER_AREA)
    save_image(np.asarray(squeezed, np.uint8), tmp_path / "oblong.png")
    told = sweepbot("read", tmp_path / "oblong.png", "--client", "unknown", "--json").json[0]
    wrong, unread = unlike(Board.parse(told["rows"]), truth("kmines/beginner_middle"))
    assert (wrong, unread <= 2) == (0, True)


def test_a_cell_is_explained(sweepbot: Command) -> None:
    """`--explain` gives the four likeliest states, what was told, and the cells that decided."""
    shot = FIXTURES / "demo/beginner_middle.png"
    why = sweepbot("read", shot, "--client", "unknown", "--explain", "0,0", "--json").json[0]["explain"]
    sight = why["first_sight"]
    assert len(sight["likeliest"]) == 4
    assert sight["told"] == truth("demo/beginner_middle").lines()[0][0]
    assert {state for state, _ in sight["likeliest"]} <= set(CHARACTERS)
    assert why["templates"] is None
    assert why["refused"] is None


def test_no_board_ends_with_3(sweepbot: Command, tmp_path: Path) -> None:
    """A picture without a board is an error that says what was searched for."""
    save_image(np.full((300, 400, 3), 128, dtype=np.uint8), tmp_path / "grey.png")
    done = sweepbot("read", tmp_path / "grey.png", "--client", "unknown")
    assert done.exit_code == 3
    assert "no board found: searched 400x300 pixels for unknown" in " ".join(done.err.split())
