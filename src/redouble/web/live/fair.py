"""The server's part in fair deals: its secrets, and the chain of its commitments.

A table needs a secret that was committed to before a share was given, and pages send the share
together with the request for the table. So each such page carries an *offer*: an id, and the
commitment to the secret that belongs to it. Secrets are derived from ids by a key that stays in the
database, so nothing is stored for an offer that nobody takes. Each is good for one table.
"""

import hmac
import secrets as random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from redouble.match.fair import FIRST, Share, digest, link_of
from redouble.web.store import Store, kept_secret
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import commitments, log, tables
from redouble.web.table import Pledge
from redouble.web.table.acts.play import Close

KEY = "fair deals"
"""The name of the key in the table of secrets."""
MAX_OFFER = 64
"""Characters of an offer's id, at most."""


@dataclass(frozen=True)
class Offer:
    """A commitment that a table can be made with."""

    id: str
    commitment: str


@dataclass(frozen=True)
class ListedCommitment:
    """A commitment in the server's list."""

    number: int
    previous: str
    commitment: str
    link: str
    made: float
    secret: str | None
    """None while its game can go on."""


class Secrets:
    """Makes the secrets of a site's fair deals."""

    def __init__(self, store: Store) -> None:
        self._key = store.call(_key).result()

    def offer(self) -> Offer:
        """Return a new offer."""
        drawn = random.token_urlsafe(16)
        return Offer(f"{drawn}.{self._tag(drawn)}", self.commitment(f"offer {drawn}"))

    def name_of(self, offer: str) -> str:
        """Return the name of an offer's secret; empty if it isn't an offer of this server."""
        drawn, _, tag = offer.rpartition(".")
        if not offer.isascii() or not hmac.compare_digest(self._tag(drawn), tag):
            return ""
        return f"offer {drawn}"

    def commitment(self, name: str) -> str:
        """Return the commitment to the secret of this name."""
        return digest(self._secret(name))

    def _tag(self, drawn: str) -> str:
        return self._secret(f"tag {drawn}")[:32]

    def pledge(
        self,
        connection: sa.Connection,
        token: str,
        name: str = "",
        share: Share | None = None,
        deferred: bool = False,
    ) -> tuple[str, Pledge]:
        """Commit to a secret for a new table: the one of this name, if it wasn't used before.

        Return the secret and the pledge. The ``share`` was given for that secret, and counts only
        if it is used. Another process may commit at the same time: then inserting raises
        ``sqlalchemy.exc.IntegrityError``.
        """
        secret = self._secret(name) if name else ""
        used = sa.select(commitments.c.number).where(commitments.c.commitment == digest(secret))
        if not secret or connection.execute(used).first() is not None:
            secret, share = random.token_hex(32), None
        last = connection.execute(
            sa.select(commitments.c.number, commitments.c.link)
            .order_by(commitments.c.number.desc())
            .limit(1)
        ).one_or_none()
        number, previous = (1, FIRST) if last is None else (last.number + 1, last.link)
        commitment = digest(secret)
        link = link_of(number, previous, commitment)
        linked = {"number": number, "previous": previous, "commitment": commitment, "link": link}
        row = linked | {"secret": secret, "token": token, "made": CLOCK.now()}
        connection.execute(sa.insert(commitments).values(row))
        shares = () if share is None else (share,)
        return secret, Pledge(number, previous, commitment, link, shares, deferred)

    def _secret(self, name: str) -> str:
        return hmac.digest(self._key, name.encode("utf-8", "surrogatepass"), "sha256").hex()


def listed(connection: sa.Connection, before: int, limit: int) -> Sequence[ListedCommitment]:
    """Return the commitments with smaller numbers than ``before``, the last one first.

    A secret is shown when nobody can play with it any more: its game is over for good, or its
    table was deleted.
    """
    closed = sa.exists().where(log.c.token == tables.c.token, log.c.kind == Close.kind)
    ended = sa.or_(
        tables.c.token.is_(None),
        tables.c.status.in_(("over", "abandoned")),
        sa.and_(tables.c.status == "closed", closed),
    )
    found = connection.execute(
        sa.select(commitments, sa.case((ended, commitments.c.secret)).label("shown"))
        .outerjoin(tables, tables.c.token == commitments.c.token)
        .where(commitments.c.number < before)
        .order_by(commitments.c.number.desc())
        .limit(limit)
    )
    return [
        ListedCommitment(row.number, row.previous, row.commitment, row.link, row.made, row.shown)
        for row in found
    ]


def _key(connection: sa.Connection) -> bytes:
    """Return the key of the secrets, a new one if there is none. A job for the store."""
    make = partial(random.token_hex, 32)
    return bytes.fromhex(kept_secret(connection, KEY, make, CLOCK.now()).value)
