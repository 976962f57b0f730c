"""Mutes, reports and sanctions."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.company import page

FEATURE = Feature(
    name="company",
    pages=(page.router,),
)
