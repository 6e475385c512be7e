"""How a game has ended, where something hides a part of its end."""

from dataclasses import replace

from sweepbot.board import Board, Phase, State
from sweepbot.geometry import Cell
from sweepbot.player.totals import may_be_over
from sweepbot.player.watcher import Position


def ending_in_sight(covered: Board) -> Phase | None:
    """How the game on a board that is partly covered has ended, None where it may be going on."""
    if covered.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
        return Phase.LOST
    return None if covered.count(State.HIDDEN, State.QUESTION) else Phase.WON


def are_the_last(cells: tuple[Cell, ...], board: Board) -> bool:
    """Whether only mines are left when these cells are open: what then comes in front of the board may stay there."""
    if board.mines is None:
        return may_be_over(board, cells)
    closed = board.count(State.HIDDEN, State.FLAG, State.QUESTION)
    return closed - len(cells) == board.mines


def ended(position: Position, phase: Phase) -> Position:
    """The same position as the end of a game."""
    return Position(position.frame, replace(position.reading, phase=phase), None)
