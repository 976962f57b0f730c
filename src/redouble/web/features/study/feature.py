"""Finished games: records, replays, reviews, shared results, the solver."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.study import data, replay_page, review_page, share_page, solver_page

FEATURE = Feature(
    name="study",
    data=(data.DATA,),
    pages=(
        share_page.router,
        solver_page.router,
        replay_page.router,
        review_page.router,
    ),
    api="redouble.web.features.study.api",
)
