"""Files that programs write for people."""

import os
from pathlib import Path

from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError


class UnwritableFile(RedoubleError):
    """A file that cannot be written."""


def check_writable(path: Path) -> None:
    """Raise :class:`UnwritableFile` if no file can be written there; change nothing.

    Call it before long work, not after it.
    """
    checks.instance(path, Path, "path", UnwritableFile)
    if "\0" in str(path):
        raise UnwritableFile("the name of a file cannot have a zero byte: give another name")
    if path.is_dir():
        raise UnwritableFile(f"{path} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise UnwritableFile(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UnwritableFile(f"{path} cannot be written: permission denied")
