"""The random walk that turns a random assignment into a solution."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper
from sweepbot.solver.sampling.box_graph import BoxGraph

NOISE_CHANCE = 0.3
"""How often the walk changes a random box of a broken number instead of the one that breaks the fewest others."""


class Assignment(NamedTuple):
    """Mines on the frontier, which may break some numbers; updated mine by mine."""

    mines: NDArray[np.int32]
    """The mines in each box."""
    excess: NDArray[np.int32]
    """The mines around each number beyond what it says; negative if there are too few."""
    broken: NDArray[np.int32]
    """The numbers whose excess is not 0, in the first `tally[BROKEN]` places."""
    place: NDArray[np.int32]
    """The place of each number in `broken`; meaningless if it is satisfied."""
    to_fill: NDArray[np.int32]
    """For each number, its cells in boxes that are being redrawn and have no mines laid yet; 0 between Gibbs moves."""
    tally: NDArray[np.int64]
    """The `TOTAL` mines on the frontier, and how many numbers are `BROKEN`."""


TOTAL, BROKEN = 0, 1


@helper
def below(rng: np.random.Generator, limit: int) -> int:
    """Return a random integer from 0 to `limit - 1`; compiles in a tenth of the time of `rng.integers`."""
    return int(rng.random() * limit)


@helper
def random_assignment(graph: BoxGraph, rng: np.random.Generator) -> Assignment:
    """Place mines at random, about as many as there may be."""
    boxes, numbers = len(graph.sizes), len(graph.need)
    assignment = Assignment(
        np.zeros(boxes, np.int32),
        np.zeros(numbers, np.int32),
        np.empty(numbers, np.int32),
        np.empty(numbers, np.int32),
        np.zeros(numbers, np.int32),
        np.zeros(2, np.int64),
    )
    for number in range(numbers):
        _change_excess(assignment, number, -graph.need[number])
    share = min(0.5, (graph.least + graph.most) / 2 / len(graph.log_weight))
    for box in range(boxes):
        for _ in range(graph.sizes[box]):
            if rng.random() < share:
                add_mines(graph, assignment, box, 1)
    return assignment


@helper
def add_mines(graph: BoxGraph, assignment: Assignment, box: int, step: int) -> None:
    """Add `step` mines to a box, or take some away if it is negative."""
    assignment.mines[box] += step
    assignment.tally[TOTAL] += step
    for i in range(graph.over[box, 8]):
        _change_excess(assignment, graph.over[box, i], step)


@helper
def _change_excess(assignment: Assignment, number: int, step: int) -> None:
    before = assignment.excess[number]
    after = before + step
    assignment.excess[number] = after
    if before == 0 and after != 0:
        assignment.place[number] = assignment.tally[BROKEN]
        assignment.broken[assignment.tally[BROKEN]] = number
        assignment.tally[BROKEN] += 1
    elif before != 0 and after == 0:
        assignment.tally[BROKEN] -= 1
        last = assignment.broken[assignment.tally[BROKEN]]
        assignment.broken[assignment.place[number]] = last
        assignment.place[last] = assignment.place[number]


@helper
def walk_to_solution(graph: BoxGraph, assignment: Assignment, steps: int, rng: np.random.Generator) -> bool:
    """Repair one broken equation at a time (WalkSAT: Selman, Kautz and Cohen 1994); return whether that succeeded.

    An equation is picked at random among the broken ones, the total of mines included. A mine is added to one of its
    boxes or taken away, whichever it needs: with probability `NOISE_CHANCE` in any box, else in one where that
    breaks the fewest equations.
    """
    everything = np.arange(len(assignment.mines), dtype=np.int32)
    for _ in range(steps):
        mines = assignment.tally[TOTAL]
        total_broken = not graph.least <= mines <= graph.most
        broken = assignment.tally[BROKEN] + total_broken
        if broken == 0:
            return True
        pick = below(rng, broken)
        if pick < assignment.tally[BROKEN]:
            number = assignment.broken[pick]
            boxes = graph.under[number, : graph.under[number, 8]]
            step = -1 if assignment.excess[number] > 0 else 1
        else:
            boxes = everything
            step = -1 if mines > graph.most else 1
        box = _box_to_change(graph, assignment, boxes, step, rng)
        if box < 0:
            return False
        add_mines(graph, assignment, box, step)
    return False


@helper
def _box_to_change(
    graph: BoxGraph, assignment: Assignment, boxes: NDArray[np.int32], step: int, rng: np.random.Generator
) -> int:
    """Choose one of `boxes` with room for `step`: sometimes any, else one where it breaks fewest; -1 if none has."""
    at_random = rng.random() < NOISE_CHANCE
    chosen, fewest, alike = -1, 0, 0
    for box in boxes:
        if not 0 <= assignment.mines[box] + step <= graph.sizes[box]:
            continue
        breaks = 0
        if not at_random:
            for i in range(graph.over[box, 8]):
                breaks += assignment.excess[graph.over[box, i]] == 0
        if chosen < 0 or breaks < fewest:
            chosen, fewest, alike = box, breaks, 1
        elif breaks == fewest:
            # Each of the boxes that break equally few is equally likely: the n-th takes over with probability 1/n.
            alike += 1
            if below(rng, alike) == 0:
                chosen = box
    return chosen
