"""`sweepbot replay`: repeats recorded runs and readings, or shows a run step by step in the terminal."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console, Group
from rich.text import Text

from sweepbot.board import Board
from sweepbot.cli.board_view import board_view
from sweepbot.cli.output import PATH, announce, json_option, pressed_key, print_json, results
from sweepbot.errors import UsageError
from sweepbot.explaining import move_in_words
from sweepbot.formats.evf import write_evf
from sweepbot.render.text import counted
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.calibration import calibration_of
from sweepbot.replay.differences import Replayed, StepDifference
from sweepbot.replay.fixtures import compare_all, find_fixtures, find_step, write_fixture
from sweepbot.replay.report.gif import write_gif
from sweepbot.replay.report.page import write_page
from sweepbot.replay.steps import Step, steps_of
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.entries import Click, Key
from sweepbot.trace.events import Ended
from sweepbot.trace.trace import Trace, is_trace, open_trace

_BACK, _ON = ("\x1b[D", "\xe0K", "h", "p"), ("\x1b[C", "\xe0M", "l", "n", " ")
_FIXTURES_HELP = "Where --to-fixture writes it, in a folder named after the client."
_HELP = "arrow keys: back, on · g: next guess · d: next doubt · x: next difference · q: quit"


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--by-step", is_flag=True, help="Read and decide each picture again, whatever was clicked then.")
@click.option("--step", "stepping", is_flag=True, help="Walk through the run in the terminal, by arrow keys.")
@click.option("--html", type=PATH, metavar="OUT", help="Write the run as an HTML page.")
@click.option("--gif", type=PATH, metavar="OUT", help="Write the games as an animated GIF.")
@click.option("--evf", type=PATH, metavar="DIR", help="Write whole games as Metasweeper replays.")
@click.option("--to-fixture", type=click.IntRange(min=1), metavar="N", help="Make a fixture of step N.")
@click.option("--fixtures", type=PATH, default=Path("fixtures"), metavar="DIR", help=_FIXTURES_HELP)
@json_option
def command(
    *,
    paths: tuple[Path, ...],
    by_step: bool,
    stepping: bool,
    html: Path | None,
    gif: Path | None,
    evf: Path | None,
    to_fixture: int | None,
    fixtures: Path,
    as_json: bool,
) -> int:
    """Run recorded games again without a screen, and list what differs.

    PATHS are traces, as `play --trace DIR` writes them: the whole run is repeated on what was seen then, up to the
    first picture or click that differs. A trace of a run's last minute, or of a person's games, is always replayed
    --by-step. Or PATHS are fixtures CLIENT/NAME.png, each with its board text in CLIENT/NAME.txt, or folders of them.
    The exit code is 1 if anything differs.
    """
    traces = [path for path in paths if path.is_dir() and is_trace(path)]
    looks = bool(stepping or html or gif or evf or to_fixture)
    if not traces:
        if by_step or looks:
            raise UsageError("this option is for traces", hint="give the folder of a trace, which contains run.json")
        return _fixtures(paths, as_json=as_json)
    if len(traces) < len(paths):
        other = next(path for path in paths if path not in traces)
        raise UsageError(f"{other} is not a trace, but others are", hint="replay traces and fixtures separately")
    if looks and len(traces) > 1:
        raise UsageError(f"this option is for one trace, not {len(traces)}", hint="give one")
    if to_fixture is not None:
        return _to_fixture(open_trace(traces[0]), to_fixture, fixtures)
    runs = [open_trace(path) for path in traces]
    replayed = [replay_by_step(it) if by_step or not it.is_repeatable else replay_strictly(it) for it in runs]
    if looks:
        _look_at(runs[0], replayed[0], html, gif, evf, stepping=stepping)
    if as_json:
        print_json(replayed[0] if len(replayed) == 1 else replayed)
    else:
        for path, result in zip(traces, replayed, strict=True):
            _report(path, result)
    return 1 if any(result.differences for result in replayed) else 0


def _look_at(
    trace: Trace, replayed: Replayed, html: Path | None, gif: Path | None, evf: Path | None, *, stepping: bool
) -> None:
    """Write or show a run in each form that was asked for."""
    steps = list(steps_of(trace))
    if html is not None:
        write_page(trace.run, steps, replayed.differences, html)
    if gif is not None:
        write_gif(steps, gif)
    if evf is not None:
        with calibration_of(trace) as calibration:
            write_evf(trace, calibration.behaviour, evf)
    for path in filter(None, (html, gif, evf)):
        announce(f"written: {path}")
    if stepping:
        if not results.is_terminal:
            raise UsageError("--step needs a terminal", hint="or write a page: --html OUT.html")
        walk(steps, replayed.differences, results)


def _to_fixture(trace: Trace, number: int, folder: Path) -> int:
    """Let the person confirm or correct the board of a step, and write it as a fixture."""
    step = find_step(trace, number)
    text = "\n".join(step.read.rows)
    while True:
        results.print(text)
        answer = click.prompt("Does the picture show this board?", type=click.Choice(["yes", "edit", "no"]), err=True)
        if answer == "no":
            return 1
        if answer == "edit":
            text = click.edit(text) or text
            continue
        picture = write_fixture(trace, step, Board.parse(text), folder)
        results.print(f"written: {picture}")
        return 0


def _report(path: Path, replayed: Replayed) -> None:
    for entry in open_trace(path).entries():
        if isinstance(entry, Ended):
            results.print(str(entry))
    for difference in replayed.differences:
        results.print(f"step {difference.step}, {difference}")
    found = counted(len(replayed.differences), "difference") if replayed.differences else "no difference"
    results.print(f"{path}: {counted(replayed.steps, 'step')}, {found}")


def _fixtures(paths: tuple[Path, ...], *, as_json: bool) -> int:
    comparisons = list(compare_all([fixture for path in paths for fixture in find_fixtures(path)]))
    if as_json:
        print_json([asdict(it) | {"agrees": it.agrees, "error": it.error or None} for it in comparisons])
    else:
        for comparison in comparisons:
            wrong = comparison.error or f"{len(comparison.differences)} cells differ"
            results.print(f"{comparison.file}: {'agrees' if comparison.agrees else wrong}")
            for difference in comparison.differences:
                results.print(f"  {difference}")
        agreeing = sum(comparison.agrees for comparison in comparisons)
        cells = sum(comparison.cells for comparison in comparisons)
        results.print(f"{agreeing} of {len(comparisons)} fixtures agree with their boards, {cells:,} cells in all")
    return 0 if all(comparison.agrees for comparison in comparisons) else 1


def walk(steps: Sequence[Step], differences: Sequence[StepDifference], console: Console) -> None:
    """Show steps one at a time, moving by keys, until `q`."""
    differ = {difference.step for difference in differences}
    wanted: dict[str, Callable[[Step], bool]] = {
        "g": lambda step: step.is_guess,
        "d": lambda step: bool(step.read.doubt),
        "x": lambda step: step.number in differ,
    }
    place = 0
    while steps:
        console.clear()
        step = steps[place]
        here = [difference for difference in differences if difference.step == step.number]
        console.print(view(step, here, len(steps), console.width, console.height), soft_wrap=False)
        key = pressed_key()
        if key in ("q", "\x1b"):
            return
        if key in _BACK:
            place = max(0, place - 1)
        elif key in _ON:
            place = min(len(steps) - 1, place + 1)
        elif key in wanted:
            place = next((number for number in range(place + 1, len(steps)) if wanted[key](steps[number])), place)


def view(step: Step, differences: Sequence[StepDifference], steps: int, width: int, height: int) -> Group:
    """Show a step: its board with the chances of hidden cells, the decision, and what was done."""
    head = Text(f"step {step.number} of {steps}, {step.rested / 1e6:.2f} s: {step.read.phase}", style="bold")
    differs = [Text(f"≠ {difference}", style="bold") for difference in differences]
    words = [*map(Text, _words(step)), *differs, Text(_HELP, style="dim")]
    below = sum(str(line).count("\n") + 1 for line in words)
    board = board_view(Board.parse(step.read.rows), step.decided, width, height - below - 1)
    return Group(head, board, *words)


def _words(step: Step) -> list[str]:
    words = [f"! not trusted: {step.read.doubt}"] if step.read.doubt else []
    decision = step.decided
    if decision is not None:
        words.append(move_in_words(decision, Board.parse(step.read.rows))[0])
    clicks = sum(isinstance(act, Click) for act in step.acts)
    keys = [act.key for act in step.acts if isinstance(act, Key)]
    if step.acts:
        words.append(counted(clicks, "click") + (f", keys {', '.join(keys)}" if keys else ""))
    return words + step.notes
