"""The terminal: results on stdout, messages on stderr, both without markup; and key presses."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO, TypeVar, cast

import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from sweepbot.cli import drop
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.strangers import printable


class _Terminal(Console):
    """A terminal that no text but its own can control: what is shown may come from a stranger's file or window."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """See `Console.render`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


class _Unheard:
    """stderr as long as somebody can read it: a message that nobody reads must not end a game.

    Rich asks for it anew at each use, as it puts something of its own in the place of `sys.stderr` in live displays.
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (any attribute of a stream)
        return getattr(_stderr(), name)

    def write(self, text: str) -> int:
        """Write a text."""
        with _until_gone():
            _stderr().write(text)
        return len(text)

    def flush(self) -> None:
        """Write out what is left."""
        with _until_gone():
            _stderr().flush()


def _stderr() -> TextIO:
    stream: TextIO = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    return stream


@contextmanager
def _until_gone() -> Iterator[None]:
    try:
        yield
    except OSError:  # the terminal was closed, or the pipe's reader has ended
        drop(_stderr())


results = _Terminal(highlight=False, markup=False, soft_wrap=True)
"""For what the command was asked for."""

talk = _Terminal(file=cast("IO[str]", _Unheard()), highlight=False, markup=False, soft_wrap=True)
"""For messages to the person."""

PATH = click.Path(path_type=Path)
"""The type of an option that takes a path."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """Add the option `--json`, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def print_json(value: object) -> None:
    """Print a value made of dataclasses, lists, numbers and paths as indented JSON.

    It is pure ASCII, so that file names that are not UTF-8 survive: json.loads restores them.
    """
    click.echo(json.dumps(msgspec.to_builtins(value, enc_hook=os.fspath), indent=2, allow_nan=False))


def cell_as_json(cell: Cell) -> dict[str, int]:
    """Return a cell as every command prints it."""
    return {"row": cell.row, "col": cell.column}


def announce(text: str) -> None:
    """Print a message about what is going on, dimmed."""
    talk.print(text, style="dim")


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 guess", "2 guesses"."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def pressed_key() -> str:
    """Wait for a key, and return the terminal's characters for it.

    Raises:
        UsageError: There is no terminal.
    """
    try:
        return click.getchar()
    except (OSError, EOFError) as error:
        raise UsageError(f"there is no terminal to answer on: {error}", hint="run this in a terminal") from error
