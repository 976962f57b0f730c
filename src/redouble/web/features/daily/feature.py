"""The deals and the puzzle of the day."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.daily import data, deal_page, page

FEATURE = Feature(
    name="daily",
    data=(data.DATA,),
    pages=(
        page.router,
        deal_page.router,
    ),
    api="redouble.web.features.daily.api",
)
