"""Waiting until the solver is compiled, with a bar that says how long."""

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from sweepbot.cli.output import announce, talk
from sweepbot.solver import Preparation
from sweepbot.solver.preparation import Progress as Compiled
from sweepbot.solver.preparation import is_prepared

_ONCE = "compiling the solver for this machine, once"


def prepare() -> Preparation:
    """Begin to compile what a game needs; a decision that has to wait for it says so."""
    return Preparation(on_wait=lambda _: talk.print("waiting: for the solver to be compiled", style="dim"))


def wait_for(preparation: Preparation, *stages: str) -> None:
    """Wait until these stages are compiled, and say so where that takes time."""
    missing = [stage for stage in stages if not is_prepared(stage)]
    if not missing:
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(compact=True))
    if not talk.is_terminal:
        announce(f"{_ONCE}: {', '.join(missing)}")
    with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
        for stage in missing:
            task = progress.add_task(f"{_ONCE}: {stage}", total=None)

            def show(compiled: Compiled | None, stage: str = stage, task: TaskID = task) -> None:
                if compiled is not None and compiled.stage == stage:
                    progress.update(task, completed=compiled.done, total=compiled.of)

            preparation.wait(stage, tell=show)
            progress.remove_task(task)
