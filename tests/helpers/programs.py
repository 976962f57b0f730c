"""Programs that some tests need, and that may not be installed."""

from __future__ import annotations

import os
import shutil

import pytest


def installed(*names: str, package: str = "") -> str:
    """Return the path of the first of these programs; skip the test if there is none.

    ``package`` brings them on Debian and Ubuntu, if it has another name.
    """
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])
    for name in names:
        if found := shutil.which(name, path=path):
            return found
    pytest.skip(f"{names[0]} isn't installed: apt install {package or names[0]}")
