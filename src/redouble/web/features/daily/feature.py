"""The deals and the puzzle of the day."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.daily import page, tries
from redouble.web.features.daily.tries import UNPLAYED, Dailies, dailies, finish_try
from redouble.web.live.hooks import Hooks

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

FEATURE = Feature(
    module=__name__,
    data=(DATA,),
    pages=(page.router,),
    api="redouble.web.features.daily.api",
    services=lambda site: [Dailies(site.store, site.tables)],
    hooks=Hooks(ended=finish_try),
    messages=(UNPLAYED,),
    seals=lambda site, *deal: site.service(Dailies).check_unsealed(*deal),
    sections={
        PagePlace.TODAY: page.today_strip,
    },
    table_sections={TablePlace.PILL: page.pill},
)
