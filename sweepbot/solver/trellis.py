"""The layered graph over which layouts are counted: one layer a box, one node for each way the numbers can stand.

Boxes are laid down one after the other. What the past of a partial layout means to its future is only what each number
that is neither untouched nor complete still needs; partial layouts that agree in this meet in one node. An edge lays
`k` mines in the next box; a path from the first node to the last is a layout but for the choice of cells within boxes.
The idea is dynamic programming along an elimination order, as in bucket elimination (Dechter 1999).
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.frontier import Frontier

_Integer = TypeVar("_Integer", bound=np.signedinteger[Any])

SLOTS_PER_WORD = 15
"""A number's need, 0 to 8, takes four bits; fifteen of them leave a 64-bit integer positive."""


EDGE_BUDGET = 1_000_000
"""Edges past which the graph is given up: about 100 MB, and a second or two to count over."""


class Trellis(NamedTuple):
    """The graph; layer `i` has the nodes from `node_starts[i]` on and the edges from `edge_starts[i]` on."""

    order: NDArray[np.int32]
    """The boxes in the order in which they are laid down."""
    node_starts: NDArray[np.int32]
    edge_starts: NDArray[np.int32]
    edges: NDArray[np.int32]
    """Shape (edges, 3): the nodes that an edge leads from and to, and how many mines it lays."""
    complete: bool
    """False where the budget of edges ran out; the graph is then of no use."""
    dead_end: int
    """The box that no number of mines fits, -1 where the last layer was reached."""


@compiled
def box_order(frontier: Frontier) -> NDArray[np.int32]:
    """An order of all boxes, component by component, that keeps few numbers half done at a time.

    Greedy: the next box is the one that leaves the fewest numbers half done; of equals the one under the number that
    has been half done for longest. Each component starts at a box far from its others, found by two floods.
    """
    boxes = frontier.component_of.size
    order = np.empty(boxes, np.int32)
    placed = np.zeros(boxes, np.bool_)
    waiting = np.diff(frontier.starts)  # cells under each number that are not yet laid down
    touched_at = np.full(frontier.numbers.size, -1, np.int32)
    listed = np.full(boxes, -1, np.int32)
    candidates = np.empty(boxes, np.int32)
    done = 0
    for first in range(boxes):
        if placed[first]:
            continue
        start = _farthest(frontier, int(_farthest(frontier, first)))
        candidates[0], count = start, 1
        listed[start] = 0
        while count > 0:
            best, best_grade, best_age = -1, 0, 0
            for i in range(count):
                grade, age = _grade(frontier, candidates[i], waiting, touched_at)
                if best < 0 or grade < best_grade or (grade == best_grade and age < best_age):
                    best, best_grade, best_age = i, grade, age
            box = candidates[best]
            count -= 1
            candidates[best] = candidates[count]
            order[done] = box
            placed[box] = True
            size = frontier.box_starts[box + 1] - frontier.box_starts[box]
            for i in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
                number = frontier.box_numbers[i]
                waiting[number] -= size
                if touched_at[number] >= 0:
                    continue
                touched_at[number] = done
                for j in range(frontier.starts[number], frontier.starts[number + 1]):
                    other = frontier.box_of[frontier.members[j]]
                    if listed[other] < 0:
                        listed[other] = done
                        candidates[count] = other
                        count += 1
            done += 1
    return order


@compiled
def _grade(frontier: Frontier, box: int, waiting: NDArray[np.int32], touched_at: NDArray[np.int32]) -> tuple[int, int]:
    """By how many the half-done numbers grow when `box` is laid down, and since when one over it has been half done."""
    size = frontier.box_starts[box + 1] - frontier.box_starts[box]
    growth, age = 0, frontier.box_of.size
    for i in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
        number = frontier.box_numbers[i]
        if touched_at[number] < 0:
            growth += 1
        else:
            age = min(age, touched_at[number])
        if waiting[number] == size:
            growth -= 1
    return growth, age


@compiled
def _farthest(frontier: Frontier, start: int) -> int:
    """A box of the same component that takes the most steps, from number to number, to reach from `start`."""
    seen = np.zeros(frontier.component_of.size, np.bool_)
    queue = np.empty(frontier.component_of.size, np.int32)
    queue[0], head, tail = start, 0, 1
    seen[start] = True
    while head < tail:
        box = queue[head]
        head += 1
        for i in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
            number = frontier.box_numbers[i]
            for j in range(frontier.starts[number], frontier.starts[number + 1]):
                other = frontier.box_of[frontier.members[j]]
                if not seen[other]:
                    seen[other] = True
                    queue[tail] = other
                    tail += 1
    return int(queue[tail - 1])


@compiled
def build_trellis(frontier: Frontier, order: NDArray[np.int32]) -> Trellis:
    """Lay down the boxes in `order` and keep every node and edge that some whole layout goes through.

    A node is told by its needs: four bits for each half-done number, in words of `SLOTS_PER_WORD` slots. To lay `k`
    mines in a box is then to subtract, `k` times, a one in the slot of every number over the box.
    """
    boxes = order.size
    slot_of, words = _assign_slots(frontier, order)
    node_starts, edge_starts = np.empty(boxes + 2, np.int32), np.zeros(boxes + 1, np.int32)
    needs, edges = np.zeros((256, words), np.int64), np.empty((512, 3), np.int32)
    table = np.full(1024, -1, np.int32)
    waiting = np.diff(frontier.starts)
    start = np.empty(words, np.int64)
    step = _Step(np.empty(words, np.int64), np.empty(words, np.int64), np.empty((8, 3), np.int64))
    node_starts[0], node_starts[1] = 0, 1
    node_count, edge_count = int(node_starts[1]), 0
    complete, dead_end = True, -1
    for layer in range(boxes):
        box = order[layer]
        size = frontier.box_starts[box + 1] - frontier.box_starts[box]
        over = _prepare_step(frontier, box, slot_of, waiting, step)
        first, after = node_starts[layer], node_starts[layer + 1]
        most_new = (after - first) * (size + 1)
        if edge_count + most_new > EDGE_BUDGET:
            complete = False
            break
        needs = _with_room(needs, node_count + most_new)
        edges = _with_room(edges, edge_count + most_new)
        table = _with_places(table, 2 * most_new)
        for node in range(first, after):
            for word in range(words):
                start[word] = needs[node, word] + step.opened[word]
            fewest, most = 0, size
            for i in range(over):
                need = (start[step.slots[i, 0]] >> step.slots[i, 1]) & 15
                fewest, most = max(fewest, need - step.slots[i, 2]), min(most, need)
            for mines in range(fewest, most + 1):
                for word in range(words):
                    needs[node_count, word] = start[word] - mines * step.laid[word]
                head = _find_or_add(needs, node_count, table, after)
                node_count = max(node_count, head + 1)
                edges[edge_count, 0], edges[edge_count, 1], edges[edge_count, 2] = node, head, mines
                edge_count += 1
        node_starts[layer + 2], edge_starts[layer + 1] = node_count, edge_count
        if node_count == after:
            dead_end = box
            break
    if complete and dead_end < 0:
        _drop_dead_ends(node_starts, edge_starts, edges)
    return Trellis(order, node_starts, edge_starts, edges, complete, dead_end)


class _Step(NamedTuple):
    """What laying down one box does to the needs."""

    opened: NDArray[np.int64]
    """For each word: what the numbers touched for the first time need."""
    laid: NDArray[np.int64]
    """For each word: a one in the slot of every number over the box."""
    slots: NDArray[np.int64]
    """For each number over the box: word and shift of its slot, and how many of its cells are still to come after."""


@compiled
def _prepare_step(
    frontier: Frontier, box: int, slot_of: NDArray[np.int32], waiting: NDArray[np.int32], step: _Step
) -> int:
    """Fill `step` for `box`, and take its cells out of `waiting`, the cells of each number not yet laid down.

    Returns:
        How many numbers are over the box.
    """
    size = frontier.box_starts[box + 1] - frontier.box_starts[box]
    first = frontier.box_number_starts[box]
    over = frontier.box_number_starts[box + 1] - first
    step.opened[:], step.laid[:] = 0, 0
    for i in range(over):
        number = frontier.box_numbers[first + i]
        word, shift = slot_of[number] // SLOTS_PER_WORD, 4 * (slot_of[number] % SLOTS_PER_WORD)
        if waiting[number] == frontier.starts[number + 1] - frontier.starts[number]:
            step.opened[word] += np.int64(frontier.missing[number]) << shift
        step.laid[word] += np.int64(1) << shift
        waiting[number] -= size
        step.slots[i, 0], step.slots[i, 1], step.slots[i, 2] = word, shift, waiting[number]
    return int(over)


@compiled
def _assign_slots(frontier: Frontier, order: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """For each number a slot that no other number uses while it is half done, and how many words the slots take."""
    slot_of = np.full(frontier.numbers.size, -1, np.int32)
    waiting = np.diff(frontier.starts)
    free = np.empty(frontier.numbers.size, np.int32)
    free_count, slots = 0, 0
    for layer in range(order.size):
        box = order[layer]
        size = frontier.box_starts[box + 1] - frontier.box_starts[box]
        numbers = frontier.box_numbers[frontier.box_number_starts[box] : frontier.box_number_starts[box + 1]]
        for number in numbers:
            if slot_of[number] >= 0:
                continue
            if free_count > 0:
                free_count -= 1
                slot_of[number] = free[free_count]
            else:
                slot_of[number] = slots
                slots += 1
        for number in numbers:
            waiting[number] -= size
            if waiting[number] == 0:  # its need is 0 in every node from here on, so the slot is clear
                free[free_count] = slot_of[number]
                free_count += 1
    return slot_of, (slots + SLOTS_PER_WORD - 1) // SLOTS_PER_WORD


@compiled
def _find_or_add(needs: NDArray[np.int64], count: int, table: NDArray[np.int32], first: int) -> int:
    """The node of the layer beginning at `first` that has the needs in row `count`; `count` itself if none has.

    `table` is a hash table of nodes, never cleared: entries of earlier layers are below `first` and count as empty.
    """
    mixed = np.int64(0)
    for word in range(needs.shape[1]):
        mixed = (
            mixed ^ needs[count, word]
        ) * -7046029254386353131  # 2**64 over the golden ratio, as in Fibonacci hashing
        mixed ^= mixed >> 29
    place = mixed & (table.size - 1)
    while table[place] >= first:
        same = True
        for word in range(needs.shape[1]):
            same = same and needs[table[place], word] == needs[count, word]
        if same:
            return int(table[place])
        place = (place + 1) & (table.size - 1)
    table[place] = count
    return count


@compiled
def _with_room(rows: NDArray[_Integer], count: int) -> NDArray[_Integer]:
    """`rows`, copied into a larger array where it has no room for `count` rows and one more."""
    if count < rows.shape[0]:
        return rows
    grown = np.empty((2 * count + 2, rows.shape[1]), rows.dtype)
    grown[: rows.shape[0]] = rows
    return grown


@compiled
def _with_places(table: NDArray[np.int32], least: int) -> NDArray[np.int32]:
    """`table`, or an empty one where it has fewer than `least` places; always a power of two of them."""
    places = table.size
    while places < least:
        places *= 2
    return table if places == table.size else np.full(places, -1, np.int32)


@compiled
def _drop_dead_ends(node_starts: NDArray[np.int32], edge_starts: NDArray[np.int32], edges: NDArray[np.int32]) -> None:
    """Remove, in place, the nodes from which the last layer cannot be reached, and the edges to them."""
    layers = edge_starts.size - 1
    alive = np.zeros(node_starts[layers + 1], np.bool_)
    alive[node_starts[layers] :] = True
    for edge in range(edge_starts[layers] - 1, -1, -1):
        alive[edges[edge, 0]] |= alive[edges[edge, 1]]
    name = np.empty(alive.size + 1, np.int32)
    name[0] = 0
    for node in range(alive.size):
        name[node + 1] = name[node] + alive[node]
    kept = 0
    for layer in range(layers):
        start = kept
        for edge in range(edge_starts[layer], edge_starts[layer + 1]):
            tail, head = edges[edge, 0], edges[edge, 1]
            if alive[head]:
                edges[kept, 0], edges[kept, 1], edges[kept, 2] = name[tail], name[head], edges[edge, 2]
                kept += 1
        edge_starts[layer] = start
    edge_starts[layers] = kept
    for layer in range(layers + 2):
        node_starts[layer] = name[node_starts[layer]]
