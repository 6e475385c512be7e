"""`sweepbot play`: plays the Minesweeper that is on the screen."""

import click
import platformdirs
from msgspec.structs import replace

from sweepbot.cli.output import announce, fits, json_option, talk
from sweepbot.cli.regions import RegionType
from sweepbot.cli.session import get_ready, run
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.session import open_desktop
from sweepbot.errors import UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.sessions.play import make_player
from sweepbot.sessions.recording import recorded
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Preparation, Solver
from sweepbot.vision.calibration import (
    Calibration,
    calibration_folders,
    find_calibration,
    load_calibration,
)
from sweepbot.vision.identify import identify_all, tied


@click.command()
@click.option("--client", metavar="NAME", help="Which program it is; found out by its look without this.")
@click.option("--games", type=click.IntRange(min=1), default=1, show_default=True, help="How many games.")
@click.option("--level", metavar="L", help="Insist on this level of the client.")
@click.option("--mines", type=click.IntRange(min=1), help="The mines of a board of no level, if you know.")
@click.option("--region", type=RegionType(), help="Look for the board in this part of the screen only.")
@click.option("--no-countdown", is_flag=True, help="Begin at once.")
@trace_options
@json_option
def command(
    *,
    client: str | None,
    games: int,
    level: str | None,
    mines: int | None,
    region: Region | None,
    no_countdown: bool,
    trace: str | None,
    trace_screen: bool,
    as_json: bool,
) -> None:
    """Play the Minesweeper that is on the screen.

    The board may be anywhere on it. To stop, move the mouse, push it into a corner of the screen, or press Ctrl-C.
    """
    named = None if client is None else find_calibration(client)
    if level is not None:
        _check_level(named, level, mines)
    evidence = platformdirs.user_state_path("sweepbot", appauthor=False)
    settings = PlaySettings(
        games=games, mines=mines, region=None if region is None else str(region), identified=client is None
    )
    preparation = Preparation()
    with open_desktop() as desktop:
        record = recording("play", settings, desktop.screen, desktop.mouse, trace=trace, trace_screen=trace_screen)
        with recorded(record):
            calibration = named or _told_by_its_look(record.desk.screen, region)
            size = None if level is None else _level(calibration, level, mines)
            settings = replace(settings, level=None if size is None else str(size))
            record.played_with(calibration, settings)
            solver = Solver(preparation=preparation)
            run(
                lambda observe: make_player(
                    record.desk, calibration, settings, solver, observe, tell=announce, evidence=evidence
                ),
                games,
                record,
                lambda: get_ready(preparation, counts_down=not no_countdown),
                as_json=as_json,
            )


def _told_by_its_look(screen: Screen, region: Region | None) -> Calibration:
    """The calibration that fits the board on the screen best.

    Raises:
        UsageError: Another fits it as well.
    """
    board = identify_all(screen.grab(region).image)[0]
    talk.print(fits({reading.client: reading.confidence for reading in board}), markup=False)
    clients = tied(board)
    if len(clients) > 1:
        raise UsageError(f"the board may be of {' or '.join(clients)}", hint=f"say which: --client {clients[0]}")
    return find_calibration(board[0].client)


def _check_level(named: Calibration | None, name: str, mines: int | None) -> None:
    """Refuse a level that the client, or where none is named any client, does not have."""
    if named is not None:
        _level(named, name, mines)
        return
    known = [load_calibration(folder).levels for folder in calibration_folders().values()]
    names = dict.fromkeys(level for levels in known for level in levels)
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
