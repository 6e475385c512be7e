"""Reads pictures of other people's clients at first sight, and counts how many are read whole.

    python -m tools.bench.public_pictures FOLDER

`public_pictures.tsv` names the pictures, each by its repository on GitHub, the commit and the path, and says what its
board shows, as it was told by eye before anything had read it. They are not ours to ship: FOLDER/OWNER/NAME/PATH is
where each is looked for, as `git clone` into FOLDER/OWNER leaves it.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.eyes import eyes
from sweepbot.vision.pictures.image import load_image

_LIST = Path(__file__).with_suffix(".tsv")
_MAX_UNREAD_SHARE = 0.02  # of a board's cells, for it to count as read whole


def verdict(picture: Path, truth: Board) -> str:
    """Say in a word or two how a picture is read: what counts is the board named first."""
    try:
        read, *_ = eyes("unknown")(load_image(picture))[0]
    except NoBoardFoundError:
        return "no board found"
    if read.doubts:
        return "not trusted"
    if read.board.cells.shape != truth.cells.shape:
        return "of another size"
    is_told = truth.cells != State.UNKNOWN  # the others are covered
    is_unread = (read.board.cells == State.UNKNOWN) & is_told
    if ((read.board.cells != truth.cells) & is_told & ~is_unread).any():
        return "a wrong cell"
    return "whole" if is_unread.mean() <= _MAX_UNREAD_SHARE else "in part"


def main() -> int:
    """Read all pictures that are there, and print how each was read, and how many of each kind there are."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.public_pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    table, counts = Table("repository", "picture", "read"), Counter[str]()
    for row in _LIST.read_text(encoding="utf-8").splitlines():
        repository, commit, path, board = row.split("\t")
        picture = folder / repository / path
        read = verdict(picture, Board.parse(board.replace("/", "\n"))) if picture.exists() else f"missing: at {commit}"
        table.add_row(repository, path, read)
        counts[read.partition(":")[0]] += 1
    Console().print(table, ", ".join(f"{count} {read}" for read, count in counts.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
