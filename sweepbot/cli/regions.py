"""Cells, regions and grids as arguments of a command."""

import re
from collections.abc import Callable
from typing import TypeVar

import click

from sweepbot.geometry import Cell, Region
from sweepbot.vision.grid import Grid

_Value = TypeVar("_Value")


class _Parsed(click.ParamType[_Value]):
    """An argument that a function parses; its ValueError says what is wrong."""

    def __init__(self, form: str, parse: Callable[[str], _Value]) -> None:
        self.name = form
        self._parse = parse

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> _Value:
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _cell(text: str) -> Cell:
    parts = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if parts is None:
        raise ValueError(f"{text!r} is not a cell: give ROW,COL, both counted from 0, such as 3,12")
    return Cell(int(parts[1]), int(parts[2]))


_NUMBER = r"(\d+(?:\.\d+)?)"
_GRID_TEXT = re.compile(rf"(\d+)x(\d+)\+{_NUMBER}\+{_NUMBER}\+{_NUMBER}(?:x{_NUMBER})?")


def _grid(text: str) -> Grid:
    found = _GRID_TEXT.fullmatch(text.strip())
    columns, rows, x, y, across, down = (float(number or 0) for number in found.groups()) if found else (0.0,) * 6
    if not (columns and rows and across):
        form = "COLSxROWS+X+Y+PITCH in pixels, such as 30x16+12+104+20, or +20x21 at its end"
        raise ValueError(f"{text!r} is not a grid: give {form}")
    return Grid.uniform((x, y), (across, down or across), int(rows), int(columns))


CELL = _Parsed("ROW,COL", _cell)
"""A cell, its row and column counted from 0."""

REGION = _Parsed("WxH+X+Y", Region.parse)
"""A part of the screen or of a picture, in X11's notation."""

GRID = _Parsed("COLSxROWS+X+Y+PITCH", _grid)
"""A grid: how many cells, the top left corner of the first in pixels, and the side of each."""
