"""What a game showed that a client has recorded itself, in a file that ms-toollib (extra `videos`) reads.

Minesweeper Arbiter writes `.avf`, Metasweeper `.evf`, Vienna Minesweeper `.rmv` and Minesweeper Clone `.mvf`. They
have every press with its time. On a damaged file ms-toollib ends its whole process and writes `crash.log` into the
working directory, so it runs in a process and a folder of its own.
"""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory

from sweepbot.board import Board
from sweepbot.errors import SweepbotError
from sweepbot.extras import load
from sweepbot.strangers import read_file

_READERS = {".avf": "AvfVideo", ".evf": "EvfVideo", ".mvf": "MvfVideo", ".rmv": "RmvVideo"}
_MAX_BYTES = 20_000_000  # of a replay: games of an hour have some hundred thousand
_CHARACTERS = {number: str(number) for number in range(9)} | {
    10: "#",
    11: "F",
    14: "W",
    15: "X",
    16: "*",
    18: "0",  # a zero, or a cell that is pressed
    20: "?",
}
"""Board text for ms-toollib's numbers of what a cell shows; anything else is left unread."""


def is_video(path: Path) -> bool:
    """Whether a file's name is that of a client's replay."""
    return path.suffix.lower() in _READERS


def moments_in_video(file: Path) -> list[tuple[Board, int, float]]:
    """Return the board after each press that changed something, the clicks so far, and the time in seconds.

    Raises:
        SweepbotError: ms-toollib is not installed, or cannot read the file.
    """
    load("ms_toollib", "videos")
    spawn = multiprocessing.get_context("spawn")
    data = read_file(file, _MAX_BYTES)
    try:
        with TemporaryDirectory() as scratch, ProcessPoolExecutor(1, spawn, os.chdir, (scratch,)) as pool:
            copy = Path(scratch, f"game{file.suffix.lower()}")
            copy.write_bytes(data)
            mines, moments = pool.submit(_moments, copy).result()
    except (BrokenProcessPool, RuntimeError) as cause:
        raise SweepbotError(f"{file}: cannot be read as a recorded game", hint="record it again") from cause
    return [(Board.parse(text, mines), clicks, at_s) for text, clicks, at_s in moments]


def _moments(file: Path) -> tuple[int, list[tuple[str, int, float]]]:
    """Return the number of mines, and each state of the board: its text, the clicks so far, and the time in seconds."""
    video = getattr(load("ms_toollib", "videos"), _READERS[file.suffix.lower()])(str(file))
    video.parse()
    video.analyse()
    moments, last = [], None
    for event in video.events:
        shown, pressed = event.next_game_board, event.key_dynamic_params
        if shown is not None and shown.game_board != last:
            last = shown.game_board
            text = "\n".join("".join(_CHARACTERS.get(code, ".") for code in row) for row in last)
            moments.append((text, pressed.left + pressed.right + pressed.double, event.time))
    return video.mine_num, moments
