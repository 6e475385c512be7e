"""Where this project keeps what tests and tools read."""

from pathlib import Path

PROJECT = Path(__file__).parents[1]
CALIBRATIONS = PROJECT / "calibrations"
FIXTURES = PROJECT / "fixtures"
TRACES = FIXTURES / "traces"
