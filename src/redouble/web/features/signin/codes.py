"""Codes by which a person signs in on another device: one for ten minutes, or one for paper.

Each works once. Of the code for paper only a digest is stored: it has a hundred random bits, so
nobody finds it by trying.
"""

import contextlib
import hashlib
import math
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

import sqlalchemy as sa

from redouble.web.errors import NotFound, TooMuch
from redouble.web.feature import features_of
from redouble.web.features.account import identity
from redouble.web.live import lists
from redouble.web.people import sessions
from redouble.web.people.people import Person
from redouble.web.personal import move_session
from redouble.web.site import Site
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by, people

codes = sa.Table(
    "codes",
    metadata,
    sa.Column("code", sa.String, primary_key=True),
    sa.Column("person", owned_by("people.id"), nullable=False),
    sa.Column("until", sa.Float, nullable=False),
    sa.Column("session", owned_by("sessions.id"), index=True),
)
"""One-time codes that link a device to a person."""

recovery_codes = sa.Table(
    "recovery_codes",
    metadata,
    sa.Column("digest", sa.String, primary_key=True),  # SHA-256, in hexadecimal digits
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("made", sa.Float, nullable=False),
)
"""One-time codes for paper, by which a person signs in on any device and day."""

SECONDS = 600
"""How long a code for another device can be used."""
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits, except those that look alike."""
LENGTH = 8
RECOVERY_LENGTH = 20
WRONG = "this code is wrong, used, or older than ten minutes: get a new one"
WRONG_RECOVERY = "this recovery code is wrong, used, or replaced by a newer one: check each letter"


def new_code(connection: sa.Connection, person: str, session: str = "") -> str:
    """Return a new code for another device, the person's only one. It ends with the session."""
    code = _random(LENGTH)
    connection.execute(sa.delete(codes).filter_by(person=person))
    until = CLOCK.now() + SECONDS
    row = {"code": code, "person": person, "until": until, "session": session or None}
    connection.execute(sa.insert(codes).values(row))
    return code


def new_recovery_code(connection: sa.Connection, person: str) -> str:
    """Return a new code for paper, the person's only one."""
    code = _random(RECOVERY_LENGTH)
    connection.execute(sa.delete(recovery_codes).filter_by(person=person))
    row = {"digest": _digest(code), "person": person, "made": CLOCK.now()}
    connection.execute(sa.insert(recovery_codes).values(row))
    return code


def recovery_made(connection: sa.Connection, person: str) -> float | None:
    """Return when a person made their code for paper; None if they have none."""
    query = sa.select(recovery_codes.c.made).filter_by(person=person)
    made: float | None = connection.execute(query).scalar()
    return made


def redeem(connection: sa.Connection, text: str) -> tuple[str, str]:
    """Use up a code, and return the id and name of its person. A job for the store.

    Raises :class:`NotFound` if the code is wrong, used or too old.
    """
    code = code_of(text)
    now = CLOCK.now()
    # A code of a later time was made before the clock was set back: it could be of any age.
    fresh = codes.c.until.between(now, now + SECONDS)
    connection.execute(sa.delete(codes).where(~fresh))
    # Of two who use it at the same time, one deletes it.
    if len(code) == RECOVERY_LENGTH:
        used = (
            sa.delete(recovery_codes)
            .filter_by(digest=_digest(code))
            .returning(recovery_codes.c.person)
        )
    else:
        used = sa.delete(codes).filter_by(code=code).returning(codes.c.person)
    person = connection.execute(used).scalar_one_or_none()
    if person is None:
        raise _no_code(text)
    return person, connection.execute(sa.select(people.c.name).filter_by(id=person)).scalar_one()


def owner_of(connection: sa.Connection, text: str) -> tuple[str, str] | None:
    """Return the id and name of the person of a code that can be used, without using it."""
    code = code_of(text)
    query = sa.select(people.c.id, people.c.name)
    if len(code) == RECOVERY_LENGTH:
        query = query.join(recovery_codes).where(recovery_codes.c.digest == _digest(code))
    else:
        query = query.join(codes).where(codes.c.code == code, codes.c.until > CLOCK.now())
    found = connection.execute(query).one_or_none()
    return None if found is None else (found.id, found.name)


def _no_code(text: str) -> NotFound:
    return NotFound(WRONG_RECOVERY if len(code_of(text)) > LENGTH else WRONG)


def code_of(text: str) -> str:
    """Return a code as it is stored, from what was typed or pasted."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).upper() if c in LETTERS)


def parts(code: str) -> Sequence[str]:
    """Return a code in groups that are easy to copy by hand."""
    size = 4 if len(code) == LENGTH else 5
    return [code[at : at + size] for at in range(0, len(code), size)]


def _random(length: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(length))


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


async def link_device(
    site: Site, code: str, guest: Person | None, asker: str, device: str
) -> Person:
    """Use a code and return its person, who gets everything the device's guest has played.

    They are signed in on the ``device`` then, in a session of its own.

    Raises :class:`NotFound` for a wrong code, :class:`TooMuch` after many wrong codes from
    ``asker``'s address, and :class:`Stale` if both play at an unfinished table; then nothing has
    changed.
    """

    def job(connection: sa.Connection) -> Person:
        person = Person(*redeem(connection, code))
        if guest is not None and guest.id == person.id:
            return replace(person, session=guest.session)
        session = sessions.begin(connection, person.id, device)
        if guest is not None:
            move_session(connection, features_of(site).data, guest.session, session)
            identity.adopt(connection, guest.id, person.id, features_of(site).data)
        return replace(person, session=session)

    with _trying(site, guest, asker):
        tokens = []
        if guest is not None:
            tokens = await site.store.run(lists.known_at, guest.id)
        return await site.tables.rewrite(tokens, job)


async def owner_of_code(
    site: Site, code: str, guest: Person | None, asker: str
) -> tuple[Person, identity.OwnedGames | None]:
    """Return the person of a code, which stays usable, and what they take over from the guest.

    That is None if there is no guest, or if it is the same person. Raises as :func:`link_device`
    does.
    """

    def job(connection: sa.Connection) -> tuple[Person, identity.OwnedGames | None]:
        found = owner_of(connection, code)
        if found is None:
            raise _no_code(code)
        person = Person(*found)
        if guest is None or guest.id == person.id:
            return person, None
        identity.check_apart(connection, guest.id, person.id)
        return person, identity.games_of(connection, guest.id)

    with _trying(site, guest, asker):
        return await site.store.run(job)


@contextlib.contextmanager
def _trying(site: Site, guest: Person | None, asker: str) -> Iterator[None]:
    """Count a wrong code, which raises :class:`NotFound`, against those who try them."""
    wanted = [("codes", f"person {guest.id}" if guest else asker, site.limits.wrong_codes)]
    if (seconds := site.rates.take(wanted)[0]) > 0:
        raise TooMuch("too many wrong codes: wait a minute, then try again", math.ceil(seconds))
    wrong = False
    try:
        yield
    except NotFound:
        wrong = True
        raise
    finally:
        if not wrong:
            site.rates.give_back(wanted)
