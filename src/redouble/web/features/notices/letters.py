"""The queue of messages to people, in the database: each is sent once, whichever process sends it.

A row is something to tell a person, or with an address, one message to it. Its key is unique, so
what two processes notice is one row. ``at`` says when it is looked at next, and is empty when
nothing is left to do; the rows stay for a while, so that nothing is sent again.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Protocol

import sqlalchemy as sa

from redouble.web.feature import Letter
from redouble.web.features.notices.addresses import Delivery
from redouble.web.features.notices.lanes import Lane
from redouble.web.features.notices.wishes import CODE, LAST
from redouble.web.people.people import lock
from redouble.web.store import count, insert_first
from redouble.web.store.clock import DAY
from redouble.web.store.schema import metadata, owned_by

letters = sa.Table(
    "letters",
    metadata,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("person", owned_by("people.id"), nullable=False),
    sa.Column("address", owned_by("addresses.digest"), index=True),
    sa.Column("token", owned_by("tables.token"), index=True),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("about", sa.String, nullable=False),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("at", sa.Float, index=True),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Index("ix_letters_person", "person", "kind", "token"),
)
"""Messages to people: due ones, and those sent lately."""

MOST_A_DAY = 20
"""Messages to a person within 24 hours, whatever happens; the last is a summary."""
TRIES = 3
"""How often a message is sent that isn't taken, or whose process is killed meanwhile."""
PAUSES = (60.0, 600.0)
"""Seconds before the second and the third try."""
AGAIN_SECONDS = 120.0
"""When another process takes over what one has begun to send, or has waiting in a lane.

A message takes much less, since the sender ends it.
"""
KEPT_SECONDS = 30 * 24 * 3600.0
"""How long messages stay known after they were sent."""


@dataclass(frozen=True)
class Outgoing:
    """A message to an address."""

    sealed: str
    letter: Letter
    stop: str
    """The path at which the messages to this address are stopped."""


class Channel(Protocol):
    """A way to people."""

    @property
    def available(self) -> bool:
        """Whether the server can and may use it."""

    def lane(self, sealed: str) -> Lane:
        """Return where messages to an address wait for each other."""

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send a message, and return what became of it."""


@dataclass(frozen=True)
class QueuedLetter:
    """A row of the queue."""

    key: str
    kind: str
    person: str
    address: str | None
    """The digest of an address; None while it isn't decided where it is sent."""
    token: str | None
    ply: int
    """At which a turn began; 0 if it is about no turn."""
    about: str
    made: float
    at: float | None
    tries: int


def queue(
    connection: sa.Connection,
    kind: str,
    person: str,
    about: str,
    now: float,
    at: float | None,
    token: str | None = None,
    ply: int = 0,
    address: str | None = None,
) -> None:
    """Note something to tell a person at a time, unless it is known; None if there is no need.

    It may be for one ``address`` only, given as its digest.
    """
    key = f"{kind} {about} {person}"
    one = QueuedLetter(key, kind, person, address, token, ply, about, made=now, at=at, tries=0)
    if not insert_first(connection, letters, vars(one)):
        # It was looked at because of something else, such as a chat message: not again.
        connection.execute(sa.update(letters).filter_by(key=key).values(made=now))


def due(connection: sa.Connection, now: float, limit: int) -> list[QueuedLetter]:
    """Return what is to be looked at now, the oldest first."""
    query = sa.select(letters).where(letters.c.at <= now).order_by(letters.c.at).limit(limit)
    return [QueuedLetter(**row._mapping) for row in connection.execute(query)]


def mend(connection: sa.Connection, now: float) -> None:
    """Look now at what was noted while the machine's clock was ahead. A job for the store."""
    ahead = sa.and_(letters.c.at > now, letters.c.made > now + DAY)
    connection.execute(sa.update(letters).where(ahead).values(at=now, made=now))


def put_off(connection: sa.Connection, one: QueuedLetter, at: float | None) -> bool:
    """Look at something at another time, or never again; False if another process was first."""
    return connection.execute(sa.update(letters).where(_unchanged(one)).values(at=at)).rowcount > 0


def reserve(connection: sa.Connection, one: QueuedLetter, now: float) -> QueuedLetter | None:
    """Let no other process look at a message until then; None if one was first."""
    at = now + AGAIN_SECONDS
    return replace(one, at=at) if put_off(connection, one, at) else None


def address_to(
    connection: sa.Connection, one: QueuedLetter, digests: Collection[str], now: float
) -> None:
    """Make a message to each address of something to tell, which is settled then.

    Near the limit of a day, a summary is made instead.
    """
    if not put_off(connection, one, None):
        return
    if digests and one.kind not in (CODE, LAST):
        lock(connection, one.person)
        lately = letters.c.person == one.person, letters.c.made > now - DAY
        told = sa.select(letters.c.kind, letters.c.about).distinct()
        sent = told.where(*lately, letters.c.address.is_not(None), letters.c.kind != CODE)
        if count(connection, sent.subquery()) >= MOST_A_DAY - 1:
            digests = ()
            if not count(connection, letters, *lately, letters.c.kind == LAST):
                queue(connection, LAST, one.person, f"{one.kind} {now:.0f}", now, now)
    for digest in digests:
        row = vars(one) | {"key": f"{one.key} {digest}", "address": digest, "made": now, "at": now}
        insert_first(connection, letters, row)


def claim(connection: sa.Connection, one: QueuedLetter, now: float) -> bool:
    """Return whether this process is the one that sends a message now. A job for the store.

    A message that was begun three times isn't begun again: its process was killed each time.
    """
    if one.tries >= TRIES:
        put_off(connection, one, None)
        return False
    taken = sa.update(letters).where(_unchanged(one))
    values = {"at": now + AGAIN_SECONDS, "tries": one.tries + 1}
    return connection.execute(taken.values(values)).rowcount > 0


def settle(connection: sa.Connection, one: QueuedLetter, delivery: Delivery, now: float) -> bool:
    """Note what became of a claimed message, and return whether it is tried again."""
    tries, again = one.tries + 1, None
    if delivery is Delivery.UNSENT:
        tries, again = one.tries, now + PAUSES[0]
    elif delivery is Delivery.FAILED and tries < TRIES:
        again = now + PAUSES[tries - 1]
    claimed = sa.update(letters).filter_by(key=one.key, tries=one.tries + 1)
    connection.execute(claimed.values(tries=tries, at=again))
    return again is not None


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Note for a person which messages a guest got."""
    for key in connection.execute(sa.select(letters.c.key).filter_by(person=guest)).scalars().all():
        moved = key.replace(f" {guest}", f" {person}")
        if connection.execute(sa.select(letters).filter_by(key=moved)).first() is None:
            here = sa.update(letters).filter_by(key=key)
            connection.execute(here.values(key=moved, person=person))


def _unchanged(one: QueuedLetter) -> sa.ColumnElement[bool]:
    return sa.and_(letters.c.key == one.key, letters.c.tries == one.tries, letters.c.at == one.at)
