"""The demo's fixtures are what the demo draws."""

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, State
from tools.recording.demo_fixtures import FOLDER, SCENES, play


def truth(name: str) -> Board:
    return Board.parse((FOLDER / f"{name}.txt").read_text(encoding="ascii"))


@pytest.mark.parametrize("name", SCENES)
def test_a_fixture_is_what_the_demo_draws(name: str) -> None:
    """Each fixture's picture and board text are those of its scene, played again."""
    scene = play(name)
    picture = cv2.imread(str(FOLDER / f"{name}.png"))
    assert picture is not None
    assert np.array_equal(picture, scene.desktop.grab().image)
    assert truth(name).lines() == scene.board.lines()


def test_the_fixtures_show_every_state() -> None:
    """Together the fixtures hold every number and every state that a client can show."""
    seen = {code for name in SCENES for code in np.unique(truth(name).cells)}
    assert seen == set(range(State.UNKNOWN))
