"""Ratings and leaderboards."""

from redouble.web.feature import Feature, TablePlace
from redouble.web.features.ratings import data, page
from redouble.web.features.ratings.rows import newest_points, note_hint, rate
from redouble.web.live.hooks import Hooks

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.ratings.api",
    table_sections={
        TablePlace.PILL: page.pill,
        TablePlace.WAITING: page.waiting,
        TablePlace.MENU: page.menu,
    },
    hooks=Hooks(ended=rate, hinted=note_hint, points=newest_points),
)
