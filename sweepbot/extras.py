"""Optional packages, imported when used; the error for a missing one says how to install it."""

from importlib import import_module
from types import ModuleType

from sweepbot.errors import SweepbotError


def load(module: str, extra: str) -> ModuleType:
    """Import a module, such as `ms_toollib`, of an optional package that an extra of sweepbot installs.

    Raises:
        SweepbotError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise SweepbotError(
            f"this needs the package {module.partition('.')[0]}: {error}",
            hint=f"python3 -m pip install 'sweepbot[{extra}]'",
        ) from error
