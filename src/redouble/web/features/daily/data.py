"""What becomes of tries at daily deals and puzzles."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.daily import tries
from redouble.web.personal import (
    UNTIL_DELETED,
    PersonalData,
    Stored,
    deleted,
    listed,
    never,
)
from redouble.web.store.schema import dailies

DATA = PersonalData(
    tables=(dailies,),
    adopt=tries.adopt_tries,
    forget=deleted(dailies.c.person),
    export={"daily": listed(tries.dailies_of, "begun", "finished")},
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
