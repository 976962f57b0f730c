"""What becomes of moves that were decided in advance."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.premoves.premoves import all_premoves_of
from redouble.web.personal import PersonalData, by_foreign_key, moved, never
from redouble.web.store.schema import premoves

DATA = PersonalData(
    tables=(premoves,),
    adopt=moved(premoves.c.person),
    forget=by_foreign_key,
    export={"premoves": lambda c, owner: all_premoves_of(c, owner.id)},
    expire=never,
    keeps=(sa.select(premoves.c.person),),
    sessions=(),
)
