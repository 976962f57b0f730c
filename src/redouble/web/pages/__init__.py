"""The pages, one module per kind."""

from __future__ import annotations

from redouble.web.pages import (
    circles,
    company,
    daily,
    deals,
    fair,
    friends,
    health,
    home,
    install,
    me,
    messages,
    passkeys,
    premoves,
    privacy,
    puzzle,
    ranking,
    replay,
    review,
    rules,
    share,
    solver,
    table,
)

ROUTERS = (
    table.router,  # what is asked for most often comes first: addresses are compared in order
    health.router,
    company.router,
    home.router,
    install.router,
    daily.router,
    deals.router,
    fair.router,
    friends.router,
    circles.router,
    share.router,
    solver.router,
    replay.router,
    review.router,
    puzzle.router,
    me.router,
    passkeys.router,
    premoves.router,
    messages.router,
    privacy.router,
    rules.router,
    ranking.router,
)
