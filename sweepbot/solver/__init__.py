"""From a position to the best move: certain cells by named rules, exact chances, and the strongest guess."""

from sweepbot.solver.solver import METHODS, Decision, Move, Solver, warm_up

__all__ = ["METHODS", "Decision", "Move", "Solver", "warm_up"]
