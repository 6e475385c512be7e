"""`sweepbot help`: shows the longer documents."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from importlib.resources import files

import click

from sweepbot.errors import UsageError


@click.command()
@click.argument("topic", required=False)
def command(*, topic: str | None) -> None:
    """Read a document; without TOPIC, list them."""
    folder = files("sweepbot") / "docs"
    topics = sorted(file.name.removesuffix(".md") for file in folder.iterdir() if file.name.endswith(".md"))
    if topic is None:
        for name in topics:
            title = (folder / f"{name}.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            click.echo(f"{name}  {title}")
        return
    if topic not in topics:
        raise UsageError(f"there is no document {topic!r}", hint=f"there are: {', '.join(topics)}")
    text = (folder / f"{topic}.md").read_text(encoding="utf-8")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    click.echo_via_pager(text if not width else "\n".join(_wrapped(text, width)))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a document, wrapped to the width of the terminal."""
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        yield from textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False) or [""]
