"""`sweepbot clients`: which clients are known."""

from typing import Any

import click
from rich.table import Table

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.vision.calibration import STATE_NAMES, Calibration, calibration_folders, load_calibration


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the clients that sweepbot knows, your own calibrations first."""
    calibrations = [load_calibration(folder) for folder in calibration_folders().values()]
    if as_json:
        print_json([_as_json(calibration) for calibration in calibrations])
        return
    table = Table("client", "what it is", "window title", "scales", "levels", "not seen yet", "file", box=None)
    for calibration in calibrations:
        row = _as_json(calibration)
        table.add_row(
            calibration.name,
            calibration.description,
            ", ".join(calibration.titles),
            ", ".join(f"{scale:.0%}" for scale in calibration.scales),
            ", ".join(calibration.levels),
            ", ".join(row["states_missing"]) or "-",
            str(calibration.path),
        )
    results.print(table)


def _as_json(calibration: Calibration) -> dict[str, Any]:
    seen = {template.state for template in calibration.templates}
    return {
        "name": calibration.name,
        "description": calibration.description,
        "titles": calibration.titles,
        "scales": calibration.scales,
        "levels": {name: str(level) for name, level in calibration.levels.items()},
        "states_missing": [name for name, state in STATE_NAMES.items() if state not in seen],
        "file": str(calibration.path),
    }
