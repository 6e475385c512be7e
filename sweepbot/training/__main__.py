"""`python -m sweepbot.training`: trains the network of first sight from nothing, on drawn boards alone."""

import time
from pathlib import Path

import click
import torch

from sweepbot.training.kinds import Kinds
from sweepbot.training.measure import measurements
from sweepbot.training.model import Model, export, mix, restored
from sweepbot.training.train import draw, train
from sweepbot.vision.first_sight.network import load

_HELD_BACK_SEED = 10**9  # training seeds stay far below


@click.command()
@click.argument("output", type=click.Path(path_type=Path, file_okay=False))
@click.option("--boards", default=22000, show_default=True, help="How many boards are drawn.")
@click.option("--rounds", default=4.5, show_default=True, help="How often each is seen.")
@click.option("--seed", default=1, show_default=True, help="Of boards, first weights and order.")
@click.option(
    "--from",
    "begun",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Train on from weights in this folder, as after a kind was added; from nothing by default.",
)
@click.option("--without", multiple=True, metavar="KIND", help="Leave out a kind of skin, or a group of kinds.")
@click.option("--workers", default=2, show_default=True, help="Cores to use.")
@click.option("--held-back", default=600, show_default=True, help="How many other boards it is measured on.")
def command(
    *,
    output: Path,
    boards: int,
    rounds: float,
    seed: int,
    begun: Path | None,
    without: tuple[str, ...],
    workers: int,
    held_back: int,
) -> None:
    """Train the network, write its weights into OUTPUT, and print how well it reads drawn boards held back."""
    start = time.monotonic()

    def report(words: str) -> None:
        click.echo(f"{time.monotonic() - start:6.0f} s: {words}", err=True)

    torch.set_num_threads(workers)
    output.mkdir(parents=True, exist_ok=True)
    report(f"{len(Kinds(without).all)} kinds of skins")
    samples = draw(boards, seed * boards, without, workers, report)
    torch.manual_seed(seed)
    model = Model() if begun is None else restored(begun, samples.pictures)
    model = train(model, samples, rounds, seed, report)
    export(model, output)
    if begun is not None:
        mix(output, begun)
    report("written; measuring on boards held back")
    for line in measurements(load(output), draw(held_back, _HELD_BACK_SEED, (), workers, report)):
        click.echo(line)


if __name__ == "__main__":
    command()
