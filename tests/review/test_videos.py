"""Reviews of games that other clients recorded; the files are written by ms-toollib."""

from pathlib import Path
from typing import Any

import pytest

from sweepbot.board import Board
from sweepbot.errors import SweepbotError
from sweepbot.formats.videos import moments_in_video
from sweepbot.geometry import Cell
from sweepbot.review import Moment, review_games
from tests.commands import Command
from tools.recording.reviewed import played

toollib = pytest.importorskip("ms_toollib", reason="ms-toollib, of the extra [videos], is not installed")

Video = Any
"""What ms-toollib, which has no types, writes down of a game."""

_SIDE = 16  # pixels of a cell in the recording


def press(video: Video, cell: Cell, button: str) -> None:
    """Press and release a button in the middle of a cell."""
    for what in (f"{button}c", f"{button}r"):
        video.step(what, (cell.row * _SIDE + _SIDE // 2, cell.column * _SIDE + _SIDE // 2))


def recorded(board: Board, mines: frozenset[Cell]) -> Video:
    """A recording of a board with these mines and no clicks yet."""
    layout = [[-1 if (row, column) in mines else 0 for column in range(board.columns)] for row in range(board.rows)]
    return toollib.BaseVideo(toollib.cal_board_numbers(layout), _SIDE)


def saved(video: Video, file: Path) -> Path:
    """The recording as a file."""
    video.software, video.player_identifier, video.race_identifier = "test", "nobody", ""
    video.unique_identifier, video.country, video.device_uuid = "", "", []
    video.generate_evf_v4_raw_data()
    file.write_bytes(bytes(video.raw_data))
    return file


@pytest.mark.parametrize("seed", range(100, 106))
def test_blunders_of_a_recorded_game_are_found(seed: int, tmp_path: Path) -> None:
    """The mistakes in a recording are the planted ones, and its clicks are counted, flags included."""
    story = played("beginner", seed)
    video = recorded(story.game.board, frozenset(story.game.mines))
    marked = min(story.game.mines - {*story.opened}, default=None)
    for number, cell in enumerate(story.opened):
        press(video, cell, "l")
        if number == 0 and marked is not None and len(story.opened) > 1:
            press(video, marked, "r")
            press(video, marked, "r")
    file = saved(video, tmp_path / "game.evf")
    positions = [Moment(*moment) for moment in moments_in_video(file)]
    (review,) = review_games(positions)
    assert {graded.cell: graded.grade for graded in review.mistakes} == story.blunders
    assert positions[-1].board.mines == len(story.game.mines)
    assert positions[-1].clicks == len(story.opened) + 2 * (marked is not None and len(story.opened) > 1)


def test_the_command_reads_a_recording(tmp_path: Path, sweepbot: Command) -> None:
    """`sweepbot review GAME.evf` reports how the game ended."""
    story = played("beginner", 101)
    video = recorded(story.game.board, frozenset(story.game.mines))
    for cell in story.opened:
        press(video, cell, "l")
    (game,) = sweepbot("review", saved(video, tmp_path / "game.evf"), "--json").json["games"]
    assert game["result"] == story.game.phase.value


@pytest.mark.parametrize("content", [b"\x05no recording" * 5, b"\x04\xff\xfe" * 40])
def test_a_damaged_recording_is_an_error_that_names_it(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that crashes ms-toollib is an error that names it, and leaves nothing beside it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "broken.evf"
    file.write_bytes(content)
    with pytest.raises(SweepbotError, match=r"broken\.evf: cannot be read"):
        moments_in_video(file)
    assert list(tmp_path.iterdir()) == [file]
