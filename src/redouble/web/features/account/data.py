"""What becomes of a person's tables and results, their sessions, and of the person themselves."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.account import games, identity
from redouble.web.live.lists import known_at
from redouble.web.live.table_rows import stored
from redouble.web.people import repeats, results, sessions
from redouble.web.personal import (
    OneByOne,
    Owner,
    PersonalData,
    as_time,
    by_foreign_key,
    deleted,
    left_behind,
    moved,
    never,
    older_than,
    read_rows,
)
from redouble.web.store.schema import answers, log, people, seats, tables
from redouble.web.store.schema import results as result_rows
from redouble.web.store.schema import sessions as session_rows


def _devices(connection: sa.Connection, owner: Owner) -> object:
    return [
        {"device": one.device, "first": as_time(one.begun), "last": as_time(one.seen)}
        for one in sessions.sessions_of(connection, owner.id)
    ]


def _results(connection: sa.Connection, owner: Owner) -> object:
    return read_rows(results.results_of(connection, owner.id), "at")


PEOPLE = PersonalData(
    tables=(people, session_rows),
    adopt=left_behind,  # whoever else is signed in as the guest isn't the person who signs in
    forget=by_foreign_key,
    export={"devices": _devices},
    expire=sessions.drop_idle,
    keeps=(),
    sessions=(),
)
GAMES = PersonalData(
    tables=(tables, seats, log, result_rows),
    adopt=identity.adopt_tables,
    forget=identity.leave_tables,
    export={
        "tables": OneByOne(known_at, stored, games.table_of),
        "results": _results,
        "said": OneByOne(known_at, stored, games.said_at),
    },
    expire=never,
    keeps=(
        sa.select(seats.c.person),
        sa.select(tables.c.host),
        sa.select(result_rows.c.person),
    ),
    sessions=(),
)
ANSWERS = PersonalData(
    tables=(answers,),
    adopt=moved(answers.c.person),
    forget=deleted(answers.c.person),
    export={},
    expire=older_than(answers.c.at, repeats.KEPT_SECONDS),
    keeps=(),
    sessions=(),
)
DATA = (GAMES, ANSWERS, PEOPLE)
