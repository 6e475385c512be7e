"""Decisions as JSON, for `solve` and `assist`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweepbot.cli.explaining import cell_as_json
from sweepbot.solver import Decision


def decision_as_json(decision: Decision) -> dict[str, Any]:
    """What `solve` and `assist` say of a position."""
    best, errors = decision.best, decision.standard_error
    return {
        "mine_probability": _grid_as_json(decision.mine_probability),
        "standard_error": None if errors is None else _grid_as_json(errors),
        "safe": [cell_as_json(cell) for cell in decision.safe],
        "mines": [cell_as_json(cell) for cell in decision.mines],
        "best": best
        and {
            **cell_as_json(best.cell),
            "reason": best.reason,
            "mine_probability": best.mine_probability,
            "win_probability": best.win_probability,
        },
        "layouts": None if decision.layouts is None else str(decision.layouts),
        "exact": decision.exact,
    }


def _grid_as_json(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in values.tolist()]
