"""`sweepbot calibrate`: makes a calibration of a client that nobody has described."""

from pathlib import Path

import click

from sweepbot.calibrate.live import calibrate_live, find_board
from sweepbot.calibrate.touch import Times
from sweepbot.calibrate.writing import check_writable, write, write_fixtures
from sweepbot.cli.output import results, talk
from sweepbot.cli.regions import RegionType
from sweepbot.desktop.session import open_desktop
from sweepbot.errors import UsageError
from sweepbot.geometry import Region
from sweepbot.player.guard import GuardedMouse
from sweepbot.vision.calibration import user_calibrations


@click.command()
@click.argument("name")
@click.option("--live", is_flag=True, help="Play the client that is on the screen and learn it by its rules.")
@click.option("--region", type=RegionType(), help="Look for the board in this part of the screen only.")
@click.option("--max-games", type=click.IntRange(min=1), default=15, show_default=True, help="Stop after so many.")
@click.option("--yes", is_flag=True, help="Do not ask before the first click.")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help="Write to DIR/NAME.")
@click.option("--force", is_flag=True, help="Write over a calibration of that name.")
@click.option("--fixtures", type=click.Path(path_type=Path), metavar="DIR", help="Keep pictures of boards there too.")
def command(
    *,
    name: str,
    live: bool,
    region: Region | None,
    max_games: int,
    yes: bool,
    output: Path | None,
    force: bool,
    fixtures: Path | None,
) -> None:
    """Learn the look and the manners of a Minesweeper client.

    With --live it needs nobody: it finds the board, plays, and works out by the rules of the game what each look means.
    """
    if not live:
        raise UsageError("nothing to learn from", hint="give --live")
    folder = (output or user_calibrations()) / name
    check_writable(folder, force=force)
    with open_desktop() as desktop:
        place = find_board(desktop.screen, region)
        across, down = place.pitch
        talk.print(f"board: {place.columns}x{place.rows} cells of {across:g}x{down:g} pixels at {place.region}")
        if not yes:
            click.confirm("Play there?", abort=True, err=True)
        learned = calibrate_live(
            desktop.screen,
            GuardedMouse(desktop.mouse, desktop.screen.region),
            place,
            max_games=max_games,
            times=Times(),
            tell=talk.print,
        )
    calibration = write(learned, folder, f"{name}, learned by playing it", force=force)
    if fixtures is not None:
        write_fixtures(learned.fixtures, fixtures)
    for label in learned.labels:
        results.print(f"{label.state:>10}: {label.why}")
    for question in learned.open_questions:
        talk.print(question)
    results.print(f"{calibration.path}")
