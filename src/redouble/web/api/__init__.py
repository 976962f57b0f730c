"""The HTTP interface for programs: everything that the pages can do, as JSON."""

from __future__ import annotations

from redouble.web.api import docs, play, routes
from redouble.web.features.daily import api as daily
from redouble.web.features.premoves import api as premoves
from redouble.web.features.puzzles import api as puzzles
from redouble.web.features.ratings import api as ratings
from redouble.web.features.study import api as reviews

ROUTERS = (
    routes.router,
    play.router,
    premoves.router,
    daily.router,
    puzzles.router,
    ratings.router,
    reviews.router,
    docs.router,
)
