"""`sweepbot help`: the longer documents."""

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
        raise UsageError(f"no document is called {topic!r}", hint=f"there are: {', '.join(topics)}")
    click.echo_via_pager((folder / f"{topic}.md").read_text(encoding="utf-8"))
