"""What becomes of memberships in circles, and of evenings."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.circles import circles as rows
from redouble.web.features.circles import evenings as evening_rows
from redouble.web.personal import (
    PersonalData,
    Stored,
    in_turn,
    listed,
)
from redouble.web.store.schema import (
    circle_members,
    circles,
    evening_players,
    evenings,
)

DATA = PersonalData(
    tables=(circles, circle_members, evenings, evening_players),
    adopt=in_turn(rows.adopt, evening_rows.adopt),
    forget=rows.forget,
    export={"circles": listed(rows.exported, "since")},
    expire=evening_rows.drop_old,
    keeps=(sa.select(circle_members.c.person),),
    privacy=(
        Stored(
            "The circles that you are in and since when, in which evenings you want to "
            "take part, and which games were played at a circle's tables; its season "
            "table and its evenings are counted from these",
            "until you leave, are removed or delete your data; a circle ends with its last member",
            on_servers=True,
        ),
    ),
    sessions=(),
)
