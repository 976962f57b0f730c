"""Friends: who they are, who is online, invitations."""

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.features.friends import data, friends, page
from redouble.web.live.hooks import Hooks

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    table_sections={TablePlace.WAITING: page.waiting, TablePlace.ENDING: page.ending},
    sections={
        PagePlace.CALLS: page.unanswered,
        PagePlace.PEOPLE: page.strip,
        PagePlace.FRIENDS: page.listed,
    },
    hooks=Hooks(asked=friends.ask_again, friends=friends.pairs, written=friends.drop_left_calls),
    messages=(friends.INVITED,),
    commands={"befriend": page.befriend},
)
