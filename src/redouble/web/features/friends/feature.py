"""Friends: who they are, who is online, invitations."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.friends import page

FEATURE = Feature(
    name="friends",
    pages=(page.router,),
)
