"""Profiles: pictures, badges, who sees what."""

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.profile import data, ending, page

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        page.router,
        page.router,
    ),
    table_sections={TablePlace.ENDING: ending.ending},
    sections={
        PagePlace.NAME: page.choices,
        PagePlace.RESULTS: page.results,
        PagePlace.BADGES: page.badges,
    },
)
