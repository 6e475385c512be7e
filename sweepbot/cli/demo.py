"""`sweepbot demo`: plays the bundled client by its pixels."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import click

from sweepbot.assist.board_marks import BoardMarks
from sweepbot.assist.own_moves import OwnMoves, ShownMouse
from sweepbot.cli.output import announce, json_option, talk
from sweepbot.cli.session import COUNTDOWN_S, CPS, STYLE, play_games, summed_up
from sweepbot.cli.tracing import OFF, recording, trace_options
from sweepbot.demo.process import demo_window, scale_to_watch
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import MaskedScreen
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop, open_overlay
from sweepbot.errors import DesktopError
from sweepbot.level import LEVEL_FORMS, LEVELS, Level
from sweepbot.plan import Style
from sweepbot.programs import memory_desk
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.trace.events import Event
from sweepbot.vision.calibration import find_calibration

_CPS = 12.0  # clicks a second, at most, that an eye can follow
_LAST_S = 3.0  # for which the end stays in view

_NEXT = "next: open the Minesweeper you have, start a game in it, and run: sweepbot play"


@click.command()
@click.option("--games", type=click.IntRange(min=1), help="How many games; by default until the last level is won.")
@click.option("--level", "level_name", metavar="L", help=f"{LEVEL_FORMS}; by default the first three in turn.")
@STYLE
@CPS
@click.option("--fast", is_flag=True, help="As fast as it can, with small cells and no marks on them.")
@click.option("--headless", is_flag=True, help="Play in memory, as without a display: same pixels, same clicks.")
@click.option("--no-countdown", is_flag=True, help="Start at once.")
@trace_options
@json_option
def command(
    *,
    games: int | None,
    level_name: str | None,
    style: str,
    cps: float | None,
    fast: bool,
    headless: bool,
    no_countdown: bool,
    trace: str | None,
    trace_screen: bool,
    as_json: bool,
) -> None:
    """Play the bundled Minesweeper: beginner, intermediate, and expert until it has won.

    With a display it opens a window, and the bot finds it on the screen and moves the real mouse, at a pace to watch:
    the chances of mines are marked on the board. Without one, the same pictures and clicks run in memory. Either way
    the bot sees only pixels.
    """
    levels = [*LEVELS][:games] if level_name is None else [str(Level.parse(level_name))]
    calibration = find_calibration("demo")
    if not headless and display_server() is DisplayServer.NONE:
        announce("there is no display: playing in memory")
        headless = True
    is_watched = not fast and (not headless or talk.is_terminal)
    with summed_up(as_json=as_json) as sums:
        for number, name in enumerate(levels):
            level = Level.parse(name)
            is_last = number == len(levels) - 1
            with _desk(level, in_memory=headless, is_watched=is_watched) as (desk, watch):
                settings = PlaySettings(
                    games=1 if not is_last else None if games is None else games - number,
                    until_win=is_last and games is None,
                    style=Style(style),
                    cps=cps or (_CPS if is_watched else None),
                    level=str(level),
                    mines=level.mines,
                    learns=False,
                )
                folder = trace if trace in (None, OFF) or len(levels) == 1 else f"{trace}/{name}"
                record = recording("demo", settings, desk, trace=folder, trace_screen=trace_screen)
                with record:
                    record.played_with(calibration, settings)
                    countdown_s = 0 if headless or no_countdown or number else COUNTDOWN_S
                    play_games(sums, record, named(calibration, settings), countdown_s=countdown_s, watch=watch)
                if is_last and is_watched:
                    time.sleep(_LAST_S)
    if not as_json:
        talk.print(_NEXT)


@contextmanager
def _desk(level: Level, *, in_memory: bool, is_watched: bool) -> Iterator[tuple[Desk, Callable[[Event], None]]]:
    """Open the desk with the client on it, and what shows each event on its board; in memory nothing does."""
    if in_memory:
        desk = memory_desk(str(level))
        yield desk, OwnMoves(desk, None).observe if is_watched else lambda _: None
        return
    with ExitStack() as opened:
        desk = opened.enter_context(open_desktop())  # no window opens where another sweepbot clicks
        monitor = (*desk.monitors, desk.screen.region)[0]
        opened.enter_context(demo_window(level, f"--scale={scale_to_watch(level, monitor) if is_watched else 1}"))
        if not is_watched:
            yield desk, lambda _: None
            return
        marks = None
        try:
            overlay = opened.enter_context(open_overlay(display_server(), desk.screen))
        except DesktopError as error:
            announce(f"the chances are shown only here, not on the board: {error}")
        else:
            marks = BoardMarks(overlay)
            desk = replace(desk, screen=MaskedScreen(desk.screen, overlay.without_marks))
        moves = OwnMoves(desk, marks)
        yield replace(desk, mouse=ShownMouse(desk.mouse, moves.clicked)), moves.observe
