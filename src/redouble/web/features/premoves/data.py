"""What becomes of moves that were decided in advance."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.premoves.premoves import premoves

DATA = personal.PersonalData(
    tables=(premoves,),
    adopt=personal.moved(premoves.c.person),
    forget=personal.by_foreign_key,
    export={
        "premoves": personal.listed(
            personal.found_by(
                sa.select(premoves.c.token, premoves.c.seat, premoves.c.moves).order_by(
                    premoves.c.token
                ),
                premoves.c.person,
            )
        )
    },
    expire=personal.never,
    keeps=(sa.select(premoves.c.person),),
    privacy=(
        personal.Stored(
            "Your moves in advance, which nobody else sees",
            "until they're made or out of date, or you delete them",
            on_servers=True,
        ),
    ),
    sessions=(),
)
