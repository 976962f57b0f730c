"""Fair deals, which everyone can check."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.fair import page

FEATURE = Feature(
    name="fair",
    pages=(page.router,),
)
