"""Profiles: pictures, badges, who sees what."""

from __future__ import annotations

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.profile import data, ending, my_page, page

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        page.router,
        my_page.router,
    ),
    table_sections={TablePlace.ENDING: ending.ending},
    sections={
        PagePlace.NAME: my_page.choices,
        PagePlace.RESULTS: my_page.results,
    },
)
