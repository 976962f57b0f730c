"""What becomes of a person's picture and of who sees what."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.people.profiles import profile_of
from redouble.web.personal import (
    UNTIL_DELETED,
    Owner,
    PersonalData,
    Stored,
    by_foreign_key,
    moved_if_none,
    never,
)
from redouble.web.store.schema import profiles


def _profile(connection: sa.Connection, owner: Owner) -> object:
    profile = profile_of(connection, owner.id)
    return {
        "picture": profile.motif,
        "results_seen_by": profile.results.name.lower(),
        "looks": profile.looks,
    }


DATA = PersonalData(
    tables=(profiles,),
    adopt=moved_if_none(profiles.c.person),
    forget=by_foreign_key,
    export={"profile": _profile},
    expire=never,
    keeps=(sa.select(profiles.c.person),),
    privacy=(
        Stored(
            "Your picture, privacy choices and display settings",
            UNTIL_DELETED,
            on_servers=True,
        ),
    ),
    sessions=(),
)
