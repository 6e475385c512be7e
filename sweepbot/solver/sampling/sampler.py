"""Estimates of the chances where counting is too large: mine layouts found by random walks, evened out, averaged.

A run starts from a random layout and walks until every number is satisfied. Such walks do not find all solutions alike:
they end more often in those that many paths lead to. So each run goes on from its solution with moves that leave every
layout as likely as any other, and counts only what it sees from there. Runs are independent of each other; how far they
differ gives the standard error of their mean. What neither a walk nor these moves reach from one kind of solution to
another, as along very long chains of numbers, may still be weighed unevenly; the standard error does not show that.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import kernel
from sweepbot.solver.deduction.knowledge import MINE, SAFE, Knowledge
from sweepbot.solver.sampling.even import REGION, gather_region, lay_out_anew
from sweepbot.solver.sampling.network import Network, build_network
from sweepbot.solver.sampling.walk import TOTAL, below, random_layout, walk_to_solution

RUNS = 32
"""Independent runs: enough for their spread to be a standard error."""
WORK = 2_000
"""For each box, how many steps a run's walk may take, and how many values it then tries in evening out."""
MOST_WORK = 2_000_000
"""The work of a run on any position, however large: some seconds for all runs together."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Sampled chances.

    Attributes:
        chances: float64 array, the estimated chance of a mine in each flat cell; 0.0 and 1.0 only where it is known;
            NaN in cells that are not unopened.
        errors: The standard error of each chance; 0.0 where it is known.
        samples: How many layouts were averaged; 0 where there was nothing to sample, and the chances are exact.
    """

    chances: NDArray[np.float64]
    errors: NDArray[np.float64]
    samples: int


def estimate(knowledge: Knowledge) -> Estimate | None:
    """Sample layouts of what is undecided. The same position always gives the same estimate.

    Returns:
        None where no layout was found within the budget: there may be none, or it is hard to find.

    Raises:
        ImpossibleBoardError: The total of mines does not fit.
    """
    frontier, mine = knowledge.frontier, knowledge.mine
    chances, errors = np.full(mine.size, np.nan), np.full(mine.size, np.nan)
    for value in (SAFE, MINE):
        known = frontier.unopened[mine[frontier.unopened] == value]
        chances[known], errors[known] = value, 0.0
    boxes = knowledge.undecided_boxes()
    interior = boxes.pop(-1, [])

    network = build_network(knowledge, list(boxes.values()), len(interior))
    if not boxes:
        chances[interior], errors[interior] = knowledge.mines_left() / max(1, len(interior)), 0.0
        return Estimate(chances, errors, 0)

    work = min(WORK * len(boxes), MOST_WORK)
    rng = np.random.default_rng(zlib.crc32(knowledge.board.cells.tobytes(), knowledge.board.mines or 0))
    shares, mines, samples = sample_runs(network, RUNS, work, rng)
    if samples == 0:
        return None
    groups = [(cells, shares[:, box]) for box, cells in enumerate(boxes.values())]
    if interior:
        groups.append((interior, (knowledge.mines_left() - mines) / len(interior)))
    unseen = 0.5 / samples  # what no sample showed may still be
    for cells, of_runs in groups:
        chances[cells] = min(max(float(of_runs.mean()), unseen), 1 - unseen)
        errors[cells] = max(float(of_runs.std()) / max(1, len(of_runs) - 1) ** 0.5, unseen)
    return Estimate(chances, errors, samples)


@kernel
def sample_runs(
    network: Network, runs: int, work: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """For each run that found a solution the mean share of mines in each box, and the mean of their total.

    The third value is how many layouts went into the means, all runs together.
    """
    boxes = len(network.sizes)
    shares, totals, samples = np.zeros((runs, boxes)), np.zeros(runs), 0
    region, left = np.empty(min(REGION, boxes), np.int32), np.zeros(len(network.need), np.int32)
    seen, visit = np.full(boxes, -1, np.int32), 0
    found = 0
    for _ in range(runs):
        layout = random_layout(network, rng)
        if not walk_to_solution(network, layout, work, rng):
            continue
        done, counted = 0, 0
        while counted == 0 or done < work:
            # Large regions reach further, small ones are never too large to be tried out.
            room = region[: 1 + below(rng, len(region))]
            size = gather_region(network, below(rng, boxes), room, seen, visit)
            visit += 1
            done += lay_out_anew(network, layout, room[:size], left, rng)
            if done >= work // 4:  # until then the run still remembers where it began
                for box in range(boxes):
                    shares[found, box] += layout.mines[box] / network.sizes[box]
                totals[found] += layout.tally[TOTAL]
                counted += 1
        for box in range(boxes):
            shares[found, box] /= counted
        totals[found] /= counted
        samples += counted
        found += 1
    return shares[:found], totals[:found], samples
