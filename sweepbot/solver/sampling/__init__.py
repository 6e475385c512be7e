"""Estimates of the chances of a mine where counting all layouts is too large."""

from sweepbot.solver.sampling.sampler import Estimate, estimate

__all__ = ["Estimate", "estimate"]
