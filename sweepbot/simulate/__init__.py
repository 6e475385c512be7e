"""Simulates many games without a screen: win rates, their intervals, and how often no guess is needed."""

from sweepbot.simulate.deals import Deals, ListedDeals, SeededDeals
from sweepbot.simulate.journal import resume
from sweepbot.simulate.match import Record
from sweepbot.simulate.run import simulate
from sweepbot.simulate.summary import Summary, compare, summarise

__all__ = [
    "Deals",
    "ListedDeals",
    "Record",
    "SeededDeals",
    "Summary",
    "compare",
    "resume",
    "simulate",
    "summarise",
]
