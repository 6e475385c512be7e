from collections.abc import Iterable

import pytest

from sweepbot.demo.client import Client
from sweepbot.demo.drawing import Smiley
from sweepbot.desktop.mouse import Button
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point

NOWHERE = Point(2, 2)
"""A pixel on the frame."""


class Clock:
    """Time that passes when told to: `now` seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def read(self) -> float:
        return self.now


def client_with(
    mines: Iterable[tuple[int, int]], columns: int = 4, rows: int = 3, clock: Clock | None = None
) -> Client:
    """A client whose every game has its mines at the same (row, column)."""
    cells = [Cell(*mine) for mine in mines]
    return Client(lambda: Game.with_mines(columns, rows, cells), (clock or Clock()).read)


def centre(client: Client, row: int, column: int) -> Point:
    return client.layout.region_of(Cell(row, column)).centre


def click(client: Client, row: int, column: int, button: Button = "left") -> None:
    client.press(centre(client, row, column), button)
    client.release(centre(client, row, column), button)


def face(client: Client) -> Smiley:
    return client.face


def lines(client: Client) -> list[str]:
    return client.game.board.lines()


def test_left_opens_on_release() -> None:
    """The left button opens its cell on release, not on press."""
    client = client_with([(0, 0)])
    client.press(centre(client, 1, 1), "left")
    assert lines(client) == ["####", "####", "####"]
    client.release(centre(client, 1, 1), "left")
    assert lines(client) == ["####", "#1##", "####"]


@pytest.mark.parametrize("buttons", [["left"], ["middle"], ["left", "right"]], ids=["left", "middle", "both"])
def test_a_drag_off_the_cell_does_nothing(buttons: list[Button]) -> None:
    """Releasing the button over another cell or off the board opens nothing; dragged back, it opens the cell."""
    client = client_with([(0, 0)])
    click(client, 1, 1)
    click(client, 0, 0, "right")
    start = centre(client, *((2, 2) if buttons == ["left"] else (1, 1)))
    for end in (centre(client, 1, 2), NOWHERE):
        for button in buttons:
            client.press(start, button)
        client.move(end)
        assert not client.pressed
        for button in buttons:
            client.release(end, button)
        assert lines(client) == ["F###", "#1##", "####"]
    for button in buttons:
        client.press(start, button)
    client.move(NOWHERE)
    client.move(start)
    assert client.pressed
    client.release(start, buttons[0])
    assert lines(client) == ["F100", "1100", "0000"]


def test_a_press_beside_the_board_opens_nothing() -> None:
    """A press that starts beside the board opens nothing, wherever it is released."""
    client = client_with([(0, 0)])
    client.press(NOWHERE, "left")
    client.release(centre(client, 1, 1), "left")
    assert lines(client) == ["####", "####", "####"]


def test_right_cycles_the_marks() -> None:
    """The right button cycles nothing, flag, question mark, on press."""
    client = client_with([(0, 0)])
    for shown in "F?#F":
        client.press(centre(client, 0, 0), "right")
        assert lines(client)[0][0] == shown
        client.release(centre(client, 0, 0), "right")


def test_a_flagged_cell_does_not_open_and_a_questioned_one_does() -> None:
    """A flag protects its cell from the left button; a question mark does not."""
    client = client_with([(0, 0)])
    for _ in range(2):
        click(client, 1, 1, "right")
        click(client, 1, 1)
    assert client.game.board[1, 1] == 1


@pytest.mark.parametrize(
    "buttons", [["middle"], ["left", "right"], ["right", "left"]], ids=["middle", "left first", "right first"]
)
def test_middle_or_both_buttons_chord(buttons: list[Button]) -> None:
    """The middle button, or left and right in either order, opens around a number with its flags set."""
    client = client_with([(0, 0)])
    click(client, 1, 1)
    click(client, 0, 0, "right")
    for button in buttons:
        client.press(centre(client, 1, 1), button)
    assert face(client) is Smiley.OH
    for button in buttons:
        client.release(centre(client, 1, 1), button)
    assert lines(client) == ["F100", "1100", "0000"]
    assert face(client) is Smiley.COOL


def test_the_second_button_of_a_chord_opens_nothing() -> None:
    """After a chord without effect, the button released last does not open its cell."""
    client = client_with([(0, 0)])
    for verb in (client.press, client.release):
        verb(centre(client, 1, 1), "right")
        verb(centre(client, 1, 1), "left")
    click(client, 1, 1, "right")  # the first press marked it
    click(client, 1, 1, "right")
    assert lines(client) == ["####", "####", "####"]


def test_nothing_opens_or_marks_after_the_end() -> None:
    """A finished game takes no more clicks."""
    client = client_with([(0, 0)])
    click(client, 0, 0)
    before = lines(client)
    click(client, 2, 3)
    click(client, 2, 3, "right")
    client.press(centre(client, 2, 3), "left")
    assert face(client) is Smiley.DEAD
    assert not client.pressed
    assert lines(client) == before


def test_the_face_restarts_when_released_on_it() -> None:
    """The face, pressed and released, deals a new game; released elsewhere it does not."""
    client = client_with([(0, 0)])
    button = client.layout.face.centre
    click(client, 1, 1)
    client.press(button, "left")
    assert face(client) is Smiley.PRESSED
    client.move(NOWHERE)
    assert face(client) is Smiley.SMILE
    client.release(NOWHERE, "left")
    assert lines(client)[1] == "#1##"
    client.press(button, "left")
    client.release(button, "left")
    assert lines(client) == ["####", "####", "####"]


def test_f2_restarts_and_other_keys_do_not() -> None:
    """F2 deals a new game at any time; no other key does anything."""
    client = client_with([(0, 0)])
    click(client, 0, 0)
    client.key("enter")
    assert face(client) is Smiley.DEAD
    client.key("f2")
    assert lines(client) == ["####", "####", "####"]
    assert face(client) is Smiley.SMILE
    assert client.seconds == 0


def test_the_clock_runs_from_the_first_opening_to_the_end() -> None:
    """The clock is 0 until a cell opens, then counts from 1 in whole seconds until the game is over."""
    clock = Clock()
    client = client_with([(0, 0)], clock=clock)
    click(client, 0, 0, "right")
    clock.now += 10
    assert client.seconds == 0
    click(client, 1, 1)
    assert client.seconds == 1
    clock.now += 2.5
    assert client.seconds == 3
    click(client, 2, 2)
    clock.now += 100
    assert face(client) is Smiley.COOL
    assert client.seconds == 3


def test_the_clock_stops_at_999() -> None:
    """The clock has three digits and stays at the largest."""
    clock = Clock()
    client = client_with([(0, 0)], clock=clock)
    click(client, 1, 1)
    clock.now += 5000
    assert client.seconds == 999


def test_held_cells_look_sunk_and_the_face_is_amazed() -> None:
    """While the left button is down its cell is pressed; for a chord, its neighbours are too."""
    client = client_with([(0, 0)])
    client.press(centre(client, 0, 0), "left")
    assert set(client.pressed) == {Cell(0, 0)}
    assert face(client) is Smiley.OH
    client.press(centre(client, 0, 0), "right")
    assert set(client.pressed) == {Cell(0, 0), Cell(0, 1), Cell(1, 0), Cell(1, 1)}
    client.move(NOWHERE)
    assert not client.pressed
