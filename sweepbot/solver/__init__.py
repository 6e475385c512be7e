"""From a position to the best move: certain cells by named rules, exact chances, and the strongest guess."""

from sweepbot.solver.decision import Choice, Decision
from sweepbot.solver.solver import METHODS, Solver

__all__ = ["METHODS", "Choice", "Decision", "Solver"]
