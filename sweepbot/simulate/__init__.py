"""Many games with no screen: win rates, their intervals, and how often no guess is needed."""

from sweepbot.simulate.deals import Deals, ListedDeals, SeededDeals
from sweepbot.simulate.match import Record
from sweepbot.simulate.run import simulate
from sweepbot.simulate.summary import Summary, summarise

__all__ = ["Deals", "ListedDeals", "Record", "SeededDeals", "Summary", "simulate", "summarise"]
