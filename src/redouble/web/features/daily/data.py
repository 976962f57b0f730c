"""What becomes of tries at daily deals and puzzles."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.daily import tries
from redouble.web.features.daily.tries import dailies

DATA = personal.PersonalData(
    tables=(dailies,),
    adopt=tries.adopt_tries,
    forget=personal.deleted(dailies.c.person),
    export={"daily": personal.listed(tries.dailies_of, "begun", "finished")},
    expire=personal.never,
    keeps=(sa.select(dailies.c.person),),
    privacy=(
        personal.Stored(
            "Your tries at daily deals and daily puzzles",
            personal.UNTIL_DELETED,
        ),
    ),
    sessions=(),
)
