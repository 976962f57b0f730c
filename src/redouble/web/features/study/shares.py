"""Links to shared results in the database."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from redouble.web.errors import NotFound
from redouble.web.store import insert_first
from redouble.web.store.schema import (
    shares,
)


def share(connection: sa.Connection, token: str, at: float) -> str:
    """Return the id under which a table's result is shared, a new one if it wasn't yet."""
    query = sa.select(shares.c.id).where(shares.c.token == token)
    found = connection.execute(query).scalar()
    if found is None:
        found = secrets.token_urlsafe(12)
        if not insert_first(connection, shares, {"id": found, "token": token, "at": at}):
            found = connection.execute(query).scalar_one()
    return str(found)


def token_of_share(connection: sa.Connection, shared: str) -> str:
    """Return the token of a shared result's table. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(shares.c.token).where(shares.c.id == shared)).scalar()
    if found is None:
        raise NotFound("there is no result at this link: it is no longer shared")
    return str(found)


def stop_sharing(connection: sa.Connection, token: str) -> None:
    """Delete the link to a table's result, if there is one."""
    connection.execute(sa.delete(shares).where(shares.c.token == token))
