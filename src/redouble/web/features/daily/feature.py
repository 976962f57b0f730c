"""The deals and the puzzle of the day."""

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.daily import data, page
from redouble.web.features.daily.tries import UNPLAYED, Dailies, finish_try
from redouble.web.live.hooks import Hooks

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
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
