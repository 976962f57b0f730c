"""Where people are sent messages: rows of the database, whose addresses are sealed."""

import hashlib
from collections.abc import Sequence
from enum import Enum
from typing import Any

import sqlalchemy as sa

from redouble.web.people.people import lock, new_id
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by

addresses = sa.Table(
    "addresses",
    metadata,
    sa.Column("digest", sa.String, primary_key=True),
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("channel", sa.String, nullable=False),  # see wishes.py
    sa.Column("sealed", sa.Text, nullable=False),  # with the server's key
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("failed", sa.Integer, nullable=False),  # messages in a row that weren't taken
    sa.Column("stop", sa.String, nullable=False, unique=True),  # what the link that stops it holds
    sa.Column("confirmed", sa.Boolean, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),  # wrong codes
    sa.Column("session", owned_by("sessions.id"), index=True),  # of a browser
)
"""Where people get messages."""

PER_PERSON = {"push": 5, "own": 1}
"""Addresses of one person, by the channel; the oldest one gives way."""
TRIES = 3
"""Messages in a row that an address may refuse before it is forgotten."""


MAX_CODES = 5
"""Wrong codes after which an address is forgotten."""
CONFIRM_SECONDS = 24 * 3600.0
"""How long an address waits for its code."""


class Delivery(Enum):
    """What became of a message."""

    SENT = "sent"
    GONE = "gone"
    FAILED = "failed"
    OFF = "off"
    """Not sent, since the operator has left this way out."""
    UNSENT = "unsent"
    """Not begun, since the server can't send anything at the moment: this is no try."""


def digest_of_address(text: str) -> str:
    """Return the name of an address in the database."""
    return hashlib.sha256(text.encode()).hexdigest()


def add(
    connection: sa.Connection,
    person: str,
    channel: str,
    address: tuple[str, str],
    confirmed: bool = True,
    session: str | None = None,
) -> str:
    """Let a person get messages at an address, given as its digest and sealed. A job for the store.

    The address of a browser is forgotten when the ``session`` in it ends. Return what the link
    that stops it holds.
    """
    lock(connection, person)
    digest, sealed = address
    drop(connection, digest=digest)
    known = [one.digest for one in addresses_of(connection, person) if one.channel == channel]
    for one in known[: max(0, len(known) + 1 - PER_PERSON[channel])]:
        drop(connection, digest=one)
    stop = new_id(18)
    row = {
        "digest": digest,
        "person": person,
        "channel": channel,
        "sealed": sealed,
        "made": CLOCK.now(),
        "failed": 0,
        "stop": stop,
        "confirmed": confirmed,
        "tries": 0,
        "session": session,
    }
    connection.execute(sa.insert(addresses).values(row))
    return stop


def drop(connection: sa.Connection, **which: str) -> None:
    """Forget the addresses that have these values in their columns."""
    connection.execute(sa.delete(addresses).filter_by(**which))


def addresses_of(connection: sa.Connection, person: str) -> Sequence[sa.Row[Any]]:
    """Return the rows of a person's addresses, the oldest first, sealed."""
    query = sa.select(addresses).filter_by(person=person).order_by(addresses.c.made)
    return connection.execute(query).all()


def confirm(connection: sa.Connection, digest: str, right: bool) -> bool:
    """Note that a person has entered a code, and return whether the address is still there.

    After ``MAX_CODES`` wrong ones it isn't. A job for the store.
    """
    tried = sa.update(addresses).filter_by(digest=digest).where(addresses.c.tries < MAX_CODES)
    change = {"confirmed": True} if right else {"tries": addresses.c.tries + 1}
    if connection.execute(tried.values(change)).rowcount:
        return True
    drop(connection, digest=digest)
    return False


def drop_unbound(connection: sa.Connection, person: str) -> None:
    """Forget the browsers of a person of which no session is known: any could have signed out."""
    unbound = sa.and_(addresses.c.channel == "push", addresses.c.session.is_(None))
    connection.execute(sa.delete(addresses).filter_by(person=person).where(unbound))


def drop_unconfirmed(connection: sa.Connection, now: float) -> None:
    """Forget addresses whose code nobody has entered in time."""
    old = sa.and_(addresses.c.confirmed.is_(False), addresses.c.made < now - CONFIRM_SECONDS)
    connection.execute(sa.delete(addresses).where(old))


def stopped_by(connection: sa.Connection, stop: str) -> sa.Row[Any] | None:
    """Return the row of the address that a link stops; None if it is stopped already."""
    return connection.execute(sa.select(addresses).filter_by(stop=stop)).one_or_none()


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's addresses to a person, as far as they may have more."""
    theirs = addresses_of(connection, guest)
    for channel, most in PER_PERSON.items():
        own = sum(row.channel == channel for row in addresses_of(connection, person))
        digests = [row.digest for row in theirs if row.channel == channel]
        moved = addresses.c.digest.in_(digests[: max(0, most - own)])
        connection.execute(sa.update(addresses).where(moved).values(person=person))


def note_delivery(connection: sa.Connection, digest: str, delivery: Delivery) -> None:
    """Forget an address that is gone or has failed too often, or count. A job for the store."""
    here = addresses.c.digest == digest
    if delivery is Delivery.SENT:
        connection.execute(sa.update(addresses).where(here).values(failed=0))
    if delivery not in (Delivery.GONE, Delivery.FAILED):
        return
    connection.execute(sa.update(addresses).where(here).values(failed=addresses.c.failed + 1))
    worn = addresses.c.failed >= (0 if delivery is Delivery.GONE else TRIES)
    connection.execute(sa.delete(addresses).where(here, worn))
