"""A board that its window cuts off is told from a whole one."""

from pathlib import Path

import numpy as np
import pytest

from sweepbot.calibrate.seeing.untouched_boards import find_places
from sweepbot.level import Level
from sweepbot.vision.extent import goes_on
from sweepbot.vision.pictures.image import load_image
from tools.drawing.skins import Skin, SkinDesktop
from tools.places import FIXTURES

FRESH = sorted(FIXTURES.glob("*/*fresh*.png"))
SKIN = Skin.of(3)


@pytest.mark.parametrize("seed", range(20))
def test_a_whole_board_is_not_cut_off(seed: int) -> None:
    """Nothing beside a whole drawn board is taken for a further cell."""
    image = SkinDesktop(Skin.of(seed), Level(9, 9, 10)).grab().image
    assert [goes_on(image, place) for place in find_places(image)[:1]] == [[]]


@pytest.mark.parametrize("path", FRESH, ids=[f"{path.parent.name}/{path.stem}" for path in FRESH])
def test_a_whole_board_of_a_real_client_is_not_cut_off(path: Path) -> None:
    """Nothing beside a whole board of a real client is taken for a further cell."""
    image = load_image(path)
    assert not any(goes_on(image, place) for place in find_places(image)[:1])


@pytest.mark.parametrize("side", ["at the left", "at the right", "at the top", "at the bottom"])
def test_the_cut_side_is_named(side: str) -> None:
    """Where an edge runs through cells, the board is cut off on that side and no other."""
    desktop = SkinDesktop(SKIN, Level(12, 12, 10))
    image, area, part = desktop.grab().image.copy(), desktop.area, desktop.skin.pitch // 2
    cut_off = {
        "at the left": np.s_[:, : area.x + part],
        "at the right": np.s_[:, area.right - part :],
        "at the top": np.s_[: area.y + part, :],
        "at the bottom": np.s_[area.bottom - part :, :],
    }
    image[cut_off[side]] = desktop.skin.ground
    assert goes_on(image, find_places(image)[0]) == [side]
