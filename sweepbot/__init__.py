"""sweepbot plays real Minesweeper clients: it reads the board from the pixels, decides, and clicks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweepbot.board import Board
    from sweepbot.solver import Solver

    __version__: str

__all__ = ["Board", "Solver", "__version__"]


def __getattr__(name: str) -> object:
    """Import what the package offers when it is first asked for: `sweepbot --help` needs none of it."""
    if name == "Board":
        from sweepbot.board import Board  # noqa: PLC0415

        return Board
    if name == "Solver":
        from sweepbot.solver import Solver  # noqa: PLC0415

        return Solver
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("sweepbot")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
