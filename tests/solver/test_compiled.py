import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sweepbot.board import Board
from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate.deals import SeededDeals
from sweepbot.simulate.match import play
from sweepbot.solver import Decision, Solver
from sweepbot.solver.compiled import FORMS
from sweepbot.solver.kernel_cache import compile_now, done_marker, kernel_folder
from tests.nightly import at_night
from tools.places import PROJECT

SMALL = "112#\n####\n####\n"

PLAY = """
from numba.core import event
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

SWITCH = """
import time
from sweepbot.board import Board
from sweepbot.solver import Solver
from sweepbot.solver.compiled import FORMS
from sweepbot.solver.kernel_cache import is_cached

board = Board.parse("1########\\n#########\\n#########\\n#########", mines=8)
before = Solver().decide(board)
print(FORMS.is_compiled, is_cached())
while not is_cached():
    time.sleep(0.1)
after = Solver().decide(board)
print(FORMS.is_compiled, after.best == before.best)
"""


class BothForms:
    """Decides in plain Python and in compiled code, and requires full agreement."""

    def __init__(self) -> None:
        self._solver = Solver()
        self.decisions = 0

    def decide(self, board: Board) -> Decision:
        FORMS.stay_plain()
        plain = self._solver.decide(board)
        FORMS.load()
        compiled = self._solver.decide(board)
        assert (plain.safe, plain.mines, plain.best) == (compiled.safe, compiled.mines, compiled.best), f"\n{board}"
        assert plain.mine_probability.tobytes() == compiled.mine_probability.tobytes(), f"\n{board}"
        assert (plain.exact, plain.cut_short) == (compiled.exact, compiled.cut_short)
        self.decisions += 1
        return compiled


def play_in_both_forms(level: str, games: int, rule: FirstClick) -> int:
    """Play games and compare every decision; return their number."""
    deals, forms = SeededDeals(LEVELS[level], rule, games, 17), BothForms()
    for number in range(games):
        play(deals.deal(number), forms)
    return forms.decisions


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("level", "games"), [("beginner", 6), ("intermediate", 3), *at_night(("expert", 2))])
def test_both_forms_decide_alike(level: str, games: int) -> None:
    """Plain Python and compiled code decide the same to the last bit, without a warning."""
    assert play_in_both_forms(level, games, FirstClick.SAFE) >= games


@pytest.mark.bench
@pytest.mark.parametrize("rule", list(FirstClick)[:2])
@pytest.mark.parametrize("level", LEVELS)
def test_both_forms_decide_alike_in_200_games(level: str, rule: FirstClick) -> None:
    """The same over 200 games of each level and rule; expert takes some minutes."""
    assert play_in_both_forms(level, 200, rule) >= 200


@pytest.fixture
def half_cache(tmp_path: Path) -> Path:
    """A cache in which everything is compiled, but not marked as complete."""
    shutil.copytree(kernel_folder(), tmp_path / "cache" / kernel_folder().name)
    (tmp_path / "cache" / kernel_folder().name / done_marker().name).unlink()
    return tmp_path / "cache"


def run(code: str, cache: Path, **more: str) -> list[str]:
    """The output of a fresh process with this cache."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)} | more,
        stdin=subprocess.DEVNULL,  # under Wine a closed folder's number may have become that of the input
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.splitlines()


def test_no_game_compiles_anything_once_the_cache_is_filled() -> None:
    """With a full cache games of every level compile nothing more."""
    assert run(PLAY, kernel_folder().parent) == ["0"]


def test_no_kernel_is_compiled_twice() -> None:
    """Those who call a kernel agree on the types that they give it, so that it is compiled for no others."""
    assert list(kernel_folder().rglob("*.2.nbc")) == []


def test_a_game_begins_in_plain_python_and_goes_on_compiled(half_cache: Path) -> None:
    """The first guess is made in plain Python while another process fills the cache; the next is compiled."""
    assert run(SWITCH, half_cache, TMPDIR=str(half_cache)) == ["False False", "True True"]


def test_a_small_position_neither_loads_nor_compiles_anything(tmp_path: Path) -> None:
    """`sweepbot solve` answers a small position in plain Python, compiled solver or not."""
    for cache in (tmp_path, kernel_folder().parent):
        command = [sys.executable, "-X", "importtime", "-m", "sweepbot", "solve", "-", "--mines", "4"]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(command, env=environment, input=SMALL, capture_output=True, text=True, check=True)
        assert "16 layouts" in done.stdout
        assert "numba" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_cache_of_another_processor_is_not_used(half_cache: Path) -> None:
    """A cache of another kind of processor is not used."""
    (half_cache / kernel_folder().name / "done-z80").touch()
    assert run("from sweepbot.solver.kernel_cache import is_cached; print(is_cached())", half_cache) == ["False"]


def test_another_checkout_in_the_working_directory_is_not_compiled(
    half_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The running package is compiled, even if the working directory has one of the same name."""
    (tmp_path / "sweepbot").mkdir()
    (tmp_path / "sweepbot" / "__init__.py").write_text("raise ImportError('the other one')")
    monkeypatch.chdir(tmp_path)
    ask = "import sys; del sys.path[0]; from sweepbot.solver.kernel_cache import compile_now, is_cached; compile_now()"
    assert run(f"{ask}; print(is_cached())", half_cache) == ["True"]


def test_a_solver_that_cannot_be_compiled_says_why(tmp_path: Path) -> None:
    """If the compiling process fails, the error has its last words."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('no room')")
    ask = (
        "from sweepbot.errors import SweepbotError\n"
        "from sweepbot.solver.kernel_cache import compile_now\n"
        "try: compile_now()\n"
        "except SweepbotError as error: print(error)"
    )
    path = os.pathsep.join([str(PROJECT), str(tmp_path)])
    told = run(ask, tmp_path / "cache", PYTHONPATH=path)
    assert told == ["the solver could not be compiled: ImportError: no room"]


def test_a_solver_that_must_not_be_compiled_stays_as_written(half_cache: Path) -> None:
    """With NUMBA_DISABLE_JIT nothing is compiled or loaded, and asking for it says why."""
    marker = half_cache / kernel_folder().name / done_marker().name
    ask = (
        "from sweepbot.errors import SweepbotError\n"
        "from sweepbot.solver.compiled import FORMS\n"
        "from sweepbot.solver.kernel_cache import compile_now\n"
        "FORMS.expect(60)\n"
        "print(FORMS.is_compiled)\n"
        "try: compile_now()\n"
        "except SweepbotError as error: print(error)"
    )
    for is_there in (False, True):
        if is_there:
            marker.touch()
        told = run(ask, half_cache, NUMBA_DISABLE_JIT="1")
        assert told == ["False", "the solver cannot be compiled: NUMBA_DISABLE_JIT is '1'"]
        assert marker.exists() == is_there


def test_an_unwritable_folder_is_worked_around(tmp_path: Path) -> None:
    """Without a writable cache a temporary folder is used and removed."""
    (tmp_path / "file").touch()
    [folder] = run("from sweepbot.solver.kernel_cache import kernel_folder; print(kernel_folder())", tmp_path / "file")
    assert not Path(folder).exists()
    assert tmp_path not in Path(folder).parents


def test_compiling_again_does_nothing() -> None:
    """Compiling again leaves a complete cache as it is."""
    before = {path: path.stat().st_mtime_ns for path in kernel_folder().glob("*.nbc")}
    compile_now()
    assert {path: path.stat().st_mtime_ns for path in kernel_folder().glob("*.nbc")} == before
