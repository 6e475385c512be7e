"""What is learned of an unknown client while it is learned: a live picture in the terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.place import Image

_WIDTH, _LINES = 8, 4  # characters; each shows two blocks, one above the other


@contextmanager
def live_picture(console: Console) -> Iterator[Callable[[Sequence[Label]], None]]:
    """Show labels as they come, until the block is left; nothing where no person looks on."""
    if not console.is_terminal:
        yield lambda _: None
        return
    with Live(console=console, auto_refresh=False) as live:
        yield lambda labels: live.update(table_of(labels), refresh=True)


def table_of(labels: Sequence[Label]) -> Table:
    """A cell of each state, its name, and why it is believed."""
    table = Table("cell", "state", "why", box=None, padding=(0, 2, 1, 0))
    for label in labels:
        table.add_row(blocks(label.pictures[0]), label.state, label.why)
    return table


def blocks(picture: Image) -> Text:
    """A cell, uint8 of shape (height, width, 3), as half blocks of colour."""
    rows = [round((row + 0.5) * picture.shape[0] / (2 * _LINES) - 0.5) for row in range(2 * _LINES)]
    columns = [round((column + 0.5) * picture.shape[1] / _WIDTH - 0.5) for column in range(_WIDTH)]
    text = Text()
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        for column in columns:
            text.append("▀", f"{_rgb(picture, upper, column)} on {_rgb(picture, lower, column)}")
        text.append("\n")
    text.rstrip()
    return text


def _rgb(picture: Image, row: int, column: int) -> str:
    blue, green, red = picture[row, column].tolist()
    return f"rgb({red},{green},{blue})"
