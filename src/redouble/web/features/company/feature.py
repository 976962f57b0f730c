"""Mutes, reports and sanctions."""

from __future__ import annotations

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.company import data, page

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    sections={
        PagePlace.CHOICES: page.muted,
    },
    api="redouble.web.features.company.api",
    commands={"mute": page.mute_player, "unmute": page.unmute_player},
)
