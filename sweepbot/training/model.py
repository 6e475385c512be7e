"""The network of first sight as PyTorch trains it; `vision/first_sight/network.py` says how it works, and runs it."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from sweepbot.vision.first_sight.network import COLOUR_PARTS, FEWEST_OUTSIDE, HEADS, STATES, TONE
from sweepbot.vision.pictures.board import CELL_PX

_EYE = 24, 40, 64, 104  # channels after each convolution
_SMALL, _AROUND, _KIND, _HIDDEN = 32, 48, 32, 96
_SEEN = _EYE[-1] + 3 * COLOUR_PARTS**2
_CELL = _SEEN + _AROUND


def _block(taken: int, given: int, kernel: int, stride: int, padding: int) -> nn.Sequential:
    convolution = nn.Conv2d(taken, given, kernel, stride, padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(given), nn.ReLU(inplace=True))


class Model(nn.Module):
    """Prepared lattices (boards, 4, height, width) -> logits of both judgements, each (boards, cells, STATES)."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = _EYE
        # 24 pixels -> 12 -> 6 -> 6 -> 3 -> 1; each cell also sees 7 pixels of those around it.
        self.eye = nn.Sequential(
            _block(4, a, 4, 2, 1), _block(a, b, 4, 2, 1), _block(b, c, 3, 1, 1), nn.MaxPool2d(2), _block(c, d, 3, 3, 0)
        )
        self.small, self.around = nn.Linear(_SEEN, _SMALL), nn.Linear(9 * _SMALL, _AROUND)
        self.gate, self.tone, self.kind = nn.Linear(_CELL, HEADS), nn.Linear(_CELL, TONE), nn.Linear(_CELL, _KIND)
        self.own = nn.Linear(_CELL + HEADS * TONE, _HIDDEN)
        self.board = nn.Linear(HEADS * TONE + _KIND, _HIDDEN, bias=False)
        self.middle, self.last = nn.Linear(_HIDDEN, _HIDDEN), nn.Linear(_HIDDEN + _SEEN, STATES)

    def forward(self, lattices: Tensor) -> tuple[Tensor, Tensor]:
        """Judge in the context of the whole lattice, then in that of the cells which are not outside the board."""
        own = self.eye(lattices)
        means = nn.functional.avg_pool2d(lattices[:, :3], CELL_PX // COLOUR_PARTS)
        seen = torch.cat([own, nn.functional.pixel_unshuffle(means, COLOUR_PARTS)], 1).permute(0, 2, 3, 1)
        small = torch.relu(self.small(seen))
        padded = nn.functional.pad(small, (0, 0, 1, 1, 1, 1))
        rows, columns = small.shape[1:3]
        beside = [padded[:, r : r + rows, c : c + columns] for r in range(3) for c in range(3)]
        around = torch.relu(self.around(torch.cat(beside, 3)))
        seen, cells = (part.flatten(1, 2) for part in (seen, torch.cat([seen, around], 3)))
        first = self._judge(seen, cells, torch.ones_like(cells[..., :1]))
        outside = torch.softmax(first.detach(), 2)[..., -1:]
        return first, self._judge(seen, cells, 1 - outside + FEWEST_OUTSIDE)

    def _judge(self, seen: Tensor, cells: Tensor, weights: Tensor) -> Tensor:
        attention = torch.softmax(self.gate(cells) + torch.log(weights), 1)
        tone = self.tone(cells)
        pooled = attention.transpose(1, 2) @ tone
        differ = (tone[:, :, None] - pooled[:, None]).abs().flatten(2)
        kinds = (torch.relu(self.kind(cells)) * weights).sum(1) / weights.sum(1)
        board = self.board(torch.cat([pooled.flatten(1), kinds], 1))[:, None]
        hidden = torch.relu(self.own(torch.cat([cells, differ], 2)) + board)
        logits: Tensor = self.last(torch.cat([torch.relu(self.middle(hidden)), seen], 2))
        return logits


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
