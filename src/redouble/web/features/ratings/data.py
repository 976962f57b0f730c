"""What becomes of ratings, hints that count against them, and the leaderboards."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.ratings import rows
from redouble.web.personal import (
    UNTIL_DELETED,
    Owner,
    PersonalData,
    Stored,
    by_foreign_key,
    never,
    read_rows,
)
from redouble.web.store import insert_first
from redouble.web.store.schema import hinted, listed, ratings


def _adopt(connection: sa.Connection, guest: str, person: str) -> None:
    rows.adopt_ratings(connection, guest, person)
    if rows.is_listed(connection, guest):
        insert_first(connection, listed, {"person": person})


def _ratings(connection: sa.Connection, owner: Owner) -> object:
    left_out = ("number", "person")
    return read_rows(rows.history_of(connection, owner.id), "at", without=left_out)


DATA = PersonalData(
    tables=(ratings, listed, hinted),
    adopt=_adopt,
    forget=by_foreign_key,
    export={"ratings": _ratings, "listed": lambda c, owner: rows.is_listed(c, owner.id)},
    expire=never,
    keeps=(sa.select(ratings.c.person),),
    privacy=(
        Stored(
            "Your rating after each rated game, where you asked for hints in games with "
            "others, and whether you are on the leaderboards",
            UNTIL_DELETED,
            on_servers=True,
        ),
    ),
    sessions=(),
)
