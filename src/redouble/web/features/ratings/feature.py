"""Ratings and leaderboards."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.feature import Feature, TablePlace
from redouble.web.features.ratings import page, rows
from redouble.web.features.ratings.rows import hinted, newest_points, note_hint, rate, ratings
from redouble.web.features.ratings.rows import listed as listed_people
from redouble.web.live.hooks import Hooks
from redouble.web.store import insert_first


def _adopt(connection: sa.Connection, guest: str, person: str) -> None:
    rows.adopt_ratings(connection, guest, person)
    if rows.is_listed(connection, guest):
        insert_first(connection, listed_people, {"person": person})


DATA = personal.PersonalData(
    tables=(ratings, listed_people, hinted),
    adopt=_adopt,
    forget=personal.by_foreign_key,
    export={
        "ratings": personal.listed(rows.history_of, "at", without=("number", "person")),
        "listed": lambda c, owner: rows.is_listed(c, owner.id),
    },
    expire=personal.never,
    keeps=(sa.select(ratings.c.person),),
    privacy=(
        personal.Stored(
            "Your rating after each rated game, where you asked for hints in games with "
            "others, and whether you are on the leaderboards",
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
    api="redouble.web.features.ratings.api",
    table_sections={
        TablePlace.PILL: page.pill,
        TablePlace.WAITING: page.waiting,
        TablePlace.MENU: page.menu,
    },
    hooks=Hooks(ended=rate, hinted=note_hint, points=newest_points),
)
