"""What becomes of moves that were decided in advance."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.personal import (
    PersonalData,
    Stored,
    by_foreign_key,
    found_by,
    listed,
    moved,
    never,
)
from redouble.web.store.schema import premoves

DATA = PersonalData(
    tables=(premoves,),
    adopt=moved(premoves.c.person),
    forget=by_foreign_key,
    export={
        "premoves": listed(
            found_by(
                sa.select(premoves.c.token, premoves.c.seat, premoves.c.moves).order_by(
                    premoves.c.token
                ),
                premoves.c.person,
            )
        )
    },
    expire=never,
    keeps=(sa.select(premoves.c.person),),
    privacy=(
        Stored(
            "Your moves in advance, which nobody else sees",
            "until they're made or out of date, or you delete them",
            on_servers=True,
        ),
    ),
    sessions=(),
)
