"""The HTTP interface for programs, as JSON: tables and games, but not what only people do."""

from redouble.web.api import docs, play, routes

ROUTERS = (routes.router, play.router, docs.router)
