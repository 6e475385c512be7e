"""The games that were played so far: kept in the user's data folder, and summed up."""

from sweepbot.history.store import PlayedGame, games, history_file, keep
from sweepbot.history.summary import Stats, Stretch, over_time, sum_up

__all__ = ["PlayedGame", "Stats", "Stretch", "games", "history_file", "keep", "over_time", "sum_up"]
