"""Moves that are decided in advance."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.premoves import data, page

FEATURE = Feature(
    name="premoves",
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.premoves.api",
)
