"""`sweepbot clients`: lists the clients that are known."""

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.vision.calibration import STATE_NAMES, Calibration, known_calibrations


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the clients that sweepbot knows, your own calibrations first."""
    calibrations = known_calibrations()
    if as_json:
        print_json(
            [
                {
                    "name": calibration.name,
                    "description": calibration.description,
                    "titles": calibration.titles,
                    "cell": calibration.cell,
                    "levels": {name: str(level) for name, level in calibration.levels.items()},
                    "states_missing": _missing_states(calibration),
                    "restart": calibration.behaviour.restart,
                    "file": str(calibration.path),
                }
                for calibration in calibrations
            ]
        )
        return
    indent = 2 + max((len(calibration.name) for calibration in calibrations), default=0)
    for calibration in calibrations:
        results.print(f"{calibration.name:<{indent}}{calibration.description}")
        missing = _missing_states(calibration)
        details = {
            "window title": ", ".join(calibration.titles) or "unknown",
            "learned at": f"{calibration.cell[0]}x{calibration.cell[1]} pixels per cell",
            "levels": ", ".join(f"{name} {level}" for name, level in calibration.levels.items()),
            "new game": ", or ".join(map(str, calibration.behaviour.restart)) or "started by hand",
            "reads": "every state" if not missing else f"all but {', '.join(missing)}",
            "file": str(calibration.path),
        }
        for name, text in details.items():
            results.print(f"{'':<{indent}}{name:<14}{text}")


def _missing_states(calibration: Calibration) -> list[str]:
    """Return the names of the states without a template."""
    seen = {template.state for template in calibration.templates}
    return [name for name, state in STATE_NAMES.items() if state not in seen]
