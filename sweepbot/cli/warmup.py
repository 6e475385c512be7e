"""`sweepbot warmup`: compiles the solver ahead of the first game."""

import time

import click

from sweepbot.cli.output import announce, json_option, print_json, results
from sweepbot.solver.kernel_cache import compile_now, is_cached, kernel_folder


def compile_first() -> None:
    """Compile the solver and wait for it, unless it is compiled: some commands are too slow without."""
    if not is_cached():
        announce("compiling the solver for this machine, once")
        compile_now()


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """Compile the solver for this machine, so that the first games are as fast as all others.

    It also compiles itself while games are played; this is for preparing a machine, or an image of one.
    """
    start = time.perf_counter()
    was_cached = is_cached()
    compile_first()
    seconds = round(time.perf_counter() - start, 1)
    if as_json:
        print_json({"folder": str(kernel_folder()), "compiled": not was_cached, "seconds": seconds})
    else:
        done = "was already compiled" if was_cached else f"was compiled in {seconds:.0f} s"
        results.print(f"the solver {done}: {kernel_folder()}")
