"""WineMine on boards of a given size, under Wine and on a Windows desktop."""

from collections.abc import Callable
from contextlib import ExitStack

from sweepbot.geometry import Point
from sweepbot.level import Level
from tools.waiting import Found

START = Point(200, 150)
"""The place of its window."""

_DIFFICULTIES = {"9x9/10": 0, "16x16/40": 1, "30x16/99": 2}
_CUSTOM = 3
_TRIES = 4


def registry_values(level: Level, *, best_times: bool, question_marks: bool = True) -> dict[str, int]:
    """What it is to find in the registry.

    Args:
        level: Size, of at least 9 columns, and number of mines.
        best_times: Whether a won game of a standard level opens the dialog that asks for the winner's name.
        question_marks: Whether a second right click makes a question mark out of a flag.
    """
    return {
        "Height": level.rows,
        "Width": level.columns,
        "Mines": level.mines,
        "Xpos": START.x,
        "Ypos": START.y,
        "Mark": int(question_marks),
        "Difficulty": _DIFFICULTIES.get(str(level), _CUSTOM),
        **{f"Time{place}": 999 * best_times for place in (1, 2, 3)},
    }


def opened(running: ExitStack, start: Callable[[], Found]) -> Found:
    """Start it until its window has the size of its board: on a busy machine Wine sometimes loses the resize."""
    for tries_left in reversed(range(_TRIES)):
        try:
            return start()
        except TimeoutError:
            running.close()
            if not tries_left:
                raise
    raise AssertionError
