"""Friends: who they are, who is online, invitations."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.friends import data, page

FEATURE = Feature(
    name="friends",
    data=(data.DATA,),
    pages=(page.router,),
)
