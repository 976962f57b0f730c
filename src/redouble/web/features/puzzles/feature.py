"""Puzzles, and the rating of those who solve them."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.feature import Feature
from redouble.web.features.puzzles import page, tries
from redouble.web.features.puzzles.tries import puzzle_tries

DATA = personal.PersonalData(
    tables=(puzzle_tries,),
    adopt=personal.moved_if_none(puzzle_tries.c.person),
    forget=personal.by_foreign_key,
    export={"puzzles": personal.listed(tries.tries_of, "at")},
    expire=personal.never,
    keeps=(sa.select(puzzle_tries.c.person),),
    privacy=(
        personal.Stored(
            "Your first try at each puzzle",
            personal.UNTIL_DELETED,
        ),
    ),
    sessions=(),
)

FEATURE = Feature(
    module=__name__,
    data=(DATA,),
    pages=(page.router,),
    api="redouble.web.features.puzzles.api",
)
