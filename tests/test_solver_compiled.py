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
ENDGAME = Board.parse("####\n#3##\n####", mines=4)
ONLY_COUNTING_TELLS = Board.parse("1#2###\n3#####\n##211#\n#3212#\n######", mines=7)
RULES_TELL_SOME = Board.parse("######\n12212#\n00001#\n01122#\n01####", mines=7)

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


class CompiledSoFar(Preparation):
    """The stages before this one are compiled, and it itself not for the next minute."""

    def __init__(self, stage: str) -> None:
        super().__init__(())
        self._compiled = preparation.STAGES[: preparation.STAGES.index(stage)]
        self.waited_for: list[str] = []

    def wait(self, stage: str, seconds: float = 3600.0, tell: object = None) -> bool:  # noqa: ARG002
        """Whether it is compiled by then."""
        if stage not in self._compiled and seconds > 60:
            self.waited_for.append(stage)
            return True
        return stage in self._compiled


def test_what_is_certain_does_not_wait_for_the_guess_to_be_compiled() -> None:
    """While the search for a guess is being compiled, certain cells are found, and a guess is the safest cell."""
    compiled = CompiledSoFar("guessing")
    solver = Solver(preparation=compiled)
    certain = solver.decide(ONLY_COUNTING_TELLS)
    assert certain.safe
    assert not certain.cut_short
    guess = solver.decide(GUESS_NEEDED)
    assert guess.cut_short
    assert guess.best is not None
    assert guess.best.mine_probability == pytest.approx(np.nanmin(guess.mine_probability))
    assert not compiled.waited_for


def test_rules_alone_decide_while_counting_is_compiled() -> None:
    """Safe cells that rules find, and the first click, do not wait for counting; that more may be certain is said."""
    compiled = CompiledSoFar("counting")
    solver = Solver(preparation=compiled)
    by_rules, by_all = solver.decide(RULES_TELL_SOME), Solver().decide(RULES_TELL_SOME)
    assert set(by_rules.safe) < set(by_all.safe)
    assert set(by_rules.mines) <= set(by_all.mines)
    assert by_rules.best is not None
    assert by_rules.best.cell in by_rules.safe
    assert by_rules.cut_short
    untouched = Board.hidden(9, 9, 10)
    first = solver.decide(untouched)
    assert first.best is not None
    assert first.cut_short
    np.testing.assert_allclose(first.mine_probability, Solver().probabilities(untouched))
    assert not compiled.waited_for


def test_where_rules_find_nothing_the_decision_waits_for_counting() -> None:
    """A position in which only counting finds safe cells is decided as ever, after the wait."""
    compiled = CompiledSoFar("counting")
    decision = Solver(preparation=compiled).decide(ONLY_COUNTING_TELLS)
    assert compiled.waited_for == ["counting"]
    assert decision.safe == Solver().decide(ONLY_COUNTING_TELLS).safe
    assert not decision.cut_short


@pytest.mark.parametrize("board", [GUESS_NEEDED, ENDGAME, RULES_TELL_SOME, Board.hidden(9, 9, 10)])
def test_lack_of_code_and_lack_of_time_leave_out_the_same(board: Board) -> None:
    """What is decided before all is compiled is what is decided where time is up at once: a replay relies on it."""
    uncompiled = Solver(preparation=CompiledSoFar("counting")).decide(board)
    hurried = Solver().decide(board, lambda: True)
    assert uncompiled.cut_short
    assert hurried.cut_short
    assert (hurried.safe, hurried.mines, hurried.best) == (uncompiled.safe, uncompiled.mines, uncompiled.best)
    np.testing.assert_array_equal(hurried.mine_probability, uncompiled.mine_probability)


def test_a_wait_inside_a_decision_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who waits for a stage for a second, and shows no progress, is told once what for."""
    monkeypatch.setattr(preparation, "kernel_folder", lambda: tmp_path)
    monkeypatch.setattr(preparation, "_TELL_AFTER_SECONDS", 0.0)
    told: list[str] = []
    compiling = Preparation(("no such stage",), on_wait=told.append)
    with pytest.raises(SweepbotError, match="KeyError"):
        compiling.wait("no such stage")
    assert told == ["no such stage"]


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


def test_another_checkout_in_the_working_directory_is_not_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is compiled is the package that is running, though the working directory has one of the same name."""
    (tmp_path / "sweepbot").mkdir()
    (tmp_path / "sweepbot" / "__init__.py").write_text("raise ImportError('the other one')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(preparation, "kernel_folder", lambda: tmp_path / "cache" / "version")
    elsewhere = Preparation(("no such stage",))
    with pytest.raises(SweepbotError, match="KeyError"):  # it has come as far as looking for the stage
        elsewhere.wait("no such stage")
