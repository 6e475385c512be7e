"""Compile the solver into the cache: `python -m sweepbot.solver.compiling [--background]`.

A second process that starts in the meantime waits for the first; in the background, where one at a time compiles on a
machine, it leaves.
"""

import gc
import os
import sys
import time
from contextlib import ExitStack

from sweepbot.board import Board
from sweepbot.file_lock import open_lock, temporary_folder, try_lock
from sweepbot.geometry import Cell
from sweepbot.solver.compiled import FORMS
from sweepbot.solver.efficiency import most_efficient
from sweepbot.solver.kernel_cache import done_marker, is_cached, kernel_folder
from sweepbot.solver.measures import measure
from sweepbot.solver.no_guess import is_deducible
from sweepbot.solver.solver import Solver

_EARLY = Board.parse("01#######\n13#######\n#########\n#########", mines=8)
_LATE = Board.parse("####\n#3##\n####", mines=4)
_EASY = Board.parse("0000\n1211\n####\n####", mines=4)

_NICENESS = 10  # a game may be running
_POLL_S = 0.1  # between two tries for the lock


def rehearse() -> None:
    """Call every kernel that decisions use, so that none of them has to be loaded or compiled later."""
    for board in (_EARLY, _LATE):
        _ = Solver().decide(board).layouts
    Solver("walksat").decide(_EARLY)


def get_ready() -> None:
    """Load the solver if it is cached, so that no decision has to wait for it."""
    if is_cached():
        FORMS.load()
        rehearse()


def main() -> None:
    """Compile the solver unless it is cached."""
    is_in_background = "--background" in sys.argv
    if is_in_background and hasattr(os, "nice"):  # on Windows the caller has set the priority
        os.nice(_NICENESS)
    gc.disable()  # a compiler makes hardly any garbage, and collecting takes a twelfth of the time
    with ExitStack() as locks:
        if is_in_background and not _has_turn(locks):
            return
        file = locks.enter_context((kernel_folder() / "lock").open("ab", buffering=0))
        while not try_lock(file):
            if is_in_background:
                return
            time.sleep(_POLL_S)
        if not is_cached():
            FORMS.load()
            rehearse()
            done_marker().touch()
            # Kernels that no decision needs; the solver already counts as compiled.
            measure(_EARLY.cells == 1)
            is_deducible(_EARLY.cells == 1, Cell(3, 8))
            most_efficient(_EASY, Solver().decide(_EASY))


def _has_turn(locks: ExitStack) -> bool:
    """Take the lock that is the same for all homes; False if another process compiles in the background."""
    try:
        file = locks.enter_context(open_lock(temporary_folder() / "compiling.lock"))
    except OSError:  # the folder may be another user's
        return False
    return try_lock(file)


if __name__ == "__main__":
    main()
