"""The HTTP interface for programs: everything that the pages can do, as JSON."""

from __future__ import annotations

from redouble.web.api import docs, play, routes

ROUTERS = (routes.router, play.router, docs.router)
