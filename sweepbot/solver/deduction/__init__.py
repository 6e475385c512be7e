"""Certain moves: a ladder of named rules, cheapest first."""

from sweepbot.solver.deduction.ladder import LADDERS, Deduction, Rule, deduce

__all__ = ["LADDERS", "Deduction", "Rule", "deduce"]
