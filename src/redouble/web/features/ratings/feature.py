"""Ratings and leaderboards."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.ratings import data, page

FEATURE = Feature(
    name="ratings",
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.ratings.api",
)
