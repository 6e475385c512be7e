"""sweepbot plays real Minesweeper clients: it reads the board from the pixels, decides, and clicks."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweepbot.board import Board
    from sweepbot.geometry import Cell
    from sweepbot.player.loop import Player
    from sweepbot.programs import memory_desk, playing, read
    from sweepbot.solver import Decision, Solver
    from sweepbot.trace.events import GameResult
    from sweepbot.vision.calibration import find_calibration
    from sweepbot.vision.reader import Reader, Reading

    __version__: str

__all__ = [
    "Board",
    "Cell",
    "Decision",
    "GameResult",
    "Player",
    "Reader",
    "Reading",
    "Solver",
    "__version__",
    "find_calibration",
    "memory_desk",
    "playing",
    "read",
]

_HOMES = {
    "Board": "sweepbot.board",
    "Cell": "sweepbot.geometry",
    "Decision": "sweepbot.solver",
    "GameResult": "sweepbot.trace.events",
    "Player": "sweepbot.player.loop",
    "Reader": "sweepbot.vision.reader",
    "Reading": "sweepbot.vision.reader",
    "Solver": "sweepbot.solver",
    "find_calibration": "sweepbot.vision.calibration",
    "memory_desk": "sweepbot.programs",
    "playing": "sweepbot.programs",
    "read": "sweepbot.programs",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `sweepbot --help` needs none."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("sweepbot")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
