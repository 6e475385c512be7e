"""The one way to replace a file or a folder: what was there stays until the new one stands, even through a kill."""

import itertools
import os
import threading
from pathlib import Path


def replace_file(path: Path, data: bytes, *, is_private: bool = False) -> None:
    """Write a file, or replace it, completely or not at all. What is no regular file, as a pipe, is written to.

    Args:
        path: The file; of a link, what it leads to is replaced.
        data: Its content.
        is_private: Whether only this user may read it.

    Raises:
        OSError: It cannot be written. The old file, if any, is still there.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        path.write_bytes(data)
        return
    new = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        rights = 0o600 if is_private else 0o666  # the latter without those that the user's mask takes
        with open(new, "wb", opener=lambda name, flags: os.open(name, flags, rights)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, target)  # noqa: PTH105  (the pair of `os.rename` below: tests fail both)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def replace_folder(made: Path, folder: Path, *, keeps: bool) -> None:
    """Put a finished folder in the place of another, or where there is none yet.

    For a moment the old one stands beside its place, and only there: if the process is killed then, `restore` puts it
    back. At the end it is removed, or with `keeps` kept under a hidden name, `.NAME-before-1` or a higher number.

    Args:
        made: The new folder, on the same disk.
        folder: Its place.
        keeps: Whether to keep the old one.

    Raises:
        OSError: It cannot be replaced. The old folder, if any, is in its place.
    """
    for file in made.iterdir():
        with file.open("rb+") as written:
            os.fsync(written.fileno())
    restore(folder)
    aside = _aside(folder)
    if folder.exists():
        os.rename(folder, aside)  # noqa: PTH104  (see `replace_file`)
    try:
        os.rename(made, folder)  # noqa: PTH104
    except BaseException:
        restore(folder)
        raise
    if aside.exists():
        os.rename(aside, _kept(folder) if keeps else made)  # noqa: PTH104  (the caller removes what it has made)


def restore(folder: Path) -> None:
    """Put back a folder whose replacement was cut short, if it was; one that has been replaced is kept as `keeps` does.

    Raises:
        OSError: It cannot be put back.
    """
    aside = _aside(folder)
    if aside.exists():
        os.rename(aside, _kept(folder) if folder.exists() else folder)  # noqa: PTH104  (as above)


def restore_all(parent: Path) -> None:
    """Restore all folders of a folder. Raises what `restore` does."""
    for aside in parent.glob(f".*{_ASIDE}"):
        restore(parent / aside.name.removeprefix(".").removesuffix(_ASIDE))


_ASIDE = ".replaced"  # ends the hidden name of a folder while its successor takes its place


def _aside(folder: Path) -> Path:
    return folder.parent / f".{folder.name}{_ASIDE}"


def _kept(folder: Path) -> Path:
    names = (folder.parent / f".{folder.name}-before-{number}" for number in itertools.count(1))
    return next(path for path in names if not path.exists())
