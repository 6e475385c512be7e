"""For tests of your own client: check that sweepbot reads it."""

from pathlib import Path

from sweepbot.board import Board
from sweepbot.geometry import Image
from sweepbot.programs import read


def assert_reads(source: str | Path | Image, board: Board | str, client: str | None = None) -> None:
    """Assert that a picture is read as a board and the reading is trusted; the message shows what differs.

    Args:
        source: A screenshot, as `sweepbot.read` takes it.
        board: What it shows, as a `Board` or as board text. Its mines are compared if it has any.
        client: The name of a calibration, or the path of its folder; by default all known ones are tried.

    Raises:
        AssertionError: It is read differently, or not trusted.
        NoBoardFoundError: It shows no board.
    """
    expected = Board.parse(board) if isinstance(board, str) else board
    reading = read(source, client)
    read_lines, lines = reading.board.lines(), expected.lines()
    if read_lines != lines:
        same_size = reading.board.cells.shape == expected.cells.shape
        differ = [cell for cell in expected if reading.board[cell] != expected[cell]] if same_size else []
        where = f" at {differ[0]}" + (f" and {len(differ) - 1} more" if len(differ) > 1 else "") if differ else ""
        shown = "\n".join(["read:", *read_lines, "expected:", *lines])
        raise AssertionError(f"read as {reading.client}, it differs{where}\n{shown}")
    if reading.problems:
        raise AssertionError(f"read as {reading.client}, but not trusted: {'; '.join(reading.problems)}")
    if expected.mines is not None and reading.board.mines != expected.mines:
        raise AssertionError(f"read with {reading.board.mines} mines, not {expected.mines}")
