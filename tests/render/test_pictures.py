import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.errors import ImageError
from sweepbot.geometry import Cell
from sweepbot.render.files import save_image
from sweepbot.render.heatmap import CELL_PX, colour_of, heatmap
from sweepbot.render.text import board_text, percent

POSITION = Board.parse("01#\n12F\n#?#", mines=3)
CHANCES = np.array([[np.nan, np.nan, 0.0], [np.nan, np.nan, 1.0], [0.004, 0.25, np.nan]])


def lightness(bgr: tuple[int, int, int]) -> float:
    """CIE L*, 0 to 100."""
    pixel = np.array([[bgr]], dtype=np.float32) / 255
    return float(np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2Lab))[0, 0, 0])


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.0, "0"), (1e-9, "<1"), (0.005, "<1"), (0.006, "1"), (0.5, "50"), (0.994, "99"), (0.999, ">99"), (1.0, "100")],
)
def test_only_certainty_is_written_as_0_or_100_percent(chance: float, text: str) -> None:
    """An uncertain chance that would round to 0 or 100 percent is written as below 1 or above 99."""
    assert percent(chance) == text


def test_text_shows_numbers_chances_and_certainties() -> None:
    """Open cells show their number, hidden ones their chance, and certain ones a word."""
    assert board_text(POSITION, CHANCES).splitlines() == [
        "     0   1   2",
        "  0      1   ok",
        "  1  1   2   !!",
        "  2 <1% 25%  #",
    ]


def test_text_without_chances_is_the_board_text() -> None:
    """Without chances each hidden cell shows its character of board text."""
    assert board_text(POSITION, np.full((3, 3), np.nan)).splitlines() == [
        "     0   1   2",
        "  0      1   #",
        "  1  1   2   F",
        "  2  #   ?   #",
    ]


@pytest.mark.parametrize("chance", [0.0, 0.001, 0.07, 0.5, 0.93, 0.999, 1.0])
def test_every_cell_text_is_equally_wide(chance: float) -> None:
    """Every cell's text has the same width, so columns line up."""
    ruler, line = board_text(Board.parse("#8"), np.array([[chance, np.nan]])).splitlines()
    assert (line[-2:], len(line)) == (" 8", ruler.index("1") + 1)


def test_the_palette_falls_evenly_in_lightness() -> None:
    """Each step of chance is a step down in lightness, so the palette works in grey."""
    steps = np.diff([lightness(colour_of(chance)) for chance in np.linspace(0, 1, 21)])
    assert (steps < -1.5).all()
    assert lightness(colour_of(0)) > 85
    assert lightness(colour_of(1)) < 25


def cell_of(image: NDArray[np.uint8], cell: Cell) -> NDArray[np.uint8]:
    left, top = 30 + CELL_PX * cell.column, 30 + CELL_PX * cell.row
    return image[top : top + CELL_PX - 1, left : left + CELL_PX - 1]


def test_the_heatmap_colours_each_unopened_cell_by_its_chance() -> None:
    """The corner pixel of a hidden cell has the palette's colour of its chance."""
    image = heatmap(POSITION, CHANCES)
    for row, column in np.argwhere(~np.isnan(CHANCES)):
        corner = cell_of(image, Cell(row, column))[1, 1]
        assert tuple(corner.tolist()) == colour_of(CHANCES[row, column])


def test_the_heatmap_shows_certainty_by_more_than_colour() -> None:
    """In grey a certain cell still differs from a nearly certain one by a number and a symbol."""
    for certain, nearly in ((0.0, 1e-6), (1.0, 1 - 1e-6)):
        pictures = [
            cv2.cvtColor(cell_of(heatmap(Board.parse("#"), np.array([[chance]])), Cell(0, 0)), cv2.COLOR_BGR2GRAY)
            for chance in (certain, nearly)
        ]
        different = np.abs(pictures[0].astype(int) - pictures[1].astype(int)) > 60
        assert different.sum() > 40


def test_the_heatmap_frames_the_best_cell_only() -> None:
    """Naming the best cell changes that cell and no other."""
    plain, framed = heatmap(POSITION, CHANCES), heatmap(POSITION, CHANCES, best=Cell(2, 1))
    best = cell_of(framed, Cell(2, 1))
    assert not np.array_equal(best, cell_of(plain, Cell(2, 1)))
    best[:] = cell_of(plain, Cell(2, 1))
    assert np.array_equal(framed, plain)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (9, 9), (16, 30)])
def test_the_heatmap_has_room_for_board_and_legend(rows: int, columns: int) -> None:
    """Cells are 40 pixels, and even the smallest board has its whole legend below."""
    image = heatmap(Board.hidden(rows, columns), np.full((rows, columns), 0.2))
    assert image.shape[0] > CELL_PX * rows
    assert image.shape[1] > CELL_PX * columns
    assert (image[:, -5:] == 255).all()
    assert (image[-5:] == 255).all()


def test_a_picture_is_written_as_it_is(tmp_path: Path) -> None:
    """A saved PNG has the same pixels, and nothing else is left in the folder."""
    image = heatmap(POSITION, CHANCES)
    save_image(image, tmp_path / "out.png")
    assert np.array_equal(np.asarray(cv2.imread(str(tmp_path / "out.png"))), image)
    assert [file.name for file in tmp_path.iterdir()] == ["out.png"]


@pytest.mark.parametrize("name", ["no-such-folder/out.png", "out.txt", "out"])
def test_a_picture_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    """A missing folder and an unknown suffix are errors with the path, and leave nothing behind."""
    path = tmp_path / name
    with pytest.raises(ImageError, match=re.escape(str(Path(name)))) as caught:
        save_image(heatmap(POSITION, CHANCES), path)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails half-way, the old picture is still whole."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "out.png"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ImageError, match="No space left"):
        save_image(heatmap(POSITION, CHANCES), path)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]
