"""Watch a person play, and advise: what is certain, why, and how risky the rest is. It never moves the mouse."""

from sweepbot.assist.onlooker import Advice, Hint, Onlooker, advice

__all__ = ["Advice", "Hint", "Onlooker", "advice"]
