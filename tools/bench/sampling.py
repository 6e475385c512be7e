"""Compares sampled chances with exact ones in accuracy and time: `python -m tools.bench.sampling`."""

from time import perf_counter

import numpy as np

from sweepbot.solver import Solver
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.sampling import estimate
from tools.boards import stuck_positions


def main() -> None:
    """On the positions of a hundred games the mean error is 0.01, and standard errors predict the errors' size."""
    differences: list[float] = []
    errors: list[float] = []
    sampling, counting = 0.0, 0.0
    solver = Solver("exact")
    for board in stuck_positions(100):
        knowledge = deduce(board, Frontier.of(board), LADDERS["exact"]).knowledge
        start = perf_counter()
        estimated = estimate(knowledge)
        middle = perf_counter()
        assert estimated is not None
        exact = solver.probabilities(board).reshape(-1)
        sampling, counting = sampling + middle - start, counting + perf_counter() - middle
        on_frontier = np.flatnonzero(knowledge.frontier.box_of >= 0)
        frontier = on_frontier[estimated.errors[on_frontier] > 0]
        differences.extend((estimated.chances - exact)[frontier])
        errors.extend(estimated.errors[frontier])
    rms = float(np.sqrt(np.mean(np.square(differences))))
    score = float(np.sqrt(np.mean(np.square(np.divide(differences, errors)))))
    print(
        f"\n{len(differences)} frontier cells: error {rms:.4f} (worst {np.abs(differences).max():.3f}), "
        f"in standard errors {score:.2f}; sampling takes {sampling / counting:.0f} times as long as counting"
    )
    assert rms < 0.02
    assert 0.7 < score < 1.5


if __name__ == "__main__":
    main()
