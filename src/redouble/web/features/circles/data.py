"""What becomes of memberships in circles, and of evenings."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.circles import circles as rows
from redouble.web.features.circles import evenings as evening_rows
from redouble.web.features.circles.circles import circle_members, circles, evening_players, evenings

DATA = personal.PersonalData(
    tables=(circles, circle_members, evenings, evening_players),
    adopt=personal.in_turn(rows.adopt, evening_rows.adopt),
    forget=rows.forget,
    export={"circles": personal.listed(rows.exported, "since")},
    expire=evening_rows.drop_old,
    keeps=(sa.select(circle_members.c.person),),
    privacy=(
        personal.Stored(
            "The circles that you are in and since when, whether you take part in the "
            "duplicate games they plan, and which games were played at a circle's tables; "
            "season tables and results are counted from these",
            "until you leave, are removed or delete your data; a circle ends with its last member",
            on_servers=True,
        ),
    ),
    sessions=(),
)
