"""`sweepbot clients`: lists the clients that are known."""

import click

from sweepbot.cli.output import json_option, print_json, print_list, results, talk
from sweepbot.vision.calibration import STATE_NAMES, Calibration, find_calibration, known_calibrations


@click.command()
@click.argument("name", required=False)
@json_option
def command(*, name: str | None, as_json: bool) -> None:
    """List the clients that sweepbot knows, your own calibrations first; with NAME, all that is known of that one."""
    calibrations = known_calibrations() if name is None else [find_calibration(name)]
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
    print_list([(calibration.name, calibration.description) for calibration in calibrations])
    if name is None:
        talk.print("sweepbot clients NAME tells more of one")
        return
    (calibration,) = calibrations
    missing = _missing_states(calibration)
    details = {
        "window title": ", ".join(calibration.titles) or "unknown",
        "learned at": f"{calibration.cell[0]}x{calibration.cell[1]} pixels per cell",
        "levels": ", ".join(f"{name} {level}" for name, level in calibration.levels.items()),
        "new game": ", or ".join(map(str, calibration.behaviour.restart)) or "started by hand",
        "reads": "every state" if not missing else f"all but {', '.join(missing)}",
        "file": str(calibration.path),
    }
    for what, text in details.items():
        results.print(f"{what:<14}{text}")


def _missing_states(calibration: Calibration) -> list[str]:
    """Return the names of the states without a template."""
    seen = {template.state for template in calibration.templates}
    return [name for name, state in STATE_NAMES.items() if state not in seen]
