"""`sweepbot doctor`: checks whether this machine can be played on."""

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.desktop.doctor import Finding, Severity, examine, playable
from sweepbot.solver.kernel_cache import is_cached, kernel_folder, why_uncompiled

_STYLES = {Severity.OK: "", Severity.WARN: "yellow", Severity.FAIL: "bold red"}


@click.command()
@json_option
def command(*, as_json: bool) -> int:
    """Check whether this machine can be played on, and if not, why, and how to fix it.

    It clicks nothing and does not move the pointer, except on a Wayland desktop that needs no further consent, where it
    checks that the pointer lands where it is put. The exit code is 1 if this machine cannot be played on.
    """
    checks = [*examine(), _solver()]
    can_play = playable(checks)
    if as_json:
        print_json({"playable": can_play, "checks": checks})
    else:
        for check in checks:
            advice = f"\n{'':<19}-> {check.advice}" if check.advice else ""
            results.print(f"{check.verdict:<5}{check.name:<14}{check.found}{advice}", style=_STYLES[check.verdict])
        results.print("this machine can be played on" if can_play else "this machine cannot be played on")
    return 0 if can_play else 1


def _solver() -> Finding:
    """Report whether the solver is compiled."""
    if is_cached():
        return Finding("solver", Severity.OK, f"compiled: {kernel_folder()}")
    advice = "nothing needs doing: it compiles itself while you play; `sweepbot warmup` does so in advance"
    if (reason := why_uncompiled()) is not None:
        advice = f"{reason[0]}: {reason[1]}"
    return Finding("solver", Severity.OK, "plain Python, not yet compiled for this machine", advice)
