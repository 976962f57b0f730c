"""What a server asks of its process: open files, quick switches of threads, rare collections."""

import contextlib
import gc
import logging
import sys
import threading
from collections.abc import Iterator

from redouble.web.limits import Limits

RESERVED_FILES = 128
"""Open files that aren't clients: the database, the compiler, connections that are being refused.
"""
MANY_FILES = 65_536
"""The limit of open files to ask for where the machine has none."""
MIN_CONNECTIONS = 16
SWITCH_SECONDS = 0.0005
"""How long a thread that computes keeps Python's lock while a request waits for it; ten times as
long by default, and a request takes the lock several times."""
EVERY_SECONDS = 60.0
NEVER = 1_000_000
"""Young collections before a full one: more than a server ever makes."""
_log = logging.getLogger(__name__)


def raise_open_files() -> int:
    """Raise this process's limit of open files as far as it may, and return it."""
    import resource  # POSIX has it

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


@contextlib.contextmanager
def quick_switches() -> Iterator[None]:
    """Let requests run soon while other threads compute."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextlib.contextmanager
def rare_collections(every: float = EVERY_SECONDS) -> Iterator[None]:
    """Run full collections only ``every`` seconds, and never on the objects that exist now.

    All requests wait for a collection. Hundreds of open pages are hundreds of thousands of objects,
    so a full one takes a tenth of a second or more, and by default happens every few seconds.
    Objects outside of cycles are still freed at once.
    """
    usual = gc.get_threshold()
    stopped = threading.Event()

    def look() -> None:
        while not stopped.wait(every):
            gc.collect()

    gc.collect()
    gc.freeze()
    gc.set_threshold(usual[0], usual[1], NEVER)
    looking = threading.Thread(target=look, name="garbage", daemon=True)
    looking.start()
    try:
        yield
    finally:
        stopped.set()
        looking.join()
        gc.set_threshold(*usual)
        gc.unfreeze()
