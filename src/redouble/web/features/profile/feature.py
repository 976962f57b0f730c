"""Profiles: pictures, badges, who sees what."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.profile import data, page

FEATURE = Feature(
    name="profile",
    data=(data.DATA,),
    pages=(page.router,),
)
