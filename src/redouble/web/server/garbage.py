"""Runs Python's garbage collector less often, since all requests wait for it.

Hundreds of open pages are hundreds of thousands of objects. A full collection looks at all of
them, which takes a tenth of a second or more, and by default happens every few seconds. Objects
outside of cycles are still freed at once.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

EVERY_SECONDS = 60.0
NEVER = 1_000_000
"""Young collections before a full one: more than a server ever makes."""


@contextlib.contextmanager
def rare_collections(every: float = EVERY_SECONDS) -> Iterator[None]:
    """Run full collections only ``every`` seconds, and never on the objects that exist now."""
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
