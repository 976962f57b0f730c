"""The pages, one module for each kind, and the interface for programs beside them."""

from __future__ import annotations

from redouble.web import api
from redouble.web.pages import deals, home, me, replay, rules, table

ROUTERS = (
    home.router,
    deals.router,
    table.router,
    replay.router,
    me.router,
    rules.router,
    *api.ROUTERS,
)
