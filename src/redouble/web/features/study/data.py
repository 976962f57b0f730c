"""What becomes of imported games, reviews and shared results."""

import sqlalchemy as sa
from pydantic_core import from_json

from redouble.web import personal
from redouble.web.features.study import records as record_rows
from redouble.web.features.study.queue import jobs as review_jobs
from redouble.web.features.study.queue import reviews
from redouble.web.features.study.saved import records, replay_of
from redouble.web.features.study.share_page import shares
from redouble.web.live.lists import known_at


def _tokens(connection: sa.Connection, person: str) -> list[str]:
    return [token for token, _ in record_rows.record_times(connection, person)]


def _read(connection: sa.Connection, token: str) -> list[tuple[str, str, float]]:
    return record_rows.record_lines(connection, [token])


def _written(found: list[tuple[str, str, float]], person: str) -> list[object]:
    return [
        {"token": token, "at": personal.as_time(at), "line": from_json(line)}
        for token, line, at in found
    ]


def _forget(connection: sa.Connection, person: str) -> None:
    """Forget what names a person, before the feature of tables takes them out of these."""
    known = known_at(connection, person)
    for table in (reviews, shares):
        connection.execute(sa.delete(table).where(table.c.token.in_(known)))
    personal.deleted(records.c.person, review_jobs.c.person)(connection, person)
    replay_of.cache_clear()
    record_rows.forget_lists()


DATA = personal.PersonalData(
    tables=(records, reviews, review_jobs, shares),
    adopt=personal.moved(records.c.person, review_jobs.c.person),
    forget=_forget,
    export={"records": personal.OneByOne(_tokens, _read, _written)},
    expire=personal.never,
    keeps=(sa.select(records.c.person),),
    privacy=(
        personal.Stored(
            "The games you import",
            "until you delete them or your data",
        ),
        personal.Stored(
            "A game whose review you've asked for, in the queue",
            "until the review is made; if it can't be made, the reason alone stays",
        ),
    ),
    sessions=(),
)
