"""`sweepbot play`: plays the Minesweeper that is on the screen."""

import click
from msgspec.structs import replace

from sweepbot.calibrate.map.start_screens import start_game
from sweepbot.cli.output import announce, confirmed, is_attended, json_option, talk
from sweepbot.cli.regions import REGION
from sweepbot.cli.session import COUNTDOWN_S, CPS, STYLE, play_games, summed_up
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.cli.unknown import agreed_name, named_or_new, remember
from sweepbot.cli.warmup import compile_first
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.windows import Windows
from sweepbot.errors import StoppedByUserError, UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.plan import Style
from sweepbot.sessions.keeping import History
from sweepbot.sessions.recognised import client_by_window, target_client
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import Calibration, known_calibrations
from sweepbot.vision.reader import Reader, unknown_client
from sweepbot.vision.reading import Reading


@click.command()
@click.option("--client", metavar="NAME", help="Which client it is; by default recognised by its look.")
@click.option("--yes", is_flag=True, help="Learn a client that nobody has calibrated, without asking, and play it.")
@click.option("--games", type=click.IntRange(min=1), help="How many games; by default 1, with --until-win any number.")
@click.option("--until-win", is_flag=True, help="Stop after the first game that is won.")
@click.option("--max-seconds", type=click.FloatRange(min=0), metavar="S", help="Start no game after S seconds.")
@click.option("--stop-at-guess", is_flag=True, help="Leave the game to you when a guess is needed.")
@STYLE
@CPS
@click.option("--level", metavar="L", help="Only play this level of the client.")
@click.option("--mines", type=click.IntRange(min=1), help="How many mines a board of a custom size has, if you know.")
@click.option("--region", type=REGION, help="Search only this part of the screen for the board.")
@click.option("--no-guess", is_flag=True, help="The client deals only no-guess boards: report every guess.")
@click.option("--no-countdown", is_flag=True, help="Start at once.")
@click.option("--no-resize", is_flag=True, help="Leave the client's window as it is, even if its board is too small.")
@click.option("--allowed", is_flag=True, help="You have permission: do not ask even if the client's site bans bots.")
@trace_options
@json_option
def command(
    *,
    client: str | None,
    yes: bool,
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
    A client that nobody has calibrated is read at first sight, once you agree, and remembered under a new NAME.
    """
    if Style(style) is Style.EFFICIENT:
        compile_first()
    known = None if client is None else named_or_new(client, is_new=yes)
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
        is_attended=is_attended() and not yes,
    )
    played: list[Calibration] = []
    with open_desktop(announce) as desk:
        if known is not None and not known.templates and region is None:  # a person has named it, and so agreed to it
            asking = () if allowed else (site for site in known_calibrations() if site.asks_before_play)
            start_game(desk, Reader(known, is_told=True), announce, [title for it in asking for title in it.titles])
        record = recording("play", settings, desk, trace=trace, trace_screen=trace_screen)

        def settled(calibration: Calibration, found: Reading) -> tuple[Calibration, PlaySettings]:
            """Return the calibration and the settings, once it is known which client it is."""
            named = known is not None
            by_window = client_by_window(calibration, desk.windows, found, is_named=True) if named else calibration
            if by_window is not known:
                _check_allowed(by_window, allowed=allowed)
            if not calibration.templates:
                title = _check_site(desk.windows, found.grid.region, allowed=allowed)
                name = agreed_name(found, title, "" if known is None else known.name, agreed=yes)
                calibration = unknown_client(name)
            played.append(calibration)
            size = None if level is None else _level(calibration, level, mines)
            final = replace(settings, level=None if size is None else str(size))
            record.played_with(calibration, final)
            return calibration, final

        with record:
            target = target_client(known, settings, settled, talk.print, windows=desk.windows)
            with summed_up(as_json=as_json) as sums:
                play_games(
                    sums,
                    record,
                    target,
                    countdown_s=0 if no_countdown else COUNTDOWN_S,
                    note=History(talk.print).observe,
                    remember=lambda learned, why: remember(learned, why, played[0]),
                )


def _check_site(windows: Windows | None, board: Region, *, allowed: bool) -> str:
    """Ask for permission if the page that a board is in is titled like a site that needs it; return that title."""
    window = None if windows is None else windows.under(board.centre)
    if windows is None or window is None:
        return ""
    for site in known_calibrations():
        if site.asks_before_play and window.id in windows.titled(site.titles):
            _check_allowed(site, allowed=allowed)
    return windows.title(window.id)


def _check_allowed(calibration: Calibration, *, allowed: bool) -> None:
    """Ask for permission if this client needs it; refuse if nobody can answer.

    Raises:
        UsageError: There is no terminal to ask on.
        StoppedByUserError: The answer was no.
    """
    if not calibration.asks_before_play or allowed:
        return
    question = f"{calibration.name}: {calibration.asks_before_play}"
    if not is_attended():
        raise UsageError(question, hint="give --allowed if you are allowed to; reading and solving do not need it")
    if not confirmed(f"{question} Are you allowed to play it with a bot?"):
        raise StoppedByUserError(f"{calibration.name} is not played", hint="you can still use read and solve on it")


def _check_level(known: Calibration | None, name: str, mines: int | None) -> None:
    """Refuse a level that the client does not have, or if none is named, that no client has."""
    if known is not None:
        _level(known, name, mines)
        return
    all_levels = [calibration.levels for calibration in known_calibrations()]
    names = dict.fromkeys(level for levels in all_levels for level in levels)
    if name not in names:
        raise UsageError(f"no client has a level {name!r}", hint=f"levels are {', '.join(names)}")


def _level(calibration: Calibration, name: str, mines: int | None) -> Level:
    """Return the level of that name, whose number of mines must not differ from the one given."""
    if name not in calibration.levels:
        raise UsageError(f"{calibration.name} has no level {name!r}", hint=f"it has {', '.join(calibration.levels)}")
    level = calibration.levels[name]
    if mines not in (None, level.mines):
        raise UsageError(f"--mines {mines} contradicts --level {name}, which has {level.mines}", hint="leave one out")
    return level
