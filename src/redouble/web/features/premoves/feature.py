"""Moves that are decided in advance."""

from redouble.web.feature import Feature, TablePlace
from redouble.web.features.premoves import data, page
from redouble.web.features.premoves.premoves import Premover, end_premoves, is_planned
from redouble.web.live.hooks import Hooks

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.premoves.api",
    services=lambda site: [Premover(site.store, site.tables)],
    hooks=Hooks(planned=is_planned, written=end_premoves),
    table_sections={TablePlace.MENU: page.menu},
)
