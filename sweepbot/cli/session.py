"""What `play` and `demo` share: the countdown, the games, the summary."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median

from sweepbot.board import Board
from sweepbot.cli.live import LiveView
from sweepbot.cli.output import counted, print_json, results, talk
from sweepbot.cli.preparing import wait_for
from sweepbot.player import Event, Found, GameResult, Observer, Player
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Preparation

_COUNTDOWN = 3


def get_ready(preparation: Preparation, board: Board, *, counts_down: bool) -> None:
    """Before the first click: compile what it needs, and give a person the time to take the hand off the mouse."""
    # For any number of mines alike nothing is decided without counting.
    wait_for(preparation, "counting" if board.mines is None else "rules")
    if not counts_down:
        return
    for seconds in range(_COUNTDOWN, 0, -1):
        talk.print(f"playing in {seconds} ... (to stop: move the mouse, or press Ctrl-C)")
        time.sleep(1)


def run(
    playing: Callable[[Observer], AbstractContextManager[Player]],
    settings: PlaySettings,
    recording: Recording,
    ready: Callable[[Board], None],
    *,
    as_json: bool,
) -> None:
    """Play the games while a person looks on, and sum up, also where they end before their time.

    Args:
        playing: Finds the client and makes the player, given whom to tell.
        settings: How many games, and when to end before.
        recording: What records the run.
        ready: Called with the board when it is found; nothing is clicked before it returns.
        as_json: Whether the sum is printed as JSON.
    """
    player: Player | None = None
    try:
        with LiveView(talk, settings.games) as view:

            def observe(event: Event) -> None:
                recording.observe(event)
                view.observe(event)
                if isinstance(event, Found):
                    ready(event.reading.board)

            with playing(observe) as player:
                player.play(settings.games, until_win=settings.until_win, max_seconds=settings.max_seconds)
    finally:  # after the live view is over: what is printed beside it is overdrawn
        trace = recording.finish(sys.exception())
        _sum_up([] if player is None else player.results, trace, as_json=as_json)


def _sum_up(games: list[GameResult], trace: Path | None, *, as_json: bool) -> None:
    won, lost = (sum(game.result == result for game in games) for result in ("won", "lost"))
    expected = sum(game.survival for game in games if game.result != "aborted")
    if as_json:
        path = None if trace is None else str(trace)
        print_json({"games": games, "won": won, "lost": lost, "expected": round(expected, 4), "trace": path})
        return
    lines = [f"{won} of {won + lost} won" if games else "no game was played"]
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
