"""Locks on files, which end with the process that holds them, however it ends."""

import os
import sys

BEYOND = 1 << 40
"""The byte that is locked on Windows, where a locked one can't be read."""


def lock(number: int) -> None:
    """Lock an open file or folder.

    Raises :class:`BlockingIOError` if another process has it, and :class:`OSError` if it can't be
    locked.
    """
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(number, 0, os.SEEK_CUR)
        os.lseek(number, BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
        finally:
            os.lseek(number, place, os.SEEK_SET)
    else:
        try:
            import fcntl
        except ImportError:
            raise OSError("this system locks no files") from None
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
