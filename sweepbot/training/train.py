"""Training: drawn boards -> weights."""

import copy
import multiprocessing
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.training.kinds import Kinds
from sweepbot.training.model import Model
from sweepbot.training.positions import States
from sweepbot.training.samples import sample
from sweepbot.vision.first_sight.network import STATES, prepare

_PEAK_RATE = 3e-3
_WARM_STEPS = 60
_FALLING_SHARE = 0.6  # of the training, in which the rate falls
_MIN_RATE_SHARE = 0.02
_BATCH = 16
_DECAY = 0.998  # of the mean of weights that is kept in the end
_SMOOTHING = 0.01  # of labels: some drawn cells cannot be told
_JUDGEMENTS_COUNT = 0.3, 0.4, 1.0  # for so much in the loss, the last for the most
_BALANCED_BOARDS = 800  # on which it is counted how often each state occurs
_BALANCE_PASSES = 5  # after which states are said as often as they occur, to a few per cent
_MAX_GRADIENT = 5.0  # its norm: what is heard makes it large now and then

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Drawn samples.

    Attributes:
        pictures: Each uint8 of shape (height, width, 3).
        labels: What their cells show, each of shape (rows, columns).
    """

    pictures: list[Image]
    labels: list[States]


def draw(count: int, first_seed: int, without: Collection[str], workers: int, report: Report) -> Samples:
    """Draw samples in several processes; the same seeds give the same ones, whatever their number."""
    drawn: list[tuple[Image, States]] = []
    with multiprocessing.get_context("spawn").Pool(workers, _one_thread) as pool:
        seeds = range(first_seed, first_seed + count)
        for one in pool.imap(partial(sample, kinds=Kinds(without)), seeds, chunksize=20):
            drawn.append(one)
            if len(drawn) % 2000 == 0:
                report(f"{len(drawn)} of {count} boards drawn")
    pictures, labels = zip(*drawn, strict=True)
    return Samples(list(pictures), list(labels))


def _one_thread() -> None:
    cv2.setNumThreads(1)


def train(model: Model, samples: Samples, rounds: float, seed: int, report: Report) -> Model:
    """Train a network, and return the mean of what it was while it was trained.

    Args:
        model: A new one, or one that was trained before; changed in place.
        samples: What it is trained on.
        rounds: How often each of them is seen.
        seed: Of the order, and of changes of colour.
        report: Told how it goes.
    """
    chance = np.random.default_rng(seed)
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    mean = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=_PEAK_RATE, weight_decay=0.01)
    count = len(samples.pictures)
    steps = int(rounds * count / _BATCH)
    order = np.concatenate([chance.permutation(count) for _ in range(int(np.ceil(rounds)) + 1)])
    right, losses = [], []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = _PEAK_RATE * _rate(step, steps)
        chosen = order[step * _BATCH : (step + 1) * _BATCH]
        pictures = np.stack([prepare(_recoloured(samples.pictures[index], chance)) for index in chosen])
        truth = torch.from_numpy(np.stack([samples.labels[index].ravel() for index in chosen]).astype(np.int64))
        judgements = model(torch.from_numpy(pictures).to(memory_format=torch.channels_last))
        weights = torch.from_numpy(np.stack([_weights(samples.labels[index]) for index in chosen]))
        loss = torch.stack([_loss(one, truth, weights) for one in judgements]) @ torch.tensor(_JUDGEMENTS_COUNT)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), _MAX_GRADIENT)
        optimizer.step()
        _average(mean, model, min(_DECAY, step / (step + 10)))
        losses.append(loss.item())
        right.append((judgements[-1].argmax(2) == truth).float().mean().item())
        if (step + 1) % 100 == 0:
            report(f"step {step + 1} of {steps}: loss {np.mean(losses[-100:]):.3f}, right {np.mean(right[-100:]):.2%}")
    _balance(mean, samples)
    return mean


def _balance(model: Model, samples: Samples) -> None:
    """Have a model say each state as often as it occurs on boards: in the loss rare ones count for more.

    Only the last bias is changed, between the states of a board's cells; hidden cells keep theirs.
    """
    model.eval()
    count = min(_BALANCED_BOARDS, len(samples.pictures))
    for _ in range(_BALANCE_PASSES):
        said, occurring = torch.ones(STATES - 1), torch.ones(STATES - 1)
        for start in range(0, count, _BATCH):
            boards = slice(start, min(count, start + _BATCH))
            pictures = torch.from_numpy(np.stack([prepare(picture) for picture in samples.pictures[boards]]))
            truth = torch.from_numpy(np.stack([labels.ravel() for labels in samples.labels[boards]]).astype(np.int64))
            inside = truth < STATES - 1
            with torch.no_grad():
                chances = torch.softmax(model(pictures)[-1][..., :-1], 2)
            said += chances[inside].sum(0)
            occurring += torch.bincount(truth[inside], minlength=STATES - 1)
        change = torch.log(occurring / said)
        with torch.no_grad():
            model.last.bias[:-1] += change - change[State.HIDDEN]


def _rate(step: int, steps: int) -> float:
    """Return the rate of learning as a share of its peak: it rises at once, and falls in the end."""
    left = (steps - step) / (steps * _FALLING_SHARE)
    return min(1.0, (step + 1) / _WARM_STEPS) * max(_MIN_RATE_SHARE, min(1.0, left))


def _loss(logits: torch.Tensor, truth: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    losses = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), truth.flatten(), reduction="none", label_smoothing=_SMOOTHING
    )
    return (losses * weights.flatten()).sum() / len(truth)


def _weights(labels: States) -> NDArray[np.float32]:
    """Return what each cell counts for: half of all for cells alike, half for the states of a board alike."""
    counts = np.bincount(labels.ravel(), minlength=STATES)
    of_state = 1 / np.maximum(counts, 1) / (counts > 0).sum()
    return np.asarray(0.5 / labels.size + 0.5 * of_state[labels.ravel()], dtype=np.float32)


def _recoloured(picture: Image, chance: np.random.Generator) -> Image:
    """Return a sample in other colours and in another light, since it is seen more than once."""
    if chance.random() < 0.3:
        return picture
    changed = picture[..., chance.permutation(3)].astype(np.float32)
    if chance.random() < 0.12:
        changed = 255 - changed
    gain = chance.uniform(0.6, 1.05, 3 if chance.random() < 0.4 else 1)
    return np.clip(changed * gain + chance.uniform(-20, 25), 0, 255).astype(np.uint8)


def _average(mean: Model, model: Model, decay: float) -> None:
    """Move the mean of weights a little towards a model's, in place."""
    with torch.no_grad():
        for kept, new in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
            if kept.dtype.is_floating_point:
                kept.mul_(decay).add_(new, alpha=1 - decay)
            else:
                kept.copy_(new)
