"""The endgame, played out exhaustively: the exact chance to win, and the move that achieves it.

With few layouts left the rest of the game is a small tree. A node is the set of layouts that agree with what is open;
opening a cell splits it by what the cell shows. The value of a set is how many of its layouts best play wins.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import Count, count_layouts
from sweepbot.solver.compiled import compiled_as, helper, kernel
from sweepbot.solver.counting import UNREACHED
from sweepbot.solver.flat_board import HIDDEN, UNKNOWN, FlatBoard, Puzzle
from sweepbot.solver.frontier import Frontier, read_frontier
from sweepbot.solver.lookahead import safest
from sweepbot.solver.trellis import Trellis

MAX_LAYOUT_CELLS = 40_000
"""The most layouts, times undecided cells, from which the game is played out: about 1000 layouts on expert boards.

Measured there: 400 layouts win as often, 100 less often; on small dense boards several thousand are best.
"""

MAX_CELLS_SEEN = 20_000_000
"""Cells of layouts looked at before the search is given up: some tens of milliseconds, two seconds in plain Python."""

_PLAIN_SET_CELLS = 125
"""The fixed cost of a set of layouts in plain Python, in cells: numpy looks at this many in the same time."""

SHOWS_MINE = 9
"""What a cell shows in a layout if it is a mine; otherwise it shows its number."""

_TABLE_PLACES = 1 << 16
"""The size of the table of sets already played out."""


class Ending(NamedTuple):
    """The result of playing out a position."""

    cell: int
    """The place in the puzzle of the cell that wins most; -1 if no cell can be opened."""
    wins: int
    """How many layouts best play wins; -1 if playing them out takes too long."""
    layouts: int
    """How many there are; 0 if so many that playing out was not begun."""


@kernel
def play_out(puzzle: Puzzle) -> Ending:
    """Play out the rest of the game unless that takes too long."""
    cells = puzzle.position.cells
    undecided = int(np.count_nonzero(cells >= HIDDEN))
    if puzzle.log_layouts >= log(MAX_LAYOUT_CELLS / max(1, undecided)):
        return Ending(-1, -1, 0)
    layouts = round(exp(puzzle.log_layouts))
    count = count_layouts(read_frontier(puzzle.position))
    game = _new_endgame(_what_cells_show(puzzle.position, count.frontier, list_layouts(count, layouts)))
    wins, cell = _wins(game, np.arange(layouts))
    if game.work[0] <= 0:
        return Ending(-1, -1, layouts)
    # If no opening teaches anything, each cell wins as often as it is safe.
    best = int(count.frontier.unopened[cell]) if cell >= 0 else safest(puzzle.chances, cells != HIDDEN)
    return Ending(best, int(wins), layouts)


@helper
def list_layouts(count: Count, number: int) -> NDArray[np.bool_]:
    """Return every layout, bool of shape (number, cells): whether a cell holds a mine; `number` is how many there are.

    The boxes are filled one after the other, in every way that can still reach the total of mines, by backtracking.
    """
    frontier, trellis = count.frontier, count.trellis
    layouts, got = np.zeros((number, frontier.cells.size), np.bool_), 0
    layout = np.zeros(frontier.cells.size, np.bool_)
    least, most = mines_to_come(trellis)
    layers, edges, starts = trellis.order.size, trellis.edges, trellis.edge_starts
    # Before each box: the node that is reached, and the mines that are left; then the next way to fill the box.
    nodes, left = np.zeros(layers + 1, np.int64), np.full(layers + 1, frontier.mines_left, np.int64)
    next_edge, next_choice = np.zeros(layers + 1, np.int64), np.zeros(layers + 1, np.int64)
    layer = 0
    while layer >= 0:
        if layer == layers:
            got = _lay_interior(frontier, left[layer], layout, layouts, got)
        if layer == layers or next_edge[layer] == starts[layer + 1]:
            layer -= 1
            continue
        cells, edge, choice = frontier.boxes[trellis.order[layer]], next_edge[layer], next_choice[layer]
        next_choice[layer] += 1
        if next_choice[layer] == 1 << cells[8]:
            next_edge[layer], next_choice[layer] = edge + 3, 0
        head, after = edges[edge + 1], left[layer] - edges[edge + 2]
        fits = least[head] <= after <= most[head] + frontier.interior.size
        if fits and edges[edge] == nodes[layer] and _ones(choice) == edges[edge + 2]:
            for j in range(cells[8]):
                layout[cells[j]] = (choice >> j) & 1
            layer += 1
            nodes[layer], left[layer], next_edge[layer], next_choice[layer] = head, after, starts[layer], 0
    return layouts


@helper
def _lay_interior(
    frontier: Frontier, mines: int, layout: NDArray[np.bool_], layouts: NDArray[np.bool_], got: int
) -> int:
    """Append `layout` to the first `got` of `layouts`, with interior mines in every way; return the new count."""
    chosen, last = np.empty(mines, np.int32), 0  # combinations in lexical order (Knuth, TAOCP 7.2.1.3)
    for j in range(mines):
        chosen[j] = j
    while last >= 0:
        for cell in range(layout.size):
            layouts[got, cell] = layout[cell]
        for j in range(mines):
            layouts[got, frontier.interior[chosen[j]]] = True
        got += 1
        last = mines - 1
        while last >= 0 and chosen[last] == frontier.interior.size - mines + last:
            last -= 1
        if last >= 0:
            chosen[last] += 1
            for j in range(last + 1, mines):
                chosen[j] = chosen[j - 1] + 1
    return got


@helper
def _ones(bits: int) -> int:
    """Count the bits that are set."""
    count = 0
    while bits > 0:
        bits &= bits - 1
        count += 1
    return count


@helper
def mines_to_come(trellis: Trellis) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return, for each node, the fewest and the most mines on a path from it to the end."""
    nodes = trellis.node_starts[trellis.order.size + 1]
    least, most = np.full(nodes, UNREACHED, np.int32), np.zeros(nodes, np.int32)
    least[nodes - 1] = 0
    for edge in range(trellis.edges.size - 3, -1, -3):
        tail, head, mines = trellis.edges[edge], trellis.edges[edge + 1], trellis.edges[edge + 2]
        least[tail] = min(least[tail], least[head] + mines)
        most[tail] = max(most[tail], most[head] + mines)
    return least, most


@helper
def _what_cells_show(position: FlatBoard, frontier: Frontier, layouts: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return what each of `frontier.unopened` would show in each layout, minus the mines already known around it.

    An unreadable cell counts as a mine in all of them, so that it is never opened.
    """
    shows = np.empty((layouts.shape[0], frontier.unopened.size), np.uint8)
    for i in range(layouts.shape[0]):
        for j in range(frontier.unopened.size):
            cell = frontier.unopened[j]
            shows[i, j] = SHOWS_MINE
            if not layouts[i, cell] and position.cells[cell] != UNKNOWN:
                shows[i, j] = 0
                for k in range(position.around[cell, 8]):
                    shows[i, j] += layouts[i, position.around[cell, k]]
    return shows


class _Endgame(NamedTuple):
    """The layouts, and the sets of them that have been played out."""

    shows: NDArray[np.uint8]
    """Shape (layouts, cells): what each unopened cell shows in each layout."""
    keys: NDArray[np.int64]
    """A random number for each layout; the key of a set is the exclusive or of its layouts' (Zobrist 1970)."""
    table_keys: NDArray[np.int64]
    table_wins: NDArray[np.int32]
    """A hash table from keys of sets to the layouts won; places with the key 0 are empty."""
    work: NDArray[np.int64]
    """One entry: how many more cells of layouts may be looked at."""


@helper
def _new_endgame(shows: NDArray[np.uint8]) -> _Endgame:
    """Prepare to play out the layouts in `shows`."""
    keys = np.zeros(shows.shape[0], np.int64)
    state = 1
    for i in range(keys.size):
        # Three draws of 20 bits of the minimal standard generator (Park and Miller 1988), which does not overflow.
        for _ in range(3):
            state = state * 48271 % 0x7FFFFFFF
            keys[i] = (keys[i] << 20) | (state >> 11)
    work = np.zeros(1, np.int64)
    work[0] = MAX_CELLS_SEEN
    return _Endgame(shows, keys, np.zeros(_TABLE_PLACES, np.int64), np.zeros(_TABLE_PLACES, np.int32), work)


@helper
def _wins(game: _Endgame, layouts: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many of `layouts` best play wins, and the cell it opens, -1 if nothing can be learned.

    A cell that shows the same in every layout in which it is safe is dead: opening it later costs and teaches just as
    much, so it is never tried. If all are dead, no opening teaches anything, and at most one layout is won. A cell that
    is safe in all layouts and not dead costs nothing and is opened at once.
    """
    best_wins, best_cell = 1, -1
    game.work[0] -= _cost_of_set(layouts.size, game.shows.shape[1])
    if layouts.size == 1 or game.work[0] <= 0:
        return best_wins, best_cell
    safe = _safe_counts(game, layouts)
    while True:
        cell = int(np.argmax(safe))  # the first of the largest
        if safe[cell] <= best_wins:
            break
        wins, certain = int(safe[cell]), safe[cell] == layouts.size
        safe[cell] = 0
        sizes, keys = _groups(game, layouts, cell)
        for value in range(SHOWS_MINE):
            size, key = sizes[value], keys[value]
            if size > 1:
                place = _place_of(game, key)
                if game.table_keys[place] != key:
                    won, _ = _wins(game, layouts[game.shows[:, cell][layouts] == value])
                    place = _place_of(game, key)
                    game.table_keys[place], game.table_wins[place] = key, won
                wins -= size - int(game.table_wins[place])
                if wins <= best_wins:
                    break
        if wins > best_wins:
            best_wins, best_cell = wins, cell
        if certain:
            break
    return best_wins, best_cell


def _cost_of_set_in_loops(layouts: int, cells: int) -> int:
    return layouts * cells


@compiled_as(_cost_of_set_in_loops)
def _cost_of_set(layouts: int, cells: int) -> int:
    """Return the work that a set of layouts takes from the budget."""
    return layouts * cells + _PLAIN_SET_CELLS


def _safe_counts_in_loops(game: _Endgame, layouts: NDArray[np.int64]) -> NDArray[np.int64]:
    counts, shown = np.zeros(game.shows.shape[1], np.int64), np.zeros(game.shows.shape[1], np.int64)
    for layout in layouts:
        for cell in range(counts.size):
            value = game.shows[layout, cell]
            counts[cell] += value != SHOWS_MINE
            shown[cell] |= 1 << value
    for cell in range(counts.size):
        numbers = shown[cell] & ~(1 << SHOWS_MINE)
        if numbers & (numbers - 1) == 0:
            counts[cell] = 0
    return counts


@compiled_as(_safe_counts_in_loops)
def _safe_counts(game: _Endgame, layouts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the layouts in which each cell is safe; 0 for a dead cell."""
    shown = game.shows[layouts]
    safe = shown != SHOWS_MINE
    counts: NDArray[np.int64] = np.count_nonzero(safe, axis=0)
    least, most = np.where(safe, shown, SHOWS_MINE).min(axis=0), np.where(safe, shown, 0).max(axis=0)
    counts[least >= most] = 0
    return counts


def _groups_in_loops(
    game: _Endgame, layouts: NDArray[np.int64], cell: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes, keys = np.zeros(SHOWS_MINE + 1, np.int64), np.zeros(SHOWS_MINE + 1, np.int64)
    for layout in layouts:
        value = game.shows[layout, cell]
        sizes[value] += 1
        keys[value] ^= game.keys[layout]
    return sizes, keys


@compiled_as(_groups_in_loops)
def _groups(game: _Endgame, layouts: NDArray[np.int64], cell: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each value that `cell` may show, how many of `layouts` have it, and the key of their set."""
    values, keys = game.shows[layouts, cell], np.zeros(SHOWS_MINE + 1, np.int64)
    np.bitwise_xor.at(keys, values, game.keys[layouts])
    return np.bincount(values, minlength=SHOWS_MINE + 1), keys


@helper
def _place_of(game: _Endgame, key: int) -> int:
    """Return the place of `key` in the table; if sixteen places are taken, that of another key, to be replaced."""
    mask = game.table_keys.size - 1
    place = (key ^ (key >> 32)) & mask
    for _ in range(16):
        if game.table_keys[place] == 0 or game.table_keys[place] == key:
            break
        place = (place + 1) & mask
    return place
