"""No board is found in pictures without one."""

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import calibration_folders
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from tests.nightly import by_turns
from tools.drawing.negatives import KINDS, lights_out, squared_paper

SEEDS = range(3)


def test_there_are_ninety_different_negatives() -> None:
    """There are at least ninety pictures, all different."""
    assert len({kind(random.Random(seed)).tobytes() for kind in KINDS for seed in SEEDS}) >= 90


@pytest.mark.parametrize(("kind", "seed"), [(lights_out, 0), (squared_paper, 0), *by_turns(KINDS, SEEDS, one_in=11)])
def test_no_board_is_found(kind: Callable[[random.Random], Image], seed: int) -> None:
    """Nothing is trusted as a board where there is none, neither of any client nor at first sight alone."""
    picture = kind(random.Random(seed))
    for read in (boards_of_any_client, lambda image: [Reader(UNKNOWN_CLIENT).read_all(image)]):
        with suppress(NoBoardFoundError):
            assert all(reading.problems for board in read(picture) for reading in board)


def test_the_error_names_all_clients() -> None:
    """The message names every client that was tried and the sizes at first sight, and the hint says what to do."""
    with pytest.raises(NoBoardFoundError) as error:
        boards_of_any_client(KINDS[0](random.Random(0)))
    assert all(name in str(error.value) for name in calibration_folders())
    assert "at first sight for cells of 11.5 to 165 pixels" in str(error.value)
    assert "show the whole board" in error.value.hint
