"""Profiles: pictures, badges, who sees what."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.profile import ending, page
from redouble.web.people.profiles import profile_of
from redouble.web.store.schema import profiles


def _profile(connection: sa.Connection, owner: personal.Owner) -> object:
    profile = profile_of(connection, owner.id)
    return {
        "picture": profile.motif,
        "results_seen_by": profile.results.name.lower(),
        "looks": profile.looks,
    }


DATA = personal.PersonalData(
    tables=(profiles,),
    adopt=personal.moved_if_none(profiles.c.person),
    forget=personal.by_foreign_key,
    export={"profile": _profile},
    expire=personal.never,
    keeps=(sa.select(profiles.c.person),),
    privacy=(
        personal.Stored(
            "Your picture, privacy choices and display settings",
            personal.UNTIL_DELETED,
            on_servers=True,
        ),
    ),
    sessions=(),
)

FEATURE = Feature(
    module=__name__,
    data=(DATA,),
    pages=(page.router,),
    table_sections={TablePlace.ENDING: ending.ending},
    sections={
        PagePlace.NAME: page.choices,
        PagePlace.RESULTS: page.results,
        PagePlace.BADGES: page.badges,
    },
)
