"""The interface for Python programs: read pictures, or play on a desk, in a line each."""

import random
from contextlib import AbstractContextManager
from pathlib import Path

from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.desk import Desk
from sweepbot.game import Game
from sweepbot.geometry import Image
from sweepbot.level import FirstClick, Level
from sweepbot.player.loop import Player
from sweepbot.sessions.play import playing as playing_found
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.solver import Solver
from sweepbot.trace.events import Observer
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.eyes import eyes
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reading import Reading


def read(source: str | Path | Image, client: str | None = None) -> Reading:
    """Read the board in a picture; of several, the one with the most readable cells.

    Args:
        source: A file, or a uint8 array of shape (height, width, 3) in BGR order.
        client: The name of a calibration, or the path of its folder; `unknown` for first sight alone; by default all
            known ones are tried, then first sight.

    Returns:
        The reading; trust it only if its `problems` are empty.

    Raises:
        ImageError: The file cannot be read as a picture.
        NoBoardFoundError: It shows no board.
        CalibrationError: There is no such client.
    """
    image = load_image(Path(source)) if isinstance(source, (str, Path)) else source
    return eyes(client)(image)[0][0]


def memory_desk(level: str = "beginner", seed: int | None = None) -> Desk:
    """Return a desk that exists only in memory, with the bundled client: the same pixels and clicks as on a screen.

    Args:
        level: `beginner`, `intermediate`, `expert`, or `COLUMNSxROWS/MINES`.
        seed: The seed of the mines; by default they are different each time.
    """
    size, rng = Level.parse(level), random.Random(seed)
    desktop = MemoryDesktop(Client(lambda: Game(size, FirstClick.SAFE, rng)))
    return Desk(desktop, desktop)


def playing(
    desk: Desk,
    client: str,
    *,
    mines: int | None = None,
    solver: Solver | None = None,
    observer: Observer = lambda _: None,
) -> AbstractContextManager[Player]:
    """Find a client on a desk and give its player to a block; its window is restored when the block is left.

    Args:
        desk: Such as `memory_desk()`, or this machine's by `sweepbot.desktop.session.open_desktop`.
        client: The name of a calibration, or the path of its folder.
        mines: The number of mines of a board of a custom size.
        solver: The solver, `Solver()` by default.
        observer: Called with each event of `sweepbot.trace.events`.

    Raises:
        NoBoardFoundError: There is no board in sight.
        UntrustedReadingError: The size of the board is doubtful.
    """
    settings = PlaySettings(games=None, mines=mines, learns=False)
    target = named(find_calibration(client), settings)
    return playing_found(Recording(desk), target, observer, solver=solver)
