"""Follow boards of which only a part repeats itself exactly to their ends."""

from sweepbot.calibrate.seeing.untouched_boards import OFF_LINE_SHARE, joined
from sweepbot.geometry import Image
from sweepbot.vision.extent import goes_on, with_line
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import find_lattices


def followed(image: Image, place: Grid) -> Grid:
    """Extend a part of a board as far as further cells begin beside it and end at a line.

    If a board is partly open, often only a part repeats itself exactly, while its lines go on.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        place: The part.
    """
    for lattice in find_lattices(image, min(place.pitch) - 1, max(place.pitch) + 1):
        lines = lattice.grid
        if lines.region.intersection(place.region) is None:
            continue
        whole, before = joined(place, lines), None
        while place != before:
            before = place
            for side in goes_on(image, place):
                place = _with_next_line(place, whole, side)
    return place


def _with_next_line(place: Grid, whole: Grid, side: str) -> Grid:
    """Add one row or column of a larger grid on a side, if that goes on there."""
    lines, own = (whole.xs, place.xs) if side in ("at the left", "at the right") else (whole.ys, place.ys)
    pitch = (own[-1] - own[0]) / (len(own) - 1)
    if side in ("at the left", "at the top"):
        following, due = [line for line in lines if line < own[0] - pitch / 2][-1:], own[0] - pitch
    else:
        following, due = [line for line in lines if line > own[-1] + pitch / 2][:1], own[-1] + pitch
    if not following:
        return place
    # The lines of a lattice have any phase.
    return with_line(place, side, due if abs(following[0] - due) <= OFF_LINE_SHARE * pitch else following[0])
