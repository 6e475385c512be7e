"""Estimates of the chances when there are too many layouts to count: random walks, Gibbs moves, averages.

A run starts from a random layout and walks until every number is satisfied. Such walks are biased towards solutions
that many paths lead to. So each run goes on from its solution with Gibbs moves, which keep all layouts equally likely,
and averages only over these. Runs are independent of each other, so their spread gives the standard error of the mean.
Some positions, such as very long chains of numbers, have kinds of solutions that no moves connect: these may still be
weighed unevenly, which the standard error does not show.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import kernel
from sweepbot.solver.deduction.knowledge import Knowledge
from sweepbot.solver.flat_board import lists_of, shown_chances
from sweepbot.solver.sampling.box_graph import BoxGraph, build_graph
from sweepbot.solver.sampling.gibbs import MAX_BOXES, gather_region, redraw_region
from sweepbot.solver.sampling.walk import TOTAL, below, random_assignment, walk_to_solution

RUNS = 32
"""Independent runs: enough for their spread to give a standard error."""
STEPS_PER_BOX = 2_000
"""The most steps of a run's walk, and then values tried in its Gibbs moves, per box."""
MAX_STEPS = 2_000_000
"""The most work in a run, however large the position: some seconds for all runs together."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Sampled chances.

    Attributes:
        chances: float64 array, the estimated chance of a mine in each flat cell; 0.0 and 1.0 only where certain or
            shown; NaN where open.
        errors: The standard error of each unopened cell's chance, 0.0 where it is certain; NaN elsewhere.
        samples: How many layouts were averaged; 0 if there was nothing to sample, and the chances are exact.
    """

    chances: NDArray[np.float64]
    errors: NDArray[np.float64]
    samples: int


def estimate(knowledge: Knowledge) -> Estimate | None:
    """Sample layouts of the undecided cells. The same position always gives the same estimate.

    Returns:
        None if no layout was found within the budget: there may be none, or they are hard to find.

    Raises:
        ImpossibleBoardError: The total of mines does not fit.
    """
    rest = knowledge.rest()
    chances, errors = shown_chances(rest.cells), np.full(rest.cells.size, np.nan)
    errors[knowledge.frontier.unopened] = 0.0
    graph, boxes, interior = build_graph(rest), lists_of(rest.boxes), rest.interior.tolist()
    if not boxes:
        chances[interior] = rest.mines_left / max(1, len(interior))
        return Estimate(chances, errors, 0)

    work = min(STEPS_PER_BOX * len(boxes), MAX_STEPS)
    rng = np.random.default_rng(zlib.crc32(knowledge.board.cells.tobytes(), knowledge.board.mines or 0))
    shares, mines, samples = sample_runs(graph, work, rng)
    if samples == 0:
        return None
    groups = list(zip(boxes, shares.T, strict=True))
    if interior:
        groups.append((interior, (rest.mines_left - mines) / len(interior)))
    unseen = 0.5 / samples  # what no sample showed is still possible
    for cells, by_run in groups:
        chances[cells] = min(max(float(by_run.mean()), unseen), 1 - unseen)
        errors[cells] = max(float(by_run.std()) / max(1, len(by_run) - 1) ** 0.5, unseen)
    return Estimate(chances, errors, samples)


@kernel
def sample_runs(
    graph: BoxGraph, work: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return each successful run's mean share of mines in each box, its mean of their total, and the layouts in all."""
    boxes = len(graph.sizes)
    shares, totals, samples = np.zeros((RUNS, boxes)), np.zeros(RUNS), 0
    found = 0
    for _ in range(RUNS):
        assignment = random_assignment(graph, rng)
        if not walk_to_solution(graph, assignment, work, rng):
            continue
        done, counted = 0, 0
        while counted == 0 or done < work:
            # Large regions reach further; small ones can always be tried out.
            most = 1 + below(rng, min(MAX_BOXES, boxes))
            region = gather_region(graph, below(rng, boxes), most)
            done += redraw_region(graph, assignment, region, rng)
            if done >= work // 4:  # until then the run still depends on where it began
                for box in range(boxes):
                    shares[found, box] += assignment.mines[box] / graph.sizes[box]
                totals[found] += assignment.tally[TOTAL]
                counted += 1
        for box in range(boxes):
            shares[found, box] /= counted
        totals[found] /= counted
        samples += counted
        found += 1
    return shares[:found], totals[:found], samples
