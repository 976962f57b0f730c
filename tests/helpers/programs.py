"""Programs that tests run to their end, and those that may not be installed."""

import os
import shutil
import subprocess
import sys
from typing import Any

import pytest


def finished(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; the options are those of ``subprocess.run``."""
    return subprocess.run([*map(str, command)], capture_output=True, text=True, **options)


def python(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run this Python as :func:`finished` does."""
    return finished(sys.executable, *arguments, **options)


def installed(*names: str, package: str = "") -> str:
    """Return the path of the first of these programs; skip the test if there is none.

    ``package`` brings them on Debian and Ubuntu, if it has another name.
    """
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])
    for name in names:
        if found := shutil.which(name, path=path):
            return found
    pytest.skip(f"{names[0]} isn't installed: apt install {package or names[0]}")
