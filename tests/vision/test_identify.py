"""Identifying the client of a picture by its look."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reading import Reading
from tests.nightly import by_turns
from tools.places import FIXTURES

LOOKS_LIKE = {"demo": "winxp"}
"""The demo is drawn in the look of another client, which is the likelier one."""


@pytest.mark.parametrize(
    "shot",
    by_turns(sorted(FIXTURES.glob("*/*middle*.png")), one_in=5),
    ids=lambda shot: f"{shot.parent.name}/{shot.stem}",
)
def test_each_client_is_identified(shot: Path) -> None:
    """The best reading of a client's screenshot is the one with its own calibration."""
    client, readings = shot.parent.name, boards_of_any_client(load_image(shot))[0]
    assert readings[0].client == LOOKS_LIKE.get(client, client)
    assert all(0 <= reading.confidence <= 1 for reading in readings)


@pytest.mark.parametrize(
    ("name", "origin", "cell"),
    [("kmines/px36_fresh", (158, 90), (36, 36)), ("gnome-mines/px106_fresh", (123, 90), (106.2, 106.2))],
)
def test_the_lines_of_a_fresh_board_are_those_of_its_look(
    name: str, origin: tuple[float, float], cell: tuple[float, float]
) -> None:
    """A frame beside the outermost cells and gaps between large ones leave the lines where the client drew them."""
    ((reading, *_), *_) = boards_of_any_client(load_image(FIXTURES / f"{name}.png"))
    assert reading.client == name.split("/", maxsplit=1)[0]
    assert reading.grid.origin == pytest.approx(origin, abs=0.5)
    assert reading.grid.pitch == pytest.approx(cell, abs=0.1)


def trusted(image: Image) -> Reading | None:
    """The best reading of a picture, if it is trusted."""
    try:
        reading = boards_of_any_client(image)[0][0]
    except NoBoardFoundError:
        return None
    return None if reading.problems else reading


def read_right(image: Image, fixture: Path) -> str | None:
    """Assert that a changed picture of a fixture is read right or not trusted; return the client it is read as."""
    if (reading := trusted(image)) is None:
        return None
    cells, truth = reading.board.cells, Board.parse(fixture.with_suffix(".txt").read_text(encoding="utf-8")).cells
    assert cells.shape == truth.shape
    assert (cells[cells != truth] == State.UNKNOWN).all()
    return reading.client


def test_a_likelier_client_that_reads_nothing_is_passed_over() -> None:
    """A board whose cells differ by a pixel is read whole though another client looks likelier at first."""
    ((reading, *_), *_) = boards_of_any_client(load_image(FIXTURES / "gnome-mines" / "dark978_big_fresh.png"))
    assert (reading.client, reading.grid.columns, reading.grid.rows) == ("gnome-mines", 30, 16)
    assert not reading.problems


def _scaled(factor: float, interpolation: int) -> Callable[[Image], Image]:
    """Scale a picture as image viewers, browsers and editors do."""
    return lambda image: np.asarray(
        cv2.resize(image, None, fx=factor, fy=factor, interpolation=interpolation), np.uint8
    )


def _coloured(*gains: float, haze: float = 0) -> Callable[[Image], Image]:
    """Multiply blue, green and red, then add `haze` to all."""
    return lambda image: np.clip(image * np.array(gains) + haze, 0, 255).astype(np.uint8)


def _as_gif(image: Image) -> Image:
    """Dither to the palette of a GIF, as its encoders do."""
    picture = Pillow.fromarray(image[..., ::-1]).quantize(64, dither=Pillow.Dither.FLOYDSTEINBERG)
    return np.ascontiguousarray(np.asarray(picture.convert("RGB"), dtype=np.uint8)[..., ::-1])


CHANGES: dict[str, tuple[Callable[[Image], Image], ...]] = {
    "75%": (_scaled(0.75, cv2.INTER_AREA),),
    "75%, bilinear": (_scaled(0.75, cv2.INTER_LINEAR),),
    "126%": (_scaled(1.26, cv2.INTER_LINEAR),),
    "126%, bicubic": (_scaled(1.26, cv2.INTER_CUBIC),),
    "126%, GIF": (_scaled(1.26, cv2.INTER_LINEAR), _as_gif),
    "GIF": (_as_gif,),
    "tinted": (_coloured(0.6, 0.85, 1.0),),
    "tinted blue": (_coloured(1.0, 0.85, 0.7),),
    "dimmed": (_coloured(0.45, 0.45, 0.45),),
    "washed out": (_coloured(0.75, 0.75, 0.75, haze=30),),
    "126%, tinted": (_scaled(1.26, cv2.INTER_LINEAR), _coloured(0.6, 0.85, 1.0)),
    "126%, dimmed": (_scaled(1.26, cv2.INTER_LINEAR), _coloured(0.45, 0.45, 0.45)),
    "75%, dimmed": (_scaled(0.75, cv2.INTER_AREA), _coloured(0.45, 0.45, 0.45)),
}


@pytest.mark.parametrize(
    ("scene", "change"),
    by_turns(["beginner_middle", "expert_flags", "beginner_lost", "beginner_fresh"], CHANGES, one_in=11),
)
def test_changed_pictures_keep_their_client(scene: str, change: str) -> None:
    """A changed picture of Windows XP's look is read right as that client's, or not trusted."""
    picture = FIXTURES / "demo" / f"{scene}.png"
    image = load_image(picture)
    for step in CHANGES[change]:
        image = step(image)
    assert read_right(image, picture) in ("winxp", "demo", None)


@pytest.mark.parametrize(
    "picture", by_turns(sorted((FIXTURES / "kmines").glob("gr*.png")), one_in=4), ids=lambda path: path.stem
)
def test_themes_that_no_network_knows_are_not_misread(picture: Path) -> None:
    """Boards of KMines' green and graveyard, of 14 to 63 px a cell, are not found, or no cell of them is misread."""
    read_right(load_image(picture), picture)


@pytest.mark.parametrize(("side", "shades"), by_turns([14, 18, 23, 40, 77], [(80, 180), (0, 255), (60, 80)], one_in=7))
def test_a_chequerboard_is_not_a_board(shades: tuple[int, int], side: int) -> None:
    """Squares in two alternating shades are not a fresh board with half of its cells unread."""
    squares = (np.indices((700, 900)) // side).sum(axis=0) % 2
    image = np.repeat(np.array(shades, dtype=np.uint8)[squares][..., None], 3, axis=2)
    try:
        boards = boards_of_any_client(image)
    except NoBoardFoundError:
        return
    assert all(reading.problems for board in boards for reading in board)
