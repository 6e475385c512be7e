"""The parts that `play` and `demo` share: countdown, games, summary."""

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import click

from sweepbot.cli.live import LiveView
from sweepbot.cli.output import announce, print_json, results, talk
from sweepbot.plan import Style
from sweepbot.render.text import counted
from sweepbot.sessions.play import Remember, playing
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.target import Target
from sweepbot.solver.compiling import get_ready
from sweepbot.trace.events import Event, Found, GameResult

STYLE = click.option(
    "--style",
    type=click.Choice([style.value for style in Style]),
    default=Style.NOFLAG.value,
    help="Open cell by cell, also flag every mine, chord where that saves clicks, or make the fewest clicks.",
)
"""How clicks are chosen, of all commands that click."""

CPS = click.option(
    "--cps", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Make at most N clicks a second."
)
"""Their pace."""

COUNTDOWN_S = 3
"""Seconds for the person to let go of the mouse."""


def count_down(seconds: int) -> None:
    """Count down to the first click, and load the solver in the meantime."""
    with ThreadPoolExecutor(1) as executor:
        ready = executor.submit(get_ready)
        if seconds:
            talk.print(f"playing in {seconds} s ... (to stop: move the mouse, or press Ctrl-C)")
            time.sleep(seconds)
        ready.result()


@dataclass
class Sums:
    """What has been played: the games of each run, and the last trace that was kept."""

    runs: list[list[GameResult]] = field(default_factory=list)
    trace: Path | None = None


@contextmanager
def summed_up(*, as_json: bool) -> Iterator[Sums]:
    """Print a summary of what is played in the block, even if it is cut short."""
    sums = Sums()
    try:
        yield sums
    finally:
        ended = sys.exception()
        try:
            _sum_up([game for run in sums.runs for game in run], sums.trace, as_json=as_json)
        except OSError:  # nobody reads it any more: how the run has ended counts more
            if ended is None:
                raise


def play_games(
    sums: Sums,
    recording: Recording,
    target: Target,
    *,
    countdown_s: int,
    note: Callable[[Event], None] = lambda _: None,
    watch: Callable[[Event], None] = lambda _: None,
    remember: Remember = lambda _, __: None,
) -> None:
    """Play the games in a live view, and add them to the sums even if they are cut short.

    The first click comes `countdown_s` seconds after the board was found. `note` gets each event before it is
    shown, so that nothing that was said is lost, and `watch` afterwards. For `remember` see `playing`.
    """
    settings = target.settings
    try:
        with closing(LiveView(talk, settings.games)) as view:

            def observe(event: Event) -> None:
                note(event)
                view.observe(event)
                watch(event)
                if isinstance(event, Found):
                    count_down(countdown_s)

            with playing(recording, target, observe, tell=announce, remember=remember) as player:
                sums.runs.append(player.results)
                player.play(settings.games, until_win=settings.until_win, max_seconds=settings.max_seconds)
    finally:  # after the live view has ended, which would overwrite it
        sums.trace = recording.finish(sys.exception()) or sums.trace


def _sum_up(games: list[GameResult], trace: Path | None, *, as_json: bool) -> None:
    won, lost = (sum(game.result == result for game in games) for result in ("won", "lost"))
    # The risk of a game may exceed 1: it is the sum of the chances of a mine in all guesses.
    expected = max(0.0, sum(1 - game.risk for game in games if game.result != "aborted"))
    if as_json:
        print_json({"games": games, "won": won, "lost": lost, "expected": round(expected, 4), "trace": trace})
        return
    if not games:
        results.print("no game was played")
        return
    lines = [f"{won} of {won + lost} won"]
    if aborted := len(games) - won - lost:
        lines[0] += f", {aborted} broken off"
    if won + lost:
        lines[0] += f"; {expected:.1f} expected from the chances taken"
    if seconds := [game.seconds for game in games if game.result == "won"]:
        lines.append(f"a win took {median(seconds):.2f} s, the median of {won}")
    if rates := [game.three_bv / game.seconds for game in games if game.three_bv and game.seconds]:
        lines[-1] += f", at {median(rates):.0f} 3BV/s"
    sums = {name: sum(getattr(game, name) for game in games) for name in ("clicks", "guesses", "misreads")}
    lines.append(
        f"{counted(sums['clicks'], 'click')}, {counted(sums['guesses'], 'guess', 'guesses')},"
        f" {counted(sums['misreads'], 'misread')}"
    )
    results.print("\n".join(lines))
