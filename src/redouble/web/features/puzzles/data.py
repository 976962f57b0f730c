"""What becomes of first tries at puzzles."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.puzzles import tries
from redouble.web.personal import (
    UNTIL_DELETED,
    PersonalData,
    Stored,
    by_foreign_key,
    listed,
    moved_if_none,
    never,
)
from redouble.web.store.schema import puzzle_tries

DATA = PersonalData(
    tables=(puzzle_tries,),
    adopt=moved_if_none(puzzle_tries.c.person),
    forget=by_foreign_key,
    export={"puzzles": listed(tries.tries_of, "at")},
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
