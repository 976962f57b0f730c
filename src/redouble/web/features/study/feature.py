"""Finished games: records, replays, reviews, shared results, the solver."""

from collections.abc import Iterable

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.study import (
    data,
    deal_page,
    replay_page,
    review_page,
    share_page,
    solver,
    turning,
)
from redouble.web.features.study.reviewer import Reviewer
from redouble.web.features.study.reviews import Reviews
from redouble.web.features.study.sharing import Pictures
from redouble.web.site import Service, Site
from redouble.web.store import Store
from redouble.web.thinking.compiler import Compiler
from redouble.web.watchers import Watchers


def _services(site: Site) -> Iterable[object]:
    helped, watched = site.exchange.has_workers, site.watchers.reviewed
    reviewer = Reviewer(site.store, site.compiler, helped, watched)
    return reviewer, Reviews(site.store, reviewer), Pictures(site.env)


def _workers(store: Store, compiler: Compiler, watchers: Watchers) -> Iterable[Service]:
    return [Reviewer(store, compiler, reviewed=watchers.reviewed)]


FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        deal_page.router,
        share_page.router,
        solver.router,
        replay_page.router,
        review_page.router,
    ),
    api="redouble.web.features.study.api",
    services=_services,
    workers=_workers,
    table_sections={TablePlace.ENDING: turning.ending},
    sections={
        PagePlace.GAMES: replay_page.imported,
    },
)
