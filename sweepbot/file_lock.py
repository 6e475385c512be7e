"""Locks on files, which the system releases when the process ends; and who holds one."""

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 40  # beyond the end of any file, as others cannot read locked bytes on Windows

    def try_lock(file: FileIO) -> bool:
        """Lock an open file; False if another process holds the lock."""
        at = file.tell()
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(at)
        return True

else:
    import fcntl

    def try_lock(file: FileIO) -> bool:
        """Lock an open file; False if another process holds the lock."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def open_lock(path: Path) -> FileIO:
    """Open a file to be locked; it and its folder are made if needed, for this user alone.

    Raises:
        OSError: It cannot be written, or may be somebody else's: no link is followed.
    """
    folder = path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_shared = folder.parent.stat().st_mode & stat.S_ISVTX  # anybody can put something there, as into /tmp
    found = folder.lstat()
    if is_shared and hasattr(os, "getuid") and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is a link, or belongs to somebody else")
    return FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600), "r+")


def temporary_folder() -> Path:
    """Return this user's folder in the system's temporary one, which may not exist yet.

    That of `tempfile` changes as disks fill up: it is tried by writing into it.
    """
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # Windows has a temporary folder for each user
    return Path(next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp"), f"sweepbot{user}")  # noqa: S108  (`open_lock` distrusts it)


def holders(files: Iterable[Path]) -> list[str]:
    """Return the programs that hold a lock for writing on some files, as `NAME (process NUMBER)`; on Linux only."""
    if sys.platform != "linux":  # nor in Wine, which shows Linux's list
        return []
    found: dict[str, None] = {}
    with suppress(OSError):  # a file or a process may be gone, or the system keeps its list to itself
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
        places = {_place(file) for file in files if file.exists()}
        for line in lines:
            _, _, _, kind, process, place, *_ = [word for word in line.split() if word != "->"]
            if kind == "WRITE" and place in places and int(process) != os.getpid():
                name = Path("/proc", process, "comm").read_text(encoding="utf-8", errors="replace").strip()
                found[f"{name} (process {process})"] = None
    return list(found)


def _place(file: Path) -> str:
    """Return a file's device and number as the system's list of locks names them."""
    known = file.stat()
    return f"{os.major(known.st_dev):02x}:{os.minor(known.st_dev):02x}:{known.st_ino}"
