"""`sweepbot assist`: watches a person play, and shows what is safe and why."""

import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Group
from rich.live import Live
from rich.text import Text

from sweepbot.assist import Advice, Onlooker
from sweepbot.assist.beside import Beside, advice_in_words
from sweepbot.assist.board_marks import BoardMarks
from sweepbot.assist.desk import open_view
from sweepbot.assist.side_window import SideWindow
from sweepbot.cli.board_view import board_view
from sweepbot.cli.live import found_in_words
from sweepbot.cli.output import announce, print_json, results, talk
from sweepbot.errors import ClientGoneError, UsageError
from sweepbot.explaining import decision_by_keys, efficient_by_keys, efficient_in_words, explanation_by_keys
from sweepbot.player.as_events import found_event
from sweepbot.player.finding import FoundClient
from sweepbot.review import Moment, played_by_person, review_games
from sweepbot.sessions.keeping import History
from sweepbot.sessions.recognised import target_client
from sweepbot.sessions.recording import Recording, TraceRecording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver.compiling import get_ready
from sweepbot.trace.events import Event, Waiting
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.eyes import eyes
from sweepbot.vision.reading import UNKNOWN, Reading

_LINES_BELOW = 6  # of words under the board: a proof may take several


@click.command()
@click.option(
    "--client",
    metavar="NAME",
    help="Which client it is, or `unknown` for first sight alone; by default recognised by its look.",
)
@click.option("--mines", type=click.IntRange(min=1), help="How many mines a board of a custom size has, if you know.")
@click.option(
    "--hint",
    type=click.Choice(["one", "all"]),
    default="all",
    help="Show only the next safe cell, or all that is certain, with the chances of the rest.",
)
@click.option("--overlay", is_flag=True, help="Mark the cells of the client's own board instead (X11, Windows).")
@click.option("--no-window", is_flag=True, help="Do not open the small window beside the client.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Record what the client shows in a new folder DIR, for `sweepbot review`.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each position, and open no window.")
def command(
    *,
    client: str | None,
    mines: int | None,
    hint: str,
    overlay: bool,
    no_window: bool,
    record: Path | None,
    as_json: bool,
) -> None:
    """Watch you play and show what is safe, the numbers that prove it, and how risky the rest is.

    A small window beside the client's shows the same, if there is room for it. You can close it. With `--overlay` the
    cells themselves are marked instead: clicks go through the marks, and the bot does not see them.

    It clicks nothing and does not touch the mouse. It ends when the client is closed, or by Ctrl-C.
    """
    known = None if client in (None, UNKNOWN) else find_calibration(str(client))
    get_ready()
    settings = PlaySettings(games=None, mines=mines, resizes=False, learns=False)
    is_seen = results.is_terminal and talk.is_terminal
    # Where messages go, too: what is printed there meanwhile appears above it.
    live = Live(console=talk, auto_refresh=False) if is_seen and not as_json else None
    view = _Lines() if as_json else _Words(live)
    with (
        open_view(announce, with_window=not (no_window or as_json), with_overlay=overlay) as (desk, aid),
        live or nullcontext(),
        (
            Recording(desk)
            if record is None
            else TraceRecording("assist", settings, desk, folder=record, whole_screen=False, tell=announce)
        ) as kept,
    ):
        recorded_client: Calibration | None = None

        def settled(calibration: Calibration, _: Reading) -> tuple[Calibration, PlaySettings]:
            nonlocal recorded_client
            if recorded_client is None:
                recorded_client = calibration
                kept.played_with(calibration)
            elif record is not None and recorded_client.name != calibration.name:
                raise UsageError(
                    f"this is {calibration.name}, but {record} records {recorded_client.name}",
                    hint="record each client in its own folder",
                )
            return calibration, settings

        beside = None if aid is None else Beside(aid, announce) if isinstance(aid, SideWindow) else BoardMarks(aid)
        views = [view] if beside is None else [view, beside]

        def observe(event: Event) -> None:
            for each in views:
                each.observe(event)

        onlooker = Onlooker(kept, target_client(known, settings, settled, talk.print, eyes(client)), observe)
        started, positions = time.monotonic(), dict[str, list[Moment]]()
        try:
            for found, advice in onlooker.advise(one=hint == "one"):
                position = Moment(advice.reading.board, at_s=time.monotonic() - started)
                positions.setdefault(advice.reading.client, []).append(position)
                shown = _without_chances(advice) if hint == "one" and not as_json else advice
                for each in views:
                    each.show(shown, found)
        except ClientGoneError:
            talk.print("the client was closed")
        finally:
            history = History(talk.print)
            for name, seen in positions.items():
                history.keep(*played_by_person(review_games(seen), name))


class _Lines:
    """Prints advice as lines of JSON."""

    def observe(self, event: Event) -> None:
        """Say what is being waited for."""
        if isinstance(event, Waiting):
            talk.print(str(event), style="dim")

    def show(self, advice: Advice, client: FoundClient) -> None:  # noqa: ARG002  (see `Beside`)
        """Print a line, and flush it in case it goes into a pipe."""
        print_json(advice_as_json(advice), indent=None)
        results.file.flush()


class _Words:
    """Prints advice, each in place of the last on a `live` terminal, else one after the other."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._shown: Group | None = None

    def observe(self, event: Event) -> None:
        """Say under the board what is being waited for."""
        if isinstance(event, Waiting):
            self._put(Group(self._shown or "", Text(str(event), style="dim")), is_news=False)

    def show(self, advice: Advice, client: FoundClient) -> None:  # noqa: ARG002  (see `Beside`)
        """Show the board and the hints."""
        if self._shown is None:
            talk.print(found_in_words(found_event(advice.reading)))
            announce("to end this: close the client, or press Ctrl-C here")
        words = advice_in_words(advice)
        if advice.efficient is not None and advice.efficient.cell != advice.hints[0].cell:
            words.append(efficient_in_words(advice.efficient))
        board = board_view(advice.reading.board, advice.event, talk.width, talk.height - _LINES_BELOW)
        self._shown = Group(board, *(Text(line, no_wrap=self._live is None, overflow="fold") for line in words))
        self._put(self._shown, is_news=True)

    def _put(self, what: Group, *, is_news: bool) -> None:
        if self._live is not None:
            self._live.update(what, refresh=True)
        elif is_news:
            results.print(what)


def _without_chances(advice: Advice) -> Advice:
    """Leave out the chances: the person wants to find the rest."""
    if advice.decision is None:
        return advice
    unknown = np.full_like(advice.decision.mine_probability, np.nan)
    decision = replace(advice.decision, mine_probability=unknown, safe=advice.decision.safe[:1])
    return replace(advice, decision=decision)


def advice_as_json(advice: Advice) -> dict[str, Any]:
    """Return advice as one line of `assist --json`."""
    reading, decision = advice.reading, advice.decision
    return {
        "client": reading.client,
        "rows": reading.board.lines(),
        "status": reading.phase.value,
        "mines_left": reading.mines_left,
        "decision": None if decision is None else decision_by_keys(decision),
        "hints": [
            {"cell": hint.cell, "certain": "mine" if hint.is_mine else "safe", "rule": None}
            | ({} if hint.proof is None else explanation_by_keys(hint.proof))
            for hint in advice.hints
        ],
        "efficient": efficient_by_keys(advice.efficient),
    }
