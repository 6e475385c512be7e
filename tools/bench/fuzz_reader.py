"""Fuzzes the reader with damaged, huge and random pictures for a given time.

    python -m tools.bench.fuzz_reader --minutes 10

Every picture must be read, or refused with a SweepbotError, within `LIMIT_S` and `MAX_MIB`.
"""

import argparse
import random
import resource
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from sweepbot.errors import ImageError, NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.strangers import MAX_AREA_PX
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.pictures.image import load_image
from tools.damage import bytes_changed
from tools.places import FIXTURES

LIMIT_S = 120.0
"""Of CPU time; the largest pictures take up to about eighty."""

MAX_MIB = 1024

PICTURES = sorted(FIXTURES.glob("*/*.png"))
SUFFIXES = (".png", ".jpg", ".bmp", ".webp", ".gif")


def _fixture(rng: random.Random) -> Image:
    return load_image(rng.choice(PICTURES))


def _encoded(image: Image, rng: random.Random) -> bytes:
    return bytes(cv2.imencode(rng.choice(SUFFIXES), image)[1])


def damaged(rng: random.Random) -> bytes:
    """A file with bytes changed, moved, repeated or missing."""
    return bytes_changed(_encoded(_fixture(rng), rng), rng)


def garbage(rng: random.Random) -> bytes:
    """Random bytes after the beginning of a picture."""
    starts = (b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"BM", b"RIFF\0\0\0\0WEBPVP8 ")
    return rng.choice(starts) + rng.randbytes(rng.randrange(4000))


def boastful(rng: random.Random) -> bytes:
    """A PNG whose header gives another size than its pixels have."""
    data = bytearray(cv2.imencode(".png", _fixture(rng))[1])
    data[16:24] = struct.pack(">II", *(rng.choice((0, 1, 7, 2000, 20_000, 2**31 - 1)) for _ in range(2)))
    return bytes(data)


def huge(rng: random.Random) -> bytes:
    """A picture of the largest size allowed, of one colour or striped."""
    width = rng.choice((4000, 7000, 10_000, 16_000))
    image = np.zeros((MAX_AREA_PX // width, width, 3), np.uint8)
    step = rng.choice((1, 16, 40))
    image[::step] = image[:, ::step] = rng.randrange(256)
    return bytes(cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1])


def chance(rng: random.Random) -> bytes:
    """A picture of any size with noise, blocks or a small repeated pattern."""
    height, width = (rng.choice((1, 2, 9, 64, 300, 1100)) + rng.randrange(40) for _ in range(2))
    numbers = np.random.default_rng(rng.randrange(2**32))
    side = rng.choice((1, 8, 16, 24, 37))
    image = numbers.integers(0, 256, (height // side + 1, width // side + 1, 3)).astype(np.uint8)
    if rng.random() < 0.5:
        image = np.tile(image[:side, :side], (side, side, 1))
    else:
        image = np.repeat(np.repeat(image, side, axis=0), side, axis=1)
    return _encoded(np.ascontiguousarray(image[:height, :width]), rng)


def cut_up(rng: random.Random) -> bytes:
    """Parts of a recorded screen, rearranged, stretched and shifted."""
    image = _fixture(rng)
    for _ in range(rng.randrange(1, 5)):
        image = np.roll(image, rng.randrange(-60, 60), axis=rng.randrange(2))
        height, width = image.shape[:2]
        top, left = rng.randrange(height), rng.randrange(width)
        part = image[top : top + rng.randrange(1, 200), left : left + rng.randrange(1, 200)]
        size = rng.randrange(1, 500), rng.randrange(1, 500)
        patch = np.asarray(cv2.resize(part, size), np.uint8)[:height, :width]
        image = image.copy()
        image[: patch.shape[0], : patch.shape[1]] = patch
    return _encoded(image, rng)


KINDS: tuple[Callable[[random.Random], bytes], ...] = (damaged, garbage, boastful, chance, cut_up)
_HUGE_EVERY = 50
"""One in this many pictures is huge: those take a hundred times as long as others."""


def main() -> int:
    """Read picture after picture until the time is up."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.fuzz_reader", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fuzzed")
        while time.monotonic() < end:
            number = outcomes.total()
            make = huge if number % _HUGE_EVERY == _HUGE_EVERY - 1 else rng.choice(KINDS)
            path.write_bytes(make(rng))
            start = time.process_time()
            try:
                boards_of_any_client(load_image(path))[0][0]
            except (ImageError, NoBoardFoundError) as error:
                outcomes[type(error).__name__] += 1
            else:
                outcomes["read"] += 1
            slowest = max(slowest, time.process_time() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    print(f"{outcomes.total()} pictures: {told}; the slowest {slowest:.1f} s, at most {memory} MiB")
    return int(slowest > LIMIT_S or memory > MAX_MIB)


if __name__ == "__main__":
    sys.exit(main())
