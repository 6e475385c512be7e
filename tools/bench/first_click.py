"""Measures the CPU time until the demo's first click, in its own process and in the compiling one. Linux only.

python tools/bench/first_click.py [--runs N] [--warm] [--most-ratio N]

Each run starts with an empty cache of compiled functions, or with a filled one if --warm is given. As machines differ,
and one machine varies from minute to minute, the time is also given as a ratio to a reference that is measured before
and after: adding up 20 million integers in a Python loop. Other load on the machine can only increase the ratio, so one
run within --most-ratio is enough; the exit code is 1 if none is.
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
    """Measure the given number of runs, and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--most-ratio", type=float)
    parser.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        return probe()
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
            print(json.dumps(cpu | {"seconds": round(seconds, 1), "ratio": ratio}), flush=True)
            if options.most_ratio is not None and ratio <= options.most_ratio:
                return 0
    return int(options.most_ratio is not None)


def reference() -> float:
    """The seconds of CPU time that the reference loop takes."""
    start, total = time.process_time(), 0
    for number in range(20_000_000):
        total += number
    return time.process_time() - start


def probe() -> int:
    """Play the demo in memory up to its first click, and print the seconds of CPU time until then."""
    from sweepbot.cli import main as sweepbot  # noqa: PLC0415  (loading it is part of what is measured)
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
    """The CPU time, in seconds, that a running process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
