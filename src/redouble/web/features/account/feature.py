"""A person's data: sign-out, export, deletion, and what expires."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.account import privacy_page

FEATURE = Feature(
    name="account",
    pages=(privacy_page.router,),
)
