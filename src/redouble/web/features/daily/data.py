"""What becomes of tries at daily deals and puzzles."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.daily import tries
from redouble.web.personal import (
    UNTIL_DELETED,
    Owner,
    PersonalData,
    Stored,
    deleted,
    never,
    read_rows,
)
from redouble.web.store.schema import dailies


def _tries(connection: sa.Connection, owner: Owner) -> object:
    return read_rows(tries.dailies_of(connection, owner.id), "begun", "finished")


DATA = PersonalData(
    tables=(dailies,),
    adopt=tries.adopt_tries,
    forget=deleted(dailies.c.person),
    export={"daily": _tries},
    expire=never,
    keeps=(sa.select(dailies.c.person),),
    privacy=(
        Stored(
            "Your tries at daily deals and daily puzzles",
            UNTIL_DELETED,
        ),
    ),
    sessions=(),
)
