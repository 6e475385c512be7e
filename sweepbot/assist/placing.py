"""Where a small window goes so that it stands beside the client's and covers nothing of it. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from sweepbot.geometry import Region

_FRAME_PX = 40
"""What a window manager may draw around the inside of a window: a title bar at most, dense screens included."""


def beside(client: Region, sizes: Iterable[tuple[int, int]], rooms: Sequence[Region]) -> Region | None:
    """The place of the best window that has room beside the client's.

    Args:
        client: The inside of the client's window, in pixels.
        sizes: Widths and heights that the window may have, the best first.
        rooms: The parts of the desktop that windows may fill, the best first: the monitors without their panels.

    Returns:
        The corner of the window's frame with the size of its inside; to the right of the client if there is room, else
        to the left, below or above. None where it would cover the client at every size.
    """
    strips = [strip for room in rooms for strip in _strips(client.grown(_FRAME_PX), room)]
    for width, height in sizes:
        outer_width, outer_height = width + _FRAME_PX, height + _FRAME_PX
        for strip in strips:
            if outer_width <= strip.width and outer_height <= strip.height:
                x = min(max(client.x, strip.x), strip.right - outer_width)
                y = min(max(client.y - _FRAME_PX, strip.y), strip.bottom - outer_height)
                return Region(x, y, width, height)
    return None


def _strips(taken: Region, room: Region) -> Iterator[Region]:
    """What is left of a room beside what is taken: right and left of it, below and above."""
    edges = (
        (max(taken.right, room.x), room.y, room.right, room.bottom),
        (room.x, room.y, min(taken.x, room.right), room.bottom),
        (room.x, max(taken.bottom, room.y), room.right, room.bottom),
        (room.x, room.y, room.right, min(taken.y, room.bottom)),
    )
    for left, top, right, bottom in edges:
        if right > left and bottom > top:
            yield Region(left, top, right - left, bottom - top)
