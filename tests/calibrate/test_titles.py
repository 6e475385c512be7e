"""Titles of a learned client's window: the constant part is written, so that `play` can find the window."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sweepbot.calibrate.beliefs.titles import lasting_title
from sweepbot.calibrate.writing.write import write
from sweepbot.level import Level
from tests.learning import learn
from tests.standins.fake_windows import CLIENT, FakeWindows
from tools.drawing.skins import Skin, SkinDesktop


@pytest.mark.parametrize(
    ("titles", "lasting"),
    [
        (["Mines"], "Mines"),
        (["Minesweeper - 0:00", "Minesweeper - 0:12", "Minesweeper - won"], "Minesweeper"),
        (["easy.board - Mine Field", "other.board - Mine Field"], "Mine Field"),
        (["Minesweeper 9x9, 10 mines left"], "Minesweeper"),
        (["xd\ufffdmineur"], "mineur"),
        (["00:01", "00:02"], ""),
        (["Mine", "Game over"], ""),
        ([""], ""),
        ([], ""),
    ],
)
def test_the_common_words_of_titles_are_kept(titles: Sequence[str], lasting: str) -> None:
    """Words that all titles share, in order, but none with digits and no weak ones."""
    assert lasting_title(titles) == lasting


class Named(FakeWindows):
    """A window whose title shows the time."""

    def title(self, window: int) -> str:
        self.asked += 1
        return f"Lawn - {self.asked // 60}:{self.asked % 60:02}" if window == CLIENT else ""


def test_a_learned_calibration_names_its_window(tmp_path: Path) -> None:
    """Of a title that shows the time the rest is written."""
    desktop = SkinDesktop(Skin.of(3), Level(9, 9, 10))
    learned = learn(desktop, 4, windows=Named(desktop))
    assert write(learned, tmp_path / "lawn", "a lawn", force=False).titles == ("Lawn",)


def test_where_no_windows_are_known_no_title_is_written() -> None:
    """Without window information no title is written."""
    assert learn(SkinDesktop(Skin.of(3), Level(9, 9, 10)), 2).titles == ()
