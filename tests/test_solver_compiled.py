import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Board
from sweepbot.errors import SweepbotError
from sweepbot.solver import Preparation, Solver, preparation
from sweepbot.solver.compiled import kernel

GUESS_NEEDED = Board.parse("1########\n#########\n#########\n#########", mines=8)

PLAY = """
import json
from numba.core import event
from sweepbot.game import Game
from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate import SeededDeals, simulate

class Counter(event.Listener):
    compiled = 0
    def on_start(self, event): pass
    def on_end(self, event): Counter.compiled += 1

with event.install_listener("numba:compile", Counter()):
    for level in LEVELS.values():
        list(simulate(SeededDeals(level, FirstClick.SAFE, 12, 5)))
print(Counter.compiled)
"""


def test_a_function_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    """A function that is in no file can be compiled, though it is not kept."""
    names: dict[str, object] = {"kernel": kernel}
    exec("@kernel\ndef double(x: int) -> int:\n    return 2 * x\n", names)  # noqa: S102  (the point of the test)
    double = names["double"]
    assert callable(double)
    assert double(21) == 42


def test_no_game_compiles_anything_once_the_solver_is_prepared() -> None:
    """After the stages that play needs, games of every level are played without compiling a function more."""
    prepared = Preparation()
    for stage in preparation.TO_PLAY:
        assert prepared.wait(stage)
    done = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, timeout=300, check=True)
    assert json.loads(done.stdout) == 0


def test_what_is_certain_does_not_wait_for_the_guess_to_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the search for a guess is being compiled, certain cells are found, and a guess is the safest cell."""
    solver = Solver(preparation=Preparation())
    solver.decide(GUESS_NEEDED)
    waiting = Preparation(())
    monkeypatch.setattr(waiting, "wait", lambda stage, seconds=0.0: stage == "counting" or seconds > 60)
    solver = Solver(preparation=waiting)
    certain = solver.decide(Board.parse("11#\n###\n###", mines=1))
    assert certain.safe
    assert not certain.cut_short
    guess = solver.decide(GUESS_NEEDED)
    assert guess.cut_short
    assert guess.best is not None
    assert guess.best.mine_probability == pytest.approx(np.nanmin(guess.mine_probability))


def test_a_solver_that_cannot_be_compiled_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the process that compiles fails, its last words are in the error."""
    monkeypatch.setattr(preparation, "kernel_folder", lambda: tmp_path)
    failing = Preparation(("no such stage",))
    with pytest.raises(SweepbotError, match=r"no such stage.*KeyError"):
        failing.wait("no such stage")


def test_what_was_compiled_is_found_again(tmp_path: Path) -> None:
    """A second run with the same cache folder finds the solver compiled, and one with an empty folder does not."""
    ask = "from sweepbot.solver.preparation import is_prepared; print(is_prepared('counting'))"
    mark = "from sweepbot.solver.compiled import kernel_folder; (kernel_folder() / 'counting.done').touch()"

    def run(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return done.stdout.strip()

    assert run(ask) == "False"
    run(mark)
    assert run(ask) == "True"
