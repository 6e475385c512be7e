"""However a run ends, it says so, keeps what it has, and ends with the exit code that is documented."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from sweepbot.desktop.screen import Frame, MaskedScreen
from sweepbot.file_lock import open_lock, try_lock
from sweepbot.render.files import keep_untrusted
from tests.commands import PATIENCE_S, Command, heed_hang_up, result, started, until_game
from tests.user_folders import user_folders
from tools.recording.demo import record_demo

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals, and no such descriptors")


def demo(
    folder: Path, *words: str, before: Callable[[], None] = heed_hang_up
) -> AbstractContextManager[subprocess.Popen[str]]:
    """Games of the demo in memory."""
    played = ("demo", "--headless", "--level", "beginner", "--json")
    return started(os.environ | user_folders(folder), *played, *words, before=before)


@pytest.mark.parametrize(
    ("name", "said"),
    [("SIGHUP", "the signal SIGHUP"), ("SIGTERM", "the signal SIGTERM"), ("SIGINT", "Ctrl-C")],
)
def test_a_signal_ends_a_run_with_its_summary(name: str, said: str, tmp_path: Path) -> None:
    """A closed terminal, like Ctrl-C, ends a run as stopped by the user, with the report of its games."""
    with demo(tmp_path, "--games", "100000") as run:
        until_game(run)
        run.send_signal(signal.Signals[name])
        report, talk = result(run, 5)
    assert f"stopped by {said}" in talk
    assert len(report["games"]) >= 1


@pytest.mark.parametrize("pause_s", [0.0, 0.002, 0.02, 0.1])
def test_a_second_ctrl_c_has_the_same_exit_code(pause_s: float, tmp_path: Path) -> None:
    """Whenever Ctrl-C is pressed again, and again, the run ends as stopped by the user."""
    with demo(tmp_path, "--games", "100000") as run:
        until_game(run)
        began = time.monotonic()
        while run.poll() is None and time.monotonic() - began < PATIENCE_S:
            run.send_signal(signal.SIGINT)
            time.sleep(pause_s)
        _, talk = run.communicate(timeout=PATIENCE_S)  # what it writes on stdout may be cut short
    assert run.returncode == 5, talk
    assert "Traceback" not in talk


def test_a_second_hang_up_does_not_cut_the_end_short(tmp_path: Path) -> None:
    """The system and the shell both tell of a closed terminal; the report is written all the same."""
    with demo(tmp_path, "--games", "100000") as run:
        until_game(run)
        for _ in range(5):
            run.send_signal(signal.SIGHUP)
        report, _ = result(run, 5)
    assert len(report["games"]) >= 1


def ignore_hang_up() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_nohup_goes_on(tmp_path: Path) -> None:
    """Where SIGHUP is ignored, as by `nohup`, it stays ignored."""
    with demo(tmp_path, "--games", "12", before=ignore_hang_up) as run:
        until_game(run)
        run.send_signal(signal.SIGHUP)
        report, _ = result(run, 0)
    assert len(report["games"]) == 12


def test_a_closed_output_is_an_error_in_words(tmp_path: Path) -> None:
    """The games are played and told of on stderr; that the result could not be written is said."""
    with demo(tmp_path, "--games", "1", before=lambda: os.close(1)) as run:
        _, talk = result(run, 1)
    assert re.search(r"(won|lost) in", talk)
    assert "standard output is closed" in talk


def close_reader(descriptor: int) -> None:
    """Give the process an output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, descriptor)


@pytest.mark.parametrize("before", [lambda: os.close(2), lambda: close_reader(2)], ids=["closed", "unread"])
def test_messages_that_nobody_reads_end_no_game(before: Callable[[], None], tmp_path: Path) -> None:
    """Without a reader of stderr all games are played, and the result is whole."""
    with demo(tmp_path, "--games", "3", before=before) as run:
        report, _ = result(run, 0)
    assert len(report["games"]) == 3


def test_an_output_without_a_reader_ends_quietly(tmp_path: Path) -> None:
    """A reader of stdout that has gone, as `head` does, is exit 1 without a traceback."""
    with demo(tmp_path, "--games", "1", before=lambda: close_reader(1)) as run:
        result(run, 1)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EFBIG])
def test_a_file_without_room_is_not_called_the_result(
    code: int, sweepbot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the result cannot be written is said only where its output has refused it; else the file is named."""

    def full(*_: object) -> None:
        raise OSError(code, os.strerror(code), "/elsewhere/kept")

    monkeypatch.setattr("sweepbot.cli.clients.known_calibrations", full)
    answer = sweepbot("clients")
    assert answer.exit_code == 1
    assert "the result" not in answer.err
    assert f"{os.strerror(code)}: '/elsewhere/kept'" in answer.err


def test_a_trace_that_was_removed_is_not_named(tmp_path: Path) -> None:
    """A trace that somebody removes while it is written is told of, and the report names none."""
    looks = count(1)

    def removing(frame: Frame) -> Frame:
        if next(looks) == 20:
            shutil.rmtree(tmp_path / "trace")
        return frame

    told: list[str] = []
    watch_screen = partial(MaskedScreen, masked=removing)
    assert record_demo(tmp_path / "trace", watch_screen=watch_screen, told=told) is None
    assert any("was removed" in text for text in told)


def test_a_picture_that_cannot_be_kept_hides_no_error(tmp_path: Path) -> None:
    """Where the folder cannot be made the words say so; older pictures make room, the oldest first."""
    image = np.zeros((8, 8, 3), np.uint8)
    (tmp_path / "file").write_text("in the way")
    assert keep_untrusted(image, tmp_path / "file" / "folder").startswith("not kept, ")
    kept = [keep_untrusted(image, tmp_path / "kept") for _ in range(25)]
    assert sorted(str(path) for path in (tmp_path / "kept").iterdir()) == kept[-20:]


def test_one_solver_at_a_time_is_compiled_in_the_background(tmp_path: Path) -> None:
    """Whatever its home, a process that gets no turn leaves at once and has compiled nothing."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    environment = os.environ | {"TMPDIR": str(folder), "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(tmp_path / "a")}
    with open_lock(folder / f"sweepbot-{os.getuid()}" / "compiling.lock") as turn:
        assert try_lock(turn)
        command = [sys.executable, "-m", "sweepbot.solver.compiling", "--background"]
        subprocess.run(command, env=environment, check=True, timeout=30)
    assert not list((tmp_path / "a").rglob("*.nbi"))
    assert not list((tmp_path / "a").rglob("done-*"))
