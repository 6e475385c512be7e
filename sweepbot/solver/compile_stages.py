"""Compiles the solver stage by stage: `python -m sweepbot.solver.compile_stages STAGE...`.

Prints a line of JSON, the fields of `Progress`, for each function that is compiled, and marks each stage that is done.
"""

import contextlib
import gc
import json
import os
import sys
from collections.abc import Callable, Iterable

from numba.core import event

from sweepbot.board import Board
from sweepbot.solver.compiled import kernel_folder
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.solver import METHODS, Solver

_EARLY = Board.parse("01#######\n13#######\n#########\n#########", mines=8)
_POCKET = Board.parse("\n".join(["#1001" + 30 * "#"] * 2), mines=12)
_LATE = Board.parse("####\n#3##\n####", mines=4)
_STDOUT = 1
_FUNCTIONS = {"rules": 22, "counting": 48, "guessing": 102, "sampling": 49}
"""About how many functions each stage compiles, numba's own included: for the progress bar."""


def _apply_rules() -> None:
    deduce(_EARLY, Frontier.of(_EARLY), LADDERS["exact"])


def _count() -> None:
    for board in (_EARLY, _LATE):
        decision = Solver("exact").decide(board)
        _ = decision.layouts, decision.rules


def _guess() -> None:
    for board in (_EARLY, _POCKET, _LATE):
        Solver().decide(board)
    Solver().probabilities(_EARLY)


def _sample() -> None:
    for method in METHODS:
        Solver(method).decide(_EARLY)


_CALL: dict[str, Callable[[], None]] = {
    "rules": _apply_rules,
    "counting": _count,
    "guessing": _guess,
    "sampling": _sample,
}


class _Teller(event.Listener):
    """Tells of each function that is compiled; one that is loaded is no such event."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._done = 0

    def on_start(self, event: event.Event) -> None:
        """Nothing to tell yet."""

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002  (the event says which function)
        self._done += 1
        of = max(_FUNCTIONS[self._stage], self._done)
        # Whoever listened may have played its game and gone: what it began is useful to the next run.
        with contextlib.suppress(OSError):
            os.write(_STDOUT, json.dumps({"stage": self._stage, "done": self._done, "of": of}).encode() + b"\n")


def load(stages: Iterable[str]) -> None:
    """Call every kernel of these stages once, so that no decision waits for one to be loaded or compiled."""
    for stage in stages:
        _CALL[stage]()


def main() -> None:
    """Compile the stages named on the command line."""
    gc.disable()  # nearly nothing that a compiler makes is garbage: looking for it takes a twelfth of the time
    for stage in sys.argv[1:]:
        if stage not in ("rules", "counting") and hasattr(os, "nice"):
            os.nice(5)  # the game that is played meanwhile comes first; for the others it soon waits
        with event.install_listener("numba:compile", _Teller(stage)):
            load([stage])
        (kernel_folder() / f"{stage}.done").touch()


if __name__ == "__main__":
    main()
