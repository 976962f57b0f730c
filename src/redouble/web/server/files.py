"""How many files a server may have open, and so how many connections."""

from __future__ import annotations

import logging
import resource

from redouble.web.limits import Limits

RESERVED_FILES = 128
"""Open files that aren't clients: the database, the compiler, connections that are being refused.
"""
MANY_FILES = 65_536
"""The limit of open files to ask for where the machine has none."""
MIN_CONNECTIONS = 16
_log = logging.getLogger(__name__)


def raise_open_files() -> int:
    """Raise this process's limit of open files as far as it may, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError) as error:
            _log.warning("at most %d files can be open: %s", soft, error)
    return MANY_FILES if soft == resource.RLIM_INFINITY else soft


def capacity(limits: Limits, open_files: int) -> int:
    """Return how many connections can be open at once."""
    return min(limits.connections, max(open_files - RESERVED_FILES, MIN_CONNECTIONS))
