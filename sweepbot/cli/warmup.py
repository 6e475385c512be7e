"""`sweepbot warmup`: compiles the solver ahead of the first game."""

import time

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.cli.preparing import wait_for
from sweepbot.solver import Preparation
from sweepbot.solver.compiled import kernel_folder
from sweepbot.solver.preparation import STAGES, is_prepared


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """Compile the solver for this machine, so that no game waits for it.

    The first game does so by itself; this is for those who prepare a machine for others, or an image of one.
    """
    start = time.perf_counter()
    compiled = [stage for stage in STAGES if not is_prepared(stage)]
    wait_for(Preparation(STAGES), *STAGES)
    seconds = round(time.perf_counter() - start, 1)
    if as_json:
        print_json({"folder": str(kernel_folder()), "compiled": compiled, "seconds": seconds})
    else:
        done = f"compiled in {seconds:.0f} s" if compiled else "was compiled already"
        results.print(f"the solver {done}: {kernel_folder()}", markup=False)
