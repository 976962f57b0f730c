"""Mutes, reports and sanctions."""

from collections.abc import Collection

import sqlalchemy as sa

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.company import data, page
from redouble.web.live.hooks import Hooks
from redouble.web.people.mutes import check_apart
from redouble.web.table import Header


def _admit(connection: sa.Connection, header: Header, persons: Collection[str]) -> None:
    """Raise :class:`NotYours` if a public table would seat two people of whom one is blocked."""
    if header.public:
        check_apart(connection, header.token, persons)


FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    sections={
        PagePlace.FRIENDS: page.muted,
    },
    api="redouble.web.features.company.api",
    hooks=Hooks(admit=_admit),
    commands={
        "mute": page.mute_player,
        "block": page.block_player,
        "unmute": page.unmute_player,
    },
)
