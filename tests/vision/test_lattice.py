"""Lattices are found without templates, whatever is drawn in and around their cells."""

import cv2
import numpy as np
import pytest

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import CellSizes, find_lattices, searches


def cells(rows: int, columns: int, side: int, *, seed: int = 0) -> Image:
    """Round tiles of two colours with gaps between them, some crossed: unlike any client's."""
    chance = np.random.default_rng(seed)
    image = np.full((rows * side, columns * side, 3), 40, dtype=np.uint8)
    for row in range(rows):
        for column in range(columns):
            corner = column * side + 1, row * side + 1
            opposite = corner[0] + side - 3, corner[1] + side - 3
            colour = (200, 160, 120) if chance.random() < 0.5 else (150, 150, 150)
            cv2.rectangle(image, corner, opposite, colour, -1)
            if chance.random() < 0.4:
                cv2.line(image, (corner[0] + 4, corner[1] + 4), (opposite[0] - 4, opposite[1] - 4), (0, 0, 200), 2)
    return image


def on_desktop(board: Image, at: tuple[int, int]) -> Image:
    image = np.full((board.shape[0] + 200, board.shape[1] + 200, 3), 230, dtype=np.uint8)
    image[at[1] : at[1] + board.shape[0], at[0] : at[0] + board.shape[1]] = board
    return image


@pytest.mark.parametrize("side", [12, 15, 16, 21, 22, 27, 35, 46, 60])
def test_cells_of_any_size_and_look_are_found(side: int) -> None:
    """The best lattice has the pitch of the cells and is offset from the board by whole cells."""
    found = find_lattices(on_desktop(cells(9, 12, side), (61, 83)), CellSizes(10, 64))
    assert found
    best = found[0]
    assert best.grid.pitch == pytest.approx((side, side), abs=0.1)
    phases = (np.array(best.grid.xs) - best.grid.xs[0]) / side
    assert np.abs(phases - np.rint(phases)).max() < 0.05
    assert best.grid.xs[0] < 61 + 3 * side
    assert best.grid.xs[-1] > 61 + 9 * side


@pytest.mark.parametrize("size", [(30, 20), (18, 28), (33, 24), (40, 30)])
def test_oblong_cells_are_found(size: tuple[int, int]) -> None:
    """Cells that are wider than high, or the reverse, are searched for after square ones, and found."""
    side = 40
    width, height = size
    board = cv2.resize(cells(10, 12, side), (12 * width, 10 * height), interpolation=cv2.INTER_AREA)
    *_, oblong = searches(on_desktop(np.asarray(board, np.uint8), (61, 83)), CellSizes(10, 64))
    assert oblong[0].grid.pitch == pytest.approx(size, abs=0.1)


def test_a_fractional_pitch_is_found() -> None:
    """A board scaled to 168 percent has its exact pitch found, not a whole number near it."""
    image = cv2.resize(on_desktop(cells(16, 30, 16), (50, 60)), None, fx=1.68, fy=1.68, interpolation=cv2.INTER_LINEAR)
    assert find_lattices(np.asarray(image, np.uint8), CellSizes(10, 64))[0].grid.pitch == pytest.approx(
        (26.88, 26.88), abs=0.06
    )


def test_dark_and_pale_boards_are_found() -> None:
    """A contrast of a few grey levels is enough."""
    board = on_desktop(cells(9, 9, 20), (40, 40))
    for gain, offset in ((0.08, 10), (0.1, 200)):
        faint = np.clip(board * gain + offset, 0, 255).astype(np.uint8)
        assert find_lattices(faint, CellSizes(10, 64))[0].grid.pitch == pytest.approx((20, 20), abs=0.2)


def test_lines_follow_mixed_pitches() -> None:
    """Where the first columns are wider than the rest, each line is found in its own place."""
    board = cells(10, 16, 30)
    for column in range(8):
        x = column * 31 + 15
        board = np.insert(board, x, board[:, x], axis=1)
    found = find_lattices(on_desktop(board, (70, 50)), CellSizes(10, 64))[0]
    steps = np.diff(found.grid.xs)
    assert steps[1:6] == pytest.approx(31, abs=0.7)
    assert steps[-5:-1] == pytest.approx(30, abs=0.7)


def test_irregular_pictures_have_no_lattice() -> None:
    """Noise, gradients and pictures smaller than a few cells have no lattice."""
    chance = np.random.default_rng(3)
    noise = chance.integers(0, 256, (300, 400, 3)).astype(np.uint8)
    slope = np.broadcast_to(np.linspace(0, 255, 400).astype(np.uint8)[None, :, None], (300, 400, 3))
    assert find_lattices(noise, CellSizes(10, 64)) == []
    assert find_lattices(np.ascontiguousarray(slope), CellSizes(10, 64)) == []
    assert find_lattices(noise[:5, :5], CellSizes(10, 64)) == []
    assert find_lattices(noise[:1, :300], CellSizes(10, 64)) == []


def test_coarse_dithering_is_blurred_away() -> None:
    """A later search blurs a check pattern that is more regular than any board."""
    board = on_desktop(cells(9, 9, 35), (70, 50)).astype(np.int16)
    checks = np.indices(board.shape[:2]).sum(axis=0) // 1 % 2
    coarse = cv2.resize(checks.astype(np.float32), None, fx=3.5, fy=3.5, interpolation=cv2.INTER_NEAREST)
    dithered = np.clip(board + 60 * coarse[: board.shape[0], : board.shape[1], None] - 30, 0, 255).astype(np.uint8)
    pitches = [lattice.grid.pitch[0] for found in searches(dithered, CellSizes(10, 64)) for lattice in found]
    assert any(pitch == pytest.approx(35, abs=0.3) for pitch in pitches)


def test_an_outer_line_that_was_bent_is_put_right() -> None:
    """Where all inner lines lie a whole number of pixels apart, the outer lines follow from them."""
    bent = (67.04, 87.25, 107.99, 129.02, 150.02, 171.01, 192.01, 212.98, 234.10, 254.91)
    whole = Grid(bent, tuple(64.0 + 21 * row for row in range(10))).whole()
    assert whole is not None
    assert (whole.xs[0], whole.xs[-1]) == (66, 255)
