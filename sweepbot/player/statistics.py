"""Figures about a game that is over."""

from sweepbot.board import Board


def three_bv(board: Board) -> int:
    """The fewest left clicks that open all of a won board: one an opening, one a number beside none.

    It is known as 3BV, Bechtel's Board Benchmark Value.

    Args:
        board: The end of a won game: every cell without a mine is open.
    """
    zeros = set(board.where(0))
    beside = {cell for zero in zeros for cell in board.neighbours(zero)}
    numbers = sum(1 for cell in board.where(*range(1, 9)) if cell not in beside)
    openings = 0
    while zeros:
        openings += 1
        frontier = [zeros.pop()]
        while frontier:
            of_same = [cell for cell in board.neighbours(frontier.pop()) if cell in zeros]
            zeros.difference_update(of_same)
            frontier += of_same
    return openings + numbers
