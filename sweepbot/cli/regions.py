"""Cells, regions and grids as words of a command."""

import re
from collections.abc import Callable
from typing import TypeVar

import click

from sweepbot.geometry import Cell, Region
from sweepbot.vision.grid import Grid

_Thing = TypeVar("_Thing")


class _Word(click.ParamType[_Thing]):
    """What a function reads of a word; where it raises ValueError, that says what is wrong with it."""

    def __init__(self, form: str, read: Callable[[str], _Thing]) -> None:
        self.name = form
        self._read = read

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> _Thing:
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _cell(text: str) -> Cell:
    parts = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if parts is None:
        raise ValueError(f"{text!r} is no cell: give ROW,COL, both counted from 0, such as 3,12")
    return Cell(int(parts[1]), int(parts[2]))


_NUMBER = r"(\d+(?:\.\d+)?)"
_GRID_TEXT = re.compile(rf"(\d+)x(\d+)\+{_NUMBER}\+{_NUMBER}\+{_NUMBER}(?:x{_NUMBER})?")


def _grid(text: str) -> Grid:
    found = _GRID_TEXT.fullmatch(text.strip())
    columns, rows = (int(number) for number in found.groups()[:2]) if found else (0, 0)
    x, y, across, down = (float(number or 0) for number in found.groups()[2:]) if found else (0.0,) * 4
    if not (columns and rows and across):
        form = "COLSxROWS+X+Y+PITCH in pixels, such as 30x16+12+104+20, or +20x21 at its end"
        raise ValueError(f"{text!r} is no grid: give {form}")
    return Grid.uniform((x, y), (across, down or across), rows, columns)


CELL = _Word("ROW,COL", _cell)
"""Both counted from 0."""

REGION = _Word("WxH+X+Y", Region.parse)
"""As X11 writes it."""

GRID = _Word("COLSxROWS+X+Y+PITCH", _grid)
"""Cells, the upper left corner of the first one in pixels, and the side of each."""
