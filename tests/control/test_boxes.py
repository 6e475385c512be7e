"""The message box that ends a game: found and closed by its own button, in learning and in play."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Phase, State
from sweepbot.calibrate.writing.write import write
from sweepbot.control.widgets.boxes import find_box_buttons
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from tests.learning import learn, looks, mislabelled
from tests.nightly import at_night
from tests.playing import Bot
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, part
from tools.drawing.trap_clients import Kind, TrapDesktop


class BoxDesktop(SkinDesktop):
    """A client that asks in a box whether to play again, and takes no other click meanwhile.

    Args:
        skin: The look and behaviour.
        keys: Whether Enter accepts and Escape refuses; otherwise there are only buttons.
        again: Whether accepting begins a new game; otherwise it closes the box, and F2 begins one.
    """

    def __init__(self, skin: Skin, *, keys: bool = False, again: bool = True) -> None:
        self._keys, self._again = keys, again
        self._asks, self.refused = False, 0
        super().__init__(skin, Level.parse("9x9/10"))
        middle = self.area.centre
        self.box = Region(middle.x - 90, middle.y - 50, 180, 100)
        self.buttons = Region(middle.x - 60, middle.y + 10, 50, 26), Region(middle.x - 5, middle.y + 10, 50, 26)
        self.ends: list[str] = []

    def draw_over(self, whole: Image) -> None:
        if self._asks:
            fill(whole, self.box.grown(1), (120, 60, 10))
            fill(whole, self.box, 225)
            whole[self.box.y + 14 : self.box.y + 26, self.box.x + 20 : self.box.right - 20 : 4] = 0
            for button in self.buttons:
                draw_button(whole, button)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if not self._asks:
            super().click(at, button, hold_s)
            if self.game.over and not self._asks:
                self.ends.append("won" if self.game.phase is Phase.WON else "lost")
            self._asks = self.game.over
            return
        self.move(at)
        if at in self.buttons[0]:
            self._accept()
        elif at in self.buttons[1]:
            self.refused += 1

    def press(self, key: str) -> None:
        self.pressed.append(key)
        if not self._asks:
            super().press(key)
        elif self._keys and key == "enter":
            self._accept()
        elif self._keys and key == "esc":
            self.refused += 1

    def _accept(self) -> None:
        self._asks = False
        if self._again:
            self._deal()


def skin() -> Skin:
    """A skin that shows its mines, and numbers larger than any line of a box."""
    return replace(Skin.of(12), face=False)


@pytest.mark.parametrize(("keys", "again"), [(False, True), *at_night((True, True), (False, False))])
def test_a_client_that_asks_in_a_box_is_learned_and_played(*, keys: bool, again: bool, tmp_path: Path) -> None:
    """The button or key that accepts is learned and used in play; the one that refuses is never used."""
    desktop = BoxDesktop(skin(), keys=keys, again=again)
    learned = learn(desktop, 6)
    assert learned.stuck is None
    assert not desktop.refused
    assert all(dialog.clicks for dialog in learned.behaviour.dialogs)
    assert looks(learned).keys() >= {"0", "1", "2"}
    assert mislabelled(desktop, learned) == []

    calibration = write(learned, tmp_path / "boxes", "boxes", force=False)
    assert calibration.behaviour.dialogs
    settings = PlaySettings(games=4, mines=10)
    player = Bot(desktop, desktop, calibration, tmp_path / "evidence", settings=settings)
    player.play(4)
    assert [game.result for game in player.results] == desktop.ends[-4:]
    assert sum(game.misreads for game in player.results) == 0
    assert not desktop.refused


def test_a_cover_without_a_button_is_not_clicked() -> None:
    """A cover without a button gets no click."""
    desktop = BoxDesktop(skin())
    before = desktop.grab().image
    after = before.copy()
    assert find_box_buttons(after, before, desktop.area) == []
    fill(after, desktop.box, 225)
    assert find_box_buttons(after, before, desktop.area) == []


def test_buttons_that_stand_close_together_are_two() -> None:
    """The lowest row of a box is given from left to right, without the gap between two buttons."""
    before = np.full((400, 500, 3), 60, dtype=np.uint8)
    before[::20] = before[:, ::20] = 200
    after = before.copy()
    after[100:220, 150:400] = 225
    after[120:132, 180:360:4] = 0
    buttons = [Region(200, 180, 48, 25), Region(254, 180, 48, 25)]
    for button in buttons:
        draw_button(after, button)
    found = find_box_buttons(after, before, Region(0, 0, 500, 400))
    assert len(found) == 2
    assert all(there.centre in button for there, button in zip(found, buttons, strict=True))


def test_a_larger_client_window_is_not_a_box() -> None:
    """A client's own window that has grown gets no click at its bottom."""
    before = np.full((400, 500, 3), 60, dtype=np.uint8)
    after = before.copy()
    after[40:380, 100:420] = 225
    after[80:300:20, 140:380] = after[80:300, 140:380:20] = 90
    draw_button(after, Region(200, 340, 80, 25))
    assert find_box_buttons(after, before, Region(140, 80, 240, 220)) == []
    assert find_box_buttons(after, before, Region(98, 80, 282, 220)) == []  # it has moved a little


def test_a_panel_that_moved_is_not_a_box() -> None:
    """A panel that a longer text has pushed aside gets no click."""
    before = np.full((400, 500, 3), 60, dtype=np.uint8)
    before[40:80, 100:340] = 140
    draw_button(before, Region(200, 48, 80, 25))
    after = np.roll(before, 12, axis=1)
    assert find_box_buttons(after, before, Region(100, 90, 240, 220)) == []


def test_a_clock_at_the_rim_of_a_board_is_not_a_box() -> None:
    """What overlaps only a few pixels of the board is beside it; a window that is dimmed behind it makes it a box."""
    before = np.full((400, 500, 3), 60, dtype=np.uint8)
    after = before.copy()
    after[40:104, 100:340] = 225
    after[50:60, 120:300:4] = 0
    draw_button(after, Region(200, 70, 80, 25))
    board = Region(100, 100, 240, 220)
    assert find_box_buttons(after, before, board) == []
    assert len(find_box_buttons(after, before, board, may_be_beside=True)) == 1


class FocusDesktop(BoxDesktop):
    """Tints the selected hidden cell once keys are used, and frames the open cell that was clicked last."""

    def draw_over(self, whole: Image) -> None:
        super().draw_over(whole)
        clicked = self.cell_at(self.clicks[-1]) if self.clicks and not self._asks else None
        if clicked is not None:
            cell = part(whole, self.pixels(clicked))
            if self.shown()[clicked] <= 8:
                cell[5, 5:-5] = cell[-6, 5:-5] = cell[5:-5, 5] = cell[5:-5, -6] = (200, 150, 100)
            elif self.pressed and self.shown()[clicked] == State.HIDDEN:
                cell[:] = np.clip(cell.astype(np.int16) + 9, 0, 255).astype(np.uint8)


def test_the_keyboards_selection_is_not_a_state() -> None:
    """Neither a frame around the last click nor a tint on a hidden cell ends a game or is learned as a state."""
    desktop = FocusDesktop(skin(), keys=True)
    learned = learn(desktop, 6)
    assert learned.stuck is None
    labels = looks(learned)
    assert labels.keys() >= {"0", "1"}
    hidden = desktop.skin.cell(State.HIDDEN, Cell(0, 0), 9).astype(np.int16)
    for state in labels.keys() - {"hidden"}:
        for picture in labels[state]:
            assert np.abs(picture.astype(np.int16) - hidden).max() > 9, state
    assert mislabelled(desktop, learned, "mine", "flag") == []


def test_parts_of_a_box_are_not_numbers() -> None:
    """Where a first click hits a mine that is not shown, the box that comes up is not read as an opening."""
    desktop = TrapDesktop(Kind.of(32))
    learned = learn(desktop, 3)
    assert mislabelled(desktop, learned) == []
    assert desktop.harm == []
