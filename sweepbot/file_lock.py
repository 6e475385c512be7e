"""A lock on a file that another program may be writing to; the system releases it when its holder ends."""

import sys
from io import FileIO

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 40  # beyond any file: on Windows locked bytes cannot be read by others

    def try_lock(file: FileIO) -> bool:
        """Take the lock of an open file; False where another program holds it."""
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
        """Take the lock of an open file; False where another program holds it."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
