"""The HTTP interface for programs: everything that the pages can do, as JSON."""

from __future__ import annotations

from redouble.web.api import daily, docs, play, premoves, puzzles, ratings, reviews, routes

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
