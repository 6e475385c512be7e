"""What a guess is worth, estimated by playing on from it: rollouts (Tesauro and Galperin 1996).

A rollout goes on in one layout, with what the solver would choose one opening ahead. A guess that hits a mine does not
end it: its value is multiplied by the chance that the guess is safe, and the mines are laid anew so that it is. Where
few layouts are left the exact chance to win is known. So a rollout's value varies less than a win or a loss does
(conditional Monte Carlo; Hammersley and Handscomb 1964), and its mean is the chance to win.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_chances
from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.draw import draw_layout
from sweepbot.solver.endgame import play_out
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, reduce_position
from sweepbot.solver.lookahead import CELLS_TRIED, best_openings, new_outlook, safest
from sweepbot.solver.no_guess import open_flood


@kernel
def value_guesses(
    position: FlatBoard, guesses: NDArray[np.int32], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The values of some guesses, each in the same layouts, so that they differ by less than luck.

    Where a layout has a mine in a guessed cell another one is drawn that has none.

    Args:
        position: A position that can be counted, of hidden and open cells.
        guesses: The flat cells to be valued.
        count: In how many layouts.
        rng: Where they come from.

    Returns:
        Shape (count, guesses): values from 0 to 1, whose means are the chances to win.
    """
    values = np.zeros((count, guesses.size))
    _, _, chances = count_chances(position)
    for i in range(count):
        common = draw_layout(position, -1, rng)
        for j in range(guesses.size):
            guess = guesses[j]
            layout = draw_layout(position, guess, rng) if common[guess] else common.copy()
            played = FlatBoard(position.cells.copy(), position.around, position.mines)
            values[i, j] = (1.0 - chances[guess]) * roll_out(played, guess, layout, rng)
    return values


@kernel
def roll_out(position: FlatBoard, cell: int, layout: NDArray[np.bool_], rng: np.random.Generator) -> float:
    """The value of the rest of the game once a hidden cell has been opened that holds no mine in this layout.

    Args:
        position: The position, of hidden and open cells; it is played on.
        cell: The flat cell that is opened.
        layout: For each flat cell whether it holds a mine; it may be laid anew.
        rng: Where new layouts come from.

    Returns:
        A value from 0 to 1, whose mean over all layouts is the chance to win; -1 where a position is too large to be
        counted.
    """
    value, known = 1.0, np.zeros(layout.size, np.bool_)
    open_flood(position, layout, cell)
    while True:
        while _open_by_single_numbers(position, layout, known):
            pass
        outcome, log_layouts, chances = count_chances(position)
        if outcome != COUNTED:
            return -1.0
        if _open_certain(position, layout, chances, known):
            continue
        puzzle = reduce_position(position, log_layouts, chances)
        if puzzle.place.size == 0:
            return value
        ending = play_out(puzzle)
        if ending.wins >= 0:
            return value * ending.wins / ending.layouts
        found, _ = best_openings(new_outlook(puzzle), 1, -1, CELLS_TRIED[1], -1.0)
        guess = puzzle.place[found[0] if found.size > 0 else safest(puzzle.chances, puzzle.position.cells != HIDDEN)]
        value *= 1.0 - chances[guess]
        if layout[guess]:
            layout = draw_layout(position, guess, rng)
        open_flood(position, layout, guess)


@helper
def _open_by_single_numbers(position: FlatBoard, layout: NDArray[np.bool_], known: NDArray[np.bool_]) -> bool:
    """Open what single numbers tell to be safe and note in `known` what they tell to be mines; whether any did."""
    cells, around, found = position.cells, position.around, False
    for cell in range(cells.size):
        if cells[cell] == 0 or cells[cell] >= HIDDEN:
            continue
        mines, hidden = 0, 0
        for i in range(around[cell, 8]):
            hidden += cells[around[cell, i]] == HIDDEN
            mines += known[around[cell, i]]
        if mines == hidden or cells[cell] not in (mines, hidden):
            continue
        found = True
        for i in range(around[cell, 8]):
            other = around[cell, i]
            if cells[other] != HIDDEN or known[other]:
                continue
            if mines == cells[cell]:
                open_flood(position, layout, other)
            else:
                known[other] = True
    return found


@helper
def _open_certain(
    position: FlatBoard,
    layout: NDArray[np.bool_],
    chances: NDArray[np.float64],
    known: NDArray[np.bool_],
) -> bool:
    """Open all hidden cells that are certain to be safe, and note the certain mines; whether there was one."""
    cells, found = position.cells, False
    for cell in range(cells.size):
        if cells[cell] == HIDDEN:
            known[cell] = chances[cell] == 1.0
            if chances[cell] == 0.0:
                open_flood(position, layout, cell)
                found = True
    return found
