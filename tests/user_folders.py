"""User folders elsewhere, by platformdirs' own means on every system."""

from pathlib import Path

_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA")
"""The variables of Linux and macOS, without the cache's, and the one of Windows, which covers everything."""


def user_folders(folder: Path) -> dict[str, str]:
    """The environment that puts a user's calibrations, history, traces and answers into `folder`."""
    return dict.fromkeys(_VARIABLES, str(folder))
