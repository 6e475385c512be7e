"""`sweepbot doctor`: can this machine be played on?"""

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.desktop.doctor import Check, Verdict, examine, playable
from sweepbot.solver.kernel_cache import is_cached, kernel_folder

_STYLES = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "bold red"}


@click.command()
@json_option
def command(*, as_json: bool) -> int:
    """Find out whether this machine can be played on, and if not, why, and how to fix it.

    Looks only: nothing is clicked, and the pointer is not moved, but for Wayland desktops that keep your consent or
    need none: there it is seen where the pointer lands. Exits with 1 where this machine cannot be played on.
    """
    checks = [*examine(), _solver()]
    can_play = playable(checks)
    if as_json:
        print_json({"playable": can_play, "checks": checks})
    else:
        for check in checks:
            results.print(f"{check.verdict:<5}", style=_STYLES[check.verdict], end="")
            results.print(f"{check.name:<14}{check.found}")
            if check.advice:
                results.print(f"{'':<19}-> {check.advice}")
        results.print("this machine can be played on" if can_play else "this machine cannot be played on")
    return 0 if can_play else 1


def _solver() -> Check:
    """In which form the solver runs."""
    if is_cached():
        return Check("solver", Verdict.OK, f"compiled: {kernel_folder()}")
    advice = "it plays all the same, and compiles itself meanwhile; `sweepbot warmup` does it ahead"
    return Check("solver", Verdict.OK, "plain Python, not compiled for this machine yet", advice)
