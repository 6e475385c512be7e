"""A client that nobody has calibrated: how it is to be called, and whether it is to be played."""

import re
from pathlib import Path

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.writing.write import complete, write
from sweepbot.cli.output import announce, confirmed, is_attended, talk
from sweepbot.errors import CalibrationError, NoBoardFoundError, StoppedByUserError
from sweepbot.vision.calibration import (
    Calibration,
    calibration_folders,
    find_calibration,
    near_names,
    user_calibrations,
)
from sweepbot.vision.reader import unknown_client
from sweepbot.vision.reading import UNKNOWN, Reading


def named_or_new(name: str, *, is_new: bool) -> Calibration:
    """Return the calibration called `name`, or a client of that name of which nothing is known yet.

    A name that is like a known one is a slip of the keyboard, unless the person says that the client `is_new`.

    Raises:
        CalibrationError: There is none, and it is no name for a new one.
    """
    try:
        return find_calibration(name)
    except CalibrationError:
        if not is_plain(name) or name == UNKNOWN or name in calibration_folders() or (near_names(name) and not is_new):
            raise
        return unknown_client(name)


def is_plain(name: str) -> bool:
    """Whether a client may have this name, which is that of its folder."""
    return Path(name).name == name and not name.startswith(".") and "\0" not in name


def agreed_name(found: Reading, title: str, name: str, *, agreed: bool) -> str:
    """Return the name under which a client that nobody knows is to be learned, once a person has agreed.

    Args:
        found: Its board, as it was read at first sight.
        title: The title of its window; empty if that is unknown.
        name: The name that the person gave, which means that they agree; empty for one by its title.
        agreed: Whether they have agreed already.

    Raises:
        NoBoardFoundError: There is nobody to ask.
        StoppedByUserError: They do not.
    """
    size = f"{found.grid.columns}x{found.grid.rows} cells"
    what = f"a Minesweeper that I do not know: {size}, read at first sight"
    called = name or _free_name(title)
    if name or agreed:
        talk.print(f"{what}; learning it as {called}")
    elif not is_attended():
        raise NoBoardFoundError(what, hint=f"to learn it and play, give its name, --client {called}, or --yes")
    elif not confirmed(f"{what}; learn it as {called} and play?", default=True):
        raise StoppedByUserError("nothing was clicked", hint="you can still use read, solve and assist on it")
    return called


def _free_name(title: str) -> str:
    """Return a name that no calibration has, from the words of a window's title."""
    words = [word for word in re.findall(r"[a-z0-9]+", title.casefold()) if not word.isdigit()]
    name = "-".join(words[:3]) or "minesweeper"
    taken = {UNKNOWN, *calibration_folders()}
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(it for it in (name, *numbered) if it not in taken)


def remember(learned: Learned | None, why_nothing: str, client: Calibration) -> None:
    """Write what games have confirmed to the calibration of a client, or as a new one, and say so; or say why not."""
    name, is_new = client.name, not client.templates
    if learned is None:
        if is_new:
            announce(f"{name} is not remembered: {why_nothing}")
        return
    try:
        if is_new:
            how = f"{name}, learned by playing it at first sight"
            client = write(learned, user_calibrations() / name, how, force=False)
        else:
            client = complete(client, learned)
    except CalibrationError as error:
        talk.print(f"{name} is not remembered: {error} ({error.hint})")
        return
    states = ", ".join(label.state for label in learned.labels)
    announce(f"remembered of {name}, looks of {states}: {client.path}")
