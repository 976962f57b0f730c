"""Sessions: the browsers and programs in which people are signed in.

A session is a row of the database with a random id, and a cookie is that id, signed. So a session
that is ended is nobody's at its next request, in every process of the server. Foreign keys delete
what was set up in it, and a notice ends its streams a second later.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sqlalchemy as sa

from redouble.web.store import notices
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import people, sessions

MAX_SESSIONS = 50
"""Sessions of one person: another one ends the one that has been idle longest."""
SESSION_SECONDS = 400 * 24 * 3600.0
"""A session that wasn't used for this time has ended: no browser keeps a cookie for longer."""


@dataclass(frozen=True)
class DeviceSession:
    """A browser or program in which a person is signed in."""

    id: str
    device: str
    """A plain name of the browser and its system."""
    begun: float
    seen: float
    """When it was last used, in seconds since 1970, to within a few minutes."""


UNKNOWN = "Unknown device"
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Vivaldi", "Vivaldi"),
    ("FxiOS", "Firefox"),
    ("Firefox", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
"""What names a browser, the more particular first: most also name those that they descend from."""
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)
_PROGRAM = re.compile(r"[A-Za-z][\w.-]{1,30}(?=/|$)", re.ASCII)


def device_name(agent: str) -> str:
    """Return a name such as "Firefox on Windows" for a ``User-Agent``, or that of a program."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    program = _PROGRAM.match(agent)
    if browser or system:
        return browser or system
    return program[0] if program and program[0] != "Mozilla" else UNKNOWN


def begin(connection: sa.Connection, person: str, device: str, session: str = "") -> str:
    """Begin a session of a person and return its id: ``session``, or a new one."""
    session = session or secrets.token_urlsafe(16)
    now = CLOCK.now()
    row = {"id": session, "person": person, "device": device, "begun": now, "seen": now}
    connection.execute(sa.insert(sessions).values(row))
    mine = sa.select(sessions.c.id).where(sessions.c.person == person, sessions.c.id != session)
    idle = mine.order_by(sessions.c.seen.desc()).offset(MAX_SESSIONS - 1)
    _end(connection, sessions.c.id.in_(connection.execute(idle).scalars().all()))
    return session


def sessions_of(
    connection: sa.Connection, person: str, seen: Mapping[str, float] | None = None
) -> list[DeviceSession]:
    """Return a person's sessions, the last used first. ``seen`` is what isn't stored yet."""
    rows = connection.execute(sa.select(sessions).where(sessions.c.person == person))
    found = (DeviceSession(row.id, row.device, row.begun, row.seen) for row in rows)
    latest = seen or {}
    now = [replace(one, seen=latest.get(one.id, one.seen)) for one in found]
    return sorted(now, key=lambda one: one.seen, reverse=True)


def end(connection: sa.Connection, person: str, session: str) -> list[str]:
    """End a person's session, and return its id; nothing if there is none."""
    return _end(connection, sessions.c.person == person, sessions.c.id == session)


def end_others(connection: sa.Connection, person: str, session: str) -> list[str]:
    """End all sessions of a person except one, if there is such, and return their ids."""
    return _end(connection, sessions.c.person == person, sessions.c.id != session)


def note_seen(connection: sa.Connection, seen: Mapping[str, float]) -> None:
    """Store when sessions were last used."""
    rows = [{"which": session, "at": at} for session, at in seen.items()]
    which, at = sa.bindparam("which", type_=sa.String), sa.bindparam("at", type_=sa.Float)
    # A server may store an earlier time after another; a later one than now is a wrong clock's.
    now = CLOCK.now()
    newer = sa.or_(sessions.c.seen < at, sessions.c.seen > now)
    this = sa.update(sessions).where(sessions.c.id == which, newer)
    owner = sa.select(sessions.c.person).where(sessions.c.id == which).scalar_subquery()
    newer = sa.or_(people.c.seen < at, people.c.seen > now)
    theirs = sa.update(people).where(people.c.id == owner, newer)
    if rows:
        connection.execute(this.values(seen=at), rows)
        connection.execute(theirs.values(seen=at), rows)


def drop_idle(connection: sa.Connection, now: float) -> None:
    """Delete the sessions whose cookies no browser keeps any more."""
    _end(connection, sessions.c.seen < now - SESSION_SECONDS)


def _end(connection: sa.Connection, *which: sa.ColumnElement[bool]) -> list[str]:
    """End sessions, also for every server that has streams of them, and return their ids."""
    ended = connection.execute(sa.delete(sessions).where(*which).returning(sessions.c.id))
    found = [row.id for row in ended]
    notices.post(connection, "", notices.SESSION, found)
    return found
