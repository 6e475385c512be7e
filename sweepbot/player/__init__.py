"""Playing what is on the screen: look, decide, click, wait until the picture rests, look again, verify."""

from sweepbot.player.events import (
    Clicked,
    ClosingDialogs,
    Decided,
    Doubted,
    Ended,
    Event,
    Found,
    GameResult,
    HandedOver,
    Hurried,
    Observer,
    Read,
    Resized,
    Restarting,
    Rested,
    Waiting,
    WentOn,
)
from sweepbot.player.loop import Player

__all__ = [
    "Clicked",
    "ClosingDialogs",
    "Decided",
    "Doubted",
    "Ended",
    "Event",
    "Found",
    "GameResult",
    "HandedOver",
    "Hurried",
    "Observer",
    "Player",
    "Read",
    "Resized",
    "Restarting",
    "Rested",
    "Waiting",
    "WentOn",
]
