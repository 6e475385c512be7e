"""What is learned of an unknown client while it is learned: a live picture in the terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sweepbot.calibrate.learned import Label
from sweepbot.geometry import Image

_WIDTH, _LINES = 8, 4  # characters; each shows two blocks, one above the other
_ROOM = 40  # characters for a cell and the words beside it
_GAP = 2


@contextmanager
def live_picture(console: Console) -> Iterator[Callable[[Sequence[Label]], None]]:
    """Show labels as they come, until the block is left; nothing where no person looks on."""
    if not console.is_terminal:
        yield lambda _: None
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda labels: live.update(table_of(labels, console.width), refresh=True)


def table_of(labels: Sequence[Label], width: int) -> Table:
    """A cell of each state, its name, and why it is believed: as many side by side as `width` characters hold."""
    abreast = max(1, width // _ROOM)
    table = Table(box=None, show_header=False, padding=(0, _GAP, 1, 0))
    for _ in range(abreast):
        table.add_column(width=_WIDTH)
        table.add_column(width=width // abreast - _WIDTH - 2 * _GAP)
    for start in range(0, len(labels), abreast):
        row = labels[start : start + abreast]
        words = (Text.assemble((label.state, "bold"), f"\n{label.why}") for label in row)
        pictures = (blocks(label.pictures[0]) for label in row)
        table.add_row(*(part for pair in zip(pictures, words, strict=True) for part in pair))
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
