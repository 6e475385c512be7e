"""Learning a board that its window cuts off: noticed, and learned in a larger window."""

from pathlib import Path

import pytest

from sweepbot.calibrate.seeing.followed import followed
from sweepbot.calibrate.seeing.untouched_boards import find_places
from sweepbot.desktop.desk import Desk
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Region
from sweepbot.level import Level
from sweepbot.sessions.learn import board_in_view
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import LearnSettings
from sweepbot.vision.extent import goes_on
from sweepbot.vision.pictures.image import load_image
from tests.fake_windows import FakeWindows
from tests.skins import Skin, SkinDesktop

FIXTURES = Path(__file__).parent.parent / "fixtures"
FRESH = sorted(FIXTURES.glob("*/*fresh*.png"))
SKIN = Skin.of(4)
ANYWHERE = LearnSettings(max_games=1)


class CutDesktop(SkinDesktop):
    """A client whose window shows the left part of its board until it is large enough."""

    def __init__(self, level: Level) -> None:
        super().__init__(SKIN, level)
        seen = 7 * SKIN.pitch + SKIN.pitch // 2
        self.window = Region(self.area.x - 20, self.area.y - 80, 20 + seen + 10, self.area.height + 100)

    def draw_over(self, whole: Image) -> None:
        whole[:, self.window.right - 10 : self.window.right] = self.skin.ground
        whole[:, self.window.right :] = 40


class ResizableWindows(FakeWindows):
    """A window that can be resized."""

    def place(self, window: int, region: Region) -> None:
        super().place(window, region)
        self._desktop.window = region


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
    image, area, part = desktop.grab().image, desktop.area, desktop.skin.pitch // 2
    ground = desktop.skin.ground
    match side:
        case "at the left":
            image[:, : area.x + part] = ground
        case "at the right":
            image[:, area.right - part :] = ground
        case "at the top":
            image[: area.y + part] = ground
        case _:
            image[area.bottom - part :] = ground
    assert goes_on(image, find_places(image)[0]) == [side]


def test_a_partly_open_board_is_found_whole() -> None:
    """Where a game starts with open cells, the rest of the board is found from its hidden part."""
    image = load_image(FIXTURES / "xdemineur" / "started_in_part.png")
    (part,) = find_places(image)
    assert goes_on(image, part) == ["at the left"]
    whole = followed(image, part)
    assert (whole.columns, whole.rows) == (12, 10)
    assert not goes_on(image, whole)


def test_a_board_that_is_cut_off_is_learned_in_a_larger_window() -> None:
    """The window is enlarged until the whole board is visible, and put back at the end."""
    desktop = CutDesktop(Level(16, 9, 10))
    before = desktop.window
    with board_in_view(Recording(Desk(desktop, desktop, ResizableWindows(desktop))), ANYWHERE) as board:
        assert (board.columns, board.rows) == (16, 9)
        assert desktop.window.width > before.width
    assert desktop.window == before


def test_a_board_that_stays_cut_off_is_not_learned() -> None:
    """Where the window cannot grow nothing is clicked, and the error names the side and a remedy."""
    desktop = CutDesktop(Level(16, 9, 10))
    with (
        pytest.raises(NoBoardFoundError, match="cut off at the right") as refusal,
        board_in_view(Recording(Desk(desktop, desktop, FakeWindows(desktop))), ANYWHERE),
    ):
        pass
    assert "enlarge its window" in refusal.value.hint
    assert not desktop.clicks
