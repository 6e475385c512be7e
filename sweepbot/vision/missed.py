"""Explain what a picture without a readable board shows, so that a person knows what to change."""

from collections.abc import Sequence

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Region
from sweepbot.vision.boards import READ_SIZES
from sweepbot.vision.lattices.lattice import STRICTLY_PERIODIC_SCORE, find_lattices
from sweepbot.vision.lattices.tiles import may_be_board, tiled_boards
from sweepbot.vision.reading import UNKNOWN

_SMALLEST_WINDOW_PX = 100  # a side of the smallest client's window, without its frame
_BLACK_SHARE = 0.99  # of such a window's pixels: a pointer may be in front of it, and a terminal shows some text


def explained(
    error: NoBoardFoundError, image: Image, client: str | None, windows: Sequence[Region] = ()
) -> NoBoardFoundError:
    """Add to an error what the picture shows instead, and what to do about that.

    Args:
        error: What was raised.
        image: The picture: uint8 of shape (height, width, 3), blue, green, red.
        client: The client that was searched for; None for all.
        windows: The windows in it, without their frames, if the system tells.
    """
    told = _unknown(image, client) or _black(image, windows)
    return error if told is None else NoBoardFoundError(f"{error}; there is {told[0]}", hint=told[1])


def _unknown(image: Image, client: str | None) -> tuple[str, str] | None:
    """Find what repeats itself as the cells of a board do."""
    words = _unknown_board(image)
    if not words:
        return None
    if client in (None, UNKNOWN):
        return f"{words} that cannot be read", "close what lies over it, or open a cell of it, and try again"
    learn = f"`sweepbot calibrate {client} --live` learns this look of it"
    return f"{words} that does not look like {client}", f"name another client, or none; if it is {client}, {learn}"


def _black(image: Image, windows: Sequence[Region]) -> tuple[str, str] | None:
    """Find a black window: some systems show one so that keeps itself from being captured."""
    for window in windows:
        seen = window.intersection(Region.of(image))
        if seen is None or min(seen.width, seen.height) < _SMALLEST_WINDOW_PX:
            continue
        if (image[seen.slices].max(axis=2) == 0).mean() >= _BLACK_SHARE:
            return (
                f"a black window of {seen.width}x{seen.height} px, as one looks that keeps itself from being captured",
                "if it is the client, it must be told not to: `sweepbot help troubleshooting`",
            )
    return None


def _unknown_board(image: Image) -> str:
    """Describe the largest thing in a picture that may be a board; empty if there is none."""
    lattices = find_lattices(image, READ_SIZES)
    repeated = [it.grid for it in lattices if it.score >= STRICTLY_PERIODIC_SCORE and may_be_board(it.grid)]
    grids = [grid for grid in (*tiled_boards(image), *repeated) if READ_SIZES.include(grid.pitch)]
    if not grids:
        return ""
    largest = max(grids, key=lambda grid: grid.cells)
    return f"a board of {largest.columns}x{largest.rows} cells of {largest.pitch[0]:.0f} px"
