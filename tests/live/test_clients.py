"""A game against each client whose cells come in any size, played by the command line."""

from pathlib import Path

import pytest

from sweepbot.vision.calibration import find_calibration
from tests.live.clients import CLIENTS
from tests.live.conftest import need
from tests.live.display import Display
from tests.live.test_play import Bot

pytestmark = pytest.mark.live


@pytest.mark.parametrize("client", ["gnome-mines", "kmines", "sgt-mines"])
def test_a_game_is_played_to_its_end(display: Display, tmp_path: Path, client: str) -> None:
    """A beginner's game of a client that is told by its look ends won or lost, and no cell of it is misread."""
    need(*CLIENTS[client].needs)
    level = find_calibration(client).levels["beginner"]
    with CLIENTS[client].start(display, level):
        report = Bot(display, tmp_path).play("--level", "beginner")
    (game,) = report["games"]
    assert game["result"] in ("won", "lost")
    assert game["misreads"] == 0
