"""The last layouts of a game, played out exhaustively: the exact chance to win, and the move that has it.

With few layouts left the rest of the game is a small tree. A node is the set of layouts that agree with what is open;
opening a cell splits them by what it shows. The best play from a set is worth the number of its layouts that are won.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.frontier import UNKNOWN, Frontier
from sweepbot.solver.trellis import Trellis

SHOWS_MINE = 9
"""What a cell shows in a layout: its number, or this where it is a mine."""


class _Partial(NamedTuple):
    """Layouts of the boxes laid down so far."""

    mine: NDArray[np.bool_]
    """Shape (room, cells of the board): whether a cell holds a mine."""
    node: NDArray[np.int32]
    mines: NDArray[np.int32]
    """For each layout the node of the trellis that it has reached, and its mines."""


@compiled
def list_layouts(frontier: Frontier, trellis: Trellis, count: int) -> NDArray[np.bool_]:
    """Every layout, shape (count, cells): whether a cell holds a mine; `count` is how many there are.

    Boxes are laid down in the order of the trellis, and only what can still come to the total of mines is kept.
    """
    least, most = mines_to_come(trellis)
    inside = frontier.interior.size
    now = _no_partials(1, frontier.box_of.size)
    have = now.node.size
    for layer in range(trellis.order.size):
        box = trellis.order[layer]
        cells = frontier.box_cells[frontier.box_starts[box] : frontier.box_starts[box + 1]]
        then = _no_partials(2 * count + 16, frontier.box_of.size)
        got = 0
        for edge in range(trellis.edge_starts[layer], trellis.edge_starts[layer + 1]):
            tail, head, laid = trellis.edges[edge]
            for i in range(have):
                mines = now.mines[i] + laid
                fits = mines + least[head] <= frontier.mines_left <= mines + most[head] + inside
                if now.node[i] != tail or not fits:
                    continue
                for choice in range(1 << cells.size):
                    if _ones(choice) != laid:
                        continue
                    if got == then.node.size:
                        then = _doubled(then)
                    then.mine[got] = now.mine[i]
                    for j in range(cells.size):
                        then.mine[got, cells[j]] = (choice >> j) & 1
                    then.node[got], then.mines[got] = head, mines
                    got += 1
        now, have = then, got
    return _with_interior(frontier, now, have, count)


@compiled
def _with_interior(frontier: Frontier, frontiers: _Partial, have: int, count: int) -> NDArray[np.bool_]:
    """The layouts of the frontier, each with every choice of interior cells that comes to the total of mines."""
    layouts = np.zeros((count, frontier.box_of.size), np.bool_)
    inside = frontier.interior.size
    got = 0
    for i in range(have):
        rest = frontier.mines_left - frontiers.mines[i]
        chosen = np.arange(rest)  # combinations in lexical order (Knuth, TAOCP 7.2.1.3)
        while True:
            layouts[got] = frontiers.mine[i]
            for j in chosen:
                layouts[got, frontier.interior[j]] = True
            got += 1
            last = rest - 1
            while last >= 0 and chosen[last] == inside - rest + last:
                last -= 1
            if last < 0:
                break
            chosen[last] += 1
            for j in range(last + 1, rest):
                chosen[j] = chosen[j - 1] + 1
    return layouts


@compiled
def mines_to_come(trellis: Trellis) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each node the least and the most mines that a path from it to the end lays."""
    nodes = trellis.node_starts[trellis.order.size + 1]
    least, most = np.full(nodes, np.iinfo(np.int32).max, np.int64), np.zeros(nodes, np.int64)
    least[nodes - 1] = 0
    for edge in range(trellis.edge_starts[trellis.order.size] - 1, -1, -1):
        tail, head, mines = trellis.edges[edge]
        least[tail] = min(least[tail], least[head] + mines)
        most[tail] = max(most[tail], most[head] + mines)
    return least, most


@compiled
def _no_partials(room: int, cells: int) -> _Partial:
    return _Partial(np.zeros((room, cells), np.bool_), np.zeros(room, np.int32), np.zeros(room, np.int32))


@compiled
def _doubled(partial: _Partial) -> _Partial:
    """A copy with twice the room."""
    room = partial.node.size
    double = _no_partials(2 * room, partial.mine.shape[1])
    double.mine[:room], double.node[:room], double.mines[:room] = partial.mine, partial.node, partial.mines
    return double


@compiled
def _ones(bits: int) -> int:
    """How many bits are set."""
    count = 0
    while bits > 0:
        bits &= bits - 1
        count += 1
    return count


@compiled
def what_cells_show(
    cells: NDArray[np.uint8], around: NDArray[np.int32], frontier: Frontier, layouts: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """For each layout what each of `frontier.unopened` would show, less the mines already known around it.

    An unreadable cell shows a mine in all of them: it is never opened.
    """
    shows = np.empty((layouts.shape[0], frontier.unopened.size), np.uint8)
    for i in range(layouts.shape[0]):
        for j in range(frontier.unopened.size):
            cell = frontier.unopened[j]
            shows[i, j] = SHOWS_MINE
            if not layouts[i, cell] and cells[cell] != UNKNOWN:
                shows[i, j] = 0
                for k in range(around[cell, 8]):
                    shows[i, j] += layouts[i, around[cell, k]]
    return shows


class Endgame(NamedTuple):
    """The layouts, and what is remembered of sets of them."""

    shows: NDArray[np.uint8]
    """Shape (layouts, cells): what each unopened cell shows in each layout."""
    keys: NDArray[np.int64]
    """A random number for each layout; a set is known by the sum of those of its layouts."""
    table_keys: NDArray[np.int64]
    table_wins: NDArray[np.int32]
    """A hash table from sets to the layouts won; places with the key 0 are empty."""
    work: NDArray[np.int64]
    """One entry: how many cells of layouts may still be looked at."""


@compiled
def new_endgame(shows: NDArray[np.uint8], budget: int) -> Endgame:
    """Prepare to play out the layouts `shows`, looking at no more than `budget` of their cells."""
    keys = np.empty(shows.shape[0], np.int64)
    for i in range(keys.size):  # splitmix64 (Steele, Lea and Flood 2014), so that a game goes the same way everywhere
        key = (i + 1) * -7046029254386353131
        key = (key ^ ((key >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
        key = (key ^ ((key >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
        keys[i] = key ^ ((key >> 31) & 0x1FFFFFFFF)
    places = 1 << 16
    return Endgame(shows, keys, np.zeros(places, np.int64), np.zeros(places, np.int32), np.full(1, budget))


@compiled
def best_opening(game: Endgame) -> tuple[int, int]:
    """The cell that wins the most layouts when opened next and best play follows, and how many it wins.

    (-1, -1) where the budget ran out.
    """
    layouts = np.arange(game.shows.shape[0])
    wins, cell = _wins(game, layouts)
    return (cell, wins) if game.work[0] > 0 else (-1, -1)


@compiled
def _wins(game: Endgame, layouts: NDArray[np.int64]) -> tuple[int, int]:
    """How many of `layouts` best play wins, and the cell it opens; the cell is -1 where nothing can be learned.

    A cell that shows the same in every layout in which it is safe is dead: opening it later loses no more and teaches
    no less, so it is never tried. If all are dead, no opening teaches anything, and one layout is won at most. A cell
    that is safe in all layouts and not dead costs nothing and is opened at once.
    """
    best_wins, best_cell = 1, -1
    game.work[0] -= layouts.size * game.shows.shape[1]
    if layouts.size == 1 or game.work[0] <= 0:
        return best_wins, best_cell
    safe = _safe_counts(game, layouts)
    while True:
        cell = int(safe.argmax())
        if safe[cell] <= best_wins:
            break
        wins, certain = int(safe[cell]), safe[cell] == layouts.size
        safe[cell] = 0
        for value in range(SHOWS_MINE):
            group, key = _group(game, layouts, cell, value)
            if group.size > 1:
                place = _place_of(game, key)
                if game.table_keys[place] != key:
                    won, _ = _wins(game, group)
                    place = _place_of(game, key)
                    game.table_keys[place], game.table_wins[place] = key, won
                wins -= group.size - int(game.table_wins[place])
                if wins <= best_wins:
                    break
        if wins > best_wins:
            best_wins, best_cell = wins, cell
        if certain:
            break
    return best_wins, best_cell


@compiled
def _safe_counts(game: Endgame, layouts: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many of `layouts` each cell is safe; 0 for a dead cell."""
    counts = np.zeros(game.shows.shape[1], np.int64)
    for cell in range(counts.size):
        shown = 0
        for layout in layouts:
            value = game.shows[layout, cell]
            if value != SHOWS_MINE:
                counts[cell] += 1
                shown |= 1 << value
        if shown & (shown - 1) == 0:
            counts[cell] = 0
    return counts


@compiled
def _group(game: Endgame, layouts: NDArray[np.int64], cell: int, value: int) -> tuple[NDArray[np.int64], int]:
    """Those of `layouts` in which `cell` shows `value`, and the key of that set."""
    group, size, key = np.empty(layouts.size, np.int64), 0, np.int64(0)
    for layout in layouts:
        if game.shows[layout, cell] == value:
            group[size] = layout
            key += game.keys[layout]
            size += 1
    return group[:size], int(key)


@compiled
def _place_of(game: Endgame, key: int) -> int:
    """Where the table holds `key` or is to hold it; a key that finds sixteen places taken replaces another."""
    mask = game.table_keys.size - 1
    place = (key ^ (key >> 32)) & mask
    for _ in range(16):
        if game.table_keys[place] in (0, key):
            break
        place = (place + 1) & mask
    return place
