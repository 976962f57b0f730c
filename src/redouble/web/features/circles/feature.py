"""Circles: standing groups, their seasons and evenings."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.circles import data, evening_page, page

FEATURE = Feature(
    name="circles",
    data=(data.DATA,),
    pages=(
        page.router,
        evening_page.router,
    ),
)
