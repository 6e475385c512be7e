"""The network of first sight as PyTorch trains it; `vision/first_sight/network.py` says how it works, and runs it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import (
    COLOUR_PARTS,
    FEW_CELLS,
    HEADS,
    HEARD,
    JUDGEMENTS,
    KEY,
    MIN_OUTSIDE,
    NEIGHBOURS,
    STATES,
    TONE,
    prepare,
)
from sweepbot.vision.pictures.board import CELL_PX

_EYE = 24, 40, 64, 104  # channels after each convolution
_SMALL, _AROUND, _KIND, _HIDDEN = 32, 48, 32, 96
_SEEN = _EYE[-1] + 3 * COLOUR_PARTS**2
_CELL = _SEEN + _AROUND
_KEPT_SHARE = 0.3  # of the weights that a training began with
_NORMED_BOARDS = 64  # on which the means and deviations of an eye's channels are taken again


def _block(taken: int, given: int, kernel: int, stride: int, padding: int) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, kernel, stride, padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


class Model(nn.Module):
    """Prepared lattices (boards, 4, height, width) -> logits of each judgement, each (boards, cells, STATES)."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = _EYE
        # 24 pixels -> 12 -> 6 -> 6 -> 3 -> 1; each cell also sees 7 pixels of those around it.
        self.eye = nn.Sequential(
            _block(4, a, 4, 2, 1), _block(a, b, 4, 2, 1), _block(b, c, 3, 1, 1), nn.MaxPool2d(2), _block(c, d, 3, 3, 0)
        )
        self.small, self.around = nn.Linear(_SEEN, _SMALL), nn.Linear(9 * _SMALL, _AROUND)
        self.gate, self.tone, self.kind = nn.Linear(_CELL, HEADS), nn.Linear(_CELL, TONE), nn.Linear(_CELL, _KIND)
        self.key = nn.Linear(_CELL, KEY)
        self.own = nn.Linear(_CELL + HEADS * TONE, _HIDDEN)
        self.heard = nn.Linear(HEARD, _HIDDEN, bias=False)
        self.board = nn.Linear(HEADS * TONE + _KIND + STATES, _HIDDEN, bias=False)
        self.middle, self.last = nn.Linear(_HIDDEN, _HIDDEN), nn.Linear(_HIDDEN + _SEEN, STATES)

    def forward(self, lattices: Tensor) -> list[Tensor]:
        """Judge several times, in the context of the cells that are not outside the board."""
        own = self.eye(lattices)
        means = nn.functional.avg_pool2d(lattices[:, :3], CELL_PX // COLOUR_PARTS)
        seen = torch.cat([own, nn.functional.pixel_unshuffle(means, COLOUR_PARTS)], 1).permute(0, 2, 3, 1)
        around = torch.relu(self.around(torch.cat(_beside(torch.relu(self.small(seen))), 3)))
        shape = seen.shape[:3]
        seen, cells = (part.flatten(1, 2) for part in (seen, torch.cat([seen, around], 3)))
        gate, tone, kind, alike = self.gate(cells), self.tone(cells), torch.relu(self.kind(cells)), self._alike(cells)
        says = torch.zeros(*cells.shape[:2], STATES)
        heard, inside = torch.zeros(*cells.shape[:2], HEARD), torch.ones(*cells.shape[:2], 1)
        judgements: list[Tensor] = []
        for judgement in range(JUDGEMENTS):
            if judgement:
                heard = _hear(says, tone, alike, shape)
                inside = 1 - says.detach()[..., -1:] + MIN_OUTSIDE
            pooled = torch.softmax(gate + torch.log(inside), 1).transpose(1, 2) @ tone
            differ = (tone[:, :, None] - pooled[:, None]).abs().flatten(2)
            kinds = (kind * inside).sum(1) / inside.sum(1)
            board = self.board(torch.cat([pooled.flatten(1), kinds, says.mean(1)], 1))[:, None]
            hidden = torch.relu(self.own(torch.cat([cells, differ], 2)) + board + self.heard(heard))
            judgements.append(self.last(torch.cat([torch.relu(self.middle(hidden)), seen], 2)))
            says = torch.softmax(judgements[-1], 2)
        return judgements

    def _alike(self, cells: Tensor) -> Tensor:
        keys = self.key(cells)
        squares = keys.pow(2).sum(2)
        apart = squares[:, :, None] + squares[:, None] - 2 * keys @ keys.transpose(1, 2)
        return torch.softmax(-apart.clamp(min=0), 2)


def _beside(cells: Tensor) -> list[Tensor]:
    """Return, for cells of shape (boards, rows, columns, values), those of the nine places around and at each."""
    rows, columns = cells.shape[1:3]
    padded = nn.functional.pad(cells, (0, 0, 1, 1, 1, 1))
    return [padded[:, r : r + rows, c : c + columns] for r in range(3) for c in range(3)]


def _hear(says: Tensor, tone: Tensor, alike: Tensor, shape: torch.Size) -> Tensor:
    beside = torch.stack(_beside(says.view(*shape, STATES))).sum(0).flatten(1, 2)
    counted = says.transpose(1, 2)
    means = counted @ tone / (counted.sum(2, keepdim=True) + FEW_CELLS)
    off = (tone[:, :, None] - means[:, None]).abs().mean(3)
    return torch.cat([says, (beside - says) / NEIGHBOURS, alike @ says, off], 2)


def export(model: Model, folder: Path) -> None:
    """Write a model as `vision/first_sight` reads it: `eye.onnx` and `judge.npz`."""
    model.eval()
    picture = torch.zeros(1, 4, 3 * CELL_PX, 3 * CELL_PX)
    axes = {"lattice": {2: "height", 3: "width"}, "cells": {2: "rows", 3: "columns"}}
    torch.onnx.export(
        model.eye,
        (picture,),
        folder / "eye.onnx",
        input_names=["lattice"],
        output_names=["cells"],
        dynamic_axes=axes,
        dynamo=False,
    )
    weights = {name: value.numpy() for name, value in model.state_dict().items() if not name.startswith("eye.")}
    np.savez(folder / "judge.npz", **weights)


def restored(folder: Path, pictures: Sequence[Image]) -> Model:
    """Return the model that was exported into a folder, to be trained on.

    Args:
        folder: Where `eye.onnx` and `judge.npz` are.
        pictures: Samples; the export has no channel's mean and deviation, so they are measured on the first of these.
    """
    model = Model()
    with np.load(folder / "judge.npz") as judge:
        model.load_state_dict({name: torch.from_numpy(judge[name]) for name in judge.files}, strict=False)
    convolutions = iter(_convolutions(onnx.load(folder / "eye.onnx")))
    values = torch.from_numpy(np.stack([prepare(picture) for picture in pictures[:_NORMED_BOARDS]]))
    with torch.no_grad():
        for part in model.eye.eval():
            if isinstance(part, nn.Sequential):
                weight, bias = (torch.from_numpy(onnx.numpy_helper.to_array(of).copy()) for of in next(convolutions))
                part[0].load_state_dict({"weight": weight})
                variance, mean = torch.var_mean(part[0](values), (0, 2, 3))
                # So normalised values, scaled and moved, are again what they were, plus the bias that was folded in.
                norm = {"running_mean": mean, "running_var": variance, "weight": variance.sqrt(), "bias": bias + mean}
                part[1].load_state_dict(norm, strict=False)
            values = part(values)
    return model.train()


def mix(folder: Path, begun: Path) -> None:
    """Mix exported weights, in place, with those that their training began with.

    The mean of both reads real screens better than either, if no hump of the loss is between them (Wortsman et al.,
    "Robust fine-tuning of zero-shot models", 2021).
    """
    eyes = [onnx.load(of / "eye.onnx") for of in (folder, begun)]
    for new, old in zip(*map(_convolutions, eyes), strict=True):
        for part, other in zip(new, old, strict=True):
            values = _mixed(*(onnx.numpy_helper.to_array(of) for of in (part, other)))
            part.CopyFrom(onnx.numpy_helper.from_array(values, part.name))
    onnx.save(eyes[0], folder / "eye.onnx")
    with np.load(folder / "judge.npz") as new, np.load(begun / "judge.npz") as old:
        judge = {name: _mixed(new[name], old[name]) for name in new.files}
    np.savez(folder / "judge.npz", **judge)  # type: ignore[arg-type]


def _convolutions(eye: onnx.ModelProto) -> list[list[onnx.TensorProto]]:
    """Return the weights and the biases of each convolution of an exported eye, first to last."""
    tensors = {tensor.name: tensor for tensor in eye.graph.initializer}
    return [[tensors[name] for name in node.input[1:]] for node in eye.graph.node if node.op_type == "Conv"]


def _mixed(new: NDArray[np.float32], old: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((1 - _KEPT_SHARE) * new + _KEPT_SHARE * old, dtype=np.float32)
