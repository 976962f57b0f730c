"""Reminds people who aren't at a table that it is their turn, by push messages.

Whoever is on turn for a minute and hasn't the table open gets one message for this turn, and none
at night. A row of the database says that a turn is taken care of: the process that inserts it
sends the messages. If it is killed before it has, another one takes over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import WebError
from redouble.web.live.live import Live
from redouble.web.people.push import Delivery, Push, PushAddress, addresses_of, note_delivery
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK, is_believed
from redouble.web.store.database import insert_first
from redouble.web.store.schema import push_addresses, reminders, seats, tables

LOOK_SECONDS = 15.0
"""How often it is looked whose turn it is."""
AFTER_SECONDS = 60.0
"""How long a turn lasts before its player is reminded."""
OLDEST_SECONDS = 7 * 24 * 3600.0
"""Nobody is reminded of a turn that has lasted longer."""
AGAIN_SECONDS = 120.0
"""When another process takes over what one has begun to send."""
TRIES = 3
BETWEEN_TRIES = 2.0
NIGHT = (22, 8)
"""The hours between which nobody is reminded, where they are."""
AT_ONCE = 100
"""Turns that are looked after in one look."""
_log = logging.getLogger(__name__)


class Reminders:
    """Looks for people who are waited for, and sends them messages."""

    def __init__(self, store: Store, find: Callable[[str], Awaitable[Live]], push: Push) -> None:
        """Look at a store's tables, which ``find`` loads."""
        self._store = store
        self._find = find
        self.push = push

    async def follow(self) -> None:
        """Remind people, until canceled."""
        while self.push.available:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except RedoubleError as error:
                _log.error("it can't be seen whose turn it is: %s", error)

    async def look(self) -> int:
        """Remind whoever is to be reminded now, and return the number of messages sent."""
        sent = 0
        for token, person in await self._store.run(_waited_for):
            try:
                live = await self._find(token)
            except WebError:  # deleted, or damaged
                continue
            sent += await self._remind(live, person)
        return sent

    async def _remind(self, live: Live, person: str) -> int:
        table, now = live.table, CLOCK.now()
        turn = table.turn
        if turn is None or table.seats[turn].person != person or person in live.here():
            return 0
        row = {"token": table.header.token, "ply": table.last_move, "person": person}

        def job(connection: sa.Connection) -> tuple[Any, list[tuple[str, PushAddress | None]]]:
            awake = [
                one for one in addresses_of(connection, person) if not is_night(one["zone"], now)
            ]
            if not awake or not _take(connection, row, now):
                return None, []
            opened = [(one["digest"], self.push.opened(one["sealed"])) for one in awake]
            return self.push.signer(connection), opened

        signer, addresses = await self._store.run(job)
        if not addresses:
            return 0
        others = [seat.name for i, seat in enumerate(table.seats) if i != turn]
        message = {
            "title": f"Your turn in {table.game.title}",
            "body": f"At the table with {', '.join(others)}." if others else "",
            "url": f"/t/{table.header.token}",
        }
        sent = 0
        for digest, address in addresses:
            delivery = Delivery.GONE  # sealed with a key that is gone
            if address is not None:
                delivery = await self._send(address, signer, message, table.header.token)
            await self._store.run(partial(note_delivery, digest=digest, delivery=delivery))
            sent += delivery is Delivery.SENT
        await self._store.run(lambda c: _done(c, row))
        return sent

    async def _send(
        self, address: PushAddress, signer: Any, message: dict[str, str], token: str
    ) -> Delivery:
        delivery = Delivery.FAILED
        for tries in range(TRIES):
            if tries:
                await asyncio.sleep(BETWEEN_TRIES * tries)
            delivery = await asyncio.to_thread(self.push.send, address, signer, message, token)
            if delivery is not Delivery.FAILED:
                break
        return delivery


def is_night(zone: str, now: float) -> bool:
    """Return whether it is night in a time zone; the zone may be unknown."""
    try:
        place = ZoneInfo(zone) if zone else UTC
    except (ZoneInfoNotFoundError, ValueError):
        place = UTC
    hour = datetime.fromtimestamp(now, place).hour
    begins, ends = NIGHT
    return hour >= begins or hour < ends


def _waited_for(connection: sa.Connection) -> list[tuple[str, str]]:
    """Return tables and the people who are on turn there for a while, and can be reminded."""
    now = CLOCK.now()
    if not is_believed(connection, now):
        return []
    query = (
        sa.select(tables.c.token, seats.c.person)
        .join(seats, sa.and_(seats.c.token == tables.c.token, seats.c.seat == tables.c.turn))
        .where(
            tables.c.status == "playing",
            tables.c.changed.between(now - OLDEST_SECONDS, now - AFTER_SECONDS),
            seats.c.bot == "",
            seats.c.person.in_(sa.select(push_addresses.c.person)),
            ~sa.exists().where(
                reminders.c.token == tables.c.token,
                reminders.c.sent,
                reminders.c.at >= tables.c.changed,
            ),
        )
        .limit(AT_ONCE)
    )
    return [(row.token, row.person) for row in connection.execute(query)]


def _take(connection: sa.Connection, row: dict[str, Any], now: float) -> bool:
    """Return whether this process is the one that reminds of a turn now."""
    if insert_first(connection, reminders, row | {"at": now, "sent": False}):
        return True
    late = sa.and_(~reminders.c.sent, reminders.c.at < now - AGAIN_SECONDS)
    taken = sa.update(reminders).where(_is(row), late).values(at=now)
    return connection.execute(taken).rowcount > 0


def _done(connection: sa.Connection, row: dict[str, Any]) -> None:
    connection.execute(sa.update(reminders).where(_is(row)).values(sent=True))


def _is(row: dict[str, Any]) -> sa.ColumnElement[bool]:
    return sa.and_(*(reminders.c[name] == value for name, value in row.items()))
