"""What becomes of imported games, reviews and shared results."""

from __future__ import annotations

import sqlalchemy as sa
from pydantic_core import from_json

from redouble.web.features.study import records as record_rows
from redouble.web.personal import (
    OneByOne,
    PersonalData,
    Stored,
    as_time,
    deleted,
    moved,
    never,
)
from redouble.web.store.schema import records, review_jobs, reviews, shares


def _tokens(connection: sa.Connection, person: str) -> list[str]:
    return [token for token, _ in record_rows.record_times(connection, person)]


def _read(connection: sa.Connection, token: str) -> list[tuple[str, str, float]]:
    return record_rows.record_lines(connection, [token])


def _written(found: list[tuple[str, str, float]], person: str) -> list[object]:
    return [
        {"token": token, "at": as_time(at), "line": from_json(line)} for token, line, at in found
    ]


DATA = PersonalData(
    tables=(records, reviews, review_jobs, shares),
    adopt=moved(records.c.person, review_jobs.c.person),
    forget=deleted(records.c.person, review_jobs.c.person),
    export={"records": OneByOne(_tokens, _read, _written)},
    expire=never,
    keeps=(sa.select(records.c.person),),
    privacy=(
        Stored(
            "The games you import",
            "until you delete them or your data",
        ),
        Stored(
            "A game whose review you've asked for, in the queue",
            "until the review is made; if it can't be made, the reason alone stays",
        ),
    ),
    sessions=(),
)
