"""Notifications: what people want to get, where it goes, and calendars."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.notices import calendar_page, data, page

FEATURE = Feature(
    name="notices",
    data=(data.DATA,),
    pages=(
        page.router,
        calendar_page.router,
    ),
)
