"""`sweepbot help`: shows the longer documents."""

from importlib.resources import files

import click

from sweepbot.cli.output import print_list, results
from sweepbot.errors import UsageError


@click.command()
@click.argument("topic", required=False)
def command(*, topic: str | None) -> None:
    """Read a document; without TOPIC, list them."""
    folder = files("sweepbot") / "docs"
    topics = sorted(file.name.removesuffix(".md") for file in folder.iterdir() if file.name.endswith(".md"))
    if topic is None:
        titles = [(folder / f"{name}.md").read_text(encoding="utf-8").partition("\n")[0] for name in topics]
        print_list([(name, title.lstrip("# ")) for name, title in zip(topics, titles, strict=True)])
        return
    if topic not in topics:
        raise UsageError(f"there is no document {topic!r}", hint=f"there are: {', '.join(topics)}")
    text = (folder / f"{topic}.md").read_text(encoding="utf-8")
    if results.is_terminal:
        from rich.markdown import Markdown  # noqa: PLC0415  (late: nothing else needs it)

        with results.capture() as rendered:
            results.print(Markdown(text), soft_wrap=False)
        text = rendered.get()
    click.echo_via_pager(text)
