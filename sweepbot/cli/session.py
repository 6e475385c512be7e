"""What `play` and `demo` share: the countdown, the games, the summary."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from sweepbot.cli.live import LiveView
from sweepbot.cli.output import print_json, results, talk
from sweepbot.player import Event, GameResult, Observer, Player
from sweepbot.sessions.recording import Recording

_COUNTDOWN = 3


def countdown() -> None:
    """Give a person the time to take the hand off the mouse."""
    for seconds in range(_COUNTDOWN, 0, -1):
        talk.print(f"playing in {seconds} ... (to stop: move the mouse, or press Ctrl-C)")
        time.sleep(1)


def run(make_player: Callable[[Observer], Player], games: int, recording: Recording, *, as_json: bool) -> None:
    """Play the games while a person looks on, and sum up, also where they end before their time."""
    with LiveView(talk, games) as view:

        def observe(event: Event) -> None:
            recording.observe(event)
            view.observe(event)

        player = make_player(observe)
        try:
            player.play(games)
        finally:
            trace = recording.finish(sys.exception())
            _sum_up(player.results, trace, as_json=as_json)


def _sum_up(games: list[GameResult], trace: Path | None, *, as_json: bool) -> None:
    won, lost = (sum(game.result == result for game in games) for result in ("won", "lost"))
    if as_json:
        print_json({"games": games, "won": won, "lost": lost, "trace": None if trace is None else str(trace)})
        return
    seconds = sum(game.seconds for game in games)
    misreads = sum(game.misreads for game in games)
    broken_off = len(games) - won - lost
    results.print(
        f"{won} won, {lost} lost" + (f", {broken_off} broken off" if broken_off else "") + f" in {seconds:.1f} s;"
        f" {sum(game.clicks for game in games)} clicks, {sum(game.guesses for game in games)} guesses,"
        f" {misreads} misreads"
    )
