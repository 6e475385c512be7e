"""The terminal: results on stdout, messages on stderr, both without markup; and key presses."""

import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import IO, Any, TextIO, TypeVar, cast

import click
import msgspec
import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from sweepbot.cli import GuardedStream, drop
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.strangers import printable

_COLUMN = re.compile(r"(?:.*\S)?  +(?=\S)")
"""What is left of the last column of a line; its gap has two spaces."""


class _Terminal(Console):
    """A terminal that no text but its own can control: what is shown may come from a stranger's file or window."""

    def print(self, *objects: object, **how: Any) -> None:  # noqa: ANN401  (as there)
        """See `Console.print`; a text is `wrapped`, unless `how` says where lines end."""
        is_free = "soft_wrap" not in how
        super().print(*(self.wrapped(it) if is_free and isinstance(it, str) else it for it in objects), **how)

    def wrapped(self, text: str) -> str:
        """Break lines that a terminal has no room for between words, each within its last column; paths stay whole."""
        return "\n".join(map(self._filled, text.split("\n"))) if self.is_terminal else text

    def _filled(self, line: str) -> str:
        column = _COLUMN.match(line[: self.width // 2])
        indent = " " * (0 if column is None else column.end())
        how: Any = {"break_long_words": False, "break_on_hyphens": False}
        has_room = len(line) <= self.width or " " not in line[len(indent) :].strip()
        return line if has_room else textwrap.fill(line, self.width, subsequent_indent=indent, **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """See `Console.render`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def is_attended() -> bool:
    """Whether a person can be asked: there is a terminal to answer on."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _stderr() -> TextIO:
    """Return stderr: rich puts something of its own in its place in live displays."""
    stream: TextIO = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    return stream


@contextmanager
def _until_gone() -> Iterator[None]:
    """Let messages go unheard once nobody can read them: they must not end a game."""
    try:
        yield
    except OSError:  # the terminal was closed, or the pipe's reader has ended
        drop(_stderr())


_PLAIN: Any = {"highlight": False, "markup": False, "emoji": False, "soft_wrap": True}

results = _Terminal(**_PLAIN)
"""For what the command was asked for."""

talk = _Terminal(file=cast("IO[str]", GuardedStream(_stderr, _until_gone)), **_PLAIN)
"""For messages to the person."""

PATH = click.Path(path_type=Path)
"""The type of an option that takes a path."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """Add the option `--json`, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def print_json(value: object, indent: int | None = 2) -> None:
    """Print a value made of dataclasses, lists, numbers, cells and paths as JSON, on one line if `indent` is None.

    It is pure ASCII, so that file names that are not UTF-8 survive: json.loads restores them.
    """
    click.echo(json.dumps(_plain(value), indent=indent, allow_nan=False))


def _plain(value: Any) -> Any:  # noqa: ANN401  (any value, a case for each kind)
    """Return a value as every command prints it: the `cell` of something becomes its `row` and `col`."""
    match value:
        case Cell():
            return {"row": value.row, "col": value.column}
        case np.ndarray():
            known = value.astype(object)
            known[np.isnan(value)] = None
            return known.tolist()
        case dict():
            cell = value.get("cell")
            others = {key: _plain(each) for key, each in value.items() if not isinstance(cell, Cell) or key != "cell"}
            return _plain(cell) | others if isinstance(cell, Cell) else others
        case list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            return _plain({each.name: getattr(value, each.name) for each in fields(value)})
    return msgspec.to_builtins(value, enc_hook=os.fspath)


def print_list(named: Sequence[tuple[str, str]]) -> None:
    """Print names, and beside each what it is: a line each, which on a terminal ends where that does."""
    indent = 2 + max((len(name) for name, _ in named), default=0)
    cut: Any = {"soft_wrap": False, "no_wrap": True, "overflow": "ellipsis"} if results.is_terminal else {}
    for name, text in named:
        results.print(f"{name:<{indent}}{text}", **cut)


def announce(text: str) -> None:
    """Print a message about what is going on, dimmed."""
    talk.print(text, style="dim")


def confirmed(question: str, *, default: bool | None = False) -> bool:
    """Ask a person for a yes or no on stderr; the default is what just Enter means."""
    return click.confirm(printable(talk.wrapped(question)), default=default, err=True)


def pressed_key() -> str:
    """Wait for a key, and return the terminal's characters for it.

    Raises:
        UsageError: There is no terminal.
    """
    try:
        return click.getchar()
    except (OSError, EOFError) as error:
        raise UsageError(f"there is no terminal to answer on: {error}", hint="run this in a terminal") from error
