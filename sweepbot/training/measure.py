"""How well a network reads drawn boards that it was not trained on."""

from collections.abc import Iterator

import numpy as np

from sweepbot.board import CHARACTERS
from sweepbot.training.train import Samples
from sweepbot.vision.first_sight.network import STATES, Network

_SURE = 0.99


def measurements(network: Network, samples: Samples) -> Iterator[str]:
    """Yield lines of text: all cells, each state, the edges of boards, and how much a certain answer is worth."""
    confusion = np.zeros((STATES, STATES), dtype=np.int64)
    sure = sure_right = 0
    for picture, labels in zip(samples.pictures, samples.labels, strict=True):
        chances = network.judge(picture).reshape(-1, STATES)
        said = chances.argmax(1)
        np.add.at(confusion, (labels.ravel(), said), 1)
        certain = chances.max(1) >= _SURE
        sure += int(certain.sum())
        sure_right += int((said == labels.ravel())[certain].sum())
    yield f"{len(samples.pictures)} boards held back: {np.trace(confusion) / confusion.sum():.2%} of cells right"
    share, worth = sure / confusion.sum(), sure_right / max(1, sure)
    yield f"said with {_SURE:.0%} and more: {share:.1%} of cells, {worth:.3%} of them right"
    for state in range(STATES):
        row = confusion[state]
        others = [other for other in np.argsort(-row)[:4] if other != state and row[other]]
        taken = ", ".join(f"{row[other]} for {CHARACTERS[other]}" for other in others[:3])
        yield f"  {CHARACTERS[state]}  {row[state] / max(1, row.sum()):7.2%} of {row.sum()}; taken: {taken or 'none'}"
