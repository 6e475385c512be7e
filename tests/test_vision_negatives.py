"""Pictures without a board: none is found in them."""

import pytest

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import calibration_folders
from sweepbot.vision.identify import identify, read_with_all
from tests.negatives import negatives
from tests.negatives_unseen import unseen_negatives

PICTURES = {**dict(negatives()), **dict(unseen_negatives())}


def test_there_are_enough_of_them() -> None:
    """At least ninety pictures, each of another content."""
    assert len({image.tobytes() for image in PICTURES.values()}) >= 90


@pytest.mark.parametrize("image", PICTURES.values(), ids=PICTURES)
def test_no_calibration_sees_a_board(image: Image) -> None:
    """No client's board is found where there is none."""
    assert [reading.client for reading in read_with_all(image)] == []


def test_what_was_searched_for_is_said() -> None:
    """Where no client's board is found, the message names them all and the hint says what to do."""
    with pytest.raises(NoBoardFoundError) as error:
        identify(next(iter(PICTURES.values())))
    assert all(name in str(error.value) for name in calibration_folders())
    assert "--client" in error.value.hint
