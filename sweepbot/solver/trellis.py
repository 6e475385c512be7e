"""The layered graph over which layouts are counted: one layer a box, one node for each way the numbers can stand.

Boxes are laid down one after the other. What the past of a partial layout means to its future is only what each number
that is neither untouched nor complete still needs; partial layouts that agree in this meet in one node. An edge lays
`k` mines in the next box; a path from the first node to the last is a layout but for the choice of cells within boxes.
The idea is dynamic programming along an elimination order, as in bucket elimination (Dechter 1999).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.arrays import filled_ints, listed, new_ints, no_flags, with_room, zero_longs
from sweepbot.solver.compiled import helper
from sweepbot.solver.frontier import Frontier

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
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    mines: NDArray[np.int32]
    """For each edge the nodes that it leads from and to, and how many mines it lays."""
    complete: bool
    """False where the budget of edges ran out; the graph is then of no use."""
    dead_end: int
    """The box that no number of mines fits, -1 where the last layer was reached."""


@helper
def box_order(frontier: Frontier) -> NDArray[np.int32]:  # noqa: C901, PLR0912  (calls take as long as the work)
    """An order of all boxes, one connected part after the other, that keeps few numbers half done at a time.

    Number after number is completed, next the half-done one with the fewest untouched numbers beside its cells, counted
    cell by cell; of equals the one that has been half done for longest. So the half-done numbers stay a short line
    across a frontier, however it winds: the ordering for narrow wavefronts of King (1970).
    """
    around, box_of, over = frontier.around, frontier.box_of, frontier.over
    numbers, boxes = around.shape[0], over.shape[0]
    order, placed, done = new_ints(boxes), no_flags(boxes), 0
    half_done, touched, untouched_beside = new_ints(numbers), no_flags(numbers), filled_ints(box_of.size, 0)
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
def _sizes(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """How many members each list of a table has."""
    sizes = new_ints(table.shape[0])
    for i in range(sizes.size):
        sizes[i] = table[i, 8]
    return sizes


@helper
def build_trellis(frontier: Frontier, order: NDArray[np.int32]) -> Trellis:
    """Lay down the boxes in `order` and keep every node and edge that some whole layout goes through.

    A node is told by its needs: four bits for each half-done number, in words of `SLOTS_PER_WORD` slots. To lay `k`
    mines in a box is then to subtract, `k` times, a one in the slot of every number over the box.
    """
    boxes = order.size
    slot_of, words = _assign_slots(frontier, order)
    node_starts, edge_starts = new_ints(boxes + 2), filled_ints(boxes + 1, 0)
    needs = zero_longs(256 * words)
    tails, heads, laid = new_ints(512), new_ints(512), new_ints(512)
    table = filled_ints(1024, -1)
    step = _Step(
        listed(frontier.over.reshape(-1)),
        listed(slot_of),
        listed(_sizes(frontier.around)),
        listed(zero_longs(words)),
        listed(zero_longs(words)),
        listed(filled_ints(24, 0)),
    )
    start, opened, step_laid, slots = listed(zero_longs(words)), step.opened, step.laid, step.slots
    node_starts[0], node_starts[1] = 0, 1
    node_count, edge_count = 1, 0
    complete, dead_end = True, -1
    for layer in range(boxes):
        box = order[layer]
        size = frontier.boxes[box, 8]
        over = 3 * _prepare_step(frontier, box, step)
        first, after = node_starts[layer], node_starts[layer + 1]
        most_new = (after - first) * (size + 1)
        if edge_count + most_new > EDGE_BUDGET:
            complete = False
            break
        needs = with_room(needs, (node_count + most_new + 1) * words)
        tails, heads = with_room(tails, edge_count + most_new), with_room(heads, edge_count + most_new)
        laid = with_room(laid, edge_count + most_new)
        table = _with_places(table, 2 * most_new)
        for node in range(first, after):
            fewest, most = 0, int(size)
            for word in range(words):
                start[word] = int(needs[node * words + word]) + opened[word]
            for i in range(0, over, 3):
                need = (start[slots[i]] >> slots[i + 1]) & 15
                fewest, most = max(fewest, need - slots[i + 2]), min(most, need)
            for mines in range(fewest, most + 1):
                for word in range(words):
                    needs[node_count * words + word] = start[word] - mines * step_laid[word]
                head = _find_or_add(needs, words, node_count, table, after)
                node_count = max(node_count, head + 1)
                tails[edge_count], heads[edge_count], laid[edge_count] = node, head, mines
                edge_count += 1
        node_starts[layer + 2], edge_starts[layer + 1] = node_count, edge_count
        if node_count == after:
            dead_end = int(box)
            break
    if complete and dead_end < 0:
        _drop_dead_ends(node_starts, edge_starts, tails, heads, laid)
    edges = edge_starts[boxes] if complete and dead_end < 0 else 0
    return Trellis(order, node_starts, edge_starts, tails[:edges], heads[:edges], laid[:edges], complete, dead_end)


class _Step(NamedTuple):
    """What laying down one box does to the needs; the first three are the same for all boxes."""

    over: NDArray[np.int32]
    """The table `over` of the frontier, row after row."""
    slot_of: NDArray[np.int32]
    """For each number its slot."""
    waiting: NDArray[np.int32]
    """For each number how many of its cells are not yet laid down."""
    opened: NDArray[np.int64]
    """For each word: what the numbers touched for the first time need."""
    laid: NDArray[np.int64]
    """For each word: a one in the slot of every number over the box."""
    slots: NDArray[np.int32]
    """Three for each number over the box: word and shift of its slot, and how many of its cells are still to come."""


@helper
def _prepare_step(frontier: Frontier, box: int, step: _Step) -> int:
    """Fill `step` for `box`, and take its cells out of those waiting; returns how many numbers are over it."""
    for word in range(len(step.opened)):
        step.opened[word], step.laid[word] = 0, 0
    cells, first, count = int(frontier.boxes[box, 8]), 9 * box, step.over[9 * box + 8]
    for i in range(count):
        number = step.over[first + i]
        slot = step.slot_of[number]
        word, shift = slot // SLOTS_PER_WORD, 4 * (slot % SLOTS_PER_WORD)
        if step.waiting[number] == frontier.around[number, 8]:
            step.opened[word] += int(frontier.missing[number]) << shift
        step.laid[word] += 1 << shift
        step.waiting[number] -= cells
        step.slots[3 * i], step.slots[3 * i + 1], step.slots[3 * i + 2] = word, shift, step.waiting[number]
    return int(count)


@helper
def _assign_slots(frontier: Frontier, order: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """For each number a slot that no other number uses while it is half done, and how many words the slots take."""
    slot_of, waiting = filled_ints(frontier.numbers.size, -1), _sizes(frontier.around)
    free, free_count, slots = new_ints(frontier.numbers.size), 0, 0
    for box in order:
        for i in range(frontier.over[box, 8]):
            number = frontier.over[box, i]
            if slot_of[number] >= 0:
                continue
            if free_count > 0:
                free_count -= 1
                slot_of[number] = free[free_count]
            else:
                slot_of[number] = slots
                slots += 1
        for i in range(frontier.over[box, 8]):
            number = frontier.over[box, i]
            waiting[number] -= frontier.boxes[box, 8]
            if waiting[number] == 0:  # its need is 0 in every node from here on, so the slot is clear
                free[free_count] = slot_of[number]
                free_count += 1
    return slot_of, (slots + SLOTS_PER_WORD - 1) // SLOTS_PER_WORD


@helper
def _find_or_add(needs: NDArray[np.int64], words: int, count: int, table: NDArray[np.int32], first: int) -> int:
    """The node of the layer beginning at `first` that has the needs of node `count`; `count` itself if none has.

    `needs` holds `words` words for each node. `table` is a hash table of nodes, never cleared: entries of earlier
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
    """`table`, or an empty one where it has fewer than `least` places; always a power of two of them."""
    places = table.size
    while places < least:
        places *= 2
    return table if places == table.size else filled_ints(places, -1)


@helper
def _drop_dead_ends(
    node_starts: NDArray[np.int32],
    edge_starts: NDArray[np.int32],
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    laid: NDArray[np.int32],
) -> None:
    """Remove, in place, the nodes from which the last layer cannot be reached, and the edges to them."""
    layers, starts = edge_starts.size - 1, listed(edge_starts)
    old_tails, old_heads, old_laid = listed(tails), listed(heads), listed(laid)
    alive = listed(no_flags(node_starts[layers + 1]))
    for node in range(node_starts[layers], len(alive)):
        alive[node] = True
    for edge in range(starts[layers] - 1, -1, -1):
        alive[old_tails[edge]] |= alive[old_heads[edge]]
    name = listed(filled_ints(len(alive) + 1, 0))
    for node in range(len(alive)):
        name[node + 1] = name[node] + alive[node]
    kept = 0
    for layer in range(layers):
        first, after = starts[layer], starts[layer + 1]
        edge_starts[layer] = kept
        for edge in range(first, after):
            if alive[old_heads[edge]]:
                tails[kept], heads[kept] = name[old_tails[edge]], name[old_heads[edge]]
                laid[kept] = old_laid[edge]
                kept += 1
    edge_starts[layers] = kept
    for layer in range(layers + 2):
        node_starts[layer] = name[node_starts[layer]]
