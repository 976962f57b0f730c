"""Signing a device in by a code: its guest's games become those of the code's person."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace

import sqlalchemy as sa

from redouble.web.errors import NotFound, TooMuch
from redouble.web.feature import features_of
from redouble.web.features.account import identity
from redouble.web.features.account.identity import OwnedGames
from redouble.web.features.signin import codes
from redouble.web.live import lists
from redouble.web.people import sessions
from redouble.web.people.people import Person
from redouble.web.personal import move_session
from redouble.web.site import Site


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
        person = Person(*codes.redeem(connection, code))
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
) -> tuple[Person, OwnedGames | None]:
    """Return the person of a code, which stays usable, and what they take over from the guest.

    That is None if there is no guest, or if it is the same person. Raises as :func:`link_device`
    does.
    """

    def job(connection: sa.Connection) -> tuple[Person, OwnedGames | None]:
        found = codes.owner_of(connection, code)
        if found is None:
            raise NotFound(codes.wrong(code))
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
