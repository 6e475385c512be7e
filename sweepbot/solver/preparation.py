"""Having the solver compiled before it is needed, in a process of its own, stage by stage.

A game can begin as soon as the rules are compiled: the first clicks need no more. Counting and the search for the best
guess are compiled meanwhile. Stages that are done are marked by a file in the folder of compiled functions, so that
later starts find them done.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sweepbot.errors import SweepbotError
from sweepbot.solver.compiled import kernel_folder

STAGES = ("rules", "counting", "guessing", "sampling")
"""What rules find certain; all that is certain, and exact chances; the best guess; what only large or unusual positions
and other methods need."""

TO_PLAY = STAGES[:3]
"""The stages that the usual game needs."""

_SETTINGS = {"NUMBA_OPT": "1", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}
"""Compiling takes a tenth less so, and games are played as fast: the loops are too short to be vectorised."""

_POLL_SECONDS = 0.02
_TELL_AFTER_SECONDS = 1.0
PATIENCE_SECONDS = 600
"""Compiling takes well below a minute, on a busy machine a few; past this something is wrong."""


def stages_of(method: str) -> tuple[str, ...]:
    """What the decisions of a method need."""
    return STAGES if method in ("walksat", "contradiction") else TO_PLAY


@dataclass(frozen=True, slots=True)
class Progress:
    """How far compiling has come."""

    stage: str
    done: int
    of: int
    """Functions compiled, and how many there are; the count of those is close, not exact."""


def is_prepared(stage: str) -> bool:
    """Whether a stage is compiled for this machine."""
    return (kernel_folder() / f"{stage}.done").exists()


def _same_package() -> dict[str, str]:
    """The variable that makes another Python import this very package: compiled code is kept by where its source is.

    In a checkout `-m` would find the sources there, and not what is installed.
    """
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


class Preparation:
    """Compiles what is not compiled yet in another process, at low priority; its progress can be asked for.

    That process goes on when this one ends, for the few seconds that it still needs.

    Args:
        stages: What is needed, in this order.
        on_wait: Told the stage once it has been waited for for a second, by whoever does not show the progress.
    """

    def __init__(self, stages: Sequence[str] = TO_PLAY, on_wait: Callable[[str], None] = lambda _: None) -> None:
        self._on_wait = on_wait
        self._ready: set[str] = set()
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._process: subprocess.Popen[str] | None = None
        self._last_words = ""
        missing = [stage for stage in stages if not is_prepared(stage)]
        if missing:
            self._process = subprocess.Popen(  # noqa: S603  (this very program)
                [sys.executable, "-P", "-m", "sweepbot.solver.compile_stages", *missing],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | _SETTINGS | _same_package() | {"NUMBA_CACHE_DIR": str(kernel_folder().parent)},
            )
            self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
            self._listener.start()

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        with process:
            for line in process.stdout or ():
                with self._lock:
                    self._progress = Progress(**json.loads(line))
            self._last_words = process.stderr.read() if process.stderr else ""

    @property
    def progress(self) -> Progress | None:
        """How far it has come; None before the first function, and where nothing is to be compiled."""
        with self._lock:
            return self._progress

    def wait(
        self,
        stage: str,
        seconds: float = PATIENCE_SECONDS,
        tell: Callable[[Progress | None], None] | None = None,
    ) -> bool:
        """Wait until a stage is compiled.

        Args:
            stage: One of those to be prepared.
            seconds: After so long the wait is given up.
            tell: Told again and again how far it has come; nobody else is told then of the wait.

        Returns:
            Whether it is compiled; False only where the wait was given up.

        Raises:
            SweepbotError: The other process ended without having compiled it.
        """
        start, is_told = time.monotonic(), False
        while stage not in self._ready:
            has_ended = self._process is None or self._process.poll() is not None
            if is_prepared(stage):
                self._ready.add(stage)
                break
            waited = time.monotonic() - start
            if has_ended or waited > PATIENCE_SECONDS:
                raise self._failed(stage)
            if waited >= seconds:
                return False
            if tell is not None:
                tell(self.progress)
            elif not is_told and waited > _TELL_AFTER_SECONDS:
                is_told = True
                self._on_wait(stage)
            time.sleep(_POLL_SECONDS)
        return True

    def _failed(self, stage: str) -> SweepbotError:
        if self._process is not None:
            self._process.kill()
            self._listener.join()
        last = self._last_words.strip().splitlines()[-1:] or ["no reason was given"]
        return SweepbotError(
            f"the solver could not be compiled ({stage}): {last[0]}",
            hint="`sweepbot warmup` compiles it again; is there room in the cache folder?",
        )
