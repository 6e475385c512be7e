"""The last layouts of a game, played out exhaustively: the exact chance to win, and the move that has it.

With few layouts left the rest of the game is a small tree. A node is the set of layouts that agree with what is open;
opening a cell splits them by what it shows. The best play from a set is worth the number of its layouts that are won.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import count_layouts
from sweepbot.solver.compiled import compiled_as, helper, kernel
from sweepbot.solver.frontier import HIDDEN, UNKNOWN, Frontier, read_frontier
from sweepbot.solver.puzzle import Puzzle
from sweepbot.solver.trellis import Trellis

SIZE = 40_000
"""The game is played out from so many layouts times undecided cells on, on expert boards from about 1000 layouts on.

Measured there: 400 layouts win as often, 100 win less; small dense boards come out best with several thousand.
"""

WORK = 20_000_000
"""Cells of layouts looked at before playing out is given up: some tens of milliseconds, two seconds in plain Python."""

_PLAIN_SET_CELLS = 125
"""Cells that numpy looks at in the time that its calls for a set of layouts take beside those, in plain Python."""

SHOWS_MINE = 9
"""What a cell shows in a layout: its number, or this where it is a mine."""

_PLACES = 1 << 16
"""Of the table of sets already played out."""

_UNREACHED = 2**31 - 1
"""The least mines from a node on, as long as no way from it to the end is known."""


@kernel
def play_out_puzzle(puzzle: Puzzle, log_layouts: float) -> tuple[int, int, int]:
    """Play out the rest of a game, where that is not too long; `log_layouts` is how many layouts it has.

    Returns:
        The place in the puzzle of the cell that wins most, -1 where no opening teaches anything; in how many layouts
        best play wins, -1 where the game is too long; and of how many, 0 where that is known before it is begun.
    """
    undecided = int(np.count_nonzero(puzzle.cells >= HIDDEN))
    if log_layouts >= log(SIZE / max(1, undecided)):
        return -1, -1, 0
    layouts = round(exp(log_layouts))
    frontier = read_frontier(puzzle.cells, puzzle.around, puzzle.mines)
    trellis = count_layouts(puzzle.cells, frontier).trellis
    listed = list_layouts(frontier, trellis, layouts)
    game = _new_endgame(_what_cells_show(puzzle, frontier, listed))
    wins, cell = _wins(game, np.arange(layouts))
    if game.work[0] <= 0:
        return -1, -1, layouts
    return int(frontier.unopened[cell]) if cell >= 0 else -1, int(wins), layouts


@helper
def list_layouts(frontier: Frontier, trellis: Trellis, count: int) -> NDArray[np.bool_]:
    """Every layout, shape (count, cells): whether a cell holds a mine; `count` is how many there are.

    Box after box is laid down, in every way that can still come to the total of mines; where there is no way left the
    box before is laid in its next way.
    """
    layouts, got = np.zeros((count, frontier.box_of.size), np.bool_), 0
    layout = np.zeros(frontier.box_of.size, np.bool_)
    least, most = mines_to_come(trellis)
    layers, edges, starts = trellis.order.size, trellis.edges, trellis.edge_starts
    # Before each box: the node that is reached, the mines that are left; and its way to be tried next.
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
    """Add to the first `got` of `layouts` one of all boxes, with so many mines in the interior in every way."""
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
    """How many bits are set."""
    count = 0
    while bits > 0:
        bits &= bits - 1
        count += 1
    return count


@helper
def mines_to_come(trellis: Trellis) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each node the least and the most mines that a path from it to the end lays."""
    nodes = trellis.node_starts[trellis.order.size + 1]
    least, most = np.full(nodes, _UNREACHED, np.int32), np.zeros(nodes, np.int32)
    least[nodes - 1] = 0
    for edge in range(trellis.edges.size - 3, -1, -3):
        tail, head, mines = trellis.edges[edge], trellis.edges[edge + 1], trellis.edges[edge + 2]
        least[tail] = min(least[tail], least[head] + mines)
        most[tail] = max(most[tail], most[head] + mines)
    return least, most


@helper
def _what_cells_show(puzzle: Puzzle, frontier: Frontier, layouts: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """For each layout what each of `frontier.unopened` would show, less the mines already known around it.

    An unreadable cell shows a mine in all of them: it is never opened.
    """
    shows = np.empty((layouts.shape[0], frontier.unopened.size), np.uint8)
    for i in range(layouts.shape[0]):
        for j in range(frontier.unopened.size):
            cell = frontier.unopened[j]
            shows[i, j] = SHOWS_MINE
            if not layouts[i, cell] and puzzle.cells[cell] != UNKNOWN:
                shows[i, j] = 0
                for k in range(puzzle.around[cell, 8]):
                    shows[i, j] += layouts[i, puzzle.around[cell, k]]
    return shows


class _Endgame(NamedTuple):
    """The layouts, and what is remembered of sets of them."""

    shows: NDArray[np.uint8]
    """Shape (layouts, cells): what each unopened cell shows in each layout."""
    keys: NDArray[np.int64]
    """A random number for each layout; a set is known by the exclusive or of those of its layouts (Zobrist 1970)."""
    table_keys: NDArray[np.int64]
    table_wins: NDArray[np.int32]
    """A hash table from sets to the layouts won; places with the key 0 are empty."""
    work: NDArray[np.int64]
    """One entry: how many cells of layouts may still be looked at."""


@helper
def _new_endgame(shows: NDArray[np.uint8]) -> _Endgame:
    """Prepare to play out the layouts `shows`."""
    keys = np.zeros(shows.shape[0], np.int64)
    state = 1
    for i in range(keys.size):
        # Three draws of 20 bits of the minimal standard generator (Park and Miller 1988), which does not overflow.
        for _ in range(3):
            state = state * 48271 % 0x7FFFFFFF
            keys[i] = (keys[i] << 20) | (state >> 11)
    work = np.zeros(1, np.int64)
    work[0] = WORK
    return _Endgame(shows, keys, np.zeros(_PLACES, np.int64), np.zeros(_PLACES, np.int32), work)


@helper
def _wins(game: _Endgame, layouts: NDArray[np.int64]) -> tuple[int, int]:
    """How many of `layouts` best play wins, and the cell it opens; the cell is -1 where nothing can be learned.

    A cell that shows the same in every layout in which it is safe is dead: opening it later loses no more and teaches
    no less, so it is never tried. If all are dead, no opening teaches anything, and one layout is won at most. A cell
    that is safe in all layouts and not dead costs nothing and is opened at once.
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
    """What is taken from the budget for a set of so many layouts of so many cells."""
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
    """In how many of `layouts` each cell is safe; 0 for a dead cell."""
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
    """For each value how many of `layouts` have it in `cell`, and the key of the set of them."""
    values, keys = game.shows[layouts, cell], np.zeros(SHOWS_MINE + 1, np.int64)
    np.bitwise_xor.at(keys, values, game.keys[layouts])
    return np.bincount(values, minlength=SHOWS_MINE + 1), keys


@helper
def _place_of(game: _Endgame, key: int) -> int:
    """Where the table holds `key` or is to hold it; a key that finds sixteen places taken replaces another."""
    mask = game.table_keys.size - 1
    place = (key ^ (key >> 32)) & mask
    for _ in range(16):
        if game.table_keys[place] == 0 or game.table_keys[place] == key:
            break
        place = (place + 1) & mask
    return place
