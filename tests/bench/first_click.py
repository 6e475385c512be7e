"""How much CPU the demo needs until its first click, in its own process and in the one that compiles. Linux only.

python tests/bench/first_click.py [--runs N] [--warm] [--most-ratio N]

Each run begins with an empty cache of compiled functions, or with --warm with one that is filled. Machines differ, and
one machine from minute to minute, so what was used is also given as a ratio to a reference before and after: adding up
20 million integers in a loop of Python's. What else the machine does only adds to it: exits with 1 where even the
lowest ratio of all runs exceeds --most-ratio.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    """Run it as often as asked, and print a line of JSON for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--most-ratio", type=float)
    parser.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        return probe()
    lowest = float("inf")
    with tempfile.TemporaryDirectory() as filled:
        if options.warm:
            warm = [sys.executable, "-m", "sweepbot", "warmup"]
            subprocess.run(warm, env=os.environ | {"NUMBA_CACHE_DIR": filled}, check=True, stdout=subprocess.DEVNULL)
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as empty:
                environment = os.environ | {"NUMBA_CACHE_DIR": filled if options.warm else empty}
                before, start = reference(), time.perf_counter()
                done = subprocess.run(
                    [sys.executable, __file__, "--probe"],
                    env=environment,
                    stdout=subprocess.PIPE,
                    text=True,
                    check=True,
                )
                cpu = json.loads(done.stdout)
                seconds = time.perf_counter() - start
            ratio = round(sum(cpu.values()) / ((before + reference()) / 2), 1)
            print(json.dumps(cpu | {"seconds": round(seconds, 1), "ratio": ratio}), flush=True)  # noqa: T201  (a bench)
            lowest = min(lowest, ratio)
    return 0 if options.most_ratio is None or lowest <= options.most_ratio else 1


def reference() -> float:
    """The seconds of CPU that a loop of Python's takes."""
    start, total = time.process_time(), 0
    for number in range(20_000_000):
        total += number
    return time.process_time() - start


def probe() -> int:
    """Play the demo in memory up to its first click, and print the seconds of CPU until then."""
    from sweepbot.cli import main as sweepbot  # noqa: PLC0415  (loading it is a part of what is measured)
    from sweepbot.demo.memory import MemoryDesktop  # noqa: PLC0415

    def first_click(*_: object) -> None:
        own = os.times()
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
        compiling = own.children_user + own.children_system + sum(map(_cpu_seconds, children))
        answer = {"playing": round(own.user + own.system, 2), "compiling": round(compiling, 2)}
        os.write(1, json.dumps(answer).encode())
        for child in children:
            os.kill(int(child), 9)
        os._exit(0)

    MemoryDesktop.click = first_click  # type: ignore[assignment, method-assign]
    sys.argv = ["sweepbot", "demo", "--headless", "--games", "1"]
    return sweepbot()


def _cpu_seconds(process: str) -> float:
    """What a process that is still running has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
