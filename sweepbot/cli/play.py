"""`sweepbot play`: plays the Minesweeper that is on the screen."""

import sys

import click
import platformdirs
from msgspec.structs import replace

from sweepbot.cli.output import announce, json_option
from sweepbot.cli.regions import REGION
from sweepbot.cli.session import COUNTDOWN_S, run
from sweepbot.cli.target import target_client, told_by_window
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.cli.warmup import compile_first
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.sole import sole_on_display
from sweepbot.errors import StoppedByUserError, UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.plan import Style
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import Calibration, find_calibration, known_calibrations


@click.command()
@click.option("--client", metavar="NAME", help="Which program it is; found out by its look without this.")
@click.option("--games", type=click.IntRange(min=1), help="How many games; 1 by default, with --until-win any number.")
@click.option("--until-win", is_flag=True, help="End with the first game that is won.")
@click.option("--max-seconds", type=click.FloatRange(min=0), metavar="S", help="Begin no further game after so long.")
@click.option("--stop-at-guess", is_flag=True, help="Leave the game to you where nothing is certain.")
@click.option(
    "--style",
    type=click.Choice([style.value for style in Style]),
    default=Style.NOFLAG.value,
    show_default=True,
    help="Open cell by cell, flag every mine as well, chord where that saves clicks, or make the fewest clicks.",
)
@click.option(
    "--cps", type=click.FloatRange(min=0, min_open=True), metavar="N", help="At most so many clicks a second."
)
@click.option("--level", metavar="L", help="Insist on this level of the client.")
@click.option("--mines", type=click.IntRange(min=1), help="The mines of a board of no level, if you know.")
@click.option("--region", type=REGION, help="Look for the board in this part of the screen only.")
@click.option("--no-guess", is_flag=True, help="The client deals only boards that need no guess: each guess says so.")
@click.option("--no-countdown", is_flag=True, help="Begin at once.")
@click.option("--no-resize", is_flag=True, help="Leave the client's window as it is, even if its board is too small.")
@click.option("--allowed", is_flag=True, help="You may play it: ask no question where a client's makers ban bots.")
@trace_options
@json_option
def command(
    *,
    client: str | None,
    games: int | None,
    until_win: bool,
    max_seconds: float | None,
    stop_at_guess: bool,
    style: str,
    cps: float | None,
    level: str | None,
    mines: int | None,
    region: Region | None,
    no_guess: bool,
    no_countdown: bool,
    no_resize: bool,
    allowed: bool,
    trace: str | None,
    trace_screen: bool,
    as_json: bool,
) -> None:
    """Play the Minesweeper that is on the screen.

    The board may be anywhere on it. To stop, move the mouse, push it into a corner of the screen, or press Ctrl-C.
    """
    if Style(style) is Style.EFFICIENT:
        compile_first()
    known = None if client is None else find_calibration(client)
    if known is not None:
        _check_allowed(known, allowed=allowed)
    if level is not None:
        _check_level(known, level, mines)
    settings = PlaySettings(
        games=games if games is not None or until_win else 1,
        until_win=until_win,
        max_seconds=max_seconds,
        stop_at_guess=stop_at_guess,
        style=Style(style),
        cps=cps,
        mines=mines,
        region=None if region is None else str(region),
        resizes=not no_resize,
        no_guess=no_guess,
    )
    with sole_on_display(platformdirs.user_state_path("sweepbot", appauthor=False)), open_desktop(announce) as desk:
        record = recording("play", settings, desk, trace=trace, trace_screen=trace_screen)

        def settled(calibration: Calibration, board: Region) -> tuple[Calibration, PlaySettings]:
            """What is known of the client and asked of it, once it is known which one it is."""
            told = told_by_window(calibration, desk.windows, board, is_named=known is not None)
            if told is not known:
                _check_allowed(told, allowed=allowed)
            if known is None:
                calibration = told
            size = None if level is None else _level(calibration, level, mines)
            asked = replace(settings, level=None if size is None else str(size))
            record.played_with(calibration, asked)
            return calibration, asked

        with record:
            target, countdown_s = target_client(known, mines, settled), 0 if no_countdown else COUNTDOWN_S
            run(record, target, settings, countdown_s=countdown_s, as_json=as_json, keeps=True)


def _check_allowed(calibration: Calibration, *, allowed: bool) -> None:
    """Ask a person who is to know something before this client is played; refuse where nobody can answer.

    Raises:
        UsageError: There is no terminal to ask on.
        StoppedByUserError: The answer was no.
    """
    if not calibration.asks_before_play or allowed:
        return
    question = f"{calibration.name}: {calibration.asks_before_play}"
    if not sys.stdin.isatty():
        raise UsageError(
            question, hint="--allowed says that you have made sure; reading and solving need no such thing"
        )
    if not click.confirm(f"{question} Are you allowed to play it with a bot?", err=True):
        raise StoppedByUserError(f"{calibration.name} is not played", hint="read and solve work on it all the same")


def _check_level(known: Calibration | None, name: str, mines: int | None) -> None:
    """Refuse a level that the client, or where none is named any client, does not have."""
    if known is not None:
        _level(known, name, mines)
        return
    all_levels = [calibration.levels for calibration in known_calibrations()]
    names = dict.fromkeys(level for levels in all_levels for level in levels)
    if name not in names:
        raise UsageError(f"no client has a level {name!r}", hint=f"there are {', '.join(names)}")


def _level(calibration: Calibration, name: str, mines: int | None) -> Level:
    """The level of that name, which must not have other mines than those given."""
    if name not in calibration.levels:
        raise UsageError(f"{calibration.name} has no level {name!r}", hint=f"it has {', '.join(calibration.levels)}")
    level = calibration.levels[name]
    if mines not in (None, level.mines):
        raise UsageError(f"--mines {mines} contradicts --level {name}, which has {level.mines}", hint="leave one out")
    return level
