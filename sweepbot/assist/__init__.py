"""Looking on while a person plays: what is certain, why, and how likely the rest is. It never moves the mouse."""

from sweepbot.assist.onlooker import Advice, Hint, Onlooker, advice

__all__ = ["Advice", "Hint", "Onlooker", "advice"]
