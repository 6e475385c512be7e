"""The drawn skins that the network of first sight is trained on, and its training."""

import random
import re
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import State, around
from sweepbot.errors import SweepbotError
from sweepbot.training.fonts import emoji_font, fonts
from sweepbot.training.kinds import Kinds
from sweepbot.training.positions import position
from sweepbot.training.samples import COLUMNS, ROWS, sample
from sweepbot.vision.pictures.board import CELL_PX

SEEDS = range(200)


@pytest.fixture(scope="module")
def _fonts() -> None:
    """The fonts that skins are drawn with."""
    try:
        fonts()
        emoji_font()
    except SweepbotError as missing:
        pytest.skip(f"{missing}: {missing.hint}")


def test_each_kind_of_skin_has_its_sentence() -> None:
    """The table says of each kind in a sentence what it draws, and no two of a group have one name."""
    kinds = Kinds().all
    assert len({(kind.group, kind.name) for kind in kinds}) == len(kinds) >= 90
    assert all(kind.idea.endswith(".") and kind.weight > 0 for kind in kinds)


def test_a_kind_can_be_left_out() -> None:
    """What is left out, alone or with its group, is not in the table; what does not exist is named."""
    assert "bevel" not in {kind.name for kind in Kinds(["bevel"]).all}
    assert "flags" not in {kind.group for kind in Kinds(["flags"]).all}
    with pytest.raises(ValueError, match="beveled"):
        Kinds(["beveled"])


def test_positions_are_of_every_stage() -> None:
    """Fresh boards, played ones, won and lost ones occur, with every state that a cell may show."""
    drawn = [position(random.Random(seed), 9, 10) for seed in SEEDS]
    assert set(np.concatenate([one.ravel() for one in drawn]).tolist()) == set(range(State.UNKNOWN))
    assert any((one == State.HIDDEN).all() for one in drawn)
    assert any(((one == State.EXPLODED).sum() == 1) & ((one == State.MINE).sum() > 3) for one in drawn)


def test_most_positions_obey_the_rules_of_the_game() -> None:
    """But for the one in ten that no game shows, no number has more mines around it than it says."""
    lawful = 0
    for seed in SEEDS:
        drawn = position(random.Random(seed), 8, 8)
        shown = around((drawn == State.MINE) | (drawn == State.EXPLODED))
        lawful += not ((drawn < State.HIDDEN) & (shown > drawn)).any()
    assert lawful >= 0.85 * len(SEEDS)


@pytest.mark.usefixtures("_fonts")
def test_a_seed_gives_one_sample() -> None:
    """The same seed draws the same picture and labels, another one others."""
    kinds = Kinds()
    (one, labels), (again, same_labels), (other, _) = (sample(seed, kinds) for seed in (5, 5, 6))
    assert one.shape == (ROWS * CELL_PX, COLUMNS * CELL_PX, 3)
    assert np.array_equal(one, again)
    assert np.array_equal(labels, same_labels)
    assert not np.array_equal(one, other)


@pytest.mark.usefixtures("_fonts")
@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is missing: python3 -m pip install '.[train]'")
def test_one_command_trains_a_network_that_vision_reads_with(tmp_path: Path) -> None:
    """The command writes both halves of a network, and the room that reads with them loads these."""
    assert "of cells right" in _trained(tmp_path)
    with np.load(tmp_path / "judge.npz") as weights:
        assert {"gate.weight", "last.bias"} <= set(weights.files)
    assert (tmp_path / "eye.onnx").stat().st_size > 10_000


@pytest.mark.usefixtures("_fonts")
@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is missing: python3 -m pip install '.[train]'")
def test_training_goes_on_from_weights(tmp_path: Path) -> None:
    """Trained on for a moment from the weights that come with sweepbot, a network reads nearly as well as these."""
    measured = _trained(tmp_path, "--from", str(files("sweepbot.vision.first_sight")))
    share = re.search(r"([\d.]+)% of cells right", measured)
    assert share is not None
    assert float(share[1]) > 80


def _trained(folder: Path, *options: str) -> str:
    train = [sys.executable, "-m", "sweepbot.training", str(folder), "--boards", "32", "--rounds", "1", *options]
    done = subprocess.run([*train, "--held-back", "8"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
