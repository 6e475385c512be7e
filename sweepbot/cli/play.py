"""`sweepbot play`: plays the Minesweeper that is on the screen."""

import click
import platformdirs

from sweepbot.calibrate.apprentice import Apprentice
from sweepbot.cli.output import announce, fits, json_option, talk
from sweepbot.cli.regions import RegionType
from sweepbot.cli.session import countdown, run
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.session import open_desktop
from sweepbot.errors import UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.player import Player
from sweepbot.solver import Solver, warm_up
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.identify import identify_all, tied
from sweepbot.vision.reader import Reader


@click.command()
@click.option("--client", metavar="NAME", help="Which program it is; found out by its look without this.")
@click.option("--games", type=click.IntRange(min=1), default=1, show_default=True, help="How many games.")
@click.option("--level", metavar="L", help="Insist on this level of the client.")
@click.option("--mines", type=click.IntRange(min=1), help="The mines of a board of no level, if you know.")
@click.option("--region", type=RegionType(), help="Look for the board in this part of the screen only.")
@click.option("--no-countdown", is_flag=True, help="Begin at once.")
@json_option
def command(
    *,
    client: str | None,
    games: int,
    level: str | None,
    mines: int | None,
    region: Region | None,
    no_countdown: bool,
    as_json: bool,
) -> None:
    """Play the Minesweeper that is on the screen.

    The board may be anywhere on it. To stop, move the mouse, push it into a corner of the screen, or press Ctrl-C.
    """
    named = None if client is None else find_calibration(client)
    evidence = platformdirs.user_state_path("sweepbot", appauthor=False)
    with open_desktop() as desktop:
        calibration = named or _told_by_its_look(desktop.screen, region)
        size = None if level is None else _level(calibration, level, mines)
        reader, solver = Reader(calibration, mines), Solver()
        warm_up(announce)
        if not no_countdown:
            countdown()
        run(
            lambda observe: Player(
                desktop.screen,
                desktop.mouse,
                reader,
                solver,
                observe,
                region=region,
                level=size,
                learner=Apprentice(calibration, announce),
                evidence=evidence,
            ),
            games,
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


def _level(calibration: Calibration, name: str, mines: int | None) -> Level:
    """The level of that name, which must not have other mines than those given."""
    if name not in calibration.levels:
        raise UsageError(f"{calibration.name} has no level {name!r}", hint=f"it has {', '.join(calibration.levels)}")
    level = calibration.levels[name]
    if mines not in (None, level.mines):
        raise UsageError(f"--mines {mines} contradicts --level {name}, which has {level.mines}", hint="leave one out")
    return level
