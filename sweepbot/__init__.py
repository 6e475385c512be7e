"""sweepbot plays real Minesweeper clients: it reads the board from the pixels, decides, and clicks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweepbot.board import Board
    from sweepbot.solver import Solver

__all__ = ["Board", "Solver"]


def __getattr__(name: str) -> object:
    """Import what the package offers when it is first asked for: `sweepbot --help` needs none of it."""
    if name == "Board":
        from sweepbot.board import Board  # noqa: PLC0415

        return Board
    if name == "Solver":
        from sweepbot.solver import Solver  # noqa: PLC0415

        return Solver
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
