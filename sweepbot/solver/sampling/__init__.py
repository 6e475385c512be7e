"""Estimates of the chances when there are too many layouts to count."""

from sweepbot.solver.sampling.sampler import Estimate, estimate

__all__ = ["Estimate", "estimate"]
