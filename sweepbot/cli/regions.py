"""Cells, regions and grids as words of a command."""

import re

import click

from sweepbot.geometry import Cell, Region
from sweepbot.vision.grid import Grid


class CellType(click.ParamType[Cell]):
    """`ROW,COL`, both counted from 0."""

    name = "ROW,COL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Cell:
        """Read it, or say what is wrong with it."""
        parts = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", value)
        if parts is None:
            self.fail(f"{value!r} is no cell: give ROW,COL, both counted from 0, such as 3,12", param, ctx)
        return Cell(int(parts[1]), int(parts[2]))


_NUMBER = r"(\d+(?:\.\d+)?)"
_GRID_TEXT = re.compile(rf"(\d+)x(\d+)\+{_NUMBER}\+{_NUMBER}\+{_NUMBER}(?:x{_NUMBER})?")


class RegionType(click.ParamType[Region]):
    """`WIDTHxHEIGHT+X+Y`, as X11 writes it."""

    name = "WxH+X+Y"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Region:
        """Read it, or say what is wrong with it."""
        try:
            return Region.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class GridType(click.ParamType[Grid]):
    """`COLSxROWS+X+Y+PITCH`: cells, the upper left corner of the first one in pixels, and the side of each."""

    name = "COLSxROWS+X+Y+PITCH"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Grid:
        """Read it, or say what is wrong with it."""
        found = _GRID_TEXT.fullmatch(value.strip())
        columns, rows = (int(number) for number in found.groups()[:2]) if found else (0, 0)
        x, y, across, down = (float(number or 0) for number in found.groups()[2:]) if found else (0.0,) * 4
        if not (columns and rows and across):
            text = "is no grid: give COLSxROWS+X+Y+PITCH in pixels, such as 30x16+12+104+20, or +20x21 at its end"
            self.fail(f"{value!r} {text}", param, ctx)
        return Grid.uniform((x, y), (across, down or across), rows, columns)
