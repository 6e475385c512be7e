"""`sweepbot demo`: plays the bundled client by its pixels."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import click

from sweepbot.cli.output import announce, json_option
from sweepbot.cli.session import COUNTDOWN_S, run
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.demo.process import demo_window
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop
from sweepbot.level import LEVEL_FORMS, Level
from sweepbot.programs import memory_desk
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.vision.calibration import find_calibration


@click.command()
@click.option("--games", type=click.IntRange(min=1), default=3, help="How many games.")
@click.option("--level", "level_name", default="expert", metavar="L", help=f"{LEVEL_FORMS}.")
@click.option("--headless", is_flag=True, help="Play in memory, as without a display: same pixels, same clicks.")
@click.option("--no-countdown", is_flag=True, help="Start at once.")
@trace_options
@json_option
def command(
    *,
    games: int,
    level_name: str,
    headless: bool,
    no_countdown: bool,
    trace: str | None,
    trace_screen: bool,
    as_json: bool,
) -> None:
    """Play the bundled Minesweeper.

    With a display it opens a window, and the bot finds it on the screen and moves the real mouse. Without one, the same
    pictures and clicks run in memory. Either way the bot sees only pixels.
    """
    level = Level.parse(level_name)
    calibration = find_calibration("demo")
    if not headless and display_server() is DisplayServer.NONE:
        announce("there is no display: playing in memory")
        headless = True
    with nullcontext(memory_desk(level_name)) if headless else _in_window(level) as desk:
        settings = PlaySettings(games=games, level=str(level), mines=level.mines, learns=False)
        record = recording("demo", settings, desk, trace=trace, trace_screen=trace_screen)
        with record:
            record.played_with(calibration, settings)
            countdown_s = 0 if headless or no_countdown else COUNTDOWN_S
            run(record, named(calibration, settings), countdown_s=countdown_s, as_json=as_json)


@contextmanager
def _in_window(level: Level) -> Iterator[Desk]:
    with open_desktop() as desk, demo_window(level):  # no window opens where another sweepbot clicks
        yield desk
