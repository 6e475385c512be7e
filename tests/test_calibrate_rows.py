"""Clients whose rows move as cells open are refused, with the reason."""

from dataclasses import replace

import pytest

from sweepbot.errors import UntrustedReadingError
from tests.skins import learn
from tests.trap_clients import Kind, TrapDesktop


@pytest.mark.parametrize(("seed", "row_px"), [(1, 2), (5, 3), (14, 1), (24, 2), (33, 2), (34, -2)])
def test_a_board_whose_rows_move_is_refused(seed: int, row_px: int) -> None:
    """Where lines shift after the first click, learning stops, and no click lands beside the board."""
    kind = Kind.of(seed)
    above = kind.traps - {"mode", "link"}
    desktop = TrapDesktop(replace(kind, row_px=row_px, moves=False, traps=above))
    with pytest.raises(UntrustedReadingError, match="rows of the board move"):
        learn(desktop, 8)
    assert not desktop.harm


def test_a_board_that_moves_as_a_whole_is_learned() -> None:
    """A message above a finished board moves all of its rows alike."""
    desktop = TrapDesktop(replace(Kind.of(5), moves=True))
    assert learn(desktop, 8).stuck is None
    assert not desktop.harm
