"""Pictures with several boards: the best is read, the others are named, and `--region` chooses."""

from pathlib import Path

import numpy as np
import pytest

from sweepbot.render.files import save_image
from sweepbot.sessions.recognised import target_client
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.pictures.image import load_image
from tests.commands import Command
from tools.places import FIXTURES

SIDE_BY_SIDE = ("demo/beginner_middle", "xdemineur/expert_flags", "winemine/beginner_flags", "demo/intermediate_middle")


def rows(name: str) -> list[str]:
    return (FIXTURES / f"{name}.txt").read_text().split()


@pytest.fixture
def desktop(tmp_path: Path) -> Path:
    """Four windows of three clients side by side, as wide as two monitors; the left one is partly off the screen."""
    images = [load_image(FIXTURES / f"{name}.png") for name in SIDE_BY_SIDE]
    height = max(image.shape[0] for image in images)
    padded = [np.pad(image, ((0, height - image.shape[0]), (0, 90), (0, 0))) for image in images]
    save_image(np.hstack(padded)[:, 90:], tmp_path / "desktop.png")
    return tmp_path / "desktop.png"


def test_the_largest_is_read_and_the_others_are_named(desktop: Path, sweepbot: Command) -> None:
    """Without --client every board is named with its client and the region that selects it."""
    best = sweepbot("read", desktop, "--json").json[0]
    assert (best["client"], best["rows"]) == ("xdemineur", rows("xdemineur/expert_flags"))
    others = {(other["client"], other["size"]) for other in best["others"]}
    assert others == {("winxp", "9x9"), ("winemine", "9x9"), ("winxp", "16x16")}
    for other in best["others"]:
        chosen = sweepbot("read", desktop, "--region", other["region"], "--json").json[0]
        assert (chosen["client"], chosen["others"]) == (other["client"], [])
        assert chosen["origin"] == pytest.approx(other["origin"], abs=0.1)
        assert f"{chosen['cols']}x{len(chosen['rows'])}" == other["size"]
        assert chosen["rows"] in [rows(name) for name in SIDE_BY_SIDE]


def test_of_one_client_only_its_boards_are_named(desktop: Path, sweepbot: Command) -> None:
    """With --client, other clients' boards are ignored."""
    best = sweepbot("read", desktop, "--client", "winemine", "--json").json[0]
    assert (best["rows"], best["others"]) == (rows("winemine/beginner_flags"), [])


def test_a_region_outside_the_picture_is_refused(desktop: Path, sweepbot: Command) -> None:
    """A region must lie inside the picture, and the message gives its size."""
    sweepbot("read", desktop, "--region", "300x300+90000+0").says(2, "is not inside")


def test_other_boards_are_reported_before_playing(desktop: Path) -> None:
    """Where the screen shows several boards and no client was named, the choice is reported."""
    settings, said = PlaySettings(games=1), list[str]()
    target = target_client(None, settings, lambda calibration, _: (calibration, settings), said.append)
    reading = target.read(load_image(desktop))
    assert target.settled(reading)[0].name == reading.client == "xdemineur"
    assert "there are 4 boards on the screen" in "\n".join(said)
