"""A lock on an open file; the system releases it when the process ends."""

import sys
from io import FileIO

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
