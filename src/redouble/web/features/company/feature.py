"""Mutes, reports and sanctions."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.company import data, page

FEATURE = Feature(
    name="company",
    data=(data.DATA,),
    pages=(page.router,),
)
