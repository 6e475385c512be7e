"""The layered graph over which layouts are counted: one layer per box, one node per state of the numbers.

Boxes are filled one after the other. A partial layout affects the boxes still to come only by what each half-done
number still needs; partial layouts that agree in this share a node. An edge lays `k` mines in the next box; a path from
the first node to the last is a layout, but for the choice of cells within boxes. This is dynamic programming along an
elimination order, as in bucket elimination (Dechter 1999).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper, listed, with_room
from sweepbot.solver.frontier import Frontier

SLOTS_PER_WORD = 15
"""A number's need, 0 to 8, takes four bits; with fifteen of them a 64-bit integer stays positive."""


EDGE_BUDGET = 1_000_000
"""The most edges before the graph is given up: about 100 MB, and a second or two to count over."""


class Trellis(NamedTuple):
    """The graph: layer `i` has the nodes from `node_starts[i]` on, and its edges begin at `edges[edge_starts[i]]`."""

    order: NDArray[np.int32]
    """The boxes in the order in which they are filled."""
    node_starts: NDArray[np.int32]
    edge_starts: NDArray[np.int32]
    edges: NDArray[np.int32]
    """Three for each edge: the nodes that it leads from and to, and how many mines it lays."""
    complete: bool
    """False if the budget of edges ran out; the graph is then unusable."""
    dead_end: int
    """A box that no number of mines fits, -1 if the last layer was reached."""


@helper
def box_order(frontier: Frontier) -> NDArray[np.int32]:  # noqa: C901, PLR0912  (calls take as long as the work)
    """Order all boxes, one component after the other, so that few numbers are half done at a time.

    Numbers are completed one by one, next the half-done one with the fewest untouched numbers beside its cells, counted
    cell by cell; among equals, the one that has been half done for longest. So the half-done numbers form a short line
    across a frontier, however it winds: King's ordering for narrow wavefronts (1970).
    """
    around, box_of, over = frontier.around, frontier.box_of, frontier.over
    numbers, boxes = around.shape[0], over.shape[0]
    order, placed, done = np.empty(boxes, np.int32), np.zeros(boxes, np.bool_), 0
    half_done, touched = np.empty(numbers, np.int32), np.zeros(numbers, np.bool_)
    untouched_beside = np.zeros(box_of.size, np.int32)
    for number in range(numbers):
        for i in range(around[number, 8]):
            untouched_beside[around[number, i]] += 1
    for first in range(numbers):
        if touched[first]:
            continue
        half_done[0], touched[first] = first, True
        noted, count = 0, 1
        while count > 0:
            for place in range(noted, count):  # they are untouched no longer
                number = half_done[place]
                for i in range(around[number, 8]):
                    untouched_beside[around[number, i]] -= 1
            best, fewest = -1, 0
            for place in range(count):
                number, untouched = half_done[place], 0
                for i in range(around[number, 8]):
                    untouched += untouched_beside[around[number, i]]
                if best < 0 or untouched < fewest:
                    best, fewest = place, untouched
                if fewest == 0:
                    break
            number = half_done[best]
            count -= 1
            noted = count
            for place in range(best, count):  # the longest half done stays first
                half_done[place] = half_done[place + 1]
            for i in range(around[number, 8]):
                box = box_of[around[number, i]]
                if placed[box]:
                    continue
                order[done], placed[box] = box, True
                done += 1
                for j in range(over[box, 8]):
                    other = over[box, j]
                    if not touched[other]:
                        half_done[count], touched[other] = other, True
                        count += 1
    return order


@helper
def build_trellis(frontier: Frontier, order: NDArray[np.int32]) -> Trellis:  # noqa: C901  (calls take as long as the work)
    """Fill the boxes in `order` and keep every node and edge that some complete layout goes through.

    A node is identified by its needs: four bits for each half-done number, in words of `SLOTS_PER_WORD` slots. Laying
    `k` mines in a box subtracts `k` from the slot of every number over the box.
    """
    boxes = order.size
    steps, words = _plan_steps(frontier, order)
    slots, sizes, counts = listed(steps), listed(frontier.boxes[:, 8]), listed(frontier.over[:, 8])
    node_starts, edge_starts = np.empty(boxes + 2, np.int32), np.zeros(boxes + 1, np.int32)
    needs, table, edges = np.zeros(256 * words, np.int64), np.full(1024, -1, np.int32), np.empty(1536, np.int32)
    start, opened = listed(np.zeros(words, np.int64)), listed(np.zeros(words, np.int64))
    ones = listed(np.zeros(words, np.int64))
    node_starts[0], node_starts[1] = 0, 1
    node_count, end = 1, 0
    complete, dead_end = True, -1
    for layer in range(boxes):
        box = order[layer]
        first, after, size = node_starts[layer], node_starts[layer + 1], int(sizes[box])
        most_new = (after - first) * (size + 1)
        if end + 3 * most_new > 3 * EDGE_BUDGET:
            complete = False
            break
        needs = with_room(needs, (node_count + most_new + 1) * words)
        edges = with_room(edges, end + 3 * most_new)
        table = _with_places(table, 2 * most_new)
        first_slot, last_slot = 32 * layer, 32 * layer + 4 * counts[box]
        for word in range(words):
            opened[word], ones[word] = 0, 0
        for i in range(first_slot, last_slot, 4):
            opened[slots[i]] += int(slots[i + 2]) << slots[i + 1]
            ones[slots[i]] += 1 << slots[i + 1]
        for node in range(first, after):
            fewest, most = 0, size
            for word in range(words):
                start[word] = int(needs[node * words + word]) + opened[word]
            for i in range(first_slot, last_slot, 4):
                need = (start[slots[i]] >> slots[i + 1]) & 15
                fewest, most = max(fewest, need - slots[i + 3]), min(most, need)
            for mines in range(fewest, most + 1):
                for word in range(words):
                    needs[node_count * words + word] = start[word] - mines * ones[word]
                head = _find_or_add(needs, words, node_count, table, after)
                node_count = max(node_count, head + 1)
                edges[end], edges[end + 1], edges[end + 2] = node, head, mines
                end += 3
        node_starts[layer + 2], edge_starts[layer + 1] = node_count, end
        if node_count == after:
            dead_end = int(box)
            break
    end = _drop_dead_ends(node_starts, edge_starts, edges) if complete and dead_end < 0 else 0
    return Trellis(order, node_starts, edge_starts, edges[:end], complete, dead_end)


@helper
def _plan_steps(frontier: Frontier, order: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Return what filling each box does to the numbers over it, and how many words their slots take.

    A number has a slot from its first box to its last. For each box in turn there are 32 entries, four for each number
    over it: word and shift of its slot, what it needs if this is its first box, else 0, and how many of its cells are
    still to come.
    """
    over, boxes, missing = frontier.over, frontier.boxes, frontier.missing
    slot_of, waiting = np.full(missing.size, -1, np.int32), np.empty(missing.size, np.int32)
    for number in range(missing.size):
        waiting[number] = frontier.around[number, 8]
    steps, free, free_count, slots = np.empty(32 * order.size, np.int32), np.empty(missing.size, np.int32), 0, 0
    for layer in range(order.size):
        box, at = order[layer], 32 * layer
        for i in range(over[box, 8]):
            number, need = over[box, i], 0
            if slot_of[number] < 0:
                need = missing[number]
                if free_count > 0:
                    free_count -= 1
                    slot_of[number] = free[free_count]
                else:
                    slot_of[number] = slots
                    slots += 1
            waiting[number] -= boxes[box, 8]
            slot = slot_of[number]
            steps[at], steps[at + 1] = slot // SLOTS_PER_WORD, 4 * (slot % SLOTS_PER_WORD)
            steps[at + 2], steps[at + 3] = need, waiting[number]
            at += 4
        for i in range(over[box, 8]):
            if waiting[over[box, i]] == 0:  # its need is 0 in every node from here on, so the slot is clear
                free[free_count] = slot_of[over[box, i]]
                free_count += 1
    return steps, (slots + SLOTS_PER_WORD - 1) // SLOTS_PER_WORD


@helper
def _find_or_add(needs: NDArray[np.int64], words: int, count: int, table: NDArray[np.int32], first: int) -> int:
    """Return the node of the layer beginning at `first` with the same needs as node `count`; `count` itself if none.

    `needs` has `words` words for each node. `table` is a hash table of nodes that is never cleared: entries of earlier
    layers are below `first` and count as empty.
    """
    mixed = 0
    for word in range(words):
        need = int(needs[count * words + word])
        # 2**32 over the golden ratio, as in Fibonacci hashing; 31 bits times 32 of them do not overflow.
        mixed = ((mixed ^ need ^ (need >> 31)) & 0x7FFFFFFF) * 0x9E3779B1
        mixed ^= mixed >> 29
    place = mixed & (table.size - 1)
    while table[place] >= first:
        same = True
        for word in range(words):
            same = same and needs[table[place] * words + word] == needs[count * words + word]
        if same:
            return int(table[place])
        place = (place + 1) & (table.size - 1)
    table[place] = count
    return count


@helper
def _with_places(table: NDArray[np.int32], least: int) -> NDArray[np.int32]:
    """Return `table` if it has at least `least` places, else a larger, empty one; sizes are powers of two."""
    places = table.size
    while places < least:
        places *= 2
    return table if places == table.size else np.full(places, -1, np.int32)


@helper
def _drop_dead_ends(node_starts: NDArray[np.int32], edge_starts: NDArray[np.int32], edges: NDArray[np.int32]) -> int:
    """Remove in place the nodes from which the last layer cannot be reached, and the edges to them.

    Returns:
        Where the remaining edges end.
    """
    layers, starts, old = edge_starts.size - 1, listed(edge_starts), listed(edges)
    alive = listed(np.zeros(node_starts[layers + 1], np.bool_))
    for node in range(node_starts[layers], len(alive)):
        alive[node] = True
    for i in range(starts[layers] - 3, -1, -3):
        alive[old[i]] |= alive[old[i + 1]]
    name = listed(np.zeros(len(alive) + 1, np.int32))
    for node in range(len(alive)):
        name[node + 1] = name[node] + alive[node]
    end = 0
    for layer in range(layers):
        first, after = starts[layer], starts[layer + 1]
        edge_starts[layer] = end
        for i in range(first, after, 3):
            if alive[old[i + 1]]:
                edges[end], edges[end + 1], edges[end + 2] = name[old[i]], name[old[i + 1]], old[i + 2]
                end += 3
    edge_starts[layers] = end
    for layer in range(layers + 2):
        node_starts[layer] = name[node_starts[layer]]
    return end
