"""Answers to requests that change something, kept so that a request sent twice acts once.

A form has a mark, which the server drew for its page, and a program sends an ``Idempotency-Key``.
The first request with one claims it in the database, and leaves its answer there. A repeat waits
for that answer, in any process of the server, and gets the same one.
"""

import asyncio
import base64
import contextlib
import hashlib
import json
import secrets
import time
import zlib
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.web.errors import KeyReused, Stale, StoreError
from redouble.web.store import Store, insert_first
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import answers

KEPT_SECONDS = 24 * 3600.0
"""How long an answer is kept."""
MAX_KEPT = 100
"""Answers that are kept for one person; a new one takes the place of the oldest."""
MAX_ANSWER = 256 * 1024
"""Bytes of an answer that is kept."""
CLAIM_SECONDS = 60.0
"""After this time without an answer, the process that carried out a request has ended."""
WAIT_SECONDS = 30.0
"""How long a repeat waits for the first answer."""
LOOK_SECONDS = 0.05
"""How often it looks for it."""
MIN_SECRET = 16
"""Characters of a mark that nobody guesses: it can stand for a visitor without a cookie."""


@dataclass(frozen=True)
class KeptAnswer:
    """What was answered, as it is sent again."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cookie: str | None
    """What the cookie was set to; None if it stayed as it was."""


@dataclass(frozen=True)
class RequestKey:
    """What a request is known by: digests of its mark, and of all that was sent."""

    key: str
    request: str
    earlier: str = ""
    """The key that it had if its sender had no cookie yet."""


def new_mark() -> str:
    """Return a mark for the forms of a page."""
    return secrets.token_urlsafe(MIN_SECRET)


def digest_of(*parts: str | bytes) -> str:
    """Return a digest of texts that can't be read from it."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


class Repeats:
    """The requests that a site has carried out lately, with their answers."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def begin(self, claim: RequestKey, person: str) -> KeptAnswer | None:
        """Return the answer to an earlier request, or None if this is the first one.

        The first one ends with :meth:`finish` or :meth:`give_up`. Raises :class:`KeyReused` if the
        earlier request was another one, and :class:`Stale` if its answer doesn't come.
        """
        until = time.monotonic() + WAIT_SECONDS
        while True:
            found = await self._store.run(_claim, claim, person)
            if not isinstance(found, bool):
                return found
            if found:
                return None
            if time.monotonic() > until:
                raise Stale("your first request isn't answered yet: try again in a minute")
            await asyncio.sleep(LOOK_SECONDS)

    async def finish(self, claim: RequestKey, person: str, answer: KeptAnswer) -> None:
        """Keep the answer to a request that was claimed, for a ``person`` if there is one."""
        row = {
            "person": person,
            "at": CLOCK.now(),
            "status": answer.status,
            "headers": json.dumps(answer.headers),
            "body": base64.b64encode(zlib.compress(answer.body, 1)).decode(),
            "cookie": answer.cookie,
        }
        change = sa.update(answers).where(answers.c.key == claim.key).values(row)

        def job(connection: sa.Connection) -> None:
            connection.execute(change)
            mine = sa.select(answers.c.at).where(answers.c.person == person)
            oldest = mine.order_by(answers.c.at.desc()).offset(MAX_KEPT).limit(1)
            if (last := connection.execute(oldest).scalar()) is not None:
                old = sa.and_(answers.c.person == person, answers.c.at <= last)
                connection.execute(sa.delete(answers).where(old))

        with contextlib.suppress(StoreError):  # it was carried out, and a repeat finds it claimed
            await self._store.run(job)

    async def give_up(self, claim: RequestKey) -> None:
        """Forget a request that has changed nothing."""
        dropped = sa.delete(answers).where(answers.c.key == claim.key)
        with contextlib.suppress(StoreError):
            await self._store.run(lambda c: c.execute(dropped) and None)


def _claim(connection: sa.Connection, claim: RequestKey, person: str) -> KeptAnswer | bool:
    """Claim a request, and return whether that was possible, or the answer to an earlier one."""
    now = CLOCK.now()
    keys = [claim.key, claim.earlier] if claim.earlier else [claim.key]
    for row in connection.execute(sa.select(answers).where(answers.c.key.in_(keys))).all():
        if row.key == claim.earlier and row.person != person:
            continue  # another person's, before they had a cookie
        if row.request != claim.request:
            raise KeyReused("this Idempotency-Key was sent with another request: use a new key")
        if row.status:
            headers = tuple((name, value) for name, value in json.loads(row.headers))
            body = zlib.decompress(base64.b64decode(row.body))
            return KeptAnswer(row.status, headers, body, row.cookie)
        if abs(now - row.at) < CLAIM_SECONDS:
            return False
        connection.execute(sa.delete(answers).where(answers.c.key == row.key))
    claimed = {"key": claim.key, "request": claim.request, "person": person, "at": now}
    return insert_first(connection, answers, claimed | {"status": 0, "headers": "", "body": ""})
