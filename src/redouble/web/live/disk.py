"""Refuses what would fill the disk, so that games in progress can still be saved."""

import shutil
import time

from redouble.web.errors import Full
from redouble.web.limits import Limits
from redouble.web.store import Store

LOOK_SECONDS = 5.0
"""How long a look at the disk is good for."""
MEGABYTE = 1_000_000


class Disk:
    """The room that is left for new tables, guests and imported games."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._looked: float | None = None
        self._problem = ""

    def used(self) -> int:
        """Return the bytes that the database uses. Deleted rows leave room in its file."""
        return self._store.database.used()

    def check(self) -> None:
        """Raise :class:`Full` if the disk is almost full, or the database as large as allowed."""
        now = time.monotonic()
        if self._looked is None or now - self._looked >= LOOK_SECONDS:
            self._looked, self._problem = now, self._look()
        if self._problem:
            raise Full(self._problem)

    def _look(self) -> str:
        folder = self._store.database.folder
        free = shutil.disk_usage(folder).free if folder else None
        if free is not None and free < self._limits.free_megabytes * MEGABYTE:
            return "the server's disk is almost full: nothing new can begin, but games go on"
        if self.used() > self._limits.database_megabytes * MEGABYTE:
            return "the server keeps as much as it may: nothing new can begin, but games go on"
        return ""
