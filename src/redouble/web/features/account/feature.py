"""A person's data: sign-out, export, deletion, and what expires."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.account import data, privacy_page

FEATURE = Feature(
    name="account",
    data=data.DATA,
    pages=(privacy_page.router,),
)
