"""The other servers of a database: what they are sent, and who watches tables there."""

import asyncio
import hashlib
import time
from collections.abc import Iterable, Mapping

from redouble.web.store import Store

PRESENT_SECONDS = 5.0
"""How often a server says who watches its tables."""
GONE_SECONDS = 3 * PRESENT_SECONDS
"""After this silence a server watches none."""


class Neighbors:
    """The other servers of a store; none if it isn't shared."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lines: list[str] = []
        self._something_to_tell = asyncio.Event()
        self._elsewhere: dict[tuple[str, bool], tuple[float, Mapping[str, Iterable[str]]]] = {}
        """By server: when it said who watches which tables, and who does, by streams or without."""

    def tell(self, line: str) -> None:
        """Tell them something soon, if something carries it (:mod:`redouble.web.store.bus`)."""
        if self._store.shared:
            self._lines.append(f"{self._store.id} {line}")
            self._something_to_tell.set()

    async def lines(self) -> list[str]:
        """Wait for something to tell, and return all of it."""
        await self._something_to_tell.wait()
        self._something_to_tell.clear()
        lines, self._lines = self._lines, []
        return lines

    def note_watched(
        self, server: str, watched: Mapping[str, Iterable[str]], *, follows: bool
    ) -> None:
        """Note who watches which tables at another server, by streams or without."""
        self._elsewhere[server, follows] = (time.monotonic(), watched)

    def watching(self, token: str) -> set[str]:
        """Return the ids of the people who have a table open at another server."""
        return {one for _, watched in self._elsewhere.values() for one in watched.get(token, ())}

    def forget_gone(self) -> None:
        """Forget servers that have been silent for long."""
        now = time.monotonic()
        self._elsewhere = {
            server: heard
            for server, heard in self._elsewhere.items()
            if now - heard[0] < GONE_SECONDS
        }

    def rank(self, token: str, watched_here: bool) -> int:
        """Return how many servers are to make the move of a bot at this table before this one.

        Any server could: with the same seed a bot chooses the same move, and the log takes one.
        So it is only to save work that those who have the table on a page agree on an order.
        """
        now = time.monotonic()
        others = {
            server
            for (server, follows), (at, watched) in self._elsewhere.items()
            if follows and token in watched and now - at < GONE_SECONDS
        }
        if not watched_here:
            return len(others)
        return sum(_weight(one, token) > _weight(self._store.id, token) for one in others)


def _weight(server: str, token: str) -> bytes:
    """Return what decides which server comes first at a table: rendezvous hashing.

    See Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates" (1998).
    """
    return hashlib.sha256(f"{server} {token}".encode()).digest()
