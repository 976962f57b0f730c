"""Lanes: messages to one service wait for each other, and never for those to another one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

AT_ONCE = 4
"""Messages that are sent to a service at the same time."""
CHOSEN_AT_ONCE = 64
"""Messages that are sent at the same time to all services whose host a person has chosen."""
MAX_WAITING = 400
"""Messages that wait for one service here; others wait in the database."""


@dataclass(frozen=True)
class Lane:
    """Where messages to a service wait."""

    name: str
    chosen: bool = False
    """Whether a person has chosen its host: somebody can have a thousand slow ones."""


@dataclass
class _Queue:
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    waiting: int = 0


class Lanes:
    """The lanes in which messages wait or are sent."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._chosen = asyncio.Semaphore(CHOSEN_AT_ONCE)

    def is_full(self, lane: Lane) -> bool:
        """Return whether no other message may wait in a lane."""
        queue = self._queues.get(lane.name)
        return queue is not None and queue.waiting >= MAX_WAITING

    @contextlib.asynccontextmanager
    async def turn(self, lane: Lane) -> AsyncIterator[None]:
        """Wait until a message may be sent in a lane, and keep its place until it is."""
        queue = self._queues.setdefault(lane.name, _Queue())
        queue.waiting += 1
        try:
            async with queue.room, self._chosen if lane.chosen else contextlib.nullcontext():
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._queues[lane.name]
