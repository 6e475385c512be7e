"""sweepbot plays real Minesweeper clients: it reads the board from the pixels, decides, and clicks."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweepbot.board import Board as Board
    from sweepbot.geometry import Cell as Cell
    from sweepbot.player.loop import Player as Player
    from sweepbot.programs import memory_desk as memory_desk
    from sweepbot.programs import playing as playing
    from sweepbot.programs import read as read
    from sweepbot.solver import Decision as Decision
    from sweepbot.solver import Solver as Solver
    from sweepbot.trace.events import GameResult as GameResult
    from sweepbot.vision.calibration import find_calibration as find_calibration
    from sweepbot.vision.reader import Reader as Reader
    from sweepbot.vision.reading import Reading as Reading

    __version__: str

_HOMES = {
    "Board": "sweepbot.board",
    "Cell": "sweepbot.geometry",
    "Decision": "sweepbot.solver",
    "GameResult": "sweepbot.trace.events",
    "Player": "sweepbot.player.loop",
    "Reader": "sweepbot.vision.reader",
    "Reading": "sweepbot.vision.reading",
    "Solver": "sweepbot.solver",
    "find_calibration": "sweepbot.vision.calibration",
    "memory_desk": "sweepbot.programs",
    "playing": "sweepbot.programs",
    "read": "sweepbot.programs",
}

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604  (the keys are strings)


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
