"""Regions of the screen as words of a command."""

import click

from sweepbot.geometry import Region


class RegionType(click.ParamType[Region]):
    """`WIDTHxHEIGHT+X+Y`, as X11 writes it."""

    name = "WxH+X+Y"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Region:
        """Read it, or say what is wrong with it."""
        try:
            return Region.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
