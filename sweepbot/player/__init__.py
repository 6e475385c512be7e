"""Playing what is on the screen: look, decide, click, wait until the picture rests, look again, verify."""

from sweepbot.player.loop import Player
from sweepbot.trace.events import Event, GameResult, Observer

__all__ = ["Event", "GameResult", "Observer", "Player"]
