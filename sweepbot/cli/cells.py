"""Cells as words of a command."""

import re

import click

from sweepbot.geometry import Cell


class CellType(click.ParamType[Cell]):
    """`ROW,COL`, both counted from 0."""

    name = "ROW,COL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Cell:
        """Read it, or say what is wrong with it."""
        parts = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", value)
        if parts is None:
            self.fail(f"{value!r} is no cell: give ROW,COL, both counted from 0, such as 3,12", param, ctx)
        return Cell(int(parts[1]), int(parts[2]))
