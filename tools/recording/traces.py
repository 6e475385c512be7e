"""Records the traces in fixtures/traces: each client won and lost, its dialogs, and one that is learned.

`python -m tools.recording.traces` records all of them in about ten minutes, `... kmines demo` those of some clients.
Each story is played until it comes true, and replaces its trace.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from sweepbot.level import Level
from sweepbot.trace.trace import open_trace
from tools.live.clients import CLIENTS, wine_prefix
from tools.live.display import Display, virtual_display
from tools.places import TRACES

_MAX_TRIES = 25
"""Runs until a story is given up: even the rarest, a lost game of GNOME Mines, takes five on average."""

_DENSE = "12x9/34"
"""A level that is lost within a few clicks."""

Start = Callable[[Display, Level], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Story:
    """A run to be recorded: its command, what starts the client, and how its games must end."""

    client: str
    name: str
    level: str
    results: tuple[str, ...]
    words: tuple[str, ...]
    start: Start


def _nothing(_: Display, __: Level) -> AbstractContextManager[object]:
    """The demo in memory needs no window."""
    return nullcontext()


@contextmanager
def _best_times(display: Display, level: Level) -> Iterator[object]:
    """WineMine, asking for a name after each win."""
    with wine_prefix(display) as prefix, prefix.winemine(level, best_times=True) as window:
        yield window


def _stories() -> Iterator[Story]:
    demo = ("demo", "--headless", "--games", "1", "--level")
    yield Story("demo", "won", "beginner", ("won",), (*demo, "beginner"), _nothing)
    yield Story("demo", "lost", _DENSE, ("lost",), (*demo, _DENSE), _nothing)
    for client in ("winemine", "xdemineur", "sgt-mines", "kmines", "gnome-mines"):
        start = CLIENTS[client].start
        small = {"xdemineur": "12x8/10", "gnome-mines": "8x8/10"}.get(client, "beginner")
        dense = small if client == "gnome-mines" else _DENSE
        play = ("play", "--client", client, "--no-countdown")
        for result, level in (("won", small), ("lost", dense)):
            mines = ("--mines", level.partition("/")[2]) if "/" in level and client != "gnome-mines" else ()
            yield Story(client, result, level, (result,), (*play, "--games", "1", *mines), start)
    twice = ("--no-countdown", "--games", "2", "--trace-screen")
    words = ("play", "--client", "winemine", *twice)
    yield Story("winemine", "dialogs", "beginner", ("won", "won"), words, _best_times)
    for client, level in (("kmines", "beginner"), ("gnome-mines", "8x8/10")):
        words = ("play", "--client", client, *twice)
        yield Story(client, "dialogs", level, ("won", "won"), words, CLIENTS[client].start)
    learn = ("calibrate", "unseen", "--live", "--yes", "--trace-screen", "--max-games", "8")
    yield Story("xdemineur", "learned", "12x10/15", (), learn, CLIENTS["xdemineur"].start)


def _record(story: Story, display: Display) -> Path:
    """Play a story until it comes true; return its trace.

    Raises:
        RuntimeError: It never came true.
    """
    said = ""
    for _ in range(_MAX_TRIES):
        home = Path(tempfile.mkdtemp(prefix="sweepbot-trace-"))
        trace = home / "trace"
        words = [*story.words, "--json", "--trace", str(trace)]
        if story.words[0] == "calibrate":
            words += ["--output", str(home / "learned")]
        with story.start(display, Level.parse(story.level)):
            done = subprocess.run(
                [sys.executable, "-m", "sweepbot", *words],
                env=display.environment | {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
                capture_output=True,
                text=True,
                check=False,
            )
        said = done.stderr
        is_right = done.returncode == 0 and trace.is_dir()
        if is_right and story.results:
            report = json.loads(done.stdout)
            is_right = tuple(game["result"] for game in report["games"]) == story.results
        if is_right:
            return trace
        shutil.rmtree(home)
    raise RuntimeError(f"{story.client} {story.name} did not come true in {_MAX_TRIES} runs: {said}")


def main() -> int:
    """Record the stories named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.recording.traces", description=__doc__)
    parser.add_argument("clients", nargs="*", help="all by default")
    wanted = parser.parse_args().clients
    with virtual_display() as display:
        for story in _stories():
            if wanted and story.client not in wanted:
                continue
            trace = _record(story, display)
            folder = TRACES / f"{story.client}-{story.name}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(trace, folder)
            shutil.rmtree(trace.parent)
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            print(f"{folder.name}: {size / 1000:.0f} kB, {open_trace(folder).run.command}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
