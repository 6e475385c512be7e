"""Keys that a person presses."""

import click

from sweepbot.errors import UsageError


def pressed_key() -> str:
    """Wait for a key, and return what the terminal says for it.

    Raises:
        UsageError: There is no terminal to press it on.
    """
    try:
        return click.getchar()
    except (OSError, EOFError) as error:
        raise UsageError(f"there is no terminal to answer on: {error}", hint="run this in a terminal") from error
