"""The pages, one module per kind."""

from __future__ import annotations

from redouble.web.features.account import privacy_page as privacy
from redouble.web.features.circles import evening_page as evenings
from redouble.web.features.circles import page as circles
from redouble.web.features.company import page as company
from redouble.web.features.daily import deal_page as deals
from redouble.web.features.daily import page as daily
from redouble.web.features.fair import page as fair
from redouble.web.features.friends import page as friends
from redouble.web.features.notices import calendar_page as calendar
from redouble.web.features.notices import page as messages
from redouble.web.features.operate import page as health
from redouble.web.features.premoves import page as premoves
from redouble.web.features.profile import page as profile
from redouble.web.features.puzzles import page as puzzle
from redouble.web.features.ratings import page as ranking
from redouble.web.features.signin import page as passkeys
from redouble.web.features.study import replay_page as replay
from redouble.web.features.study import review_page as review
from redouble.web.features.study import share_page as share
from redouble.web.features.study import solver_page as solver
from redouble.web.pages import home, install, me, rules, table

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
    evenings.router,
    share.router,
    solver.router,
    replay.router,
    review.router,
    puzzle.router,
    me.router,
    passkeys.router,
    premoves.router,
    messages.router,
    calendar.router,
    privacy.router,
    profile.router,
    rules.router,
    ranking.router,
)
