"""Python's bytecode of modules, where a full disk has cut it off.

Up to Python 3.13, such a file replaces a whole one, and no module is loaded from it again.
"""

from __future__ import annotations

import contextlib
import marshal
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

HEADER_BYTES = 16
"""What comes before the code: Python compiles again by itself if they are wrong."""


def delete_damaged(error: BaseException) -> list[Path]:
    """If an error comes from damaged bytecode, return such files of the package.

    Those that can be deleted have been.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        path = frame.f_locals.get("bytecode_path")  # of the import system
        if path and damaged([Path(path)]):
            package = Path(path).parents[1]
            while (package.parent / "__init__.py").exists():
                package = package.parent
            found = damaged(package.rglob(f"*.{sys.implementation.cache_tag}*.pyc"))
            for file in found:
                with contextlib.suppress(OSError):
                    file.unlink()
            return found
    return []


def damaged(paths: Iterable[Path]) -> list[Path]:
    """Return those of these files of bytecode that can't be loaded."""
    found = []
    for path in paths:
        try:
            code = path.read_bytes()[HEADER_BYTES:]
            if code:
                marshal.loads(code)
        except OSError:  # it can't be read by the import system either
            continue
        except (EOFError, ValueError, TypeError):
            found.append(path)
    return found
