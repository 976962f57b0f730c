"""Friends: who they are, who is online, invitations."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.friends import friends as rows
from redouble.web.features.friends import page
from redouble.web.features.friends.friends import calls, friends, hidden
from redouble.web.live.hooks import Hooks

DATA = personal.PersonalData(
    tables=(friends, hidden, calls),
    adopt=personal.in_turn(rows.adopt, personal.moved_once(calls.c.caller, calls.c.called)),
    forget=personal.by_foreign_key,
    export={
        "friends": personal.listed(rows.exported, "at"),
        "hides_when_online": lambda c, owner: rows.hides(c, owner.id),
    },
    expire=personal.older_than(calls.c.at, rows.CALL_SECONDS),
    keeps=(sa.select(friends.c.asker), sa.select(friends.c.asked)),
    privacy=(
        personal.Stored(
            "Your friends and your friend requests, and your choice to hide when you are "
            "online; a request that you refuse stays refused",
            "until you or the other person removes it, or either of you deletes their data",
        ),
        personal.Stored(
            "That a friend or a member of your circle invites you to a table",
            "1 day",
        ),
    ),
    sessions=(),
)

FEATURE = Feature(
    module=__name__,
    data=(DATA,),
    pages=(page.router,),
    table_sections={TablePlace.WAITING: page.waiting, TablePlace.ENDING: page.ending},
    sections={
        PagePlace.CALLS: page.unanswered,
        PagePlace.PEOPLE: page.strip,
        PagePlace.FRIENDS: page.listed,
    },
    hooks=Hooks(asked=rows.ask_again, friends=rows.pairs, written=rows.drop_left_calls),
    messages=(rows.INVITED,),
    commands={"befriend": page.befriend},
)
