"""Trouble around a command: full disks, strange servers, wrong files, nobody to answer."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.commands import run
from tests.user_folders import user_folders
from tools.places import FIXTURES

sweepbot = partial(run, stdin=subprocess.DEVNULL, start_new_session=True)
"""Run a command with no standard input and no terminal."""


def is_told(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether an error was reported in words, without a traceback."""
    told = any(line.startswith("sweepbot: ") for line in done.stderr.splitlines())
    return done.returncode != 0 and told and "Traceback" not in done.stderr


@pytest.fixture(params=["mute", "of another kind"])
def stranger(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that is no scheduler: silent, or a web server."""
    held = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                    if request.param == "mute":
                        held.append(connection)
                        continue
                    with connection:
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        for connection in held:
            connection.close()


def test_a_server_that_is_no_scheduler_is_an_error_within_15_seconds(stranger: str) -> None:
    """Whatever answers at the cluster's address, the command ends with one line about it."""
    pytest.importorskip("distributed", reason="distributed, of the extra [cluster], is not installed")
    start = time.monotonic()
    done = sweepbot("simulate", "--level", "beginner", "--games", "2", "--cluster", stranger, timeout=60)
    assert is_told(done), done.stderr
    assert "no Dask scheduler answers" in done.stderr
    assert time.monotonic() - start < 15 + START_S


START_S = 15.0
"""Seconds to load Python, numba and distributed on a busy machine."""


@pytest.mark.parametrize("address", ["", "junk", "tcp://", "nope://x:1"])
def test_a_junk_address_is_an_error(address: str) -> None:
    """An invalid address is an error in words."""
    pytest.importorskip("distributed", reason="distributed, of the extra [cluster], is not installed")
    done = sweepbot("simulate", "--level", "beginner", "--games", "2", "--cluster", address, timeout=60)
    assert is_told(done), done.stderr


def test_a_journal_on_a_full_disk_can_be_continued(tmp_path: Path) -> None:
    """A full disk is reported; with room again the run goes on, and each game counts once."""
    if sys.platform == "win32":
        pytest.skip("Windows cannot limit the size of files")
    import resource  # noqa: PLC0415  (only where there is such a thing)

    words = ("simulate", "--level", "beginner", "--games", "30", "--journal", tmp_path, "--json")
    done = sweepbot(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert is_told(done), done.stderr
    assert "best.jsonl: cannot be written" in done.stderr
    again = sweepbot(*words)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["games"] == 30
    numbers = [json.loads(line)["game"] for line in (tmp_path / "best.jsonl").read_text().splitlines()[1:]]
    assert numbers == list(range(30))


@pytest.mark.parametrize(("library", "refusal"), [("cv2", "ImportError"), ("numba", "OSError"), ("PIL", "MemoryError")])
def test_a_library_that_cannot_be_loaded_is_an_error(tmp_path: Path, library: str, refusal: str) -> None:
    """As where memory is limited: its own reason is told, and what may help."""
    (tmp_path / f"{library}.py").write_text(f"raise {refusal}('failed to map segment from shared object')")
    path = os.pathsep.join((str(tmp_path), os.environ["PYTHONPATH"]))
    done = sweepbot("demo", "--headless", "--games", "1", environment=os.environ | {"PYTHONPATH": path}, timeout=60)
    assert done.returncode == 1
    assert is_told(done), done.stderr
    assert "failed to map segment" in done.stderr
    assert "ulimit" in done.stderr


def test_board_text_of_a_fixture_that_is_no_text_is_named(tmp_path: Path) -> None:
    """A binary .txt is an error that names the file, not a traceback."""
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "shot.png").write_bytes((FIXTURES / "demo" / "beginner_middle.png").read_bytes())
    (folder / "shot.txt").write_bytes(bytes(range(128, 256)))
    done = sweepbot("replay", folder)
    assert is_told(done), done.stderr
    assert "shot.txt: is no text" in done.stderr


def test_a_question_that_nobody_can_answer_is_a_usage_error(tmp_path: Path) -> None:
    """Without a terminal a command that must ask says so and exits with a usage error."""
    if not hasattr(os, "setsid"):
        pytest.skip("Windows always has a console")
    shot = FIXTURES / "demo" / "beginner_middle.png"
    done = sweepbot(
        "calibrate", "mine", "--image", shot, environment=os.environ | user_folders(tmp_path) | {"DISPLAY": ""}
    )
    assert done.returncode == 2, done.stderr
    assert is_told(done), done.stderr
    assert "answer" in done.stderr
