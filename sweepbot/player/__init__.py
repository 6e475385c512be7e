"""Playing what is on the screen: look, decide, click, wait until the picture rests, look again, verify."""

from sweepbot.player.events import Decided, Ended, Event, GameResult, Observer
from sweepbot.player.player import Player

__all__ = ["Decided", "Ended", "Event", "GameResult", "Observer", "Player"]
