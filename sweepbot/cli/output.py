"""The terminal: results on stdout, talk on stderr, both as they are with no markup; and the keys that are pressed."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
import msgspec
from rich.console import Console

from sweepbot.errors import UsageError

results = Console(highlight=False, markup=False, soft_wrap=True)
"""What the command was asked for."""

talk = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
"""What a person may like to know meanwhile."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """The option `--json`, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def print_json(value: object) -> None:
    """Print a value made of dataclasses, lists and numbers as indented JSON.

    Only ASCII is written, so that names of files that are no UTF-8 come through: json.loads gives them back.
    """
    click.echo(json.dumps(msgspec.to_builtins(value), indent=2, allow_nan=False))


def announce(text: str) -> None:
    """Say why a person has to wait."""
    talk.print(text, style="dim")


def counted(count: int, one: str, several: str = "") -> str:
    """A number with the noun that goes with it: "1 guess", "2 guesses"."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def fits(scores: Mapping[str, float]) -> str:
    """Which clients a board may be of, given their scores in [0, 1], the best first."""
    return "fits best: " + ", ".join(f"{client} {score:.1%}" for client, score in scores.items())


def pressed_key() -> str:
    """Wait for a key, and return what the terminal says for it.

    Raises:
        UsageError: There is no terminal to press it on.
    """
    try:
        return click.getchar()
    except (OSError, EOFError) as error:
        raise UsageError(f"there is no terminal to answer on: {error}", hint="run this in a terminal") from error
