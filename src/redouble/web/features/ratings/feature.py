"""Ratings and leaderboards."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.ratings import page

FEATURE = Feature(
    name="ratings",
    pages=(page.router,),
    api="redouble.web.features.ratings.api",
)
