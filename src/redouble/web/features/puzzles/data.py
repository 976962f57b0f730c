"""What becomes of first tries at puzzles."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.puzzles import tries
from redouble.web.personal import (
    UNTIL_DELETED,
    Owner,
    PersonalData,
    Stored,
    by_foreign_key,
    moved_if_none,
    never,
    read_rows,
)
from redouble.web.store.schema import puzzle_tries


def _tries(connection: sa.Connection, owner: Owner) -> object:
    return read_rows(tries.tries_of(connection, owner.id), "at")


DATA = PersonalData(
    tables=(puzzle_tries,),
    adopt=moved_if_none(puzzle_tries.c.person),
    forget=by_foreign_key,
    export={"puzzles": _tries},
    expire=never,
    keeps=(sa.select(puzzle_tries.c.person),),
    privacy=(
        Stored(
            "Your first try at each puzzle",
            UNTIL_DELETED,
        ),
    ),
    sessions=(),
)
