"""What becomes of moves that were decided in advance."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.premoves.premoves import all_premoves_of
from redouble.web.personal import (
    PersonalData,
    Stored,
    by_foreign_key,
    moved,
    never,
)
from redouble.web.store.schema import premoves

DATA = PersonalData(
    tables=(premoves,),
    adopt=moved(premoves.c.person),
    forget=by_foreign_key,
    export={"premoves": lambda c, owner: all_premoves_of(c, owner.id)},
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
