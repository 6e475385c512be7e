"""The network of first sight as PyTorch trains it; `vision/first_sight/network.py` says how it works, and runs it."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

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
)
from sweepbot.vision.pictures.board import CELL_PX

_EYE = 24, 40, 64, 104  # channels after each convolution
_SMALL, _AROUND, _KIND, _HIDDEN = 32, 48, 32, 96
_SEEN = _EYE[-1] + 3 * COLOUR_PARTS**2
_CELL = _SEEN + _AROUND


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
