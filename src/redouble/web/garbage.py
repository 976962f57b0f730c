"""When Python looks for garbage: at long intervals, since everybody waits meanwhile.

Hundreds of open pages are hundreds of thousands of objects, and to look at all of them takes a
tenth of a second and more. Left to itself Python does so every few seconds. What is no part of a
cycle needs no search and is freed at once as ever.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

EVERY_SECONDS = 60.0
NEVER = 1_000_000
"""Young collections after which Python would look at everything by itself."""


@contextlib.contextmanager
def rare_collections(every: float = EVERY_SECONDS) -> Iterator[None]:
    """Look at the old objects only every so many seconds, and never at what is here already."""
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
