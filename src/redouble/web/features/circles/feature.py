"""Circles: standing groups, their seasons and duplicate games."""

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.circles import circles, data, evening_page, evenings, page
from redouble.web.live.hooks import Hooks

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        page.router,
        evening_page.router,
    ),
    hooks=Hooks(admit=circles.admit, made=circles.made, again=evenings.next_deal),
    seals=evening_page.check_unsealed,
    sections={
        PagePlace.PEOPLE: page.strip,
    },
    table_sections={TablePlace.PILL: page.pill},
    messages=(evenings.REMINDER,),
    calendar=evenings.expected,
)
