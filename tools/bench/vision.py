"""Measures the speed of vision, as ratios to one template match over the frame: `python -m tools.bench.vision`."""

import random
import statistics
import time
from collections.abc import Callable

import cv2
import numpy as np

from sweepbot.board import State
from sweepbot.demo.drawing import Smiley, draw
from sweepbot.game import Game
from sweepbot.geometry import Image
from sweepbot.level import LEVELS, FirstClick
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from tools.drawing.demo import draw_cell


def median_ms(work: Callable[[], object], times: int) -> float:
    work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def desktop(board: Image, size: tuple[int, int], scale: float) -> Image:
    """A board among lines of text."""
    chance = np.random.default_rng(1)
    image = np.full((size[1], size[0], 3), (90, 60, 30), dtype=np.uint8)
    for y in range(20, size[1], 18):
        line = "".join(chr(code) for code in chance.integers(97, 123, size[0] // 12))
        cv2.putText(image, line, (5, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (230, 230, 230), 1)
    window = cv2.resize(board, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    image[300 : 300 + window.shape[0], 500 : 500 + window.shape[1]] = window
    return image


def main() -> None:
    """Reading a known grid must take less than one template match over its frame, a search for it less than a few."""
    cv2.setNumThreads(1)
    game = Game(LEVELS["expert"], FirstClick.OPEN, random.Random(3))
    game.open(next(iter(game.board)))
    before = draw(game.board, 99, 0, Smiley.SMILE)
    first = game.board.cells
    for cell in game.board:
        if cell not in game.mines and (game.board.cells != first).sum() < 10:
            game.open(cell)
    now = draw(game.board, 99, 1, Smiley.SMILE)
    reader = Reader(find_calibration("demo"))
    place = reader.read(before)
    stranger = Reader(UNKNOWN_CLIENT)
    seen = stranger.read(before)
    pattern = draw_cell(State.HIDDEN)
    ratios = {}
    rows: list[tuple[str, Image, Callable[[], object], int]] = [
        ("whole 30x16 board, grid known", now, lambda: reader.read_at(now, place), 200),
        ("the same at first sight", now, lambda: stranger.read_at(now, seen), 20),
        ("whole window at first sight", now, lambda: stranger.read(now), 5),
    ]
    on_desktop = desktop(now, (1920, 1080), 1.0)
    moved = np.roll(on_desktop, (37, -211), (0, 1))
    known = reader.read(on_desktop)
    rows.append(("moved, on 1920x1080", moved, lambda: reader.read_moved(moved, known), 5))
    for name, size, scale in (
        ("find on 1920x1080 at 100%", (1920, 1080), 1.0),
        ("find on 1920x1080 at 150%", (1920, 1080), 1.5),
        ("find on 3840x2160 at 200%", (3840, 2160), 2.0),
    ):
        image = desktop(now, size, scale)
        rows.append((name, image, lambda image=image: reader.read(image), 5))  # type: ignore[misc]
        any_client = name.replace("find", "any client")
        rows.append((any_client, image, lambda image=image: boards_of_any_client(image), 3))  # type: ignore[misc]
        at_sight = name.replace("find", "first sight")
        rows.append((at_sight, image, lambda image=image: stranger.read(image), 3))  # type: ignore[misc]
    for name, image, work, times in rows:
        taken = median_ms(work, times)
        match = median_ms(lambda image=image: cv2.matchTemplate(image, pattern, cv2.TM_SQDIFF), 5)  # type: ignore[misc]
        ratios[name] = taken / match
        print(f"\n{name:32} {taken:8.2f} ms, {ratios[name]:6.3f} of a template match ({match:.1f} ms)", end="")
    assert ratios["whole 30x16 board, grid known"] < 1
    assert ratios["moved, on 1920x1080"] < 1
    assert max(ratio for name, ratio in ratios.items() if name.startswith(("moved", "find"))) < 5


if __name__ == "__main__":
    main()
