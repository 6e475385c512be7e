"""Broken pictures and odd sizes give a reading or one of our errors, never a traceback."""

import random
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.errors import ImageError, NoBoardFoundError
from sweepbot.strangers import picture
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tools.drawing import torture


def encoded(suffix: str, image: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(suffix, image)[1])


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(find_calibration("demo"))


@pytest.mark.parametrize("size", [(1, 1), (1, 5000), (5000, 1), (7, 7), (16, 64), (65, 66), (3000, 40), (40, 3000)])
def test_tiny_pictures_hold_no_board(reader: Reader, size: tuple[int, int]) -> None:
    """Pictures too small for a board, or a single pixel high, hold none."""
    noise = np.random.default_rng(0).integers(0, 256, (*size, 3)).astype(np.uint8)
    for image in (noise, np.zeros_like(noise)):
        with pytest.raises(NoBoardFoundError):
            reader.read(image)


def test_a_cropped_board_is_no_error(reader: Reader) -> None:
    """However a picture is cropped, the reader answers, and what it reads of whole cells is right."""
    rng = random.Random(2)
    picture = torture.picture("common scale", 4)
    height, width = picture.image.shape[:2]
    for _ in range(12):
        top, left = rng.randrange(height - 40), rng.randrange(width - 40)
        bottom, right = rng.randrange(top + 30, height), rng.randrange(left + 30, width)
        part = np.ascontiguousarray(picture.image[top:bottom, left:right])
        try:
            reading = reader.read(part)
        except NoBoardFoundError:
            continue
        column, row = (
            round((here + cut - there) / picture.pitch)
            for here, cut, there in zip(reading.grid.origin, (left, top), picture.origin, strict=True)
        )
        whole = np.pad(picture.board.cells, 6, constant_values=255)
        truth = whole[row + 6 : row + 6 + reading.grid.rows, column + 6 : column + 6 + reading.grid.columns]
        known = (reading.board.cells != 15) & (truth != 255)
        assert np.array_equal(reading.board.cells[known], truth[known])


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".gif", ".bmp", ".webp"])
def test_a_header_gives_the_size_of_a_picture(tmp_path: Path, suffix: str) -> None:
    """The size is read from a file's header; a truncated header is no picture."""
    image = np.random.default_rng(0).integers(0, 256, (37, 301, 3)).astype(np.uint8)
    data = encoded(suffix, image)
    path = tmp_path / f"picture{suffix}"
    path.write_bytes(data)
    stated: list[tuple[int, int]] = []
    assert picture(data, path.name, lambda *size: stated.append(size)).shape == image.shape
    assert stated == [(301, 37)]
    path.write_bytes(data[:9])
    with pytest.raises(ImageError, match="is no picture"):
        load_image(path)


@pytest.mark.parametrize("side", [6_000, 12_000, 60_000])
def test_a_decompression_bomb_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: int) -> None:
    """A tiny file that claims an enormous size never reaches the decoder."""
    monkeypatch.setattr("cv2.imdecode", None)
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = [header, b"IDAT" + bytes(80)]
    packed = [struct.pack(">I", len(of) - 4) + of + struct.pack(">I", zlib.crc32(of)) for of in chunks]
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(packed))
    with pytest.raises(ImageError, match=r"pixels are too many|is too large"):
        load_image(tmp_path / "bomb.png")
