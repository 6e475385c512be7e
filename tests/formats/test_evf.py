"""Games of traces as `.evf` files, read by ms-toollib, which Metasweeper itself uses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sweepbot.trace.entries import Click
from sweepbot.trace.events import Ended, Read
from sweepbot.trace.trace import open_trace
from tests.commands import Command
from tests.nightly import by_turns
from tools.places import TRACES

toollib = pytest.importorskip("ms_toollib", reason="ms-toollib, of the extra [videos], is not installed")

WHOLE = ["demo-won", "demo-lost", "gnome-mines-won", "kmines-won", "sgt-mines-won", "winemine-dialogs", "winemine-lost"]
"""Traces of games whose ends show all mines."""


def watched(file: Path) -> tuple[Any, Sequence[Any]]:
    """A file as ms-toollib plays it, and its presses and releases."""
    video = toollib.EvfVideo(str(file))
    video.parse()
    video.analyse()
    return video, video.events


@pytest.mark.parametrize("name", by_turns(WHOLE))
def test_a_game_of_a_trace_is_the_same_in_metasweepers_file(name: str, tmp_path: Path, sweepbot: Command) -> None:
    """Its clicks, played by ms-toollib, open in the same time what the client showed at the end."""
    assert sweepbot("replay", TRACES / name, "--evf", tmp_path).err == f"written: {tmp_path}\n"
    entries = list(open_trace(TRACES / name).entries())
    rows, ended = [""], list[tuple[Ended, list[str]]]()
    for entry in entries:
        if isinstance(entry, Read):
            rows = entry.rows
        elif isinstance(entry, Ended):
            ended.append((entry, entry.board or rows))
    clicks_s = [entry.t / 1e6 for entry in entries if isinstance(entry, Click)]
    for game, last in ended:
        video, events = watched(tmp_path / f"game-{game.number}.evf")
        shown = events[-1].next_game_board.game_board
        opened = ["".join(str(cell) if cell <= 8 else "#" for cell in row) for row in shown]
        assert opened == ["".join(cell if cell.isdigit() else "#" for cell in row) for row in last]
        made = events[-1].key_dynamic_params
        assert made.left + made.right + made.double == game.clicks
        assert video.is_completed == (game.result == "won")
        assert game.three_bv in (None, video.bbbv)  # older traces do not tell it
        assert events[-1].time <= clicks_s[-1] - clicks_s[0] + 0.002


def test_a_run_without_a_whole_game_says_so(tmp_path: Path, sweepbot: Command) -> None:
    """A client that does not show all mines after a loss gives an error and no file."""
    sweepbot("replay", TRACES / "sgt-mines-lost", "--evf", tmp_path / "films").says(1, "until all its mines were shown")
    assert not (tmp_path / "films").exists()
