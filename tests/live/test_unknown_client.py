"""Real clients of which nobody has told anything: played at first sight, remembered, and known from then on."""

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from sweepbot.level import Level
from tests.live.clients import CLIENTS, other
from tests.live.conftest import need
from tests.live.display import Display, Window
from tests.live.runs import expect_games, sweepbot
from tests.nightly import by_turns

pytestmark = pytest.mark.live


def play(display: Display, home: Path, *words: str) -> tuple[dict[str, Any], str]:
    """Play two games as the client NEW, which must succeed; return the report and the messages."""
    folders = {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    words = ("play", "--client", "new", "--games", "2", "--no-countdown", "--json", *words)
    done = sweepbot(display.environment | folders, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def demo(display: Display) -> AbstractContextManager[Window]:
    return other(display, [sys.executable, "-m", "sweepbot.demo"], "sweepbot demo")


def sgt_mines(display: Display) -> AbstractContextManager[Window]:
    need("sgt-mines")
    return CLIENTS["sgt-mines"].start(display, Level.parse("beginner"))


@pytest.mark.parametrize("client", by_turns([sgt_mines, demo]))
def test_a_new_client_is_played_remembered_and_played_again(display: Display, tmp_path: Path, client: Any) -> None:  # noqa: ANN401  (either)
    """Under a new name a client is played without its calibration, and with the one that is written then."""
    with client(display):
        report, said = play(display, tmp_path)
        expect_games(report, 2)
        assert "a Minesweeper that I do not know" in said
        assert "remembered of new" in said.replace("\n", " ")
        report, said = play(display, tmp_path)
    expect_games(report, 2)
    assert "that I do not know" not in said
