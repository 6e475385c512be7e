"""Records how pictures are read, and compares another version's readings with the record, picture by picture.

    python -m tools.bench.frozen_eyes freeze OUT.json [FOLDER...]
    python -m tools.bench.frozen_eyes compare OLD.json [FOLDER...]

The pictures are the fixtures, some frames of each shipped trace, the torture pictures, the negatives, the drawn skins,
and those in the given folders: NAME.png, with the true board in NAME.txt beside it if it is known.
"""

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.trace.events import Rested
from sweepbot.trace.trace import SeenScreen, Trace, open_trace
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.pictures.image import load_image
from tools.drawing import client_skins, torture
from tools.drawing.negatives import negatives
from tools.places import FIXTURES, TRACES

FRAMES = 3
"""The number of frames per trace, spread over all of it."""

SEEDS = 2
"""Pictures per kind of damage."""

Answer = dict[str, Any]
Case = tuple[Callable[[], Image], list[str] | None]
"""A picture and its board text: empty if it shows no board, None if the truth is unknown."""


def of_fixtures() -> Iterator[tuple[str, Case]]:
    """The screenshots of clients, and the frames of traces."""
    for png in sorted(FIXTURES.glob("*/*.png")):
        yield f"fixture {png.parent.name}/{png.stem}", (partial(load_image, png), _text(png.with_suffix(".txt")))
    for folder in sorted(TRACES.iterdir()):
        for at, image in enumerate(_frames(open_trace(folder))):
            yield f"frame {folder.name} {at}", (partial(_same, image), None)


def _frames(trace: Trace) -> list[Image]:
    """What the screen showed at some of the reads of a trace."""
    seen_screen = SeenScreen(trace)
    shown: list[Image] = []
    for entry in trace.entries():
        seen_screen.show(entry)
        if isinstance(entry, Rested):
            shown.append(seen_screen.part(trace.screen))
    return (
        [shown[at] for at in sorted(set(np.linspace(0, len(shown) - 1, FRAMES, dtype=int).tolist()))] if shown else []
    )


def of_drawings() -> Iterator[tuple[str, Case]]:
    """The pictures that are drawn from seeds."""
    for kind in torture.KINDS:
        for seed in range(SEEDS):
            picture = torture.picture(kind, seed)
            covered = np.where(picture.covered, np.uint8(State.UNKNOWN), picture.board.cells)
            yield f"torture {kind} {seed}", (partial(_same, picture.image), Board(covered).lines())
    for name, image in negatives():
        yield f"negative {name}", (partial(_same, image), [])
    for name, skin in client_skins.SKINS.items():
        states = torture.position(random.Random(0)).cells
        for font in dict.fromkeys(skin.fonts):
            yield f"skin {name} {font}", (partial(_drawn, name, states, font), Board(states).lines())


def of_folder(folder: Path) -> Iterator[tuple[str, Case]]:
    """The pictures in a folder and its subfolders."""
    for png in sorted(folder.rglob("*.png")):
        yield f"{folder.name} {png.relative_to(folder)}", (partial(load_image, png), _text(png.with_suffix(".txt")))


def answer(case: tuple[str, Case]) -> tuple[str, Answer]:
    """How a picture is read."""
    name, (load, truth) = case
    image = load()
    start = time.process_time()
    try:
        reading = boards_of_any_client(image)[0][0]
    except NoBoardFoundError:
        said: Answer = {"client": None, "rows": [], "trusted": False}
    else:
        grid = reading.grid
        lines = [[round(line, 2) for line in (of[0], of[-1])] for of in (grid.xs, grid.ys)]
        problems = reading.problems
        said = {
            "client": reading.client,
            "rows": reading.board.lines(),
            "lines": lines,
            "trusted": not problems,
            "problems": problems,
        }
    return name, said | {"truth": truth, "seconds": round(time.process_time() - start, 3)}


def verdict(said: Answer) -> str:
    """Whether an answer is right, wrong or refused."""
    rows, truth = said["rows"], said["truth"]
    if not said["trusted"]:
        return "not found" if not rows else "refused"
    if truth is None:
        return "trusted"
    if [len(row) for row in rows] != [len(row) for row in truth]:
        return "TRUSTED IN A WRONG SIZE"
    pairs = [pair for of in zip(rows, truth, strict=True) for pair in zip(*of, strict=True)]
    wrong = sum(is_ not in (shown, ".") and shown != "." for is_, shown in pairs)
    unread = sum(is_ == "." != shown for is_, shown in pairs)
    return f"TRUSTED, {wrong} WRONG" if wrong else f"right, {unread} unread" if unread else "right"


def say(*words: object) -> None:
    """Print a line."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def _same(image: Image) -> Image:
    return image


def _drawn(name: str, states: NDArray[np.uint8], font: str) -> Image:
    skin = client_skins.SKINS[name]
    return np.pad(client_skins.draw_board(skin, states, 32.0, font), ((40, 40), (40, 40), (0, 0)), constant_values=230)


def _text(path: Path) -> list[str] | None:
    return [row for row in path.read_text().splitlines() if row.strip()] if path.exists() else None


def main() -> int:
    """Freeze or compare, as given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("freeze", "compare"))
    parser.add_argument("answers", type=Path)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", default="", help="only pictures whose names begin with this")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    cases = [*of_fixtures(), *of_drawings(), *(case for folder in asked.folders for case in of_folder(folder))]
    cases = [case for case in cases if case[0].startswith(asked.only)]
    with multiprocessing.Pool(asked.jobs) as pool:
        answers = dict(pool.imap(answer, cases))
    if asked.what == "freeze":
        asked.answers.write_text(json.dumps(answers, indent=1))
        counts = Counter(verdict(said) for said in answers.values())
        say(f"{len(answers)} pictures", dict(counts))
        return 0
    before: dict[str, Answer] = json.loads(asked.answers.read_text())
    changed = 0
    for name, said in answers.items():
        old = before.get(name)
        if old is None or all(old.get(key) == said.get(key) for key in ("client", "rows", "lines", "trusted")):
            continue
        changed += 1
        say(f"{name}: {verdict(old)} as {old['client']} -> {verdict(said)} as {said['client']}; {said.get('problems')}")
    seconds = [sum(float(of[name]["seconds"]) for name in answers if name in before) for of in (before, answers)]
    say(
        f"{len(answers)} pictures, {changed} otherwise; processor seconds {seconds[0]:.1f} before, {seconds[1]:.1f} now"
    )
    say("before", dict(Counter(verdict(before[name]) for name in answers if name in before)))
    say("now", dict(Counter(verdict(said) for said in answers.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
