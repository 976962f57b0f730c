"""Signing in: linking and recovery codes, and passkeys."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.signin import data, page

FEATURE = Feature(
    name="signin",
    data=(data.DATA,),
    pages=(page.router,),
)
