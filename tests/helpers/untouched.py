"""The files that a run of tests must leave alone: this copy, and the environment it runs in."""

import os
import sys
from pathlib import Path

from tests.helpers.places import ROOT

Files = dict[str, tuple[int, int]]
"""The size of each file, and when it was changed."""
OF_TOOLS = {".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
"""Folders that tools keep between runs."""
OF_PYTEST = "-pytest-"
"""In the names of bytecode that pytest itself writes."""


def files() -> Files:
    """Return the files as they are now."""
    found = {}
    for top in {ROOT, Path(sys.prefix)}:
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in OF_TOOLS]
            for name in names:
                if OF_PYTEST not in name:
                    path = os.path.join(folder, name)
                    now = os.lstat(path)
                    found[path] = now.st_size, now.st_mtime_ns
    return found


def changed(before: Files) -> list[str]:
    """Return the files that are new, gone or different since then."""
    now = files()
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
