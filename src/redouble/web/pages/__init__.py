"""The pages, one module for each kind, and the interface for programs beside them."""

from __future__ import annotations

from redouble.web.pages import home, table

ROUTERS = (home.router, table.router)
