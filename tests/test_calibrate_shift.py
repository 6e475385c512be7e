"""Parts of a picture that have moved."""

import numpy as np

from sweepbot.calibrate.seeing.shift import found_again
from sweepbot.geometry import Point


def test_a_moved_piece_is_found_by_what_it_still_shows() -> None:
    """A moved piece is found though part of it has changed, but not where too little agrees."""
    rng = np.random.default_rng(2)
    picture = rng.integers(0, 255, (120, 160, 3), dtype=np.uint8)
    piece = picture[40:80, 50:110].copy()
    known = np.ones(piece.shape[:2], dtype=np.bool_)
    known[:20] = False
    picture[40:60, 50:110] = 0
    assert found_again(piece, known, picture) == Point(50, 40)
    assert found_again(rng.integers(0, 255, piece.shape, dtype=np.uint8), known, picture) is None


def test_a_plain_piece_is_not_searched_for() -> None:
    """A plain piece would match anywhere, so it is not searched for."""
    picture = np.full((60, 60, 3), 90, dtype=np.uint8)
    assert found_again(picture[:20, :20], np.ones((20, 20), dtype=np.bool_), picture) is None
